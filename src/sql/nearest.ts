/**
 * Search by meaning, exact: every vector of the scope that the filters let through is compared, so there are never
 * fewer matches than there could be.
 */
import { type RawBuilder, sql } from "kysely"
import type { Match, SearchOptions } from "../Memory.ts"
import type { Handle } from "./database.ts"
import { type NoteRow, noteColumns, noteOf } from "./load.ts"
import { isId, moment } from "./schema.ts"
import type { Table } from "./space.ts"
import { decode, encode, encodeMap } from "./text.ts"
import { vectorBytes } from "./vectorBytes.ts"

interface Row extends NoteRow {
  readonly distance: number
  readonly trace_id: string
  readonly task_id: string | null
  readonly intent: string
}

const among = (column: RawBuilder<unknown>, values: ReadonlyArray<string>) =>
  values.length === 0 ? sql<boolean>`false` : sql<boolean>`${column} in (${sql.join(values)})`

/** Conditions on the notes `n`, only those in use. */
const conditions = (options: SearchOptions): ReadonlyArray<RawBuilder<unknown>> => {
  const { excludeSources = [], excludeThoughts = [], keys, metadata, since, sources, taskId, trust, until } = options
  const excluded = excludeThoughts.filter(isId)
  return [
    ...(keys === undefined ? [] : [among(sql`n.key`, keys.map(encode))]),
    ...(sources === undefined ? [] : [among(sql`n.source`, sources.map(encode))]),
    ...(excludeSources.length === 0 ? [] : [sql`not ${among(sql`n.source`, excludeSources.map(encode))}`]),
    ...(excluded.length === 0 ? [] : [sql`not ${among(sql`n.thought_id`, excluded)}`]),
    ...(since === undefined ? [] : [sql`n.created_at >= ${moment(since.epochMilliseconds)}`]),
    ...(until === undefined ? [] : [sql`n.created_at < ${moment(until.epochMilliseconds)}`]),
    ...(trust === undefined ? [] : [sql`n.trust = ${trust}`]),
    ...(metadata === undefined || Object.keys(metadata).length === 0
      ? []
      : [sql`n.metadata::jsonb @> ${encodeMap(metadata)}::jsonb`]),
    ...(taskId === undefined
      ? []
      : [
          sql`exists (select from cogito.thought t
      where t.scope = n.scope and t.id = n.thought_id and t.task_id = ${encode(taskId)})`
        ])
  ]
}

/** The nearest notes of a scope, each once, with their best chunk's distance. */
export const nearest = (
  db: Handle,
  table: Table,
  tenant: string,
  vector: Float32Array,
  options: SearchOptions & { readonly limit: number }
): Promise<ReadonlyArray<Omit<Match, "score" | "ranks">>> => {
  const scope = encode(tenant)
  const filters = conditions(options)
  const { limit, minSimilarity = 0 } = options
  const filtered =
    filters.length === 0
      ? sql``
      : sql`join cogito.note n on n.scope = v.scope and n.id = v.note_id and ${sql.join(filters, sql` and `)}`
  // A vector of zeros has no direction: it is at a right angle to everything.
  const distance = sql`min(coalesce(nullif(v.embedding <=> q.embedding, 'NaN'), 1))`
  // Similarity below 0 counts as 0, so a bound of 0 is none.
  const near = minSimilarity <= 0 ? sql`` : sql`having 1 - ${distance} >= ${minSimilarity}::float8`
  return sql<Row>`
    with q as materialized (select ${vectorBytes(vector)}::vector as embedding),
    hit as materialized (
      select v.note_id, ${distance} as distance
      from ${table} v ${filtered} cross join q
      where v.scope = ${scope}
      group by v.note_id ${near}
      order by distance, v.note_id limit ${limit}::int)
    select hit.distance, t.trace_id, t.task_id, t.intent, ${noteColumns}
    from hit
    join cogito.note n on n.scope = ${scope} and n.id = hit.note_id
    join cogito.thought t on t.scope = n.scope and t.id = n.thought_id
    order by hit.distance, n.id`
    .execute(db)
    .then(({ rows }) => rows.map(matchOf))
}

const matchOf = (row: Row): Omit<Match, "score" | "ranks"> => ({
  note: noteOf(row),
  thought: {
    id: row.thought_id,
    traceId: decode(row.trace_id),
    taskId: row.task_id === null ? undefined : decode(row.task_id),
    intent: decode(row.intent)
  },
  similarity: Math.min(1, Math.max(0, 1 - row.distance))
})
