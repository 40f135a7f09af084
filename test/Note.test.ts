import { assert, describe, it } from "@effect/vitest"
import { Note, Thought } from "cogito"
import { Cause, DateTime, Effect, Schema } from "effect"
import { inspect } from "node:util"

const Ticket = Schema.Struct({ customer: Schema.String, amount: Schema.Finite })
const name = Note.handle("name", Schema.String)
const age = Note.handle("age", Schema.Finite)
const ticket = Note.handle("ticket", Ticket)

const thrown = (f: () => unknown): unknown => {
  try {
    f()
  } catch (error) {
    return error
  }
  return undefined
}

describe("a key", () => {
  it("may be any text of 1 to 200 characters", () => {
    for (const key of ["a", "two words", " padded ", "__proto__", "κλειδί", '"quoted" <note>', "x".repeat(200)]) {
      assert.strictEqual(Note.checkKey(key), key)
    }
  })

  it("is refused when it is empty, blank, too long, or could break a line", () => {
    const wrong = ["", "  ", "\u00a0", "x".repeat(201)]
    for (const code of [0, 9, 10, 13, 27, 31, 127, 0x85, 0x9f, 0x2028, 0x2029]) {
      wrong.push(`a${String.fromCharCode(code)}b`)
    }
    for (const key of wrong) {
      assert.throws(() => Note.checkKey(key), /1 to 200 characters/, JSON.stringify(key))
      assert.throws(() => Note.handle(key, Schema.String), /1 to 200 characters/, JSON.stringify(key))
    }
  })

  it("is not repeated at length by the error that refuses it", () => {
    assert.isBelow(String(thrown(() => Note.checkKey("x".repeat(100_000)))).length, 300)
  })
})

describe("a handle", () => {
  it.effect("reads and writes text as it is when the schema encodes to a string", () =>
    Effect.gen(function* () {
      const written = [
        [yield* contentOf(Schema.String, '"quoted"'), '"quoted"'],
        [yield* contentOf(Schema.NonEmptyString, "a"), "a"],
        [yield* contentOf(Schema.Literals(["low", "high"]), "high"), "high"],
        [yield* contentOf(Schema.Literal("on"), "on"), "on"],
        [yield* contentOf(Schema.TemplateLiteral(["v", Schema.Finite]), "v12"), "v12"],
        [yield* contentOf(Schema.Union([Schema.Literal("none"), Schema.NonEmptyString]), "x"), "x"],
        [yield* contentOf(Schema.DateTimeUtc, DateTime.makeUnsafe(0)), "1970-01-01T00:00:00.000Z"]
      ]
      for (const [content, expected] of written) assert.strictEqual(content, expected)
    })
  )

  it.effect("reads and writes JSON text when the schema encodes to anything else", () =>
    Effect.gen(function* () {
      const written = [
        [yield* contentOf(Schema.Finite, 0.5), "0.5"],
        [yield* contentOf(Schema.Boolean, false), "false"],
        [yield* contentOf(Ticket, { customer: "Ada", amount: 2 }), '{"customer":"Ada","amount":2}'],
        [yield* contentOf(Schema.NullOr(Schema.String), "text"), '"text"'],
        [yield* contentOf(Schema.NullOr(Schema.String), null), "null"],
        [yield* contentOf(Schema.Union([Schema.String, Schema.Finite]), "7"), '"7"'],
        [yield* contentOf(Schema.Array(Schema.String), ["a"]), '["a"]']
      ]
      for (const [content, expected] of written) assert.strictEqual(content, expected)
    })
  )

  it("is told apart from everything else", () => {
    assert.isTrue(Note.isHandle(name))
    for (const other of [undefined, null, "name", 1, {}, { key: "name" }, Note.from(name, (text) => text)]) {
      assert.isFalse(Note.isHandle(other))
    }
  })
})

/** What a note has as its text, once the value was seen to come back from it. */
const contentOf = <A>(schema: Schema.Codec<A, any>, value: A) =>
  Effect.gen(function* () {
    const handle = Note.handle("key", schema)
    const thought = yield* Thought.write(yield* Thought.make("test"), handle, value)
    assert.deepStrictEqual(yield* Note.read(thought, handle), value)
    return thought.note("key")?.content
  })

describe("reading a note", () => {
  it.effect("gives the newest value", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.append(yield* Thought.make("test", { age: "1" }), "age", "2")
      assert.strictEqual(yield* Note.read(thought, age), 2)
    })
  )

  it.effect("fails when there is none, naming the key and what to do", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Note.read(yield* Thought.make("test"), age))
      assert.strictEqual(error._tag, "NoteNotFound")
      assert.match(error.message, /no note "age".*must run first/)
    })
  )

  it.effect("fails when its text does not fit the schema, without repeating it", () =>
    Effect.gen(function* () {
      for (const text of ["secret", '"secret"', '{"secret":1}', ""]) {
        const error = yield* Effect.flip(Note.read(yield* Thought.make("test", { age: text }), age))
        assert.strictEqual(error._tag, "SchemaError")
        assert.notInclude(error.message, "secret")
      }
    })
  )

  it.effect("takes it as JSON first, and as it is if it is no JSON, when the schema accepts text and more", () =>
    Effect.gen(function* () {
      const handle = Note.handle("word", Schema.NullOr(Schema.String))
      const words = [
        ['"text"', "text"],
        ["null", null],
        ["text", "text"]
      ] as const
      for (const [word, expected] of words) {
        assert.strictEqual(yield* Note.read(yield* Thought.make("test", { word }), handle), expected)
      }
    })
  )

  const scores = Schema.Record(Schema.String, Schema.Struct({ points: Schema.Int }))
  const either = Schema.Union([Schema.Struct({ scores }), Schema.Struct({ kind: Schema.Literals(["a", "b"]) })])
  const some = Schema.Struct({ scores: Schema.optionalKey(scores.check(Schema.isMaxProperties(3))) })
  /** All that a program may print of an error. */
  const printed = (error: unknown) =>
    [String(error), inspect(error, { depth: null }), JSON.stringify(error), Cause.pretty(Cause.fail(error))].join("\n")

  it.effect("fails without repeating a key of a record", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Schema.Codec<any, any>, unknown]> = [
        [scores, { secret: { points: "secret" } }],
        [some, { scores: { secret: { points: "secret" } } }],
        [either, { scores: { secret: { points: "secret" } }, kind: "secret" }]
      ]
      for (const [schema, value] of cases) {
        const handle = Note.handle("scores", schema)
        const read = yield* Effect.flip(
          Note.read(yield* Thought.make("test", { scores: JSON.stringify(value) }), handle)
        )
        const written = yield* Effect.flip(Thought.write(yield* Thought.make("test"), handle, value))
        for (const error of [read, written]) {
          assert.strictEqual(error._tag, "SchemaError")
          assert.notInclude(printed(error), "secret")
        }
      }
      const thought = yield* Thought.make("test", { scores: JSON.stringify({ secret: { points: 0.5 } }) })
      const error = yield* Effect.flip(Note.read(thought, Note.handle("scores", scores)))
      // where it does not fit can still be told
      assert.include(error.message, '["scores"]["*"]["points"]')
    })
  )
})

describe("a reader", () => {
  it.effect("computes a value from one note", () =>
    Effect.gen(function* () {
      const reader = Note.from(age, (years) => years + 1)
      assert.deepStrictEqual(reader.keys, ["age"])
      assert.strictEqual(yield* reader.read(yield* Thought.make("test", { age: "41" }).pipe(typed)), 42)
    })
  )

  it.effect("computes a value from several notes under names of its own", () =>
    Effect.gen(function* () {
      const reader = Note.from({ who: name, years: age }, ({ who, years }) => `${who} is ${years}`)
      assert.deepStrictEqual(reader.keys, ["name", "age"])
      const thought = yield* Thought.make("test", { name: "Ada", age: "36" }).pipe(typed)
      assert.strictEqual(yield* reader.read(thought), "Ada is 36")
    })
  )

  it.effect("runs the effect that its function gives", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { name: "Ada" })
      assert.strictEqual(yield* Note.from(name, (text) => Effect.succeed(text.length)).read(thought), 3)
      assert.strictEqual(
        yield* Effect.flip(Note.from(name, (text) => Effect.fail(`no ${text}`)).read(thought)),
        "no Ada"
      )
    })
  )

  it.effect("computes anew each time, from the thought it is given", () =>
    Effect.gen(function* () {
      let calls = 0
      const reading = Note.from(name, (text) => `${text} ${++calls}`).read(yield* Thought.make("test", { name: "Ada" }))
      assert.strictEqual(calls, 0)
      assert.deepStrictEqual([yield* reading, yield* reading], ["Ada 1", "Ada 2"])
    })
  )

  it.effect("dies naming the key when a note is missing though the type has it", () =>
    Effect.gen(function* () {
      const widened = (yield* Thought.make("test")) as Thought.Thought<any>
      const exit = yield* Effect.exit(Effect.sandbox(Note.from(name, (text) => text).read(widened)))
      assert.match(String(exit), /There is no note/)
    })
  )

  it("is told apart from everything else", () => {
    assert.isTrue(Note.isReader(Note.from(name, (text) => text)))
    assert.isTrue(Note.isReader(Note.from({ name }, ({ name }) => name)))
    for (const other of [undefined, null, "text", {}, name, () => "text"]) assert.isFalse(Note.isReader(other))
  })
})

/** A thought whose note `age` is known to be a number. */
const typed = <N, E, R>(thought: Effect.Effect<Thought.Thought<N>, E, R>) =>
  Effect.flatMap(thought, (it) => Thought.require(it, [age]))

describe("a text option", () => {
  it.effect("is its text, or what its reader reads", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.write(yield* Thought.make("test"), ticket, { customer: "Ada", amount: 2 })
      assert.strictEqual(yield* Note.text("Is it fixed?", thought), "Is it fixed?")
      const question = Note.from(ticket, ({ customer }) => `Is ${customer} right?`)
      assert.strictEqual(yield* Note.text(question, thought), "Is Ada right?")
    })
  )
})
