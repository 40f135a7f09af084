/** What a test of a store begins with: a scope of its own, and the calls that tests make most. */
import * as Effect from "effect/Effect"
import type { MemoryError, Space } from "../../../Memory.ts"
import type { Commit, Store, StoredThought, ThoughtRow } from "../../../Store.ts"
import { commit } from "./rows.ts"

let counter = 0

export const freshScope = (): string => `scope ${++counter}`

export const freshSpace = (dimensions = 2): Space => ({
  embedder: `embedder ${++counter}`,
  dimensions,
  metric: "cosine"
})

/**
 * A store, with a scope that no other test uses.
 *
 * - `write`: commits to the scope
 * - `load`: loads from the scope
 */
export interface Scene {
  readonly store: Store
  readonly scope: string
  readonly write: (row: ThoughtRow, more?: Partial<Commit>) => Effect.Effect<number, MemoryError>
  readonly load: (row: { readonly id: string }) => Effect.Effect<StoredThought | undefined, MemoryError>
}

export const scene = (store: Store): Effect.Effect<Scene> =>
  Effect.sync(() => {
    const scope = freshScope()
    return {
      store,
      scope,
      write: (row, more) => store.commit(scope, commit(row, more)),
      load: ({ id }) => store.load(scope, { id })
    }
  })

/** The unit vector at an angle in degrees. */
export const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180))

/** Why a call is refused: the tag of the error's reason, and the code where the database gives one. */
export const refusal = <A>(effect: Effect.Effect<A, MemoryError>): Effect.Effect<string, A> =>
  Effect.map(Effect.flip(effect), ({ reason }) =>
    reason._tag === "Query" && reason.code !== undefined ? `Query ${reason.code}` : reason._tag
  )
