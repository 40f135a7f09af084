/**
 * What a store offers to the memory on top of it: rows of thoughts, notes and vectors, written and searched scope by scope.
 *
 * PGlite, Postgres and plain memory are such stores. For a store of one's own, `Testing.storeContract` checks all promises, and
 * `Memory.make` puts a memory on top of it.
 */
export {
  type ChunkVector,
  type Commit,
  type Found,
  type FoundTasks,
  type NewNote,
  type PageRow,
  type PendingNote,
  type Store,
  type StoreMatch,
  type StoreQuery,
  type StoredThought,
  type ThoughtRow,
  type ThoughtsRow
} from "./memory/model/Store.ts"
export { makeInMemory } from "./memory/inMemory/store.ts"
