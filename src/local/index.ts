/**
 * Models that run in this process, offline and without a key.
 */
export * as Local from "./Local.ts"
