/**
 * Vectors, apart from the notes: one table a space, named from the space's number.
 *
 * A note without a row there is pending; that is the whole queue.
 */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError, PendingNote, Space } from "../Memory.ts"
import type { Handle } from "./database.ts"
import { attempt, query } from "./failure.ts"
import { isId } from "./schema.ts"
import { decode, encode } from "./text.ts"
import { vectorBytes } from "./vectorBytes.ts"

/** The table of a space that is open. */
export type Table = RawBuilder<unknown>

const tableOf = (id: number): Table => sql.table(`cogito.vector_${id}`)

// A row must fit a page of 8 kB to be kept in place, which makes reading all of them twice as fast.
const longestPlain = 7000

/** Registers the space and makes its table, unless both are there. */
export const open = Effect.fnUntraced(function* (trx: Handle, space: Space): Effect.fn.Return<Table, MemoryError> {
  const { dimensions, metric } = space
  const embedder = encode(space.embedder)
  yield* attempt(() =>
    trx
      .insertInto("cogito.space")
      .values({ embedder, dimensions, metric })
      .onConflict((clash) => clash.doNothing())
      .execute()
  )
  const { id } = yield* attempt(() =>
    trx
      .selectFrom("cogito.space")
      .select("id")
      .where("embedder", "=", embedder)
      .where("dimensions", "=", dimensions)
      .where("metric", "=", metric)
      .executeTakeFirstOrThrow()
  )
  const table = tableOf(id)
  const storage = sql.raw(dimensions * 4 < longestPlain ? "plain" : "external")
  const made = yield* attempt(() =>
    sql`select from pg_tables where schemaname = 'cogito' and tablename = ${`vector_${id}`}`.execute(trx)
  )
  if (made.rows.length > 0) return table
  yield* attempt(() =>
    sql`create table ${table}(
      scope text not null,
      note_id uuid not null,
      chunk int not null default 0 check (chunk >= 0),
      embedding vector(${sql.raw(String(dimensions))}) not null,
      primary key (scope, note_id, chunk),
      foreign key (scope, note_id) references cogito.note(scope, id))`.execute(trx)
  )
  yield* attempt(() => sql`alter table ${table} alter column embedding set storage ${storage}`.execute(trx))
  yield* attempt(() => sql`grant select, insert, update on ${table} to cogito_tenant`.execute(trx))
  yield* attempt(() => sql`call cogito.guard(${`cogito.vector_${id}`}::regclass)`.execute(trx))
  return table
})

/** Stores vectors; those of notes that the scope lacks are left out, of two for one note the later one counts. */
export const put = Effect.fnUntraced(function* (
  trx: Handle,
  table: Table,
  scope: string,
  vectors: ReadonlyArray<{ readonly noteId: string; readonly vector: Float32Array }>
): Effect.fn.Return<void, MemoryError> {
  const newest = new Map(vectors.filter(({ noteId }) => isId(noteId)).map(({ noteId, vector }) => [noteId, vector]))
  const rows = Array.from(newest, ([id, vector]) => sql`(${id}::uuid, ${vectorBytes(vector)}::vector)`)
  const batches = Array.from({ length: Math.ceil(rows.length / 1000) }, (_, i) => rows.slice(i * 1000, (i + 1) * 1000))
  yield* Effect.forEach(
    batches,
    (batch) =>
      attempt(() =>
        sql`insert into ${table}(scope, note_id, embedding)
        select n.scope, n.id, given.embedding from (values ${sql.join(batch)}) as given(id, embedding)
        join cogito.note n on n.scope = ${encode(scope)} and n.id = given.id and n.redacted_at is null
        for key share of n
        on conflict (scope, note_id, chunk) do update set embedding = excluded.embedding`.execute(trx)
      ),
    { discard: true }
  )
})

const withoutVector = (table: Table) =>
  sql`not exists (select from ${table} v where v.scope = n.scope and v.note_id = n.id)`

/** Notes without a vector, oldest first. */
export const pending = (
  db: Handle,
  table: Table,
  options: { readonly scope?: string; readonly limit: number }
): Promise<ReadonlyArray<PendingNote>> =>
  sql<PendingNote>`select n.scope, n.id, n.content from cogito.note n
    where ${options.scope === undefined ? sql`true` : sql`n.scope = ${encode(options.scope)}`} and n.redacted_at is null
      and ${withoutVector(table)}
    order by n.created_at, n.id limit ${options.limit}::int`
    .execute(db)
    .then(({ rows }) => rows.map(({ content, id, scope }) => ({ scope: decode(scope), id, content: decode(content) })))

/** How many notes of a scope have no vector: as many as lack a first chunk. Subtracting is thrice as fast as looking each up. */
export const countPending = (db: Handle, table: Table, scope: string): Promise<number> =>
  sql<{ readonly count: number }>`select (
      (select count(*) from cogito.note where scope = ${encode(scope)})
      - (select count(*) from cogito.note where scope = ${encode(scope)} and redacted_at is not null)
      - (select count(*) from ${table} where scope = ${encode(scope)} and chunk = 0))::int as count`
    .execute(db)
    .then(({ rows }) => rows[0]?.count ?? 0)

/** Fails when nobody opened the space. */
export const notOpen = (space: Space): MemoryError =>
  query(`The space of the embedder ${JSON.stringify(space.embedder)} is not open: call openSpace first.`)
