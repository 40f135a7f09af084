import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, Memory, Pipeline, Primitive, Provider, Thought } from "cogito"

const urgent = Primitive.decide("urgent", { question: "Does this need an answer today?" })

/** With the memory in the process and an embedder of the caller's own. */
export const run = (
  message: string,
  ask: (text: string) => Promise<string>,
  embed: (texts: ReadonlyArray<string>) => ReadonlyArray<Float32Array>
): Promise<boolean> => {
  const complete: Provider.Shape["complete"] = ({ messages }) =>
    Effect.map(
      Effect.promise(() => ask(messages.at(-1)?.text ?? "")),
      (text) => ({ text, usage: {} })
    )
  const embedder = Layer.succeed(Embedder.Embedder, {
    id: "own",
    dimensions: 2,
    maxTokens: 1000,
    metric: "cosine",
    embedMany: (texts) => Effect.sync(() => embed(texts))
  })
  return Effect.gen(function* () {
    const done = yield* Pipeline.run(urgent, yield* Thought.make("sort the mail", { message }))
    return done.get("urgent").decision
  }).pipe(
    Effect.provideService(Provider.Provider, Provider.make({ name: "own", model: "own", complete })),
    Effect.provide(Layer.provide(Memory.layerInMemory(), embedder)),
    Effect.runPromise
  )
}
