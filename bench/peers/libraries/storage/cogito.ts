import { Effect, Exit, Layer, Schema, Scope } from "effect"
import { Memory, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"
import { counting, sizes } from "./counted.ts"
import { notes, type Open, type Store, text } from "./task.ts"

const keys = Array.from({ length: notes }, (_, note) => `n${note}`)

/** A program wrote the text. */
const computed = () =>
  Pipeline.sequence(
    "notes",
    keys.map((key, note) => Step.make(key, { schema: Schema.String, run: () => text(note) }))
  )

/** A model wrote the text, and was shown the last five turns. */
const asked = () =>
  Pipeline.sequence(
    "notes",
    keys.map((key) =>
      Primitive.analyze(key, { schema: Schema.Struct({ text: Schema.String }), prompt: "Go on.", view: { recent: 5 } })
    )
  )

const open =
  (
    pipeline: () => Step.Step<any, any, unknown, Provider.Provider>,
    embeds: boolean,
    layer: Layer.Layer<Memory.Memory, Memory.MemoryError>
  ): Open =>
  async (): Promise<Store> => {
    const counted = counting()
    let note = 0
    const provider = Provider.layer({
      name: "stub",
      model: "stub",
      capabilities: { structuredOutput: "json-schema" },
      complete: () => Effect.sync(() => ({ text: JSON.stringify({ text: text(note++) }), usage: {} }))
    })
    const scope = Scope.makeUnsafe()
    const context = await Effect.runPromise(Layer.buildWithScope(Layer.merge(provider, layer), scope))
    const run = <A, E>(effect: Effect.Effect<A, E, Provider.Provider | Memory.Memory>): Promise<A> =>
      Effect.runPromise(Effect.withTracerEnabled(Effect.provide(effect, context), false))
    const before = counted.statements()
    let after = 0
    return {
      write: async () => {
        const start = await run(Thought.make("keep notes", { message: "Begin." }))
        await run(Pipeline.run(pipeline(), start))
        if (embeds) await run(Memory.embedPending)
        after = counted.statements()
      },
      stored: async () => {
        const { rows } = await counted
          .database()
          .query<{ readonly content: string }>("select content from cogito.note where key <> 'message' order by seq")
        const texts = rows.map(({ content }) => (content.startsWith("{") ? String(JSON.parse(content).text) : content))
        return { bytes: await sizes(counted.database()), texts, statements: after - before }
      },
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }

const embedded = Layer.provide(PgliteMemory.layer(), Testing.embedder)
const plain = PgliteMemory.layer({ embedder: "none" })

export const computedNotes = open(computed, true, embedded)
export const askedNotes = open(asked, true, embedded)
export const computedWithoutVectors = open(computed, false, plain)
