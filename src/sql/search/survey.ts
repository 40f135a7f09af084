/** A survey: the best of all tasks, in one statement. */
import { sql } from "kysely"
import type { TaskMatch } from "../../Memory.ts"
import type { FoundTasks, StoreQuery } from "../../Store.ts"
import { taskNotes } from "../../memory/search/fusion.ts"
import { aged, arms, ask, fused, newestOf, pending } from "./arms.ts"
import { dated, datedUnits } from "./dates.ts"
import type { Handle } from "../database/database.ts"
import { found, type MatchRow, matchOf } from "./match.ts"
import { joinWholes } from "./nearest.ts"
import type { Table } from "../vectors/spaces.ts"
import { decode } from "../database/text.ts"

interface Row extends MatchRow {
  readonly pending: number
  readonly terms: number
  readonly task: string
  readonly task_score: number
  readonly newest_id: string
  readonly newest_intent: string
}

/** `task_newest`: the newest found note of each task. */
const taskNewest = sql`task_newest as materialized (
  select task, max(allowed.created_at) as newest
  from (select task, hash from gap union select task, hash from weight) met join allowed using (task, hash)
  group by task),`

/** The best tasks of a scope. A task ranks by its best note. */
export const survey = async (
  db: Handle,
  table: Table | undefined,
  tenant: string,
  query: StoreQuery
): Promise<FoundTasks> => {
  await sql`select ${joinWholes}`.execute(db)
  const asked = ask(table, tenant, query, ["task", "hash"])
  return sql<Row>`
    with ${sql.join([...arms(asked), ...datedUnits(asked)])},
    gap_rank as (select task, hash, rank() over (order by distance) as rank from gap),
    weight_rank as (select task, hash, rank() over (order by score desc) as rank from weight),
    scored as materialized (
      select task, hash, gap.distance, weight.score as lexical_score, ${dated(asked, fused(asked))}::float8 as base
      from gap full join weight using (task, hash) left join own_task using (task) left join task_gap using (task)
      cross join spread),
    ${query.recency === undefined ? sql`` : taskNewest}
    best_task as materialized (
      select task, ${aged(asked, sql`max(base)`, sql`max(task_newest.newest)`)}::float8 as worth
      from scored ${query.recency === undefined ? sql`` : sql`join task_newest using (task)`}
      group by task order by worth desc, task collate "C" limit ${query.limit}::int),
    unit as (
      select task, hash, scored.distance, gap_rank.rank::int as vector_rank, weight_rank.rank::int as lexical_rank,
        scored.lexical_score, ${aged(asked, sql`base`, newestOf(asked, "scored"))}::float8 as worth
      from scored left join gap_rank using (task, hash) left join weight_rank using (task, hash)
      where task in (select task from best_task)),
    best as materialized (
      select * from (
        select *, row_number() over (partition by task order by worth desc, first) as place from (
          select *, (select min(array[allowed.id]) from allowed
            where allowed.task = top.task and allowed.hash = top.hash) as first
          from (select *, rank() over (partition by task order by worth desc) as tie from unit) top
          where tie <= ${taskNotes}::int) tied) placed
      where place <= ${taskNotes}::int),
    ${found(asked)}
    select ${pending(asked)} as pending, (select count(*) from term)::int as terms,
      best_task.task, best_task.worth as task_score, latest.id as newest_id, latest.intent as newest_intent, found.*
    from (select) as always
    left join (
      best_task
      join found on found.task_id = best_task.task
      cross join lateral (
        select t.id, t.intent from allowed
        join cogito.thought t on t.scope = ${asked.scope} and t.id = allowed.thought_id
        where allowed.task = best_task.task order by t.created_at desc, t.id desc limit 1) latest) on true
    order by best_task.worth desc, best_task.task collate "C", found.score desc, found.id`
    .execute(db)
    .then(({ rows }) => ({
      tasks: tasksOf(rows.filter(({ id }) => id !== null)),
      pending: rows[0]?.pending ?? 0,
      terms: rows[0]?.terms ?? 0
    }))
}

const tasksOf = (rows: ReadonlyArray<Row>): ReadonlyArray<TaskMatch> =>
  [...Map.groupBy(rows, ({ task }) => task).values()].flatMap((ofTask) => {
    const [first] = ofTask
    if (first === undefined) return []
    const matches = ofTask.map(matchOf)
    return [
      {
        taskId: decode(first.task),
        thoughtId: first.newest_id,
        intent: decode(first.newest_intent),
        score: first.task_score,
        similarity: Math.max(...matches.map(({ similarity }) => similarity)),
        matches
      }
    ]
  })
