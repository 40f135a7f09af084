/** The memory of a command, with the embedder that it searches with. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MinimumLogLevel } from "effect/References"
import type * as Scope from "effect/Scope"
import { Embedder, type EmbedderError, type Shape as EmbedderShape } from "../../Embedder.ts"
import { make, type MemoryError, type Shape } from "../../Memory.ts"
import type { Store } from "../../Store.ts"
import { say } from "../console/output.ts"
import { during } from "../console/progress.ts"

export type Choice = "local" | "none" | "default"

const local: Effect.Effect<EmbedderShape, EmbedderError, Scope.Scope> = Effect.promise(
  () => import("../../local/mind/embedder.ts")
).pipe(
  Effect.flatMap(({ embedder }) => Layer.build(embedder)),
  Effect.map((context) => Context.get(context, Embedder))
)

/** A memory that embeds nothing and searches by words. */
export const wordsOnly = (store: Store, scope: string): Effect.Effect<Shape, MemoryError, Scope.Scope> =>
  // the commands say what they search by
  Effect.provideService(make({ store, scope, embedder: "none" }), MinimumLogLevel, "None")

const openWith = (embedder: EmbedderShape, store: Store, scope: string) =>
  Effect.provideService(make({ store, scope }), Embedder, embedder)

/** Opens a memory with the local embedder if that made its vectors; `instead` opens another one, given why if it has vectors. */
export const asBefore = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  instead: (why: string | undefined) => Effect.Effect<Shape, MemoryError, Scope.Scope>
): Effect.fn.Return<Shape, EmbedderError | MemoryError, Scope.Scope> {
  if (!(yield* store.spaces).some(({ state }) => state === "active")) return yield* instead(undefined)
  return yield* Effect.flatMap(local, (embedder) => openWith(embedder, store, scope)).pipe(
    Effect.catchTag("EmbedderError", (error) => instead(error.message)),
    Effect.catchReason("MemoryError", "EmbedderMismatch", ({ stored }) =>
      instead(`the vectors are those of ${stored}.`)
    )
  )
})

/** The same store, without pending notes: a memory on it embeds nothing. */
const reading = (store: Store): Store => ({ ...store, pending: () => Effect.succeed([]) })

/**
 * Opens a memory to search in, by meaning with the local embedder or by words only.
 *
 * **Details**
 *
 * `"default"` stores nothing. It uses the local embedder if its package is installed and it made the memory's vectors;
 * otherwise it searches by words and says why. `"local"` embeds pending notes first; a memory without an embedder has this
 * one from then on. `"none"` searches by words.
 */
export const searchable = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  { choice, json }: { readonly choice: Choice; readonly json: boolean }
): Effect.fn.Return<Shape, EmbedderError | MemoryError, Scope.Scope> {
  if (choice === "local") {
    const memory = yield* openWith(yield* local, store, scope)
    yield* during(json, "Embedding the notes that are pending")(memory.embedPending)
    return memory
  }
  if (choice === "none") return yield* wordsOnly(store, scope)
  const never = "no embedder has opened this memory. --embedder local embeds its notes."
  return yield* asBefore(reading(store), scope, (why = never) =>
    Effect.andThen(json ? Effect.void : say(`Searching by words only: ${why}`), wordsOnly(store, scope))
  )
})
