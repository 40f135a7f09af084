/**
 * The memory keeps every thought and finds old notes by meaning.
 *
 * A `Store` keeps rows: PGlite, Postgres, or plain memory. `make` puts on top of any store what they all share: checks
 * before anything is written, embedding after a commit, and search. A scope keeps tenants apart; no call crosses it.
 */
export * from "./memory/Memory.ts"
