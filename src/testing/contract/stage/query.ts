/** Queries for tests of stores, with defaults. */
import * as Effect from "effect/Effect"
import type { Filter, MemoryError, Space } from "../../../Memory.ts"
import type { Store, StoreMatch, StoreQuery, ThoughtsRow } from "../../../Store.ts"

/** A query by words and by a vector, if they are given. */
export const ask = (more: Partial<StoreQuery> = {}): StoreQuery => ({
  text: "",
  vector: undefined,
  filter: {},
  limit: 10,
  candidates: Math.max(50, 5 * (more.limit ?? 10)),
  fusion: { vectorWeight: 1, lexicalWeight: 2 },
  context: { neighbours: 0, task: 0 },
  recency: undefined,
  dates: undefined,
  vectors: false,
  ...more
})

/** A page of thoughts, the oldest first. */
export const page = (more: Partial<ThoughtsRow> = {}): ThoughtsRow => ({
  taskId: undefined,
  order: "oldest",
  limit: 50,
  after: undefined,
  ...more
})

/** Searches by a vector alone. */
export const nearby = (
  store: Store,
  scope: string,
  space: Space,
  vector: Float32Array,
  { limit = 10, ...filter }: Filter & { readonly limit?: number } = {}
): Effect.Effect<ReadonlyArray<StoreMatch>, MemoryError> =>
  Effect.map(store.search(scope, space, ask({ vector, filter, limit })), ({ matches }) => matches)
