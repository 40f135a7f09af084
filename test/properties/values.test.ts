import { assert, describe, it } from "@effect/vitest"
import { Memory, Note, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Arbitrary, Effect, Schema } from "effect"
import { texts } from "./texts.ts"

const Key = Schema.Literals(["a", "b", "c"])
const Trust = Schema.Literals(["trusted", "untrusted"])

const drafts = Arbitrary.array(
  Arbitrary.all({
    key: Arbitrary.schema(Key),
    content: texts,
    source: texts,
    field: texts,
    trust: Arbitrary.schema(Trust)
  }),
  { maxLength: 12 }
)

type Draft = typeof drafts extends Arbitrary.Arbitrary<ReadonlyArray<infer D>> ? D : never

const build = Effect.fnUntraced(function* (items: ReadonlyArray<Draft>, start?: Thought.Thought<any>) {
  let thought: Thought.Thought<any> = start ?? (yield* Thought.make("test"))
  for (const { field, key, ...draft } of items) {
    thought = yield* Thought.append(thought, key, { ...draft, metadata: { field } })
  }
  return thought
})

/** Everything that can be seen of a thought, in values of its own. */
const seen = (thought: Thought.Thought<any>): unknown =>
  structuredClone({
    json: JSON.parse(JSON.stringify(thought)) as unknown,
    notes: Thought.notes(thought),
    current: Thought.current(thought),
    histories: Key.literals.map((key) => Thought.history(thought, key)),
    unpublished: Thought.unpublished(thought),
    parent: thought.parent,
    length: thought.length,
    session: seenSession(thought.session)
  })

const seenSession = (session: Session.Session): unknown =>
  structuredClone({
    entries: Session.entries(session),
    nextIndex: session.nextIndex,
    usage: session.usage,
    length: session.length
  })

/** Changes whatever can be changed of a value; what is frozen refuses. */
const vandalise = (value: unknown): void => {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return
  for (const key of Reflect.ownKeys(value)) {
    // Effect's values are not ours to freeze: a moment keeps its own parts, and what is behind a type id is internal
    if (key === "created" || String(key).startsWith("~") || (key === "length" && Array.isArray(value))) continue
    const inner: unknown = Reflect.get(value, key)
    vandalise(inner)
    Reflect.set(value, key, typeof inner === "string" ? `${inner} changed` : undefined)
  }
  Reflect.set(value, "added", true)
  if (Array.isArray(value)) {
    Reflect.set(value, "length", 0)
    Reflect.set(value, 0, "changed")
  }
  for (const key of Reflect.ownKeys(value)) Reflect.deleteProperty(value, key)
}

const handedOut = (thought: Thought.Thought<any>): ReadonlyArray<unknown> => [
  Thought.notes(thought),
  Thought.current(thought),
  Thought.unpublished(thought),
  ...Key.literals.map((key) => Thought.history(thought, key)),
  ...Key.literals.map((key) => thought.note(key)),
  Thought.latest(thought),
  thought.parent,
  thought.toJSON(),
  ...handedOutBySession(thought.session)
]

const handedOutBySession = (session: Session.Session): ReadonlyArray<unknown> => [
  Session.entries(session),
  Session.turns(session),
  Session.view(session, "full"),
  Session.view(session, { recent: 1 }),
  Session.view(session, { summaryAndRecent: 1 }),
  session.usage,
  session.toJSON()
]

const sessionOf = (thought: Thought.Thought<any>, from = Session.empty) =>
  Thought.notes(thought).reduce(
    (session, note) => Session.append(session, { role: "user", text: note.content, carries: [note.id] }),
    Session.withUsage(from, { inputTokens: 1 })
  )

describe("what a thought returns", () => {
  it.effect.prop("cannot be used to change the thought", [drafts, drafts], ([first, second]) =>
    Effect.gen(function* () {
      const made = yield* build(first)
      const talked = Thought.withSession(made, sessionOf(made))
      const forked = yield* Thought.fork(talked)
      const child = yield* Thought.make("child", {}, { parent: talked })
      const memory = yield* Memory.Memory
      const loaded = yield* Effect.flatMap(memory.commit(yield* build(second, forked)), ({ id }) => memory.load(id))
      for (const thought of [made, talked, forked, child, loaded, Thought.at(talked, 2)]) {
        const before = seen(thought)
        for (const value of handedOut(thought)) vandalise(value)
        assert.deepStrictEqual(seen(thought), before)
      }
      // nor so that the store changes
      const again = yield* memory.load(loaded.id)
      assert.deepStrictEqual(seen(again), seen(loaded))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect.prop(
    "stays equal after everything that makes another thought from it",
    [drafts, drafts],
    ([first, second]) =>
      Effect.gen(function* () {
        const made = yield* build(first)
        const thought = Thought.withSession(made, sessionOf(made))
        const before = seen(thought)
        const longer = yield* build(second, thought)
        const cleared = Thought.withSession(longer, Session.clear(longer.session))
        yield* build(first, yield* Thought.fork(cleared, { hide: ["a"] }))
        Thought.at(longer, 1)
        yield* Memory.Memory.use((memory) => memory.commit(longer))
        assert.deepStrictEqual(seen(thought), before)
        // two that grow from one do not see each other
        const one = yield* Thought.append(thought, "a", "one")
        const two = yield* Thought.append(thought, "a", "two")
        assert.deepStrictEqual([one.note("a")?.content, two.note("a")?.content], ["one", "two"])
        assert.deepStrictEqual([one.length, two.length], [thought.length + 1, thought.length + 1])
      }).pipe(Effect.provide(Testing.memory))
  )
})

describe("what a thought receives", () => {
  it.effect.prop("can be changed afterwards without changing the thought", [drafts], ([items]) =>
    Effect.gen(function* () {
      const notes = Object.fromEntries(
        items.map(({ field, key, ...draft }) => [key, { ...draft, metadata: { field } }])
      )
      const usage = { inputTokens: 1 }
      const drafts = items.map(({ content, field }) => ({
        role: "user" as const,
        text: content,
        carries: [field],
        covers: [field]
      }))
      const hide = ["a"]
      const made = yield* Thought.make("test", notes)
      const appended = yield* Thought.append(made, "b", { content: "text", metadata: notes["a"]?.metadata ?? {} })
      const forked = yield* Thought.fork(appended, { hide })
      const session = Session.withUsage(Session.set(Session.append(Session.empty, ...drafts), drafts), usage)
      const stored = structuredClone(Session.entries(session)) as Array<Session.Entry>
      const restored = Session.fromEntries(stored, { nextIndex: 100, usage })
      const before = [...[made, appended, forked].map(seen), ...[session, restored].map(seenSession)]
      for (const value of [notes, usage, drafts, hide, stored]) vandalise(value)
      assert.deepStrictEqual([...[made, appended, forked].map(seen), ...[session, restored].map(seenSession)], before)
    })
  )
})

describe("a session", () => {
  const Op = Schema.Union([
    Schema.TaggedStruct("Append", { role: Schema.Literals(["user", "assistant", "system"]), id: Schema.Int }),
    Schema.TaggedStruct("Summary", { id: Schema.Int }),
    Schema.TaggedStruct("Remove", { position: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })) }),
    Schema.TaggedStruct("Replace", { position: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })) }),
    Schema.TaggedStruct("Insert", { position: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })) }),
    Schema.TaggedStruct("Prune", { count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })) }),
    Schema.TaggedStruct("Truncate", {
      first: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      last: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      release: Schema.Boolean
    }),
    Schema.TaggedStruct("Clear", {})
  ])

  const apply = (
    session: Session.Session,
    op: typeof Op.Type
  ): Effect.Effect<Session.Session, Session.SessionRangeError> => {
    const draft = { role: "user", text: "x", carries: ["x"] } as const
    switch (op._tag) {
      case "Append":
        return Effect.succeed(Session.append(session, { role: op.role, text: "t", carries: [`n${op.id}`] }))
      case "Summary":
        return Effect.succeed(
          Session.append(session, { role: "user", text: "s", kind: "summary", covers: [`n${op.id}`, `m${op.id}`] })
        )
      case "Remove":
        return Session.remove(session, op.position)
      case "Replace":
        return Session.replace(session, op.position, draft)
      case "Insert":
        return Session.insert(session, op.position, draft)
      case "Prune":
        return Session.prune(session, op.count)
      case "Truncate":
        return Session.truncate(session, op)
      default:
        return Effect.succeed(Session.clear(session))
    }
  }

  it.effect.prop(
    "keeps its indexes, its turns and what it shows in order through any changes, and never changes itself",
    [Arbitrary.array(Arbitrary.schema(Op), { maxLength: 20 })],
    ([ops]) =>
      Effect.gen(function* () {
        let session = Session.empty
        const given = new Map<number, Session.Entry>()
        for (const op of ops) {
          const before = seenSession(session)
          const next = yield* Effect.orElseSucceed(apply(session, op), () => session)
          assert.deepStrictEqual(seenSession(session), before)
          const entries = Session.entries(next)
          const numbers = entries.map((entry) => entry.index)
          assert.deepStrictEqual(
            numbers,
            [...new Set(numbers)].toSorted((a, b) => a - b)
          )
          assert.isBelow(numbers.at(-1) ?? -1, next.nextIndex)
          assert.isAtLeast(next.nextIndex, session.nextIndex)
          // a number once given stands for the same entry for ever
          for (const entry of entries) {
            assert.deepStrictEqual(given.get(entry.index) ?? entry, entry)
            given.set(entry.index, entry)
          }
          const shown = new Set(entries.flatMap((entry) => [...entry.carries, ...entry.covers]))
          for (const id of [...shown, "x", "n0", "n1", "m0", "m1"]) {
            assert.strictEqual(Session.shows(next, id), shown.has(id), id)
          }
          assert.deepStrictEqual(Session.turns(next).flat(), entries)
          if (op._tag === "Truncate" || op._tag === "Prune") {
            const old = new Map(Session.entries(session).map((entry) => [entry.text, entry]))
            // no turn is split: each is there whole, or not at all
            const kept = Session.turns(next).filter((turn) => turn[0]!.kind !== "omission").length
            assert.isAtMost(kept, Session.turns(session).length)
            assert.isTrue(entries.every((entry) => entry.kind === "omission" || old.has(entry.text)))
            // what is kept is whole turns from the beginning and from the end; an answer may then follow another message
            const textsOf = (some: ReadonlyArray<Session.Entry>) =>
              some.filter(({ kind }) => kind !== "omission").map(({ text }) => text)
            const turns = Session.turns(session).map(textsOf)
            const texts = textsOf(entries)
            const ends = Array.from({ length: turns.length + 1 }, (_, end) => end)
            const ways = ends.flatMap((head) =>
              ends.map((tail) => [...turns.slice(0, head), ...turns.slice(tail)].flat())
            )
            assert.deepInclude(ways, texts)
          }
          if (op._tag === "Truncate" && !op.release) {
            for (const entry of Session.entries(session)) {
              for (const id of [...entry.carries, ...entry.covers]) assert.isTrue(Session.shows(next, id), id)
            }
          }
          session = next
        }
      })
  )
})

describe("history and at", () => {
  it.effect.prop(
    "agree: the thought after n notes has the last of each key's history up to n",
    [drafts, drafts],
    ([first, second]) =>
      Effect.gen(function* () {
        const root = yield* build(first)
        const hidden = yield* Thought.fork(root, { hide: ["a"] })
        for (const thought of [root, yield* build(second, yield* Thought.fork(root)), yield* build(second, hidden)]) {
          for (let n = 0; n <= thought.length + 1; n++) {
            const past = Thought.at(thought, n)
            assert.strictEqual(past.length, Math.min(n, thought.length))
            for (const key of Key.literals) {
              const until = Thought.history(thought, key).filter((note) => note.seq <= n)
              assert.strictEqual(past.note(key), until.at(-1))
              assert.deepStrictEqual(Thought.history(past, key), until)
            }
            assert.deepStrictEqual(
              Thought.notes(past),
              Thought.notes(thought).filter((note) => note.seq <= n)
            )
          }
          assert.deepStrictEqual(
            Key.literals.flatMap((key) => Thought.history(thought, key)).toSorted((a, b) => a.seq - b.seq),
            Thought.notes(thought)
          )
          assert.deepStrictEqual(
            Thought.current(thought),
            Key.literals.flatMap((key) => thought.note(key) ?? []).toSorted((a, b) => a.seq - b.seq)
          )
        }
      })
  )
})

/** JSON has no minus zero. */
const withoutMinusZero = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMinusZero)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutMinusZero(inner)]))
  }
  return Object.is(value, -0) ? 0 : value
}

describe("a note's text", () => {
  const handles = [
    Note.handle("key", Schema.String),
    Note.handle("key", Schema.NullOr(Schema.String)),
    // @effect-diagnostics-next-line schemaNumber:off -- what is no finite number is stored too
    Note.handle("key", Schema.Number),
    Note.handle("key", Schema.Struct({ a: Schema.optionalKey(Schema.String), b: Schema.Array(Schema.Int) })),
    Note.handle("key", Schema.Literals(["x", "y"])),
    Note.handle("key", Schema.BigInt),
    Note.handle("key", Schema.Json)
  ] as ReadonlyArray<Note.Handle<"key", unknown>>

  for (const [i, handle] of handles.entries()) {
    it.effect.prop(`returns the value that was written, schema ${i}`, [Arbitrary.schema(handle.schema)], ([value]) =>
      Effect.gen(function* () {
        const thought = yield* Thought.write(yield* Thought.make("test"), handle, value)
        const expected = withoutMinusZero(value)
        assert.deepStrictEqual(yield* Thought.read(thought, handle), expected)
        assert.deepStrictEqual(thought.get("key"), expected)
      })
    )
  }

  it.effect.prop("is any text at all, unchanged", [texts], ([text]) =>
    Effect.gen(function* () {
      const thought = yield* Thought.write(yield* Thought.make("test", { a: text }), handles[0]!, text)
      assert.deepStrictEqual([thought.note("a")?.content, thought.note("key")?.content], [text, text])
    })
  )
})
