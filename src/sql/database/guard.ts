/** Permission to change append-only rows, and the tables that hold a scope's rows. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { type Handle, rowsOf } from "./database.ts"

/** Lets the statements of `run` delete and move rows (`purge`) or empty them (`redact`). */
export const guarded = <A>(
  trx: Handle,
  guard: "purge" | "redact",
  run: Effect.Effect<A, MemoryError>
): Effect.Effect<A, MemoryError> => {
  const set = (value: string) => rowsOf(trx, sql`select set_config('cogito.guard', ${value}, true)`)
  // after a failure the transaction is rolled back, and the setting with it
  return Effect.andThen(
    set(guard),
    Effect.tap(run, () => set(""))
  )
}

/** A table whose rows belong to scopes. */
export interface OwnedTable {
  readonly table: RawBuilder<unknown>
  readonly name: string
  /** Whether its rows are derived from notes. */
  readonly ofNote: boolean
  readonly ofThought: boolean
}

interface Found {
  readonly name: string
  readonly of_note: boolean
  readonly of_thought: boolean
  readonly references: ReadonlyArray<string>
}

/** The tables in an order in which each stands before those that it refers to. */
const inOrder = (tables: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const free = tables.filter(({ name }) =>
    tables.every((other) => other.name === name || !other.references.includes(name))
  )
  return free.length === 0 ? tables : [...free, ...inOrder(tables.filter((table) => !free.includes(table)))]
}

/** Every table with a scope. They are looked up in the catalogue, so that later additions to the schema are included. */
export const ownedTables = (trx: Handle): Effect.Effect<ReadonlyArray<OwnedTable>, MemoryError> =>
  Effect.map(
    rowsOf(
      trx,
      sql<Found>`select c.relname::text as name,
          exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'note_id') as of_note,
          exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'thought_id') as of_thought,
          array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
            where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references
        from pg_class c join pg_attribute s on s.attrelid = c.oid and s.attname = 'scope'
        where c.relnamespace = 'cogito'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        order by c.relname`
    ),
    (rows) =>
      inOrder(rows).map(({ name, of_note, of_thought }) => ({
        table: sql.table(`cogito.${name}`),
        name,
        ofNote: of_note,
        ofThought: of_thought
      }))
  )
