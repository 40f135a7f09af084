/** A note that a search found, with where it comes from. */
import { sql } from "kysely"
import type { StoreMatch } from "../Memory.ts"
import { type Ask, distance } from "./arms.ts"
import { type NoteRow, noteColumns, noteOf } from "./load.ts"
import { decode } from "./text.ts"
import { floatsOf } from "./vectorBytes.ts"

export interface MatchRow extends NoteRow {
  readonly trace_id: string
  readonly task_id: string | null
  readonly intent: string
  readonly score: number
  readonly copies: number
  readonly distance: number | null
  readonly vector_rank: number | null
  readonly lexical_rank: number | null
  readonly lexical_score: number | null
  readonly vector: Uint8Array | null
}

/**
 * The rows of the units in `best`: of each the newest note, how many say the same, and the vector where it is asked for.
 * A unit that only its words have found has a distance too.
 */
export const matchRows = (ask: Ask) => {
  const unit = sql.join(ask.unit.map((column) => sql.ref(column)))
  return sql`
    select best.worth as score, best.vector_rank, best.lexical_rank, best.lexical_score, newest.copies,
      coalesce(best.distance, nearest.distance) as distance, nearest.vector, t.trace_id, t.task_id, t.intent, ${noteColumns}
    from best
    join (
      select ${unit}, (array_agg(id order by created_at desc, id desc))[1] as newest_id, count(*)::int as copies
      from allowed join best using (${unit}) group by ${unit}) newest using (${unit})
    join cogito.note n on n.scope = ${ask.scope} and n.id = newest.newest_id
    join cogito.thought t on t.scope = n.scope and t.id = n.thought_id
    left join lateral (
      select (${distance})::float8 as distance, ${ask.query.vectors ? sql`vector_send(v.embedding)` : sql`null::bytea`} as vector
      from ${ask.table} v
      where v.scope = ${ask.scope} and v.note_id = n.id and (select embedding from asked) is not null
      order by 1 limit 1) nearest on true`
}

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
