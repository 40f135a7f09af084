import { Effect, Exit, Layer, Scope } from "effect"
import { Memory, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { type Decision, message, type Prepare, question, reply, steps } from "./task.ts"

const keys = Array.from({ length: steps }, (_, step) => `d${step}` as const)
const decisions = Pipeline.sequence(
  "decisions",
  keys.map((key, step) => Primitive.decide(key, { question: question(step) }))
)

/** Keeps nothing, to see the steps alone. */
const forgetful = Layer.effect(
  Memory.Memory,
  Effect.map(Memory.Memory, (memory) => ({
    ...memory,
    commit: <N>(thought: Thought.Thought<N>) => Effect.succeed(thought)
  }))
).pipe(Layer.provide(Testing.memory))

const prepare =
  (memory: Layer.Layer<Memory.Memory, Memory.MemoryError>, traced: boolean): Prepare =>
  async (latency) => {
    let calls = 0
    const provider = Provider.make({
      name: "stub",
      model: "stub",
      capabilities: { structuredOutput: "json-schema" },
      complete: () =>
        Effect.suspend(() => {
          calls++
          const response = Effect.succeed({ text: reply, usage: { inputTokens: 10, outputTokens: 10 } })
          return latency === 0 ? response : Effect.delay(response, latency)
        })
    })
    const scope = Scope.makeUnsafe()
    const context = await Effect.runPromise(
      Layer.buildWithScope(Layer.merge(Layer.succeed(Provider.Provider, provider), memory), scope)
    )
    const program = Effect.gen(function* () {
      const start = yield* Thought.make("sort the mail", { message })
      const done = yield* Pipeline.run(decisions, start)
      // The keys of a list that is made in a loop are not known to the compiler.
      const answered = done as unknown as Thought.Thought<Record<string, Decision>>
      return keys.map((key) => answered.get(key))
    }).pipe(Effect.provide(context), Effect.withTracerEnabled(traced))
    return {
      run: () => Effect.runPromise(program),
      calls: () => calls,
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }

/** The store in the process, with the embedder that counts words. */
export const stored = prepare(Testing.memory, false)
/** The same with Effect's own tracer, which is on unless a program turns it off. */
export const storedAndTraced = prepare(Testing.memory, true)
/** The store in the process without an embedder. */
export const words = prepare(Memory.layerInMemory({ embedder: "none" }), false)
export const unstored = prepare(forgetful, false)
