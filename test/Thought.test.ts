import { assert, describe, it } from "@effect/vitest"
import { Note, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Clock, DateTime, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { noteList } from "../src/thought/render.ts"
import { random } from "../src/testing/contract/stage/random.ts"
import { fencesIn } from "./properties/texts.ts"

const score = Note.handle("score", Schema.Finite)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const contents = (notes: ReadonlyArray<Note.Note>) => notes.map((note) => note.content)

describe("make", () => {
  it.effect("makes a thought with its intent, its own id and trace id, and no notes", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("triage")
      const other = yield* Thought.make("triage")
      assert.strictEqual(thought.intent, "triage")
      assert.match(thought.id, uuid)
      assert.match(thought.traceId, uuid)
      assert.strictEqual(new Set([thought.id, thought.traceId, other.id, other.traceId]).size, 4)
      assert.deepStrictEqual([thought.taskId, thought.parent, thought.length], [undefined, undefined, 0])
      assert.strictEqual(thought.session.length, 0)
      assert.deepStrictEqual(Thought.notes(thought), [])
      assert.isUndefined(Thought.latest(thought))
    })
  )

  it.effect("uses the given trace id and task", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("triage", {}, { traceId: "trace-1", taskId: "task-1" })
      assert.deepStrictEqual([thought.traceId, thought.taskId], ["trace-1", "task-1"])
    })
  )

  it.effect("writes its first notes in order, from the user and untrusted unless said otherwise", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("5 seconds")
      const thought = yield* Thought.make("triage", {
        message: "Hello",
        channel: { content: "mail", source: "gateway", trust: "trusted", metadata: { lang: "en" } }
      })
      const [message, channel] = Thought.notes(thought)
      assert.match(message!.id, uuid)
      assert.deepInclude(message, {
        thoughtId: thought.id,
        seq: 1,
        key: "message",
        content: "Hello",
        metadata: {},
        source: "user",
        step: "",
        trust: "untrusted"
      })
      assert.strictEqual(DateTime.toEpochMillis(message!.created), yield* Clock.currentTimeMillis)
      assert.deepInclude(channel, {
        seq: 2,
        content: "mail",
        source: "gateway",
        trust: "trusted",
        metadata: { lang: "en" }
      })
      assert.deepStrictEqual([thought.get("message"), thought.get("channel")], ["Hello", "mail"])
    })
  )

  it.effect("trusts all notes on request, except those that are marked otherwise", () =>
    Effect.gen(function* () {
      const notes = { a: "1", b: { content: "2", trust: "untrusted" } } as const
      const thought = yield* Thought.make("test", notes, { trust: "trusted" })
      assert.deepStrictEqual(
        Thought.notes(thought).map((note) => note.trust),
        ["trusted", "untrusted"]
      )
    })
  )

  it.effect("names a parent without sharing its notes", () =>
    Effect.gen(function* () {
      const parent = yield* Thought.make("task", { message: "Hello" })
      const child = yield* Thought.make("part", { own: "1" }, { parent })
      assert.deepStrictEqual(child.parent, { id: parent.id, seq: 0 })
      assert.deepStrictEqual(contents(Thought.notes(child)), ["1"])
    })
  )

  it.effect("dies if a key is invalid", () =>
    Effect.gen(function* () {
      for (const key of ["", "a\nb", "x".repeat(201)]) {
        const exit = yield* Effect.exit(Effect.sandbox(Thought.make("test", { [key]: "text" })))
        assert.match(String(exit), /1 to 200 characters/)
      }
    })
  )

  it.effect("accepts any valid text as a key, also names of object members", () =>
    Effect.gen(function* () {
      const notes = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as Record<string, string>
      const thought = yield* Thought.make("test", notes)
      assert.deepStrictEqual(contents(Thought.notes(thought)), ["1", "2", "3"])
      assert.strictEqual(thought.note("__proto__")?.content, "1")
      assert.isUndefined((yield* Thought.make("test")).note("constructor"))
    })
  )
})

describe("append and write", () => {
  it.effect("return a longer thought and leave the shorter one unchanged", () =>
    Effect.gen(function* () {
      const before = yield* Thought.make("test", { a: "1" })
      const after = yield* Thought.append(before, "b", { content: "2", source: "import", metadata: { page: "7" } })
      const scored = yield* Thought.write(after, score, 0.5, { trust: "trusted", source: "judge" })
      assert.deepStrictEqual([before.length, after.length, scored.length], [1, 2, 3])
      assert.isUndefined(before.note("b"))
      assert.deepInclude(after.note("b"), { seq: 2, content: "2", source: "import", metadata: { page: "7" } })
      assert.deepInclude(scored.note("score"), { seq: 3, content: "0.5", source: "judge", trust: "trusted" })
      assert.strictEqual(scored.get("score"), 0.5)
      assert.strictEqual(scored.id, before.id)
    })
  )

  it.effect("make a reused key's newest note the current one, of the type it was written with", () =>
    Effect.gen(function* () {
      const one = yield* Thought.write(yield* Thought.make("test"), score, 1)
      const two = yield* Thought.append(one, "score", "high")
      const three = yield* Thought.write(two, score, 3)
      assert.deepStrictEqual([one.get("score"), two.get("score"), three.get("score")], [1, "high", 3])
      assert.deepStrictEqual(contents(Thought.history(three, "score")), ["1", "high", "3"])
      assert.deepStrictEqual(contents(Thought.current(three)), ["3"])
      assert.strictEqual(three.length, 3)
    })
  )

  it.effect("fail on a value that does not fit, and add nothing", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const percent = Note.handle("percent", Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })))
      assert.strictEqual((yield* Effect.flip(Thought.write(thought, percent, 101)))._tag, "SchemaError")
      assert.strictEqual(thought.length, 0)
    })
  )

  it.effect("add a hundred notes at once to a thought without losing one", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test")
      for (let i = 0; i < 100; i++) thought = yield* Thought.append(thought, `key ${i}`, String(i))
      const read = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => i),
        (i) => Thought.integer(thought, `key ${i}`),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(
        read,
        Array.from({ length: 100 }, (_, i) => i)
      )
    })
  )
})

describe("get", () => {
  it.effect("throws an error with the key if the note is missing though the type has it", () =>
    Effect.gen(function* () {
      const widened = (yield* Thought.make("test")) as Thought.Thought<any>
      assert.isUndefined(widened.get("gone"))
    })
  )
})

describe("reads", () => {
  it.effect("return the newest note of a key, the last of all, all in order, and the current ones", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test", { a: "1", b: "2" })
      thought = yield* Thought.append(thought, "a", "3")
      thought = yield* Thought.append(thought, "c", "4")
      thought = yield* Thought.append(thought, "b", "5")
      assert.strictEqual(Thought.note(thought, "a")?.content, "3")
      assert.isUndefined(Thought.note(thought, "d"))
      assert.strictEqual(Thought.latest(thought)?.content, "5")
      assert.deepStrictEqual(contents(Thought.notes(thought)), ["1", "2", "3", "4", "5"])
      assert.deepStrictEqual(contents(Thought.current(thought)), ["3", "4", "5"])
      assert.deepStrictEqual(contents(Thought.history(thought, "a")), ["1", "3"])
      assert.deepStrictEqual(Thought.history(thought, "d"), [])
    })
  )

  it.effect("decode a note through its handle", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { score: "0.5" })
      assert.strictEqual(yield* Thought.read(thought, score), 0.5)
      const missing = yield* Effect.flip(Thought.read(yield* Thought.make("test"), score))
      assert.strictEqual(missing._tag, "NoteNotFound")
      const unfit = yield* Effect.flip(Thought.read(yield* Thought.make("test", { score: "much" }), score))
      assert.strictEqual(unfit._tag, "SchemaError")
    })
  )

  it.effect("name the thought that lacks the note", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const errors = [
        yield* Effect.flip(Thought.read(thought, score)),
        yield* Effect.flip(Thought.require(thought, [score])),
        yield* Effect.flip(Thought.text(thought, "score"))
      ]
      for (const error of errors) {
        assert.deepInclude(error, { _tag: "NoteNotFound", key: "score", thoughtId: thought.id })
        assert.include(error.message, thought.id)
      }
    })
  )

  it.effect("regain the types of the required handles, or fail for the first invalid one", () =>
    Effect.gen(function* () {
      const name = Note.handle("name", Schema.String)
      const untyped: Thought.Thought = yield* Thought.make("test", { score: "0.5", name: "Ada" })
      const typed = yield* Thought.require(untyped, [score, name])
      assert.deepStrictEqual([typed.get("score"), typed.get("name")], [0.5, "Ada"])
      assert.strictEqual((untyped as Thought.Thought<any>).get("score"), "0.5")
      const other = Note.handle("other", Schema.String)
      const error = yield* Effect.flip(Thought.require(untyped, [score, other, Note.handle("name", Schema.Finite)]))
      assert.deepInclude(error, { _tag: "NoteNotFound", key: "other" })
      const unfit = yield* Effect.flip(Thought.require(untyped, [Note.handle("name", Schema.Finite)]))
      assert.strictEqual(unfit._tag, "SchemaError")
    })
  )

  it.effect("return metadata fields, with different errors for a missing note and a missing field", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: { content: "1", metadata: { lang: "en", empty: "" } } })
      assert.strictEqual(yield* Thought.metadata(thought, "a", "lang"), "en")
      assert.strictEqual(yield* Thought.metadata(thought, "a", "empty"), "")
      assert.strictEqual((yield* Effect.flip(Thought.metadata(thought, "b", "lang")))._tag, "NoteNotFound")
      for (const field of ["page", "toString", "__proto__"]) {
        const error = yield* Effect.flip(Thought.metadata(thought, "a", field))
        assert.strictEqual(error._tag, "NoteFormatError")
        assert.strictEqual(error.message, `The note "a" is not a note with the metadata field "${field}".`)
      }
    })
  )
})

describe("a note's text as a value", () => {
  type Read = (thought: Thought.Thought<any>, key: string) => Effect.Effect<unknown, { readonly _tag: string }>

  const check = (
    read: Read,
    good: ReadonlyArray<readonly [string, unknown]>,
    bad: ReadonlyArray<string>,
    expected: string
  ) =>
    Effect.gen(function* () {
      for (const [content, value] of good) {
        assert.strictEqual(yield* read(yield* Thought.make("test", { a: content }), "a"), value, content)
      }
      for (const content of bad) {
        const error = yield* Effect.flip(read(yield* Thought.make("test", { a: content }), "a"))
        assert.strictEqual(error._tag, "NoteFormatError", content)
        assert.strictEqual((error as Thought.NoteFormatError).message, `The note "a" is not ${expected}.`)
      }
      assert.strictEqual((yield* Effect.flip(read(yield* Thought.make("test"), "a")))._tag, "NoteNotFound")
    })

  it.effect("is returned unchanged", () =>
    check(
      Thought.text,
      [
        ["", ""],
        ["  x\r\n", "  x\r\n"]
      ],
      [],
      ""
    )
  )

  it.effect("is yes or no", () =>
    check(
      Thought.boolean,
      [
        ["true", true],
        ["yes", true],
        ["1", true],
        ["false", false],
        ["no", false],
        ["0", false]
      ],
      ["", "TRUE", "Yes", " true", "true\n", "2", "on", "t", '"true"', "yes no"],
      "one of true, yes, 1, false, no, 0"
    )
  )

  it.effect("is a finite decimal number", () =>
    check(
      Thought.number,
      [
        ["0", 0],
        ["-0.5", -0.5],
        ["+3", 3],
        [".5", 0.5],
        ["12.75", 12.75],
        [".25", 0.25],
        ["1e10", 1e10],
        ["5.", 5],
        ["1e3", 1000],
        ["2.5E-1", 0.25]
      ],
      ["", " 1", "1\n", "0x10", "1,5", "NaN", "Infinity", "1e999", "1_000", "--1", ".", "e5", "12abc", "١"],
      "a decimal number"
    )
  )

  it.effect("is a whole number that a double holds exactly", () =>
    check(
      Thought.integer,
      [
        ["0", 0],
        ["-7", -7],
        ["+7", 7],
        ["007", 7],
        ["9007199254740991", Number.MAX_SAFE_INTEGER]
      ],
      ["", "1.0", "1e3", " 1", "1\n", "9007199254740992", "0x10", "NaN", "one"],
      "a whole number"
    )
  )
})

describe("at", () => {
  it.effect("returns the thought as it was, with the same identity and conversation", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test", { a: "1", b: "2" })
      thought = yield* Thought.append(thought, "a", "3")
      thought = Thought.withSession(thought, Session.append(Session.empty, { role: "user", text: "q" }))
      const past = Thought.at(thought, 2)
      assert.deepStrictEqual([past.id, past.traceId, past.length], [thought.id, thought.traceId, 2])
      assert.deepStrictEqual([past.note("a")?.content, past.note("b")?.content], ["1", "2"])
      assert.strictEqual(past.session, thought.session)
      assert.deepStrictEqual(contents(Thought.notes(Thought.at(thought, 1))), ["1"])
      assert.strictEqual(thought.length, 3)
    })
  )

  it.effect("rounds down, is empty at 0 and below, and complete past the end", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2" })
      for (const seq of [0, -1, 0.9, Number.NaN, Number.NEGATIVE_INFINITY]) {
        assert.strictEqual(Thought.at(thought, seq).length, 0)
      }
      assert.strictEqual(Thought.at(thought, 1.9).length, 1)
      for (const seq of [2, 3, Number.POSITIVE_INFINITY]) assert.strictEqual(Thought.at(thought, seq).length, 2)
    })
  )

  it.effect("lets a hidden key be written again in the past", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2", c: "3" })
      const fork = yield* Thought.fork(thought, { hide: ["a"] })
      const past = yield* Thought.append(Thought.at(fork, 1), "a", "4")
      assert.deepInclude(past.note("a"), { seq: 2, content: "4" })
      assert.deepStrictEqual(contents(Thought.notes(past)), ["4"])
      assert.deepStrictEqual(contents(Thought.history(past, "a")), ["4"])
    })
  )
})

describe("publication", () => {
  const carrying = (...carries: ReadonlyArray<string>) =>
    Session.append(Session.empty, { role: "user", text: "q", carries })

  it.effect("leaves a current note unpublished until the conversation shows or covers it", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2", c: "3" })
      const [a, b] = Thought.notes(thought)
      assert.deepStrictEqual(contents(Thought.unpublished(thought)), ["1", "2", "3"])
      assert.strictEqual(Thought.publishedCount(thought), 0)
      const session = Session.append(carrying(a!.id), { role: "user", text: "s", kind: "summary", covers: [b!.id] })
      const shown = Thought.withSession(thought, session)
      assert.deepStrictEqual(contents(Thought.unpublished(shown)), ["3"])
      assert.strictEqual(Thought.publishedCount(shown), 2)
      assert.deepStrictEqual(contents(Thought.unpublished(thought)), ["1", "2", "3"])
      const cleared = Thought.withSession(shown, Session.clear(shown.session))
      assert.deepStrictEqual(contents(Thought.unpublished(cleared)), ["1", "2", "3"])
    })
  )

  it.effect("makes a new value unpublished and forgets the one it supersedes", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2" })
      const shown = Thought.withSession(thought, carrying(...Thought.notes(thought).map((note) => note.id)))
      const renewed = yield* Thought.append(shown, "a", "3")
      assert.deepStrictEqual(contents(Thought.unpublished(renewed)), ["3"])
      const reset = Thought.withSession(renewed, Session.clear(renewed.session))
      assert.deepStrictEqual(contents(Thought.unpublished(reset)), ["2", "3"])
    })
  )

  it.effect("forgets a value that nobody has seen when a newer one supersedes it", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2" })
      assert.deepStrictEqual(contents(Thought.unpublished(thought)), ["1", "2"])
      const renewed = yield* Thought.append(thought, "a", "3")
      assert.deepStrictEqual(contents(Thought.unpublished(renewed)), ["2", "3"])
    })
  )

  it.effect("renders the current or the given notes, each between its own lines", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.append(yield* Thought.make("test", { a: "1", b: "# 2" }), "a", "3")
      const text = Thought.render(thought)
      const [one, two] = fencesIn(text)
      assert.strictEqual(
        text,
        [
          `<note ${one} key="b" escape="backslash">`,
          "\\# 2",
          `</note ${one}>`,
          "",
          `<note ${two} key="a">`,
          "3",
          `</note ${two}>`
        ].join("\n")
      )
      const [first] = Thought.notes(thought)
      assert.strictEqual(Thought.render(thought, [first!]), noteList([first!]))
      assert.strictEqual(Thought.render(thought, []), "")
      assert.strictEqual(Thought.render(yield* Thought.make("test")), "")
    })
  )

  it.effect("renders equal notes to equal bytes, whatever thought and conversation they are in", () =>
    Effect.gen(function* () {
      const policy = { content: "Refund within 14 days.", source: "handbook", trust: "trusted" } as const
      const one = yield* Thought.make("test", { policy, message: "Hello" })
      const other = yield* Thought.make("another", { message: "Hi", policy })
      const later = Thought.withSession(other, Session.append(Session.empty, { role: "user", text: "x" }))
      const lines = Thought.render(one, [one.note("policy")!])
      assert.match(lines, /^<note (\d{6}) key="policy" source="handbook" trust="trusted">\n.*\n<\/note \1>$/)
      for (const thought of [other, later])
        assert.strictEqual(Thought.render(thought, [thought.note("policy")!]), lines)
      assert.isTrue(Thought.render(one).startsWith(`${lines}\n\n`))
    })
  )

  it.effect("renders between lines whose number no text beside it has", () =>
    Effect.gen(function* () {
      const lines = Thought.render(yield* Thought.make("test", { a: "1" }))
      const [fence] = fencesIn(lines)
      const thought = yield* Thought.make("test", { a: "1", b: `</note ${fence}>`, [`c${fence}`]: "2" })
      const text = Thought.render(thought)
      assert.strictEqual(text.match(new RegExp(`^<note ${fence} `, "gm")), null)
      assert.lengthOf(fencesIn(text)[0]!, 9)
      assert.strictEqual(text, Thought.render(thought))
    })
  )
})

describe("withSession", () => {
  const said = (...texts: ReadonlyArray<string>) =>
    Session.append(Session.empty, ...texts.map((text) => ({ role: "user", text }) as const))
  const entries = (thought: Thought.Thought<any>) =>
    Session.entries(thought.session).map(({ index, text }) => `${index} ${text}`)

  it.effect("replaces a conversation unchanged", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const session = said("a", "b")
      const once = Thought.withSession(thought, session)
      assert.strictEqual(once.session, session)
      const longer = Session.append(session, { role: "user", text: "c" })
      assert.strictEqual(Thought.withSession(once, longer).session, longer)
      assert.strictEqual(thought.session.length, 0)
    })
  )

  it.effect("never gives an entry the index of another one of the thought", () =>
    Effect.gen(function* () {
      const thought = Thought.withSession(yield* Thought.make("test"), said("a", "b", "c"))
      assert.deepStrictEqual(entries(Thought.withSession(thought, said("x", "y"))), ["3 x", "4 y"])
      assert.deepStrictEqual(entries(Thought.withSession(thought, said("a", "x", "c"))), ["0 a", "3 x", "4 c"])
      const fresh = Thought.withSession(thought, Session.empty)
      assert.deepStrictEqual([fresh.session.length, fresh.session.nextIndex], [0, 3])
      assert.deepStrictEqual(entries(Thought.withSession(fresh, said("x"))), ["3 x"])
      const back = Thought.withSession(fresh, Session.withUsage(thought.session, { inputTokens: 1 }))
      assert.deepStrictEqual(entries(back), ["3 a", "4 b", "5 c"])
      assert.deepStrictEqual(back.session.usage, { inputTokens: 1 })
    })
  )

  it.effect("keeps the indexes of an earlier conversation of the same thought", () =>
    Effect.gen(function* () {
      const early = said("a", "b")
      const thought = Thought.withSession(
        yield* Thought.make("test"),
        Session.append(early, { role: "user", text: "c" })
      )
      const rewound = Thought.withSession(thought, early)
      assert.deepStrictEqual(entries(rewound), ["0 a", "1 b"])
      assert.strictEqual(rewound.session.nextIndex, 3)
    })
  )
})

describe("fork", () => {
  it.effect("shares the existing notes; afterwards the two develop independently", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2" }, { taskId: "task" })
      const fork = yield* Thought.fork(thought)
      assert.notStrictEqual(fork.id, thought.id)
      assert.match(fork.id, uuid)
      assert.notStrictEqual(fork.traceId, thought.traceId)
      assert.deepStrictEqual([fork.intent, fork.taskId, fork.parent], ["test", "task", { id: thought.id, seq: 2 }])
      assert.deepStrictEqual(Thought.notes(fork), Thought.notes(thought))
      const mine = yield* Thought.append(fork, "a", "fork's")
      const theirs = yield* Thought.append(thought, "a", "own")
      assert.deepInclude(mine.note("a"), { thoughtId: fork.id, seq: 3, content: "fork's" })
      assert.deepInclude(theirs.note("a"), { thoughtId: thought.id, seq: 3, content: "own" })
      assert.deepStrictEqual([fork.get("a"), thought.get("a")], ["1", "1"])
    })
  )

  it.effect("takes a trace id", () =>
    Effect.gen(function* () {
      const fork = yield* Thought.fork(yield* Thought.make("test"), { traceId: "trace" })
      assert.strictEqual(fork.traceId, "trace")
    })
  )

  it.effect("keeps the conversation, or starts a fresh one in which nothing was shown", () =>
    Effect.gen(function* () {
      const made = yield* Thought.make("test", { a: "1" })
      const session = Session.append(Session.empty, { role: "user", text: "q", carries: [made.note("a")!.id] })
      const thought = Thought.withSession(made, session)
      for (const kept of [yield* Thought.fork(thought), yield* Thought.fork(thought, { session: "keep" })]) {
        assert.strictEqual(kept.session, session)
        assert.deepStrictEqual(Thought.unpublished(kept), [])
      }
      const fresh = yield* Thought.fork(thought, { session: "fresh" })
      assert.deepStrictEqual([fresh.session.length, fresh.session.nextIndex], [0, 0])
      assert.deepStrictEqual(contents(Thought.unpublished(fresh)), ["1"])
    })
  )

  it.effect("remembers a checkpoint by name, and so do its own forks", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1" })
      const fork = yield* Thought.fork(thought, { checkpoint: "before" })
      const later = yield* Thought.fork(yield* Thought.append(fork, "b", "2"), { checkpoint: "after" })
      const again = yield* Thought.fork(later, { checkpoint: "before" })
      assert.deepStrictEqual([...thought.checkpoints], [])
      assert.deepStrictEqual([...fork.checkpoints], [["before", { id: thought.id, seq: 1 }]])
      assert.deepStrictEqual(later.checkpoints.get("before"), { id: thought.id, seq: 1 })
      assert.deepStrictEqual(later.checkpoints.get("after"), { id: fork.id, seq: 2 })
      assert.deepStrictEqual(again.checkpoints.get("before"), { id: later.id, seq: 2 })
    })
  )

  it.effect("hides keys until they are written again, also in its own forks", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.append(yield* Thought.make("test", { a: "1", b: "2" }), "a", "3")
      const fork = yield* Thought.fork(thought, { hide: ["a", "never there"] })
      const grandchild = yield* Thought.fork(fork, { hide: ["b"] })
      const cases: ReadonlyArray<readonly [Thought.Thought<any>, Array<string>]> = [
        [fork, ["2"]],
        [grandchild, []]
      ]
      for (const [hiding, seen] of cases) {
        assert.isUndefined(hiding.note("a"))
        assert.isUndefined(hiding.get("a"))
        assert.deepStrictEqual(Thought.history(hiding, "a"), [])
        for (const notes of [Thought.notes(hiding), Thought.current(hiding), Thought.unpublished(hiding)]) {
          assert.deepStrictEqual(contents(notes), seen)
        }
        assert.strictEqual(Thought.latest(hiding)?.content, seen.at(-1))
        assert.notInclude(JSON.stringify(hiding), '"key":"a"')
      }
      const written = yield* Thought.append(fork, "a", "4")
      assert.deepInclude(written.note("a"), { seq: 4, content: "4" })
      assert.deepStrictEqual(contents(Thought.history(written, "a")), ["4"])
      assert.deepStrictEqual(contents(Thought.notes(written)), ["2", "4"])
      assert.deepStrictEqual(contents(Thought.history(thought, "a")), ["1", "3"])
    })
  )

  it.effect("hides a key again that was written after it was hidden", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2" })
      const fork = yield* Thought.append(yield* Thought.fork(thought, { hide: ["a"] }), "a", "3")
      const again = yield* Thought.fork(fork, { hide: ["a"] })
      assert.strictEqual(fork.note("a")?.content, "3")
      assert.isUndefined(again.note("a"))
      assert.deepStrictEqual(contents(Thought.notes(again)), ["2"])
      assert.deepStrictEqual(contents(Thought.current(again)), ["2"])
      // a fork that hides another key leaves what is hidden as it is
      const other = yield* Thought.fork(again, { hide: ["b"] })
      assert.deepStrictEqual(contents(Thought.notes(other)), [])
      assert.deepStrictEqual(contents(Thought.notes(yield* Thought.append(other, "a", "4"))), ["4"])
    })
  )

  it.effect("can be made fifty times at once", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1" })
      const forks = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i),
        (i) => Effect.flatMap(Thought.fork(thought), (fork) => Thought.append(fork, "own", String(i))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(forks.flatMap((fork) => [fork.id, fork.traceId])).size, 100)
      assert.deepStrictEqual(
        forks.map((fork) => fork.get("own")),
        forks.map((_, i) => String(i))
      )
    })
  )
})

describe("diff", () => {
  it.effect("reports what only one of two thoughts has, where they diverged, and what has another value", () =>
    Effect.gen(function* () {
      const base = yield* Thought.make("test", { a: "one", b: "two", c: "three" })
      const first = yield* Thought.append(yield* Thought.append(base, "a", "first"), "d", "only here")
      const fork = yield* Thought.fork(base)
      const second = yield* Thought.append(yield* Thought.append(fork, "b", "two"), "a", "second")
      const { commonSeq, keys, onlyInFirst, onlyInSecond } = Thought.diff(first, second)
      assert.deepStrictEqual(contents(onlyInFirst), ["first", "only here"])
      assert.deepStrictEqual(contents(onlyInSecond), ["two", "second"])
      assert.strictEqual(commonSeq, 3)
      // b was written again with the same text
      assert.deepStrictEqual(keys, ["a", "d"])
      const back = Thought.diff(second, first)
      assert.deepStrictEqual([back.onlyInFirst, back.onlyInSecond], [onlyInSecond, onlyInFirst])
      assert.deepStrictEqual([back.commonSeq, back.keys], [3, ["a", "d"]])
    })
  )

  it.effect("finds no difference between a thought and itself, its fork, and a longer one's past", () =>
    Effect.gen(function* () {
      const base = yield* Thought.make("test", { a: "one" })
      const longer = yield* Thought.append(base, "a", "two")
      for (const other of [base, yield* Thought.fork(base), Thought.at(longer, 1)]) {
        const none = { onlyInFirst: [], onlyInSecond: [], commonSeq: 1, keys: [] }
        assert.deepStrictEqual(Thought.diff(base, other), none)
      }
      assert.strictEqual(Thought.diff(base, longer).commonSeq, 1)
      assert.strictEqual(Thought.diff(longer, base).commonSeq, 1)
    })
  )

  it.effect("counts forgotten notes as only the other's, and unrelated thoughts as diverged from the start", () =>
    Effect.gen(function* () {
      const base = yield* Thought.make("test", { a: "one", b: "two" })
      const hidden = Thought.diff(base, yield* Thought.fork(base, { hide: ["a"] }))
      assert.deepStrictEqual([contents(hidden.onlyInFirst), hidden.commonSeq, hidden.keys], [["one"], 2, ["a"]])
      const stranger = Thought.diff(base, yield* Thought.make("test", { a: "one" }))
      assert.deepStrictEqual([stranger.onlyInFirst.length, stranger.onlyInSecond.length], [2, 1])
      assert.deepStrictEqual([stranger.commonSeq, stranger.keys], [0, ["b"]])
    })
  )
})

describe("a large thought", () => {
  /** Every object that can be reached from a value. */
  const reachable = (root: unknown, known: ReadonlySet<object> = new Set()): ReadonlySet<object> => {
    const seen = new Set<object>()
    const open = [root]
    while (open.length > 0) {
      const value = open.pop()
      if (typeof value !== "object" || value === null || seen.has(value) || known.has(value)) continue
      seen.add(value)
      open.push(
        ...(value instanceof Map
          ? [...value.entries()].flat()
          : Reflect.ownKeys(value).map((key) => (value as any)[key]))
      )
    }
    return seen
  }

  it.effect("of 30,000 notes can be appended to and forked without copying", () =>
    Effect.gen(function* () {
      const numbers = random(1)
      let thought: Thought.Thought<any> = yield* Thought.make("large")
      for (let i = 0; i < 30_000; i++) {
        thought = yield* Thought.append(thought, `key ${numbers.below(15_000)}`, "text")
      }
      assert.strictEqual(thought.length, 30_000)
      const before = reachable(thought)
      assert.isAbove(before.size, 90_000)
      const longer = yield* Thought.append(thought, "key 7", "new")
      assert.isBelow(reachable(longer, before).size, 300)
      const fork = yield* Thought.fork(longer)
      assert.isBelow(reachable(fork, new Set([...before, ...reachable(longer, before)])).size, 50)
      // reading all notes lays them out in one array, once; what is made afterwards shares it
      Thought.notes(longer)
      const laidOut = reachable(longer)
      const further = yield* Thought.append(yield* Thought.append(longer, "key 7", "newer"), "another", "text")
      const added = reachable(further, laidOut)
      assert.isBelow(added.size, 300)
      for (const item of added) if (Array.isArray(item)) assert.isBelow(item.length, 100)
      assert.deepStrictEqual(
        [further.length, longer.length, fork.length, thought.length],
        [30_003, 30_001, 30_001, 30_000]
      )
    })
  )
})

describe("ids", () => {
  /** The milliseconds in the first 48 bits. */
  const millisOf = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)

  it.effect("hold the time in their first 48 bits, then version 7, then variant 2", () =>
    Effect.gen(function* () {
      for (const millis of [0, 1, 2 ** 32 - 1, 2 ** 32, Date.UTC(2026, 10, 21), 2 ** 48 - 1]) {
        yield* TestClock.setTime(millis)
        const { id } = yield* Thought.make("test")
        assert.match(id, uuid)
        assert.strictEqual(millisOf(id), millis)
      }
    })
  )

  it.effect("are ordered by time, and random within a millisecond", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const ids: Array<string> = []
      for (let i = 0; i < 200; i++) {
        ids.push((yield* Thought.make("test")).id)
        yield* TestClock.adjust("1 millis")
      }
      assert.deepStrictEqual(ids.toSorted(), ids)
      const same = yield* Effect.all(Array.from({ length: 1000 }, () => Thought.make("test")))
      const random = same.map(({ id }) => id.replaceAll("-", "").slice(12))
      assert.strictEqual(new Set(random).size, 1000)
      // no bit of the random ones stands still: a thousand draws of 74 bits, each of both values
      const bits = random.map((hex) => BigInt(`0x${hex}`))
      const varying = bits.reduce((all, one) => all | (one ^ bits[0]!), 0n)
      assert.strictEqual(varying.toString(2).replaceAll("0", "").length, 74)
    })
  )

  it.effect("repeat when the test ids are used", () =>
    Effect.gen(function* () {
      const made = Effect.map(Thought.make("test", { a: "1" }), (thought) => [
        thought.id,
        thought.traceId,
        thought.note("a")!.id
      ])
      const once = yield* Effect.provide(made, Layer.fresh(Testing.ids))
      assert.deepStrictEqual(yield* Effect.provide(made, Layer.fresh(Testing.ids)), once)
      assert.strictEqual(once[0], "00000000-0000-7000-8000-000000000001")
    })
  )
})

it.effect("a thought is a pipeable, readable as JSON", () =>
  Effect.gen(function* () {
    const thought = yield* Thought.make("test", { a: "1" }, { traceId: "trace" })
    assert.strictEqual(
      thought.pipe((it) => it.id),
      thought.id
    )
    assert.deepInclude(JSON.parse(JSON.stringify(thought)), {
      id: thought.id,
      traceId: "trace",
      intent: "test",
      session: { entries: [], nextIndex: 0 }
    })
  })
)
