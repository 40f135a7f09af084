/** Finds the nearest vectors with a space's index, if that is worth it. */
import { type RawBuilder, sql } from "kysely"
import type { Space } from "../../Memory.ts"
import { allowed, type Ask, type Near, distance, vectorsOf } from "./arms.ts"
import type { Handle } from "../database/database.ts"
import { vectorBytes } from "../vectors/vectorBytes.ts"

/** The index stores longer vectors at half precision. */
export const mostPlain = 2000

export const isHalved = ({ dimensions }: Pick<Space, "dimensions">): boolean => dimensions > mostPlain

/** The name of a space's index. */
export const indexOf = ({ dimensions, embedder, metric }: Space): RawBuilder<string> =>
  sql<string>`('nearest_' || md5(${JSON.stringify([embedder, dimensions, metric])}))`

/** If the filters allow no more vectors of 384 dimensions than this, scanning them is as fast. */
const fewest = 1000 * 384

/**
 * The share of all notes, other scopes included, that the filters must allow.
 *
 * If fewer are allowed, and they are far from the query, the index may return enough notes but not the nearest ones.
 */
export const leastShare = 0.5

/** Vectors to fetch for each wanted content: notes can have several vectors or the same content. */
const rowsEach = 2

/**
 * Disables nested loops for later statements of the transaction, so that their plans join whole tables.
 *
 * For a scope that is newer than the statistics, the planner expects a few rows and would compare each row with each.
 * Lookups of single rows are lateral joins, which still use nested loops. A disabled join counts as very expensive, and
 * expensive plans would be compiled first, which takes seconds, so compilation is disabled too.
 */
export const joinWholes = sql`(set_config('jit', 'off', true) || set_config('enable_nestloop', 'off', true))`

/**
 * Prepares the next statement to use the index, and to go on until it has enough rows. If there is no index, or there
 * are few notes, prepares an exact search instead and returns false.
 */
const prepare = (trx: Handle, { dimensions, ...space }: Space, ask: Ask, rows: number): Promise<boolean> =>
  sql<{ readonly indexed: boolean }>`
    with known as materialized (select
      case when to_regclass('cogito.' || ${indexOf({ dimensions, ...space })}) is null then false
        else (with ${allowed(ask)} select count(*) from allowed) > greatest(${fewest / dimensions}::float8,
          (select ${leastShare}::float8 * reltuples from pg_class where oid = 'cogito.note'::regclass)) end as indexed)
    select indexed, case when indexed then
      set_config('hnsw.ef_search', ${String(Math.min(1000, Math.max(100, 2 * rows)))}, true)
        || set_config('hnsw.iterative_scan', 'strict_order', true)
        || set_config('hnsw.max_scan_tuples', '20000', true)
        || set_config('enable_sort', 'off', true)
      else ${joinWholes} end
    from known`
    .execute(trx)
    .then((found) => found.rows[0]?.indexed === true)

/**
 * The contents of the nearest vectors that the filters allow, at least as many contents as wanted.
 *
 * Undefined if the index does not find that many: there are too few, few pass the filters, or many are the same.
 */
export const nearest = async (trx: Handle, space: Space | undefined, ask: Ask): Promise<Near | undefined> => {
  const { candidates, fusion, vector } = ask.query
  const rows = rowsEach * candidates
  if (space === undefined || vector === undefined || fusion.vectorWeight === 0) {
    await sql`select ${joinWholes}`.execute(trx)
    return undefined
  }
  if (!(await prepare(trx, space, ask, rows))) return undefined
  const halved = sql`halfvec(${sql.lit(space.dimensions)})`
  const order = isHalved(space)
    ? sql`v.embedding::${halved} <=> (select embedding from asked)::${halved}`
    : sql`v.embedding <=> (select embedding from asked)`
  const found = await sql<{ readonly hash: string; readonly distance: number }>`
    with ${allowed(ask)}, asked as materialized (select ${vectorBytes(vector)}::vector as embedding)
    select allowed.hash, (${distance})::float8 as distance
    from ${vectorsOf(ask)} v join allowed on allowed.id = v.note_id
    where v.scope = ${ask.scope}
    order by ${order} limit ${rows}::int`.execute(trx)
  await sql`select set_config('enable_sort', 'on', true), ${joinWholes}`.execute(trx)
  const hashes = found.rows.map(({ hash }) => hash)
  if (new Set(hashes).size < candidates) return undefined
  return { hashes, distances: found.rows.map((row) => row.distance) }
}
