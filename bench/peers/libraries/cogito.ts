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

/** Opens a memory and a model that answers after `latency` milliseconds. */
export const open = async (
  memory: Layer.Layer<Memory.Memory, Memory.MemoryError>,
  options: { readonly traced: boolean; readonly latency: number }
) => {
  let calls = 0
  const provider = Provider.make({
    name: "stub",
    model: "stub",
    capabilities: { structuredOutput: "json-schema" },
    complete: () =>
      Effect.suspend(() => {
        calls++
        const response = Effect.succeed({ text: reply, usage: { inputTokens: 10, outputTokens: 10 } })
        return options.latency === 0 ? response : Effect.delay(response, options.latency)
      })
  })
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(
    Layer.buildWithScope(Layer.merge(Layer.succeed(Provider.Provider, provider), memory), scope)
  )
  return {
    calls: () => calls,
    run: <A, E>(effect: Effect.Effect<A, E, Provider.Provider | Memory.Memory>): Promise<A> =>
      Effect.runPromise(Effect.withTracerEnabled(Effect.provide(effect, context), options.traced)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** The decisions of a thought. The keys of a list that is made in a loop are not known to the compiler. */
export const answersOf = (thought: unknown, keys: ReadonlyArray<string>): ReadonlyArray<Decision> => {
  const answered = thought as Thought.Thought<Record<string, Decision>>
  return keys.map((key) => answered.get(key))
}

const program = Effect.gen(function* () {
  const start = yield* Thought.make("sort the mail", { message })
  return answersOf(yield* Pipeline.run(decisions, start), keys)
})

const prepare =
  (memory: Layer.Layer<Memory.Memory, Memory.MemoryError>, traced: boolean): Prepare =>
  async (latency) => {
    const { calls, close, run } = await open(memory, { traced, latency })
    return { calls, close, run: () => run(program) }
  }

/** The store in the process, with the embedder that counts words. */
export const stored = prepare(Testing.memory, false)
/** The same with Effect's own tracer, which is on unless a program turns it off. */
export const storedAndTraced = prepare(Testing.memory, true)
/** The store in the process without an embedder. */
export const words = prepare(Memory.layerInMemory({ embedder: "none" }), false)
export const unstored = prepare(forgetful, false)
