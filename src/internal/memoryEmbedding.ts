/** Vectors of notes and of queries: what the memory asks its embedder for. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { EmbedderError, type Shape as EmbedderShape } from "../Embedder.ts"
import type { Shape, Space, Store } from "../Memory.ts"
import type { MemoryError } from "./memoryError.ts"
import { fail } from "./memoryError.ts"
import type { Note } from "../Note.ts"

const embedBatch = 64

export interface Embedding {
  /** One vector for each text, or a failure. */
  readonly vectorsOf: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>
  /** Embeds notes and stores their vectors. */
  readonly embed: (
    scope: string,
    notes: ReadonlyArray<Pick<Note, "id" | "content">>
  ) => Effect.Effect<void, MemoryError | EmbedderError>
  readonly embedPending: Shape["embedPending"]
}

export const makeEmbedding = (store: Store, space: Space, embedder: EmbedderShape): Embedding => {
  /** One vector for each text, or a failure. */
  const vectorsOf = (texts: ReadonlyArray<string>) =>
    Effect.filterOrFail(
      embedder.embedMany(texts),
      (vectors) => vectors.length === texts.length && vectors.every((vector) => vector.length === space.dimensions),
      () =>
        new EmbedderError({
          embedder: embedder.id,
          message: `The embedder ${embedder.id} did not give one vector of ${space.dimensions} numbers for each text.`,
          retryable: false
        })
    )

  const embed = Effect.fnUntraced(function* (scope: string, notes: ReadonlyArray<Pick<Note, "id" | "content">>) {
    for (let i = 0; i < notes.length; i += embedBatch) {
      const batch = notes.slice(i, i + embedBatch)
      const vectors = yield* vectorsOf(batch.map((note) => note.content))
      yield* store.putVectors(
        scope,
        space,
        Arr.zipWith(batch, vectors, ({ id }, vector) => ({ noteId: id, vector }))
      )
    }
  })

  const embedPending: Shape["embedPending"] = Effect.gen(function* () {
    let done = 0
    while (true) {
      const notes = yield* store.pending(space, { limit: embedBatch })
      if (notes.length === 0) return done
      for (const scope of new Set(notes.map((note) => note.scope))) {
        yield* Effect.catchTag(
          embed(
            scope,
            notes.filter((note) => note.scope === scope)
          ),
          "EmbedderError",
          (error) =>
            fail(
              {
                _tag: "EmbedderFailed",
                message: `Notes could not be embedded: ${error.message}`,
                retryable: error.retryable
              },
              error
            )
        )
      }
      done += notes.length
    }
  })

  return { vectorsOf, embed, embedPending }
}
