/**
 * Vectors of notes: one table for each space, named after the space's number.
 *
 * A note without a row there is pending; there is no other queue.
 */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { Space, StoredSpace, MemoryError } from "../../Memory.ts"
import type { ChunkVector, PendingNote, Store } from "../../Store.ts"
import { isBlank } from "../database/blank.ts"
import { resultOf } from "../database/results.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { attempt } from "../database/failure.ts"
import { isId, millisOf, moment } from "../database/values.ts"
import { all, isSame, lock, type Table, tableOf } from "./spaces.ts"
import { handOver } from "../database/ownership.ts"
import { decode, encode } from "../database/text.ts"
import { vectorBytes } from "./vectorBytes.ts"

// A row must fit a page of 8 kB to be kept in place, which makes reading all of them twice as fast.
const longestPlain = 7000

const register = (trx: Handle, { dimensions, embedder, metric }: Space, state: StoredSpace["state"]) =>
  Effect.map(
    rowsOf(
      trx,
      sql<{ readonly id: number }>`insert into cogito.space(embedder, dimensions, metric, state)
        values (${encode(embedder)}, ${dimensions}, ${metric}, ${state}) returning id`
    ),
    (rows) => rows.reduce((_, { id }) => id, 0)
  )

/** Registers the space and creates its table, unless both exist. */
export const open = Effect.fnUntraced(function* (trx: Handle, space: Space): Effect.fn.Return<Table, MemoryError> {
  const { dimensions } = space
  yield* lock(trx)
  const known = yield* all(trx)
  const found = known.find((one) => isSame(one, space))
  if (found?.state === "retired") {
    yield* rowsOf(trx, sql`update cogito.space set state = 'building' where id = ${found.id}`)
  }
  const id = found?.id ?? (yield* register(trx, space, known.length === 0 ? "active" : "building"))
  const table = tableOf(id)
  const storage = sql.raw(dimensions * 4 < longestPlain ? "plain" : "external")
  const made = yield* rowsOf(trx, sql`select where to_regclass(${`cogito.vector_${id}`}) is not null`)
  if (made.length > 0) return table
  yield* rowsOf(
    trx,
    sql`create table ${table}(
      scope text not null,
      note_id uuid not null,
      chunk int not null default 0 check (chunk >= 0),
      embedding vector(${sql.raw(String(dimensions))}) not null,
      primary key (scope, note_id, chunk),
      foreign key (scope, note_id) references cogito.note(scope, id))`
  )
  yield* rowsOf(trx, sql`alter table ${table} alter column embedding set storage ${storage}`)
  yield* rowsOf(trx, sql`grant select, insert, update, delete on ${table} to cogito_tenant`)
  yield* rowsOf(trx, sql`call cogito.guard(${`cogito.vector_${id}`}::regclass)`)
  yield* rowsOf(trx, handOver)
  return table
})

/** The number of vectors of a note. The planner looks them up; it might compare a join with all rows. */
const chunksOf = (table: Table, note: "n" | "o") =>
  sql`(select count(*) from ${table} v where v.scope = ${sql.ref(`${note}.scope`)} and v.note_id = ${sql.ref(`${note}.id`)})`

/** Copies vectors to notes that have none from a note with the same content, and returns the ids of these notes. */
export const copy = (
  db: Handle,
  table: Table,
  scope: string,
  noteIds: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> =>
  sql<{ readonly note_id: string }>`
    with source as (
      select n.id, same.id as origin
      from cogito.note n
      cross join lateral (
        select o.id from cogito.note o
        where o.scope = n.scope and o.content_hash = n.content_hash and o.id <> n.id and o.content = n.content
          and ${chunksOf(table, "o")} > 0
        limit 1) same
      where n.scope = ${encode(scope)} and n.id = any(${noteIds.filter(isId)}::uuid[]) and n.redacted_at is null
        and ${chunksOf(table, "n")} = 0
      for key share of n)
    insert into ${table}(scope, note_id, chunk, embedding)
    select v.scope, source.id, v.chunk, v.embedding
    from source join ${table} v on v.scope = ${encode(scope)} and v.note_id = source.origin
    on conflict do nothing
    returning note_id`
    .execute(db)
    .then(({ rows }) => [...new Set(rows.map((row) => row.note_id))])

/**
 * Stores vectors in place of those that their notes had. It skips vectors of notes that are redacted or not in the scope.
 * If two vectors are given for one part of a note, the later one is stored.
 */
export const put = Effect.fnUntraced(function* (
  trx: Handle,
  table: Table,
  scope: string,
  vectors: ReadonlyArray<ChunkVector>
): Effect.fn.Return<void, MemoryError> {
  const newest = new Map(
    vectors
      .filter(({ noteId }) => isId(noteId))
      .map((given) => [`${given.noteId} ${given.chunk ?? 0}`, { ...given, chunk: given.chunk ?? 0 }] as const)
  )
  // if a note is in several batches, the last batch must have its last chunk
  const rows = Array.from(newest.values()).toSorted((a, b) => a.chunk - b.chunk)
  const batches = Array.from({ length: Math.ceil(rows.length / 1000) }, (_, i) => rows.slice(i * 1000, (i + 1) * 1000))
  yield* Effect.forEach(
    batches,
    (batch) => {
      const ids = sql`any(${[...new Set(batch.map(({ noteId }) => noteId))]}::uuid[])`
      const values = batch.map(
        ({ chunk, noteId, vector }) => sql`(${noteId}::uuid, ${chunk}::int, ${vectorBytes(vector)}::vector)`
      )
      // the planner looks up ids that stand by themselves; it might compare joined ones with all rows
      return attempt(() =>
        sql`with given(id, chunk, embedding) as materialized (values ${sql.join(values)}),
        gone as (
          delete from ${table} v where v.scope = ${encode(scope)} and v.note_id = ${ids}
            and v.chunk > (select max(given.chunk) from given where given.id = v.note_id))
        insert into ${table}(scope, note_id, chunk, embedding)
        select n.scope, n.id, given.chunk, given.embedding from given
        join cogito.note n on n.scope = ${encode(scope)} and n.id = given.id and n.id = ${ids} and n.redacted_at is null
        for key share of n
        on conflict (scope, note_id, chunk) do update set embedding = excluded.embedding`.execute(trx)
      )
    },
    { discard: true }
  )
})

const withoutVector = (table: Table) =>
  sql`not exists (select from ${table} v where v.scope = n.scope and v.note_id = n.id)`

/** The most bytes of text to read at once; at least one note is read. */
const mostBytes = 8_000_000

/** Whether a note is the result of a search. The index of these notes has the same expression. */
const isResult = resultOf("n.source")

/** Notes without a vector that are not blank, the oldest first: results of searches, or other notes. */
export const pending = (
  db: Handle,
  table: Table,
  { after, limit, results = false, scope }: Parameters<Store["pending"]>[1]
): Promise<ReadonlyArray<PendingNote>> => {
  const rest =
    after === undefined
      ? sql``
      : sql`and (n.created_at, n.id, n.scope) > (${moment(after.createdMillis)}, ${after.id}::uuid, ${encode(after.scope)}::text)`
  return sql<Omit<PendingNote, "createdMillis"> & { readonly created_ms: number }>`
    select n.scope, n.id, n.content, ${millisOf("n.created_at")} as created_ms from (
      select n.*, sum(octet_length(n.content)) over (order by n.created_at, n.id, n.scope) - octet_length(n.content) as before
      from (
        select n.scope, n.id, n.content, n.created_at from cogito.note n
        where ${scope === undefined ? sql`true` : sql`n.scope = ${encode(scope)}`}
          and n.redacted_at is null and not (${isBlank("n.content")})
          and ${results ? isResult : sql`not ${isResult}`} and ${withoutVector(table)} ${rest}
        order by n.created_at, n.id, n.scope limit ${limit}::int) n) n
    where n.before < ${mostBytes}::int order by n.created_at, n.id, n.scope`
    .execute(db)
    .then(({ rows }) =>
      rows.map(({ content, created_ms, id, scope }) => ({
        scope: decode(scope),
        id,
        content: decode(content),
        createdMillis: created_ms
      }))
    )
}

/**
 * The number of notes of a scope that have no vector and are neither blank nor results of searches; redacted notes are blank.
 * Counting and subtracting is three times as fast as looking each note up.
 */
export const pendingOf = (table: Table, scope: string): RawBuilder<number> => sql`(
  (select count(*) from cogito.note where scope = ${scope})
  - (select count(*) from cogito.note n where n.scope = ${scope} and (${isBlank("n.content")} or ${isResult}) and ${withoutVector(table)})
  - (select count(*) from ${table} where scope = ${scope} and chunk = 0))::int`

export const countPending = (db: Handle, table: Table, scope: string): Promise<number> =>
  sql<{ readonly count: number }>`select ${pendingOf(table, encode(scope))} as count`
    .execute(db)
    .then(({ rows }) => rows[0]?.count ?? 0)
