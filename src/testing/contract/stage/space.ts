/** Spaces of vectors, and notes for them. */
import * as Effect from "effect/Effect"
import type { Space } from "../../../Memory.ts"
import type { Store } from "../../../Store.ts"
import { commit, type note, notes, thought } from "./rows.ts"

export const spaceNamed = (embedder: string, dimensions = 2): Space => ({ embedder, dimensions, metric: "cosine" })

export const opened = (store: Store, embedder: string) =>
  Effect.as(store.openSpace(spaceNamed(embedder)), spaceNamed(embedder))

/** Writes one thought with these notes to a scope. */
export const written = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  drafts: ReadonlyArray<Parameters<typeof note>[2]>
) {
  const row = thought()
  const made = notes(row.id, 1, drafts)
  yield* store.commit(scope, commit(row, { notes: made }))
  return made
})
