import { assert, describe, it } from "@effect/vitest"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { Cause, Effect, Exit, Layer } from "effect"
import { z } from "zod"

const Ticket = z.object({
  customer: z.string(),
  since: z.iso.datetime().transform((text) => new Date(text)),
  priority: z.number().default(3)
})

describe("steps with a schema of Zod", () => {
  it.effect("write notes that later steps read, and that a loaded thought reads as the same values", () =>
    Effect.gen(function* () {
      const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer" })
      const guess = Primitive.make("guess", {
        kind: "guess",
        schema: z.object({ count: z.string().transform(Number) }),
        question: "How many?"
      })
      const year = Step.make("year", {
        schema: z.number().int(),
        run: Note.from({ ticket, guess }, ({ guess, ticket }) => ticket.since.getUTCFullYear() + guess.count)
      })
      const provider = Testing.scripted([{ customer: "Ada", since: "2020-01-02T03:04:05Z" }, { count: "6" }])
      const value = { customer: "Ada", since: new Date("2020-01-02T03:04:05Z"), priority: 3 }
      const layer = Layer.merge(provider.layer, Testing.memory)
      yield* Effect.gen(function* () {
        const pipeline = Pipeline.sequence("all", [ticket, guess, year])
        const done = yield* Pipeline.run(pipeline, yield* Thought.make("triage", { message: "Ada here" }))
        assert.deepStrictEqual(done.get("ticket"), value)
        assert.strictEqual(done.get("year"), 2026)
        assert.strictEqual(
          done.note("ticket")?.content,
          `{"customer":"Ada","since":"2020-01-02T03:04:05.000Z","priority":3}`
        )
        assert.strictEqual(done.note("guess")?.content, `{"count":"6"}`)
        const memory = yield* Memory.Memory
        const loaded = yield* memory.load(done.id)
        assert.deepStrictEqual(yield* Thought.read(loaded, ticket), value)
        assert.deepStrictEqual(yield* Thought.read(loaded, guess), { count: 6 })
        assert.strictEqual(yield* Thought.read(loaded, year), 2026)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("die with the name of the step if a function returns an invalid value", () =>
    Effect.gen(function* () {
      const wrong = Step.make("wrong", { schema: z.number().int(), run: () => 1.5 })
      const exit = yield* Effect.exit(Pipeline.run(wrong, yield* Thought.make("x"))).pipe(
        Effect.provide(Testing.memory)
      )
      assert.include(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        "The step wrong gave a value outside its schema"
      )
    })
  )

  it("are refused at construction if a value cannot be encoded, or if the schema is invalid", () => {
    const schema = z.string().transform(Number)
    const message = 'The step "n" has a schema that transforms a plain value'
    assert.throws(() => Primitive.analyze("n", { schema, prompt: "Count" }), message)
    assert.throws(() => Primitive.make("n", { kind: "count", schema, question: "How many?" }), message)
    assert.throws(() => Step.make("n", { schema, run: () => 1 }), message)
    const none = { name: "string" } as never
    const needs = 'The step "n" needs a schema: an Effect Schema, or a Standard Schema'
    assert.throws(() => Primitive.analyze("n", { schema: none, prompt: "Count" }), needs)
    assert.throws(() => Primitive.make("n", { kind: "count", schema: none, question: "How many?" }), needs)
    assert.throws(() => Step.make("n", { schema: none, run: () => 1 }), needs)
    assert.throws(() => Note.handle("n", none), 'The note "n" needs a schema:')
    assert.throws(() => Spec.registry({ schemas: { n: none } }), 'The registered schema "n" needs a schema:')
  })

  it("can be registered for documents", () => {
    const registry = Spec.registry({ schemas: { Ticket } })
    assert.strictEqual(registry.schemas.get("Ticket"), Note.handle("ticket", Ticket).schema)
  })
})
