import { Effect, Exit, Layer, Schema, Scope } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Memory, Provider, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"
import { counting, sizes } from "../storage/counted.ts"
import { answer, description, instructions, message, type Open, type Script } from "./task.ts"

const stub = (script: Script) =>
  Provider.make({
    name: "stub",
    model: "stub",
    capabilities: { tools: true },
    complete: ({ messages }) =>
      Effect.sync(() => {
        const calls = script.next(messages)
        const usage = { inputTokens: 10, outputTokens: 10 }
        if (calls === undefined) return { text: answer, usage }
        return {
          text: "",
          calls: calls.map(({ id, page }) => ({ id, name: "read", params: JSON.stringify({ page }) })),
          usage
        }
      })
  })

const shown = (sent: unknown): ReadonlyArray<unknown> =>
  // what `complete` has kept
  (sent as ReadonlyArray<Provider.Message>).flatMap(({ results = [] }) => results.map(({ text }) => text))

const read = Tool.make("read", {
  description,
  parameters: Schema.Struct({ page: Schema.Int }),
  success: Schema.String
}).annotate(Tool.Readonly, true)
const toolkit = Toolkit.make(read)

const open =
  (layer: Layer.Layer<Memory.Memory, Memory.MemoryError>, durable: boolean): Open =>
  async (script, { rounds }) => {
    const agent = Agent.make("reader", {
      instructions,
      toolkit,
      triage: false,
      limits: { rounds: rounds + 1 }
    })
    const handlers = toolkit.toLayer({ read: (params) => Effect.sync(() => script.read(params)) })
    const model = Layer.succeed(Provider.Provider, stub(script))
    const isOnDisk = layer === onPglite
    const counted = isOnDisk ? counting() : undefined
    const scope = Scope.makeUnsafe()
    const context = await Effect.runPromise(Layer.buildWithScope(Layer.mergeAll(model, handlers, layer), scope))
    const program = Effect.gen(function* () {
      const session = yield* Thought.make("read a manual")
      return (yield* Agent.say(agent, session, message, { durable })).get("answer")
    }).pipe(Effect.provide(context), Effect.withTracerEnabled(false))
    let given: unknown
    return {
      run: async () => {
        script.restart()
        given = await Effect.runPromise(program)
      },
      check: () => script.check(given, shown),
      ...(counted && {
        stored: async () => (await sizes(counted.database())).data
      }),
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }

const onPglite = Layer.provide(PgliteMemory.layer({ thread: false }), Testing.embedder)
const words = Memory.layerInMemory({ embedder: "none" })

export const stored = open(Testing.memory, false)
export const durable = open(Testing.memory, true)
/** The same in the process without an embedder. */
export const storedWords = open(words, false)
export const durableWords = open(words, true)
export const durablePglite = open(onPglite, true)
