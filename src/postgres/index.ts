/**
 * A memory on a Postgres server.
 */
export * as PostgresMemory from "./PostgresMemory.ts"
