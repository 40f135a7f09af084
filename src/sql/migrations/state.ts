/** What the schema of a database is to this version: which steps were taken, and what that means. */
import { type Kysely, sql } from "kysely"
import type { Steps } from "./migrations.ts"

/** The ten steps that made the same schema before one step made all of it. */
export const tenSteps: ReadonlyArray<string> = [
  "0001_thoughts",
  "0002_tenants",
  "0003_search",
  "0004_spaces",
  "0005_lifecycle",
  "0006_upkeep",
  "0007_words",
  "0008_blank",
  "0009_derivation",
  "0010_copies"
]

/** Names of the steps that were taken, in order; undefined if there is no table of them. */
export const taken = async (db: Kysely<unknown>): Promise<ReadonlyArray<string> | undefined> => {
  const found = await sql`select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'cogito' and c.relname = 'migration'`.execute(db)
  if (found.rows.length === 0) return undefined
  const { rows } = await sql<{ readonly name: string }>`select name from cogito.migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** States of a schema that must not be migrated, each with a message that says why and what to do. */
export const unusable = {
  newer: "The memory was written by a newer version of cogito: use that version.",
  early:
    "The memory was written by an early version of cogito, whose schema this version cannot bring up to date: " +
    "export it with the version that wrote it (cogito memory export), and import the archive into a new memory.",
  torn: "The memory's schema is incomplete: an early step of it is missing. Restore a backup."
}

/** What a schema is: without a step, up to date, lacking the last steps, or unusable. */
type State = "missing" | "current" | "older" | keyof typeof unusable

/** The state of a schema for which these steps were taken. */
export const stateOf = (names: ReadonlyArray<string>, known: Steps): State => {
  const steps = Object.keys(known)
  const early = names.filter((name) => tenSteps.includes(name)).length
  if (names.some((name) => !steps.includes(name) && !tenSteps.includes(name))) return "newer"
  if (names.length === 0) return "missing"
  if (early > 0) return names.length === tenSteps.length && early === names.length ? "older" : "early"
  if (names.some((name, i) => name !== steps[i])) return "torn"
  return names.length === steps.length ? "current" : "older"
}
