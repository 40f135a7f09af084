/** Reads the notes that a search found, with their thoughts. */
import { sql } from "kysely"
import type { StoreMatch } from "../../Store.ts"
import { type Ask, distance, vectorsOf } from "./arms.ts"
import { datedFirst } from "./dates.ts"
import { type NoteRow, noteColumns, noteOf } from "../thoughts/load.ts"
import { decode } from "../database/text.ts"
import { floatsOf } from "../vectors/vectorBytes.ts"

export interface MatchRow extends NoteRow {
  readonly trace_id: string
  readonly task_id: string | null
  readonly intent: string
  readonly score: number
  readonly copies: number
  /** Ids with commas between them. */
  readonly also_in: string | null
  readonly distance: number | null
  readonly vector_rank: number | null
  readonly lexical_rank: number | null
  readonly lexical_score: number | null
  readonly vector: Uint8Array | null
}

/**
 * `newest`: the newest note of each unit in `best`, of the times that the question names if there is one, and how many notes
 * share its content. Each is looked up once, by itself.
 */
const newest = ({ query, unit }: Ask) => {
  const same = unit.map((column) => sql`allowed.${sql.ref(column)} = best.${sql.ref(column)}`)
  return sql`newest as materialized (
    select best.*, chosen.* from best cross join lateral (
      select (array_agg(allowed.id order by ${datedFirst(query)} allowed.created_at desc, allowed.id desc))[1] as newest_id, count(*)::int as copies,
        array_agg(allowed.id) as ids
      from allowed where ${sql.join(same, sql` and `)}) chosen)`
}

/** The thoughts of the copies besides that of the newest note, those of the newest copies first. */
const alsoIn = ({
  scope
}: Ask) => sql`(select string_agg(other.thought_id::text, ',' order by other.at desc, other.thought_id desc) from (
    select c.thought_id, max(c.created_at) as at from cogito.note c
    where c.scope = ${scope} and c.id = any(newest.ids) and c.thought_id <> n.thought_id
    group by c.thought_id order by 2 desc, 1 desc limit 20) other)`

/**
 * `found`: the newest note of each unit in `best` (notes with the same content count as one unit), with its vector if
 * requested. A unit that was found only by words also gets the distance of its nearest chunk.
 */
export const found = (ask: Ask) => sql`${newest(ask)},
  found as materialized (
    select newest.worth as score, newest.vector_rank, newest.lexical_rank, newest.lexical_score, newest.copies,
      coalesce(newest.distance, nearest.distance) as distance, nearest.vector, t.trace_id, t.task_id, t.intent, ${noteColumns},
      case when newest.copies > 1 then ${alsoIn(ask)} end as also_in
    from newest
    cross join lateral (select * from cogito.note n where n.scope = ${ask.scope} and n.id = newest.newest_id offset 0) n
    cross join lateral (select * from cogito.thought t where t.scope = ${ask.scope} and t.id = n.thought_id offset 0) t
    left join lateral (
      select (${distance})::float8 as distance, ${ask.query.vectors ? sql`vector_send(v.embedding)` : sql`null::bytea`} as vector
      from ${vectorsOf(ask)} v
      where v.scope = ${ask.scope} and v.note_id = any(newest.ids) and (select embedding from asked) is not null
      order by 1 limit 1) nearest on true)`

export const matchOf = (row: MatchRow): StoreMatch => {
  const similarity = row.distance === null ? 0 : Math.min(1, Math.max(0, 1 - row.distance))
  return {
    note: noteOf(row),
    thought: {
      id: row.thought_id,
      traceId: decode(row.trace_id),
      taskId: row.task_id === null ? undefined : decode(row.task_id),
      intent: decode(row.intent)
    },
    score: row.score,
    similarity,
    copies: row.copies,
    ...(row.also_in === null ? {} : { alsoIn: row.also_in.split(",") }),
    ranks: {
      ...(row.vector_rank === null ? {} : { vector: row.vector_rank }),
      ...(row.lexical_rank === null ? {} : { lexical: row.lexical_rank })
    },
    scores: {
      ...(row.vector_rank === null ? {} : { vector: similarity }),
      ...(row.lexical_score === null ? {} : { lexical: row.lexical_score })
    },
    ...(row.vector === null ? {} : { vector: floatsOf(row.vector) })
  }
}
