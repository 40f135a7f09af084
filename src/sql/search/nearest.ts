/** The nearest vectors by a space's index, where that is worth it. */
import { type RawBuilder, sql } from "kysely"
import type { Space } from "../../Memory.ts"
import { allowed, type Ask, type Near, distance, vectorsOf } from "./arms.ts"
import type { Handle } from "../database/database.ts"
import { vectorBytes } from "../vectors/vectorBytes.ts"

/** Longer vectors are in the index at half their precision. */
export const mostPlain = 2000

export const isHalved = ({ dimensions }: Pick<Space, "dimensions">): boolean => dimensions > mostPlain

/** The name of a space's index. */
export const indexOf = ({ dimensions, embedder, metric }: Space): RawBuilder<string> =>
  sql<string>`('nearest_' || md5(${JSON.stringify([embedder, dimensions, metric])}))`

/** Where the filters allow so few, of 384 dimensions, looking at each is as fast. */
const fewest = 1000 * 384

/**
 * Of all notes, those of other scopes included, so many must be allowed, whatever number of vectors each has. Where fewer
 * are, and these far from what is asked for, the index gives enough but not the nearest.
 */
export const leastShare = 0.5

/** Vectors to take for each content that is wanted: notes may have several, and be the same. */
const rowsEach = 2

/**
 * Plans to come join as wholes. Of a scope that came after the statistics the planner knows nothing, takes it for a few rows
 * and would compare each with each; what is to be looked up one by one is written so. What is off counts as very dear, and
 * what is dear would be compiled first, for seconds.
 */
export const joinWholes = sql`(set_config('jit', 'off', true) || set_config('enable_nestloop', 'off', true))`

/** Makes the next statement one by the index, for as long as there may be more; unless there is none, or the notes are few. */
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
 * The contents of the nearest vectors that the filters allow, at least as many contents as are wanted; nothing when the index
 * does not give so many, because there are not, because few pass the filters, or because many are the same.
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
