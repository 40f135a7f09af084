/**
 * What outlives a process by `effect/persistence`: in files, in SQL, in Redis, or wherever else that keeps things.
 */
export * as Persisted from "./Persisted.ts"
