/**
 * The interface between stores and the memory on top of them: rows of thoughts, notes and vectors, written and searched
 * by scope.
 *
 * PGlite, Postgres and the in-memory store are stores. For a store of your own, `Testing.storeContract` tests the
 * interface, and `Memory.make` makes a memory of it.
 */
/** What a store keeps of durable runs. */
export type * as Ledger from "./memory/model/Ledger.ts"
export {
  type ChunkVector,
  type Commit,
  type Found,
  type FoundTasks,
  type History,
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
