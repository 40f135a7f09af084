import { assert, describe, it } from "@effect/vitest"
import { Memory, Note, Pipeline, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"

const withMemory = <A, E>(effect: Effect.Effect<A, E, Memory.Memory>) => Effect.provide(effect, Testing.memory)

const reasonOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const stored = Effect.fnUntraced(function* (
  notes: Readonly<Record<string, string>> = { a: "1" },
  options?: { readonly taskId?: string; readonly traceId?: string }
) {
  return yield* (yield* Memory.Memory).commit(yield* Thought.make("test", notes, options))
})

const keysOf = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

const text = Note.handle("secret", Schema.String)

describe("a commit", () => {
  it.effect("writes only the new entries of a conversation from which others were removed", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const talk = Session.append(
          Session.empty,
          { role: "user", text: "one", carries: [] },
          { role: "assistant", text: "two", carries: [] }
        )
        const before = yield* memory.commit(Thought.withSession(yield* Thought.make("test"), talk))
        const rest = yield* Session.remove(before.session, 0)
        const changed = Session.append(rest, { role: "user", text: "three", carries: [] })
        const after = yield* memory.commit(Thought.withSession(before, changed))
        for (const { session } of [after, yield* Memory.load(before.id)]) {
          assert.deepStrictEqual(
            Session.entries(session).map(({ index, text }) => [index, text]),
            [
              [1, "two"],
              [2, "three"]
            ]
          )
        }
      })
    )
  )

  it.effect("with nothing new is refused if the scope does not have the thought", () =>
    withMemory(
      Effect.gen(function* () {
        const thought = yield* stored()
        assert.strictEqual(yield* Memory.commit(thought), thought)
        const elsewhere = Memory.withScope("elsewhere")(Memory.commit(thought))
        assert.include((yield* Effect.flip(elsewhere)).message, thought.id)
        yield* Memory.remove(thought.id)
        assert.strictEqual((yield* reasonOf(Memory.commit(thought)))._tag, "NotFound")
      })
    )
  )

  it.effect("of two thoughts with the same trace is refused, and stores neither", () =>
    withMemory(
      Effect.gen(function* () {
        const thought = yield* Thought.make("test", { a: "1" }, { traceId: "same" })
        const fork = yield* Thought.fork(thought, { traceId: "same" })
        assert.deepInclude(yield* reasonOf(Memory.commit(fork)), { _tag: "Query" })
        assert.deepStrictEqual(yield* Memory.thoughts(), [])
      })
    )
  )
})

describe("Memory.append", () => {
  it.effect("fills in what the caller left out, and is loaded and found as any other note", () =>
    withMemory(
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const thought = yield* stored({ a: "1" }, { traceId: "ticket 7" })
        const added = yield* Memory.append({ traceId: "ticket 7" }, [
          { key: "reply", content: "late refund" },
          {
            key: "b",
            content: "\0",
            metadata: { c: "\ud800" },
            source: "mail",
            trust: "trusted",
            derivedFrom: [thought.note("a")?.id ?? ""]
          }
        ])
        const [reply, other] = added
        assert.deepInclude(reply, { seq: 2, thoughtId: thought.id, source: "user", step: "", trust: "untrusted" })
        assert.deepStrictEqual([reply?.derivedFrom, other?.derivedFrom], [[], [thought.note("a")?.id]])
        assert.strictEqual(reply?.created.epochMilliseconds, 3_600_000)
        assert.deepInclude(other, {
          seq: 3,
          content: "\0",
          source: "mail",
          trust: "trusted",
          metadata: { c: "\ud800" }
        })
        assert.deepStrictEqual(Thought.notes(yield* Memory.load(thought.id)).slice(1), added)
        const lines = yield* Stream.runCollect(Memory.exportLines())
        yield* Memory.withScope("copy")(Memory.importLines(Stream.fromIterable(lines)))
        assert.deepStrictEqual(Thought.notes(yield* Memory.withScope("copy")(Memory.load(thought.id))).slice(1), added)
        const { matches } = yield* Memory.search("late refund", { limit: 1 })
        assert.strictEqual(matches[0]?.note.id, reply?.id)
      })
    )
  )

  it.effect("makes a run on an older value of the thought fail, and goes on from a newer one", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* stored()
        yield* Memory.append(thought.id, [{ key: "b", content: "2" }])
        const late = yield* Thought.append(thought, "c", "3")
        assert.strictEqual((yield* reasonOf(memory.commit(late)))._tag, "ConcurrencyConflict")
        const next = yield* memory.commit(yield* Thought.append(yield* Memory.load(thought.id), "c", "3"))
        assert.deepStrictEqual(keysOf(next), ["a", "b", "c"])
      })
    )
  )

  it.effect("lets a run go on from an older value, but not past what the steps of another run have written", () =>
    withMemory(
      Effect.gen(function* () {
        const thought = yield* stored()
        const writing = (key: string) => Step.make(key, { schema: Schema.String, run: () => key })
        yield* Memory.append(thought.id, [{ key: "b", content: "2" }])
        const first = yield* Pipeline.run(writing("c"), thought)
        assert.deepStrictEqual(keysOf(first), ["a", "b", "c"])
        const { cause } = yield* Effect.flip(Pipeline.run(writing("d"), thought))
        assert.isTrue(cause._tag === "MemoryError" && cause.reason._tag === "ConcurrencyConflict")
        assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["a", "b", "c"])
      })
    )
  )

  it("refuses mistyped fields of a note", () => {
    const append = (note: object) => () => Memory.append("id", [note as Memory.AppendedNote])
    const note = { key: "k", content: "x" }
    assert.throws(
      append({ ...note, sorce: "mail" }),
      'A note of Memory.append has no option "sorce". Did you mean "source"?'
    )
    assert.throws(
      append({ ...note, trust: "yes" }),
      /needs "trusted" or "untrusted" as the option trust, but got "yes"/
    )
  })

  it.effect("refuses what a commit would, before anything is written", () =>
    withMemory(
      Effect.gen(function* () {
        const thought = yield* stored()
        const fine = { key: "fine", content: "" }
        const refused = (note: Memory.AppendedNote) => reasonOf(Memory.append(thought.id, [fine, note]))
        for (const key of ["", " ", "a\nb", "k".repeat(201)]) {
          assert.deepInclude(yield* refused({ key, content: "" }), { _tag: "InvalidText", field: "key" })
        }
        const long = yield* refused({ key: "long", content: "x".repeat(4_000_001) })
        assert.deepInclude(long, { _tag: "TooLarge", field: "long", limit: 4_000_000 })
        const id = thought.note("a")?.id ?? ""
        for (const wrong of ["", "no id", id.toUpperCase()]) {
          assert.deepStrictEqual(yield* refused({ id: wrong, key: "k", content: "" }), {
            _tag: "Query",
            message: "The id of a note must be a lower-case UUID. Leave it out to get a new one."
          })
        }
        const note = (more: object) => refused({ key: "k", content: "", ...more })
        for (const [field, more, message] of [
          ["metadata", { metadata: { a: "x", page: 7 } }, 'The note "k" needs a text as "page" in its metadata.'],
          ["metadata", { metadata: null }, 'The note "k" needs an object of texts as its metadata.'],
          ["source", { source: 7 }, 'The note "k" needs a string as its source.'],
          ["content", { content: 7 }, 'The note "k" needs a string as its content, and has a number.']
        ] as const) {
          assert.deepStrictEqual(yield* note(more), { _tag: "InvalidText", field, message })
        }
        for (const derivedFrom of [["no id"], [id, id.toUpperCase()], [7], id]) {
          assert.deepStrictEqual(yield* note({ derivedFrom }), {
            _tag: "Query",
            message: 'The note "k" needs an array of ids of notes, which are lower-case UUIDs, as its derivedFrom.'
          })
        }
        const taken = yield* refused({ id, key: "k", content: "telling" })
        assert.deepInclude(taken, { _tag: "Query", code: "23505" })
        assert.notInclude(taken.message, "telling")
        assert.strictEqual((yield* Memory.load(thought.id)).length, 1)
        assert.strictEqual((yield* reasonOf(Memory.append(id, [fine])))._tag, "NotFound")
        assert.strictEqual(
          (yield* reasonOf(Memory.withScope("other")(Memory.append(thought.id, [fine]))))._tag,
          "NotFound"
        )
      })
    )
  )

  it.effect("is done once when it is repeated with the ids it had", () =>
    withMemory(
      Effect.gen(function* () {
        const thought = yield* stored()
        const id = "01890a5d-ac96-774b-bcce-b302099a8057"
        const once = Memory.append(thought.id, [{ id, key: "k", content: "x" }])
        const first = yield* once
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* once, first)
        assert.strictEqual((yield* Memory.load(thought.id)).length, 2)
      })
    )
  )
})

describe("Memory.thoughts", () => {
  it.effect("lists a scope or a task, page by page", () =>
    withMemory(
      Effect.gen(function* () {
        const made: Array<Thought.Thought> = []
        for (let i = 0; i < 5; i++) {
          yield* TestClock.adjust("1 second")
          made.push(yield* stored({}, { taskId: i % 2 === 0 ? "even" : "odd" }))
        }
        yield* Memory.withScope("other")(stored())
        const ids = (options?: Parameters<typeof Memory.thoughts>[0]) =>
          Effect.map(Memory.thoughts(options), (page) => page.map(({ id }) => made.findIndex((one) => one.id === id)))
        assert.deepStrictEqual(yield* ids(), [0, 1, 2, 3, 4])
        assert.deepStrictEqual(yield* ids({ taskId: "even", order: "newest", limit: 2 }), [4, 2])
        const [, last] = yield* Memory.thoughts({ order: "newest", limit: 2 })
        assert.deepStrictEqual(
          yield* ids({ order: "newest", ...(last === undefined ? {} : { after: last }) }),
          [2, 1, 0]
        )
        assert.deepStrictEqual(yield* ids({ taskId: "none" }), [])
        const [first] = yield* Memory.thoughts()
        assert.deepStrictEqual(
          yield* ids({ taskId: "even", limit: 500, ...(first === undefined ? {} : { after: first }) }),
          [2, 4]
        )
        const message = "A page's limit must be a whole number from 1 to 500."
        for (const limit of [0, 501, 1.5]) {
          assert.deepStrictEqual(yield* reasonOf(Memory.thoughts({ limit })), { _tag: "Query", message })
          assert.deepStrictEqual(yield* reasonOf(Memory.children("x", { limit })), { _tag: "Query", message })
        }
      })
    )
  )
})

describe("what there is none of", () => {
  it.effect("is named where it has the form of an id, and never where it may be any text", () =>
    withMemory(
      Effect.gen(function* () {
        const id = "01981F5E-0000-7000-8000-00000000000a"
        const trace = `t-1:${"x".repeat(60)}`
        const cases: ReadonlyArray<readonly [string | { readonly traceId: string }, string]> = [
          [id, `the id "${id}"`],
          ["the card is 4111", "the id that was given"],
          [`${id} `, "the id that was given"],
          [{ traceId: trace }, `the trace id "${trace}"`],
          [{ traceId: `${trace}x` }, "the trace id that was given"],
          [{ traceId: "the card is 4111" }, "the trace id that was given"]
        ]
        for (const [ref, named] of cases) {
          const reason = { _tag: "NotFound", message: `There is no thought with ${named} in this scope.` } as const
          for (const asked of [
            Memory.load(ref),
            Memory.ancestors(ref),
            Memory.children(ref),
            Memory.remove(ref),
            Memory.append(ref, [{ key: "a", content: "a" }]),
            Stream.runCollect(Memory.exportLines({ thoughts: [ref] }))
          ]) {
            assert.deepStrictEqual(yield* reasonOf<unknown, Memory.Memory>(asked), reason)
          }
        }
        assert.deepStrictEqual(yield* reasonOf(Memory.redact(id)), {
          _tag: "NotFound",
          message: "This scope has no note with the given id."
        })
      })
    )
  )
})

describe("Memory.remove and Memory.purge", () => {
  it.effect("say when there is no such thought, and how many forks there are", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* stored()
        assert.strictEqual((yield* reasonOf(Memory.withScope("other")(Memory.remove(thought.id))))._tag, "NotFound")
        const fork = yield* memory.commit(yield* Thought.fork(thought))
        const before = yield* Memory.load(fork.id)
        assert.deepStrictEqual(yield* reasonOf(Memory.remove(thought.id)), {
          _tag: "HasForks",
          thoughtId: thought.id,
          forks: 1,
          message:
            `The thought ${thought.id} has a fork: remove it first, ` +
            "or use the option materialize to leave it its notes."
        })
        yield* Memory.remove(thought.id, { materialize: true })
        const after = yield* Memory.load(fork.id)
        const plain = (one: Thought.Thought) => Thought.notes(one).map(({ thoughtId: _id, ...note }) => note)
        assert.deepStrictEqual(plain(after), plain(before))
        assert.isUndefined(after.parent)
        assert.strictEqual((yield* reasonOf(Memory.remove(thought.id)))._tag, "NotFound")
        // a value that was loaded before goes on as if nothing had happened
        assert.strictEqual((yield* memory.commit(yield* Thought.append(before, "b", "2"))).length, 2)
        assert.strictEqual(
          (yield* reasonOf(memory.commit(yield* Thought.append(thought, "b", "2"))))._tag,
          "ConcurrencyConflict"
        )
      })
    )
  )

  it.effect("leave forks that share the notes of the one that keeps them", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* stored({ a: "1" })
        const short = yield* memory.commit(yield* Thought.fork(thought))
        const grown = yield* memory.commit(yield* Thought.append(thought, "b", "2"))
        const long = yield* memory.commit(yield* Thought.fork(grown))
        yield* Memory.remove(thought.id, { materialize: true })
        const [a] = Thought.notes(yield* Memory.load(long.id))
        assert.deepStrictEqual([a?.content, a?.thoughtId], ["1", long.id])
        assert.deepStrictEqual((yield* Memory.load(short.id)).parent, { id: long.id, seq: 1 })
        // whoever continues the shorter fork has not seen that its note is redacted
        yield* Memory.redact(a!.id)
        const reason = yield* reasonOf(memory.commit(yield* Thought.append(short, "c", "3")))
        assert.strictEqual(reason._tag, "ConcurrencyConflict")
        assert.isUndefined((yield* Memory.load(short.id)).note("a"))
      })
    )
  )

  it.effect("delete no other scope's thoughts", () =>
    withMemory(
      Effect.gen(function* () {
        yield* stored()
        yield* Memory.withScope("other")(stored())
        assert.strictEqual(yield* Memory.withScope("other")(Memory.purge), 1)
        assert.strictEqual((yield* Memory.thoughts()).length, 1)
        const { arms } = yield* Memory.withScope("other")(Memory.search("test"))
        assert.strictEqual(arms.pending, 0)
      })
    )
  )
})

describe("a redacted note", () => {
  it.effect("cannot be read, not even as text, and an older one of its key is not current again", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        let thought: Thought.Thought<any> = yield* stored({ secret: "old", other: "1" })
        thought = yield* memory.commit(yield* Thought.write(thought, text, "new"))
        const note = thought.note("secret") ?? assert.fail("there is no such note")
        assert.deepStrictEqual(yield* Memory.redact(note), [note.id])
        const loaded = yield* Memory.load(thought.id)
        assert.isUndefined(loaded.note("secret"))
        assert.strictEqual((yield* Effect.flip(Thought.read(loaded, text)))._tag, "NoteNotFound")
        assert.strictEqual((yield* Effect.flip(Thought.require(loaded, [text])))._tag, "NoteNotFound")
        assert.isUndefined(loaded.get("secret" as never))
        assert.deepStrictEqual(
          Thought.history(loaded, "secret").map(({ content }) => content),
          ["old"]
        )
        assert.deepStrictEqual(
          Thought.current(loaded).map(({ key }) => key),
          ["other"]
        )
        assert.strictEqual(loaded.length, 3)
        assert.notInclude(JSON.stringify(loaded), "new")
        const more = yield* memory.commit(yield* Thought.append(loaded, "secret", "newest"))
        assert.strictEqual(more.note("secret")?.seq, 4)
        assert.deepStrictEqual(
          (yield* Memory.search("new")).matches.filter((match) => match.note.id === note.id),
          []
        )
      })
    )
  )

  it.effect("leaves the law of publication: current notes are shown by one live entry or are unpublished", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* Thought.make("test", { secret: "s", beside: "b", apart: "c" })
        const [secret, beside, apart] = Thought.notes(thought)
        const session = Session.append(
          Session.empty,
          { role: "user", text: "s and b", carries: [secret!.id, beside!.id] },
          { role: "assistant", text: "c", carries: [apart!.id] }
        )
        const talked = yield* memory.commit(Thought.withSession(thought, session))
        assert.deepStrictEqual(Thought.unpublished(talked), [])
        const fork = yield* memory.commit(yield* Thought.fork(talked))
        const unstored = yield* Thought.fork(talked)
        yield* Memory.redact(secret!.id)
        for (const id of [talked.id, fork.id]) {
          const loaded = yield* Memory.load(id)
          assert.deepStrictEqual(
            Session.entries(loaded.session).map((entry) => entry.text),
            ["c"]
          )
          assert.deepStrictEqual(
            Thought.unpublished(loaded).map(({ key }) => key),
            ["beside"]
          )
        }
        for (const stale of [
          yield* Thought.append(talked, "d", "1"),
          yield* Thought.append(fork, "d", "1"),
          unstored
        ]) {
          assert.strictEqual((yield* reasonOf(memory.commit(stale)))._tag, "ConcurrencyConflict")
        }
        assert.strictEqual((yield* reasonOf(Memory.withScope("other")(Memory.redact(secret!))))._tag, "NotFound")
      })
    )
  )
})
