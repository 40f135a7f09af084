/** How a memory finds notes by meaning: with an embedder, whose vectors it keeps up; or not at all. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Shape as EmbedderShape } from "../../thought/Embedder.ts"
import type { EmbedderChange } from "../model/EmbedderChange.ts"
import type { Shape } from "../model/Shape.ts"
import type { Store } from "../model/Store.ts"
import { quoted } from "../../text/legible.ts"
import type { Embedding } from "./embed.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { openSpaces } from "./spaces.ts"
import { makeUpkeep, type Upkeep } from "./upkeep.ts"

/** The vectors that searches use, and how a query becomes one. */
export type InUse = Pick<Embedding, "space" | "ofQuery">

export interface Meaning extends Upkeep, Pick<Shape, "embedder" | "spaces" | "dropSpace"> {
  /** Nothing without an embedder. */
  readonly inUse: () => InUse | undefined
  readonly pending: (scope: string) => Effect.Effect<number, MemoryError>
  /** Fails when another program has changed the memory to another embedder. */
  readonly check: Effect.Effect<void, MemoryError>
}

export const withEmbedder = Effect.fnUntraced(function* (
  store: Store,
  embedder: EmbedderShape,
  change: EmbedderChange
): Effect.fn.Return<Meaning, MemoryError, Scope.Scope> {
  const spaces = yield* openSpaces(store, embedder, change)
  const upkeep = yield* makeUpkeep(store, spaces)
  return {
    ...upkeep,
    embedder: embedder.id,
    inUse: () => spaces.previous() ?? spaces.current,
    pending: (scope) => store.countPending(scope, spaces.current.space),
    check: spaces.check,
    spaces: spaces.spaces,
    dropSpace: spaces.dropSpace
  }
})

/** By words alone: no note is embedded here, and none waits for it. */
export const wordsOnly = Effect.fnUntraced(function* (store: Store): Effect.fn.Return<Meaning, MemoryError> {
  const active = (yield* store.spaces).find(({ state }) => state === "active")
  if (active !== undefined) {
    yield* Effect.logWarning(
      `The memory has vectors of the embedder ${quoted(active.embedder)}, but is open without an embedder: searches ` +
        "use words alone, and new notes wait for a program with that embedder."
    )
  }
  return {
    embedder: undefined,
    inUse: () => undefined,
    pending: () => Effect.succeed(0),
    check: Effect.void,
    offer: () => {},
    notice: Effect.void,
    settled: () => Effect.void,
    flush: Effect.void,
    embedPending: fail({
      _tag: "Query",
      message: 'This memory has no embedder: open it with one, and without embedder "none", to embed its notes.'
    }),
    spaces: store.spaces,
    dropSpace: store.dropSpace
  }
})
