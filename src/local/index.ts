/**
 * Models that run in this process, offline and without a key.
 */
export * from "./Local.ts"
export * as Local from "./Local.ts"
