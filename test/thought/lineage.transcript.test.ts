import { it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { transcribe } from "../transcript.ts"

const count = Note.handle("count", Schema.Finite)

/** Five notes, of which two have one key and two are shown in the conversation. */
const full = Effect.gen(function* () {
  const first = yield* Thought.make(
    "triage",
    { b: "two lamps", a: "charged twice" },
    { traceId: "trace-9", taskId: "task-7" }
  )
  const more = yield* Thought.append(first, "a", { content: "three times", metadata: { lang: "en" }, trust: "trusted" })
  const counted = yield* Thought.write(more, count, 3, { source: "counter", derivedFrom: [more.note("a")!.id] })
  const last = yield* Thought.append(counted, "yes", "true")
  const [lamps, charged] = Thought.notes(last)
  const session = Session.append(
    Session.empty,
    { role: "system", text: "Be fair." },
    { role: "user", text: "Look at it.", carries: [charged!.id, lamps!.id] },
    { role: "assistant", text: "I have." },
    { role: "user", text: "And now?" },
    { role: "assistant", text: "Three.", carries: [last.note("count")!.id] }
  )
  return Thought.withSession(last, Session.withUsage(session, { inputTokens: 5, outputTokens: 2 }))
})

/** Texts of what a thought sees and shows. */
const brief = (thought: Thought.Thought<any>) => ({
  notes: Thought.notes(thought).map(({ content, key, seq }) => `${seq} ${key}: ${content}`),
  current: Thought.current(thought).map(({ key, seq }) => `${key} ${seq}`),
  unpublished: Thought.unpublished(thought).map(({ key, seq }) => `${key} ${seq}`),
  published: Thought.publishedCount(thought),
  length: thought.length
})
const texts = (session: Session.Session) => ({
  entries: Session.entries(session).map(
    ({ carries, covers, index, kind, role, text }) =>
      `${index} ${role} ${kind}: ${text} (${carries.length} carried, ${covers.length} covered)`
  ),
  next: session.nextIndex,
  length: session.length,
  usage: session.usage
})
const each = <A, B, E, R>(items: ReadonlyArray<A>, run: (item: A) => Effect.Effect<B, E, R>) =>
  Effect.forEach(items, (item) => Effect.exit(run(item)))
const odd: any = Thought

it.effect("what forks, pasts and conversations have", () =>
  transcribe("lineage", {
    "A fork by default, and one with every option": Effect.gen(function* () {
      const given = yield* full
      const plain = yield* Thought.fork(given)
      const other = yield* Thought.fork(given, {
        session: "fresh",
        traceId: "trace-10",
        checkpoint: "then",
        hide: ["a"]
      })
      return [plain, other, brief(other)]
    }),
    "A fork of a fork that hides more, goes on, and writes what was hidden": Effect.gen(function* () {
      const hidden = yield* Thought.fork(yield* full, { hide: ["a", "b"], checkpoint: "one" })
      const again = yield* Thought.fork(yield* Thought.append(hidden, "c", "new"), { hide: ["c"], checkpoint: "two" })
      const written = yield* Thought.append(again, "a", "seen again")
      return { brief: brief(written), checkpoints: written.checkpoints, history: Thought.history(written, "a").length }
    }),
    "The past: none, two notes, more than there are, and a part": Effect.gen(function* () {
      const given = yield* full
      return [0, -1, 2, 2.9, 5, 99].map((seq) => brief(Thought.at(given, seq)))
    }),
    "The past of a fork before what it hides": Effect.gen(function* () {
      const fork = yield* Thought.append(yield* Thought.fork(yield* full, { hide: ["a"] }), "a", "later")
      return [brief(Thought.at(fork, 3)), brief(yield* Thought.append(Thought.at(fork, 2), "a", "else")), brief(fork)]
    }),
    "Differences of a thought, its past, forks and strangers": Effect.gen(function* () {
      const given = yield* full
      const one = yield* Thought.append(yield* Thought.fork(given), "a", "four times")
      const two = yield* Thought.append(yield* Thought.fork(given, { hide: ["b"] }), "d", "new")
      const stranger = yield* Thought.make("other", { a: "three times", b: "one lamp" })
      const shown = (a: Thought.Thought<any>, b: Thought.Thought<any>) => {
        const { onlyInFirst, onlyInSecond, ...rest } = Thought.diff(a, b)
        const keys = (notes: ReadonlyArray<Note.Note>) => notes.map(({ key, seq }) => `${key} ${seq}`)
        return { onlyInFirst: keys(onlyInFirst), onlyInSecond: keys(onlyInSecond), ...rest }
      }
      return [
        shown(given, given),
        shown(Thought.at(given, 3), given),
        shown(one, two),
        shown(two, one),
        shown(given, stranger)
      ]
    }),
    "Reads of one note in every form": Effect.gen(function* () {
      const given = yield* full
      return {
        text: yield* each(["a", "never"], (key) => Thought.text(given, key)),
        boolean: yield* each(["yes", "a", "never"], (key) => Thought.boolean(given, key)),
        number: yield* each(["count", "b"], (key) => Thought.number(given, key)),
        integer: yield* each(["count", "yes"], (key) => Thought.integer(given, key)),
        metadata: yield* each(["lang", "zone"], (field) => Thought.metadata(given, "a", field)),
        noMetadata: yield* Effect.exit(Thought.metadata(given, "never", "lang")),
        required: yield* Effect.exit(
          Effect.map(Thought.require(given, [count, Note.handle("d", Schema.String)]), brief)
        ),
        rendered: Thought.render(given),
        selected: Thought.render(given, [given.note("count")!])
      }
    }),
    "A conversation that is cut, in every way": Effect.gen(function* () {
      const { session } = yield* full
      return {
        given: texts(session),
        turns: Session.turns(session).map((turn) => turn.map(({ index }) => index)),
        at: yield* each([0, 4, 5, -1], (position) => Effect.map(Session.at(session, position), ({ text }) => text)),
        view: [Session.view(session, { recent: 1 }), Session.view(session, { summaryAndRecent: 0 })].map((entries) =>
          entries.map(({ index }) => index)
        ),
        prune: yield* each([0, 2, 9, -1], (position) => Effect.map(Session.prune(session, position), texts)),
        remove: yield* each([0, 4, 5], (position) => Effect.map(Session.remove(session, position), texts)),
        replace: yield* Effect.map(Session.replace(session, 2, { role: "assistant", text: "Not yet." }), texts),
        insert: yield* each([0, 5, 6], (position) =>
          Effect.map(Session.insert(session, position, { role: "user", text: "First." }), texts)
        ),
        truncate: yield* each(
          [
            [1, 2, true] as const,
            [2, 0, true] as const,
            [0, 1, false] as const,
            [3, 2, true] as const,
            [-1, 0, true] as const
          ],
          ([first, last, release]) => Effect.map(Session.truncate(session, { first, last, release }), texts)
        ),
        clear: texts(Session.clear(session)),
        set: texts(Session.set(session, [{ role: "user", text: "Anew." }])),
        tokens: yield* Session.tokens(session)
      }
    }),
    "Stored, loaded and read again, with what was hidden and remembered": Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const given = yield* memory.commit(yield* full)
      const fork = yield* memory.commit(
        yield* Thought.fork(given, { hide: ["a"], checkpoint: "then", session: "fresh" })
      )
      const loaded = yield* Memory.load(fork.id)
      return { same: JSON.stringify(loaded) === JSON.stringify(fork), brief: brief(loaded), json: loaded.toJSON() }
    }).pipe(Effect.provide(Testing.memory), Effect.orDie),
    "What cannot be": Effect.gen(function* () {
      const given = yield* full
      return yield* each(
        [
          () => Thought.make("t", { "": "x" }),
          () => Thought.make("t", { "a\nb": "x" }),
          () => odd.make("t", { a: 3 }),
          () => odd.fork(given, { session: "new" }),
          () => odd.fork(given, { hid: ["a"] }),
          () => odd.at(given, "1"),
          () => odd.append(given, "a", { content: "x", metadta: {} })
        ],
        (make) => Effect.asVoid(Effect.suspend(() => make() as Effect.Effect<unknown>))
      )
    })
  }).pipe(Effect.provide(Layer.fresh(Testing.ids)))
)
