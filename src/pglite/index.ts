/**
 * The memory in an embedded Postgres.
 */
export * as PgliteMemory from "./PgliteMemory.ts"
