import { assert, describe, it } from "@effect/vitest"
import { Memory, Note, Pipeline, Primitive, Step, Store, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Cause, Effect, Exit, Layer, Schema, Stream } from "effect"

/** What a program without a layer that it needs ends with. */
const endOf = (program: Effect.Effect<unknown, unknown, any>) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(program as Effect.Effect<unknown, unknown>)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    const message = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
    assert.notInclude(message, "Service not found")
    return message
  })

const start = Thought.make("try", { message: "Hello" })
const go = Primitive.decide("go", { question: "Go on?" })
const noMemory = "There is no memory. Provide one: Effect.provide(Testing.memory)"
const noProvider = "There is no provider of a model. Provide one: Effect.provide(OpenAi.layer("

describe("a layer that was forgotten is named with the line that adds it", () => {
  it.effect("where a pipeline runs", () =>
    Effect.gen(function* () {
      const run = Effect.flatMap(start, (thought) => Pipeline.run(go, thought))
      assert.include(yield* endOf(run), noMemory)
      const model = Testing.scripted([])
      assert.include(yield* endOf(Effect.provide(run, model.layer)), noMemory)
      assert.include(yield* endOf(Effect.provide(run, Testing.memory)), noProvider)
    })
  )

  it.effect("by every step that asks a model", () =>
    Effect.gen(function* () {
      const message = Note.handle("message", Schema.String)
      const steps: ReadonlyArray<Step.Any> = [
        Primitive.reflect("it"),
        Primitive.amplify("it", { source: message, refine: "Shorten it.", criteria: "It is short." }),
        Primitive.converge("it", { branches: [Step.make("a", { run: Effect.void })], prompt: "Sum it up." })
      ]
      for (const step of steps) {
        const run = Effect.flatMap(start, (thought) => Pipeline.run(step as Step.Step<{}, {}>, thought))
        assert.include(yield* endOf(Effect.provide(run, Testing.memory)), noProvider)
      }
    })
  )

  it("where a promise is requested", async () => {
    const options = { layer: Layer.empty as unknown as typeof Testing.memory } as never
    const error: unknown = await Pipeline.runPromise(go, { intent: "try" }, options).catch((error: unknown) => error)
    assert.instanceOf(error, Error)
    assert.include(error.message, noMemory)
  })

  it.effect("where a single call is made, streamed or not", () =>
    Effect.gen(function* () {
      const binary = Synapse.binary({ question: "Go on?" })
      assert.include(yield* endOf(binary("text")), noProvider)
      assert.include(yield* endOf(Stream.runDrain(Synapse.stream(binary, "text"))), noProvider)
    })
  )

  it.effect("where the memory is used by itself, and where it is built without an embedder", () =>
    Effect.gen(function* () {
      assert.include(yield* endOf(Memory.load("x")), noMemory)
      assert.include(yield* endOf(Memory.append("x", [])), noMemory)
      assert.include(yield* endOf(Memory.search("x")), noMemory)
      assert.include(yield* endOf(Memory.flush), noMemory)
      const built = Effect.scoped(Memory.make({ store: yield* Store.makeInMemory, scope: "local" }))
      assert.include(
        yield* endOf(built),
        "There is no embedder. Provide one to the memory: Layer.provide(Local.embedder)"
      )
      assert.include(yield* endOf(built), "In the list of Cogito.make it comes after the memory.")
    })
  )

  it.effect("where background work begins", () =>
    Effect.gen(function* () {
      const step = Pipeline.scaffold("later", { step: Primitive.reset("a") })
      const run = Effect.flatMap(start, (thought) => Pipeline.run(step, thought)).pipe(Effect.provide(Testing.memory))
      assert.include(yield* endOf(run), "There is no supervisor of background work. Provide one:")
    })
  )
})
