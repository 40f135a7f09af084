/** Texts and counts at their limits, and one over. */
import { Memory, Session, Thought } from "cogito"
import { Effect, Stream } from "effect"
import { inSecond, scene, stored } from "./stage.ts"

const x = (length: number) => "x".repeat(length)

const sizeOf = <E, R>(program: Effect.Effect<Thought.Thought<any>, E, R>) => Effect.map(program, ({ length }) => length)

/** A thought with something of a length, refused before it is written. */
const drafts: ReadonlyArray<readonly [string, number, (length: number) => ReturnType<typeof stored>]> = [
  ["a trace id", 256, (length) => stored("i", {}, { traceId: x(length) })],
  ["a task id", 256, (length) => stored("i", {}, { taskId: x(length) })],
  ["an intent", 100_000, (length) => stored(x(length), {})],
  ["a note", 4_000_000, (length) => stored("i", { big: x(length) })],
  ["a source", 256, (length) => stored("i", { "odd\u202ekey": { content: "", source: x(length) } })],
  ["metadata", 100_000, (length) => stored("i", { k: { content: "", metadata: { ab: "cde", f: x(length - 6) } } })],
  [
    "a message",
    16_000_000,
    (length) =>
      Effect.flatMap(Thought.make("i"), (thought) =>
        Memory.commit(Thought.withSession(thought, Session.append(Session.empty, { role: "user", text: x(length) })))
      )
  ]
]

export const limitScenes = [
  scene("Commits over the limits", ({ show }) =>
    Effect.gen(function* () {
      for (const [name, limit, make] of drafts) {
        if (limit < 1_000_000) yield* show(`${name} of ${limit}`, sizeOf(make(limit)))
        yield* show(`${name} of ${limit + 1}`, sizeOf(make(limit + 1)))
      }
      const parent = yield* Thought.make("i", { big: x(4_000_001) })
      yield* show("a parent that comes along", sizeOf(Effect.flatMap(Thought.fork(parent), Memory.commit)))
      const texts = Array.from({ length: 17 }, (_, i) => [`k${i}`, x(i < 16 ? 4_000_000 : 0)] as const)
      yield* show("an intent over what may be written at once", sizeOf(stored("i", Object.fromEntries(texts))))
    })
  ),
  scene("Notes that are added over the limits", ({ show }) =>
    Effect.gen(function* () {
      const { id } = yield* stored("i", {})
      const add = (note: Partial<Memory.AppendedNote>) =>
        Effect.map(Memory.append(id, [{ key: "k", content: "", ...note }]), ({ length }) => length)
      yield* show("a key of 200", add({ key: x(200) }))
      yield* show("a source of 256", add({ source: x(256) }))
      yield* show("a source of 257", add({ source: x(257) }))
      yield* show("metadata of 100,000", add({ metadata: { a: x(99_999) } }))
      yield* show("metadata of 100,001", add({ metadata: { a: x(99_999), b: "" } }))
      yield* show("a text of 4,000,001", add({ content: x(4_000_001) }))
      const many = Array.from({ length: 10_001 }, () => ({ key: "k", content: "" }))
      yield* show("10,001 notes", Memory.append(id, many))
      const long = Array.from({ length: 17 }, (_, i) => ({ key: "k", content: i < 16 ? x(4_000_000) : "y" }))
      yield* show("64,000,001 characters", Memory.append(id, long))
      yield* show("how many there are", sizeOf(Memory.load(id)))
    })
  ),
  scene("Scopes over the limit, and none", ({ show }) =>
    Effect.gen(function* () {
      const { id } = yield* inSecond(stored("i", { a: "1" }))
      yield* show("256 characters", Memory.thoughts().pipe(Memory.withScope(x(256))))
      const long = Memory.withScope(x(257))
      const programs: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, Memory.Memory>]> = [
        ["commit", stored("i", {})],
        ["load", Memory.load(id)],
        ["search", Memory.search("a")],
        ["survey", Memory.survey("a")],
        ["ancestors", Memory.ancestors(id)],
        ["children", Memory.children(id)],
        ["thoughts", Memory.thoughts()],
        ["append", Memory.append(id, [])],
        ["remove", Memory.remove(id)],
        ["purge", Memory.purge],
        ["redact", Memory.redact(id)],
        ["export", Stream.runCollect(Memory.exportLines())],
        ["import", Memory.importLines(Stream.make('{"format":"cogito-memory","version":1}'))],
        ["pending", Memory.pending]
      ]
      for (const [name, program] of programs) yield* show(`257 characters: ${name}`, long(program))
      yield* show("no characters", Effect.provideService(Memory.thoughts(), Memory.CurrentScope, ""))
      yield* show(
        "no characters, said at once",
        Effect.sync(() => Memory.withScope(""))
      )
    })
  )
]
