/**
 * The memory keeps every thought and finds old notes by meaning and by words.
 *
 * A `Store` keeps the rows: PGlite, Postgres, or the in-memory store. `make` turns any store into a memory, with checks
 * before each write, embedding after each commit, and search. A scope separates tenants; no call crosses it.
 */
export { CurrentScope, MemoryError, Reason } from "./memory/model/error.ts"
export type {
  Filter,
  Match,
  Rerank,
  SearchOptions,
  SearchResult,
  SurveyOptions,
  SurveyResult,
  TaskMatch
} from "./memory/model/Search.ts"
export { type OptimizedSpace, type Space, type StoredSpace } from "./memory/model/Store.ts"
export type { AppendedNote, Relative, Shape } from "./memory/model/Shape.ts"
export { Memory, withScope } from "./memory/Memory.ts"
export { layerInMemory, make } from "./memory/layer.ts"
export * from "./memory/thoughts.ts"
export * from "./memory/find.ts"
export * from "./memory/upkeep.ts"
export * from "./memory/erase.ts"
export * from "./memory/transfer.ts"
