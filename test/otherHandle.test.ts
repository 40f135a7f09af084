import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Schema } from "effect"
import { Memory, Note, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// A note that is read by another handle than the one it was written by, where the types cannot tell, or say that it fits.

const written = <A>(schema: Schema.Codec<A, any>, value: A) =>
  Effect.flatMap(Thought.make("test"), (thought) => Thought.write(thought, Note.handle("a", schema), value))
const readAs = <A>(thought: Thought.Thought<any>, schema: Schema.Codec<A, any>) =>
  Thought.read(thought, Note.handle("a", schema))

describe("a note that is read by another handle", () => {
  it.effect("fails where a text looks like a number, or a number like a text", () =>
    Effect.gen(function* () {
      const text = yield* written(Schema.String, "42")
      const asNumber = yield* Effect.flip(readAs(text, Schema.Finite))
      assert.strictEqual(asNumber._tag, "SchemaError")
      assert.include(asNumber.message, `["a"]`)
      const number = yield* written(Schema.Finite, 42)
      assert.strictEqual((yield* Effect.flip(readAs(number, Schema.String)))._tag, "SchemaError")
      assert.strictEqual(
        (yield* Effect.flip(Thought.require(number, [Note.handle("a", Schema.String)])))._tag,
        "SchemaError"
      )
    })
  )

  it.effect("is what was written, where the other schema has room for it", () =>
    Effect.gen(function* () {
      for (const text of ["hello", "null", "42", '"quoted"', ""]) {
        const thought = yield* written(Schema.String, text)
        assert.strictEqual(yield* readAs(thought, Schema.NullOr(Schema.String)), text)
        assert.strictEqual(yield* readAs(thought, Schema.Union([Schema.Finite, Schema.String])), text)
        assert.strictEqual(yield* readAs(thought, Schema.Json), text)
      }
      const narrow = yield* written(Schema.Struct({ size: Schema.Finite, name: Schema.String }), { size: 1, name: "x" })
      assert.deepStrictEqual(yield* readAs(narrow, Schema.Struct({ size: Schema.Finite })), { size: 1 })
    })
  )

  it.effect("may have been written in another form", () =>
    Effect.gen(function* () {
      const number = yield* written(Schema.FiniteFromString, 42)
      assert.strictEqual(number.note("a")?.content, "42")
      assert.strictEqual(yield* readAs(number, Schema.Finite), 42)
      assert.strictEqual(yield* readAs(yield* written(Schema.Finite, 42), Schema.FiniteFromString), 42)
      const noon = DateTime.makeUnsafe("2026-11-22T12:00:00Z")
      const time = yield* written(Schema.DateTimeUtcFromMillis, noon)
      assert.isTrue(DateTime.Equivalence(yield* readAs(time, Schema.DateTimeUtcFromString), noon))
    })
  )

  it.effect("is read by the look of its text where nobody knows who wrote it", () =>
    Effect.gen(function* () {
      const begun = yield* Thought.make("test", { a: "42" })
      assert.strictEqual(yield* readAs(begun, Schema.Finite), 42)
      const stored = yield* Pipeline.run(
        Pipeline.tap("look", () => {}),
        yield* written(Schema.String, "42")
      )
      const loaded = yield* Memory.load(stored.id)
      assert.strictEqual(yield* readAs(loaded, Schema.Finite), 42)
      assert.strictEqual(yield* readAs(loaded, Schema.String), "42")
      const message = yield* Thought.make("test", { a: "I was charged twice!" })
      assert.strictEqual(yield* readAs(message, Schema.NullOr(Schema.String)), "I was charged twice!")
      assert.strictEqual((yield* Effect.flip(readAs(message, Schema.Finite)))._tag, "SchemaError")
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a step that reads a note of another type, its type widened", () => {
  const text = Step.make("a", { schema: Schema.String, run: () => "42" })
  const number = Note.handle("a", Schema.Finite)
  const next = Note.from(number, (n) => n + 1)

  const steps: Record<string, Step.Any> = {
    sequence: Pipeline.sequence("both", [
      text,
      Step.make("r", { schema: Schema.Finite, run: next })
    ] as Array<Step.Any>),
    mutate: Pipeline.sequence("both", [
      text,
      Pipeline.mutate("more", { note: number, update: (n) => n + 1 })
    ] as Array<Step.Any>),
    filter: Pipeline.sequence("both", [
      text,
      Pipeline.filter("if", { when: Note.from(number, (n) => n > 1), step: Step.make("r", { run: () => {} }) })
    ] as Array<Step.Any>),
    gen: Pipeline.gen("both", function* () {
      yield* Pipeline.ask(text)
      yield* Pipeline.ask(Step.make("r", { schema: Schema.Finite, run: next }) as Step.Any)
    })
  }
  for (const [name, step] of Object.entries(steps)) {
    it.effect(`dies and names the key, in ${name}`, () =>
      Effect.gen(function* () {
        const thought = yield* Thought.write(yield* Thought.make("test"), number, 1)
        const exit = yield* Effect.exit(Pipeline.run(step as Step.Step<{}, {}>, thought))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        assert.instanceOf(defect, Schema.SchemaError)
        assert.include(String(defect), `["a"]`)
      }).pipe(Effect.provide(Testing.memory))
    )
  }
})
