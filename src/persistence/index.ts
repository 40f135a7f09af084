/**
 * Answers that outlive a process, kept by `effect/persistence`: in files, in SQL, in Redis, or in another of its stores.
 */
export * as Persisted from "./Persisted.ts"
