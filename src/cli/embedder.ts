/** With which embedder a command searches. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Embedder, EmbedderError, type Shape as EmbedderShape } from "../Embedder.ts"
import { make, type MemoryError, type Shape, type Store } from "../Memory.ts"
import { CommandError } from "./failure.ts"
import { say } from "./output.ts"

export type Choice = "local" | "none" | "default"

const local: Effect.Effect<EmbedderShape, EmbedderError, Scope.Scope> = Effect.promise(
  () => import("../local/embedder.ts")
).pipe(
  Effect.flatMap(({ embedder }) => Layer.build(embedder)),
  Effect.map((context) => Context.get(context, Embedder))
)

/** Stands for the embedder that made the vectors: it embeds nothing, so that the words alone find. */
const wordsOnly = Effect.fnUntraced(function* (
  store: Store
): Effect.fn.Return<EmbedderShape, CommandError | MemoryError> {
  const active = (yield* store.spaces).find(({ state }) => state === "active")
  if (active === undefined) {
    return yield* new CommandError({
      message: "No embedder has opened this memory yet, so it cannot be searched without one: use --embedder local."
    })
  }
  const { dimensions, embedder, metric } = active
  const failure = new EmbedderError({ embedder, message: "This search goes by words only.", retryable: true })
  return { id: embedder, dimensions, maxTokens: 512, metric, embedMany: () => Effect.fail(failure) }
})

/**
 * A memory to search in: by meaning with the local embedder, or else by words only. By default the local one is taken where
 * its package is installed and made the memory's vectors.
 */
export const searchable = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  choice: Choice
): Effect.fn.Return<Shape, CommandError | EmbedderError | MemoryError, Scope.Scope> {
  const open = (embedder: EmbedderShape) => Effect.provideService(make({ store, scope }), Embedder, embedder)
  const words = Effect.flatMap(wordsOnly(store), open)
  if (choice === "none") return yield* words
  const meaning = Effect.flatMap(local, open)
  if (choice === "local") return yield* meaning
  const instead = (why: string) => Effect.andThen(say(`Searching by words only: ${why}`), words)
  return yield* Effect.catchTags(meaning, {
    EmbedderError: (error) => instead(error.message),
    MemoryError: (error) =>
      error.reason._tag === "EmbedderMismatch"
        ? instead(`the vectors are those of ${error.reason.stored}.`)
        : Effect.fail(error)
  })
})
