/**
 * Builds an index (HNSW) on a space's vectors when scanning them takes too long.
 *
 * The index finds nearly all of the nearest and ignores filters, so callers must check that they got enough rows.
 */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError, OptimizedSpace, StoredSpace } from "../../Memory.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { query } from "../database/failure.ts"
import { indexOf, isHalved, leastShare, mostPlain } from "./nearest.ts"
import { tableOf } from "../vectors/spaces.ts"

/** Up to this many vectors of 384 dimensions in one scope, all are scanned. */
const mostExact = 25_000 * 384

/** Longer vectors cannot have an index. */
const mostHalved = 4000

/** Bytes that the graph takes for each vector, besides the vector. */
const perVector = 500

const megabyte = 2 ** 20

interface State {
  /** In the scope that has the most. */
  readonly vectors: number
  readonly total: number
  readonly name: string
  readonly indexed: boolean
  readonly halves: boolean
}

const none: State = { vectors: 0, total: 0, name: "", indexed: false, halves: false }

/** Whether a space should have an index. With `auto`, only if searches would use it. */
export const isWanted = (
  { dimensions, state }: Pick<StoredSpace, "dimensions" | "state">,
  { total, vectors }: Pick<State, "vectors" | "total">,
  index: "auto" | "create" | "drop" | undefined
): boolean => {
  if (index === "drop" || state === "retired") return false
  if (index === "create") return true
  return dimensions <= mostHalved && vectors * dimensions > mostExact && vectors > leastShare * total
}

const create = Effect.fnUntraced(function* (
  trx: Handle,
  space: StoredSpace & { readonly id: number },
  { halves, name, total }: State
): Effect.fn.Return<void, MemoryError> {
  const { dimensions, id } = space
  const refused =
    `Vectors of ${dimensions} dimensions cannot have an index here` +
    (dimensions > mostHalved
      ? `: at most ${mostHalved} can. Searches stay exact.`
      : `: over ${mostPlain} they need pgvector's halfvec. Searches stay exact.`)
  yield* dimensions > mostHalved || (isHalved(space) && !halves) ? query(refused) : Effect.void
  const bytes = total * (perVector + dimensions * (isHalved(space) ? 2 : 4))
  const memory = Math.min(512, Math.max(64, Math.ceil((1.5 * bytes) / megabyte)))
  // without workers: their shared memory is limited by /dev/shm, which is often small in a container
  yield* rowsOf(
    trx,
    sql`select set_config('maintenance_work_mem', ${`${memory}MB`}, true),
      set_config('max_parallel_maintenance_workers', '0', true)`
  )
  const column = isHalved(space)
    ? sql`(embedding::halfvec(${sql.lit(dimensions)})) halfvec_cosine_ops`
    : sql`embedding vector_cosine_ops`
  yield* rowsOf(
    trx,
    sql`create index ${sql.id(name)} on ${tableOf(id)} using hnsw (${column}) with (m = 16, ef_construction = 64)`
  )
})

/** Creates or drops the index of a space and updates its statistics. Undefined if the space is gone. */
export const optimize = Effect.fnUntraced(function* (
  trx: Handle,
  space: StoredSpace & { readonly id: number },
  { index = "auto" }: { readonly index?: "auto" | "create" | "drop" }
): Effect.fn.Return<OptimizedSpace | undefined, MemoryError> {
  const { dimensions, embedder, id, metric, state } = space
  // blocks dropping the space and other calls that optimize it
  const there = yield* rowsOf(
    trx,
    sql`select pg_advisory_xact_lock(hashtextextended('cogito.nearest', id)) from cogito.space
      where id = ${id} for key share`
  )
  if (there.length === 0) return undefined
  const [known = none] = yield* rowsOf(
    trx,
    sql<State>`select coalesce(max(of_scope.count), 0)::int as vectors, coalesce(sum(of_scope.count), 0)::int as total,
        ${indexOf(space)} as name, to_regtype('halfvec') is not null as halves,
        to_regclass('cogito.' || ${indexOf(space)}) is not null as indexed
      from (select count(*) from ${tableOf(id)} group by scope) of_scope`
  )
  const indexing = isWanted(space, known, index)
  if (indexing && !known.indexed) yield* create(trx, space, known)
  if (!indexing && known.indexed) {
    yield* rowsOf(trx, sql`drop index ${sql.id("cogito", known.name)}`)
  }
  yield* rowsOf(trx, sql`analyze ${tableOf(id)}`)
  const change = indexing === known.indexed ? "none" : indexing ? "created" : "dropped"
  return { embedder, dimensions, metric, state, vectors: known.vectors, index: indexing ? "hnsw" : "none", change }
})
