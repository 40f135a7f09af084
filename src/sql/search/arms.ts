/**
 * The shared part of a search and a survey: the notes that the filters allow, ranked by meaning and by words.
 *
 * A search ranks units of notes with the same content; a survey ranks such units for each task. Unless the vector index
 * is used, a statement is exact: it looks at all notes of the scope that the filters allow.
 */
import { type RawBuilder, sql } from "kysely"
import type { StoreQuery } from "../../Store.ts"
import {
  b,
  neighbourSteps,
  covered,
  k1,
  leastFull,
  leastMeaning,
  leastNear,
  leastTrust,
  maxTerms,
  taskMeaning
} from "../../memory/search/fusion.ts"
import { boundsOf } from "../../memory/search/filter.ts"
import { conditions } from "./filters.ts"
import { pendingOf } from "../vectors/space.ts"
import { noVectors, type Table } from "../vectors/spaces.ts"
import { encode } from "../database/text.ts"
import { vectorBytes } from "../vectors/vectorBytes.ts"
import { searchable } from "../database/words.ts"

type Fragment = RawBuilder<unknown>

export interface Ask {
  /** The table of the space's vectors; undefined without a space. */
  readonly table: Table | undefined
  /** The scope in its stored encoding. */
  readonly scope: string
  readonly query: StoreQuery
  /** The columns of `allowed` that identify a unit: notes in which they are equal count as one. */
  readonly unit: ReadonlyArray<"hash" | "task">
  /** The nearest contents, if the index has found them. */
  readonly nearest?: Near | undefined
}

/** Contents ordered by the distance of their vectors. A content with several vectors can occur several times. */
export interface Near {
  readonly hashes: ReadonlyArray<string>
  readonly distances: ReadonlyArray<number>
}

export const ask = (table: Table | undefined, tenant: string, query: StoreQuery, unit: Ask["unit"]): Ask => ({
  table,
  scope: encode(tenant),
  query,
  unit
})

/** The table that the vectors are read from. */
export const vectorsOf = ({ table }: Ask): Table => table ?? noVectors

const unitOf = ({ unit }: Ask): Fragment => sql.join(unit.map((column) => sql.ref(column)))

/** A sum rounded so that the order of its terms does not matter. */
const sum = (terms: Fragment) => sql`(round((sum(${terms}) * 1e6)::float8) / 1e6)`

const rarity = (all: Fragment, holding: Fragment) => sql`ln(1 + (${all} - ${holding} + 0.5) / (${holding} + 0.5))`

const bm25 = (named: { times: Fragment; size: Fragment; mean: Fragment; all: Fragment; holding: Fragment }) => sql`
  ${rarity(named.all, named.holding)} * ${named.times} * ${k1 + 1}::float8
    / (${named.times} + ${k1}::float8 * (${1 - b}::float8 + ${b}::float8 * ${named.size} / ${named.mean}))`

/** `allowed`: the notes that have content and pass the filters; for a survey with their task. Others look single ones up here. */
export const allowed = ({ query, scope, unit }: Ask): Fragment => {
  const byTask = unit.includes("task")
  const where = [
    sql`n.scope = ${scope}`,
    sql`n.redacted_at is null`,
    ...(byTask ? [sql`t.task_id is not null`] : []),
    ...conditions(scope, query.filter)
  ]
  return sql`allowed as not materialized (
    select n.id, n.thought_id, n.seq, n.created_at, n.words, n.content_hash as hash${byTask ? sql`, t.task_id as task` : sql``}
    from cogito.note n ${byTask ? sql`join cogito.thought t on t.scope = n.scope and t.id = n.thought_id` : sql``}
    where ${sql.join(where, sql` and `)})`
}

/**
 * `pool`: the same notes to be read as a whole, with the number of their words, and with their task if it is needed; for a
 * search the thought of a note without a task counts as one.
 */
const pool = ({ query, scope, unit }: Ask): Fragment => {
  const byTask = unit.includes("task")
  const withTask = !byTask && query.context.task > 0
  return sql`pool as materialized (
    select allowed.id, allowed.thought_id, allowed.seq, allowed.hash, length(allowed.words)::float8 as size,
      ${byTask ? sql`allowed.task` : withTask ? sql`coalesce(t.task_id, allowed.thought_id::text)` : sql`null::text`} as task
    from allowed ${withTask ? sql`join cogito.thought t on t.scope = ${scope} and t.id = allowed.thought_id` : sql``})`
}

/** The distance of a vector. A vector of zeros has none and counts as orthogonal to everything. */
export const distance = sql`coalesce(nullif(v.embedding <=> (select embedding from asked), 'NaN'), 1)`

/** The conditions that the filter sets on a distance; empty if it sets no bound. */
const bounds = ({ query: { filter } }: Ask, of: Fragment = sql`distance`): ReadonlyArray<Fragment> => {
  const { maxDistance, minSimilarity } = boundsOf(filter)
  return [
    ...(minSimilarity === undefined ? [] : [sql`1 - ${of} >= ${minSimilarity}::float8`]),
    ...(maxDistance === undefined ? [] : [sql`${of} <= ${maxDistance}::float8`])
  ]
}

/**
 * `gap`: the distance of each unit, which is that of its nearest chunk. `every_gap` also includes units that are too
 * far.
 *
 * Without a vector, both are empty. If vectors have no weight, `gap` is empty, and `every_gap` is filled only for a
 * bound of distance.
 */
const gap = (ask: Ask): ReadonlyArray<Fragment> => {
  const { fusion, vector } = ask.query
  const counts = vector !== undefined && (fusion.vectorWeight > 0 || bounds(ask).length > 0)
  const unit = unitOf(ask)
  const near = [sql.lit(fusion.vectorWeight > 0), ...bounds(ask)]
  return [
    sql`asked as materialized (select ${vector === undefined ? null : vectorBytes(vector)}::vector as embedding)`,
    // the inner query returns only distances, so the grouping carries no vectors
    sql`every_gap as materialized (
      select ${unit}, ${taskOf(ask)} min(distance) as distance from (
        select hash, task, (${distance})::float8 as distance
        from ${vectorsOf(ask)} v join ${ask.nearest === undefined ? sql`pool` : sample} on pool.id = v.note_id
        where v.scope = ${ask.scope} and ${sql.lit(counts)} offset 0) of_chunk
      group by ${unit})`,
    ask.nearest === undefined
      ? sql`gap as (select * from every_gap where ${sql.join(near, sql` and `)})`
      : sql`gap as materialized (
          select hash, ${taskOf(ask)} min(distance) as distance
          from unnest(${ask.nearest.hashes}::uuid[], ${ask.nearest.distances}::float8[]) as known(hash, distance)
          join pool using (hash)
          where ${sql.join(near, sql` and `)} group by hash)`
  ]
}

/** The task of a unit, unless the unit is of one task: the first of those of its notes. */
const taskOf = ({ unit }: Ask): Fragment => (unit.includes("task") ? sql`` : sql`min(task collate "C") as task,`)

/** `close`: the units within the filter's bounds of distance, whichever arm found them. */
const close = (ask: Ask): Fragment => {
  const unit = unitOf(ask)
  if (ask.nearest === undefined) {
    return sql`close as materialized (select ${unit} from every_gap where ${sql.join(bounds(ask), sql` and `)})`
  }
  return sql`close as materialized (
    select ${unit} from pool join ${vectorsOf(ask)} v on v.scope = ${ask.scope} and v.note_id = pool.id
    where ${unit} in (select ${unit} from heard)
    group by ${unit} having ${sql.join(bounds(ask, sql`min((${distance})::float8)`), sql` and `)})`
}

/**
 * A sample of 1,000 notes for the statistics, used if the index spares a full scan. The first by hash are as good as
 * random.
 */
const sample = sql`(select id, hash, task from pool order by hash limit 1000) pool`

/**
 * `spread`: statistics of the arms, which show what stands out.
 *
 * It holds the mean and deviation of distances, the best score by words, and the trust in the arm by meaning. There is
 * little trust if the nearest is no nearer than the nearest of as many random directions.
 */
const spread = ({ nearest, query: { vector } }: Ask): Fragment => sql`spread as materialized (
  select *, least(1, greatest(${leastTrust}::float8,
      case when mean > 0 then (mean - nearest) / mean * ${Math.sqrt(vector?.length ?? 1)}::float8 / chance - 1 else 0 end)) as trust
  from (
    select round((avg(distance) * 1e9)::float8) / 1e9 as mean, round((stddev_pop(distance) * 1e9)::float8) / 1e9 as deviation,
      ${nearest === undefined ? sql`min(distance)` : sql`least(min(distance), (select min(distance) from gap))`} as nearest,
      sqrt(2 * ln(greatest(${nearest === undefined ? sql`count(*)` : sql`(select count(*) from pool)`}, 2)::float8)) as chance,
      coalesce((select max(score) from weight), 0) as best
    from every_gap) usual)`

/**
 * Whether a word is in a table. In this form it is looked up; as a join, it may be compared with thousands of words.
 */
const among = (table: Fragment) => sql`(u.lexeme in (select lexeme from ${table})) is true`

/** The score of a text that has every word, given the size of all texts and how many hold each word. */
const full = (size: Fragment, frequency: Fragment, texts: Fragment) => sql`
  select greatest(coalesce(${sum(rarity(sql`${size}.${texts}`, sql`coalesce(${frequency}.${texts}, 0)`))}, 0), ${leastFull}::float8) as score
  from term left join ${frequency} using (lexeme) cross join ${size}`

/** `own`: BM25 of each note that has a term; empty if words have no weight. Of many terms, only the rarest count. */
const own = (ask: Ask): ReadonlyArray<Fragment> => [
  sql`word as materialized (select lexeme from unnest(to_tsvector('english'::regconfig, ${searchable(ask.query.text)}::text)))`,
  sql`term as materialized (
    select lexeme from word where (select count(*) from word) <= ${maxTerms}::int
    union all
    (select u.lexeme from allowed cross join lateral unnest(words) u
      where (select count(*) from word) > ${maxTerms}::int and ${among(sql`word`)}
      group by u.lexeme order by count(distinct hash), u.lexeme collate "C" limit ${maxTerms}::int))`,
  sql`any_term as materialized (
    select array_agg(lexeme) as lexemes, string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery as query
    from term)`,
  // without tasks, all notes are of none
  sql`task_size as materialized (
    select task, sum(size) as size, count(*)::float8 as notes from pool where exists (select from term) group by task)`,
  sql`size as materialized (
    select sum(notes) as notes, greatest(sum(size) / sum(notes), 1)::float8 as mean from task_size)`,
  sql`hit as materialized (
    select pool.*, u.lexeme, cardinality(u.positions)::float8 as times
    from allowed join pool on pool.id = allowed.id
    cross join lateral unnest(ts_filter(setweight(words, 'A', (select lexemes from any_term)), '{a}')) u
    where ${sql.lit(ask.query.fusion.lexicalWeight > 0)} and words @@ (select query from any_term))`,
  // copies count once: a text that was forked often makes its words no more common
  sql`frequency as materialized (
    select lexeme, count(*)::float8 as notes from (select lexeme, hash from hit group by lexeme, hash) of_text group by lexeme)`,
  sql`full_score as materialized (${full(sql`size`, sql`frequency`, sql`notes`)})`,
  sql`own as materialized (
    select id, task, hash, thought_id, seq,
      ${sum(
        bm25({
          times: sql`times`,
          size: sql`hit.size`,
          mean: sql`size.mean`,
          all: sql`size.notes`,
          holding: sql`frequency.notes`
        })
      )} as score
    from hit join frequency using (lexeme) cross join size
    group by id, task, hash, thought_id, seq)`
]

/** `own_task`: BM25 of each task that has a term, as if all its notes were one, as a part of the full score. */
const ownTask: ReadonlyArray<Fragment> = [
  sql`task_hit as materialized (
    select task, lexeme, sum(times) as times from hit group by task, lexeme)`,
  sql`task_sizes as materialized (
    select count(*)::float8 as tasks, greatest(avg(size), 1)::float8 as mean from task_size)`,
  sql`task_frequency as materialized (select lexeme, count(*)::float8 as tasks from task_hit group by lexeme)`,
  sql`full_task as materialized (${full(sql`task_sizes`, sql`task_frequency`, sql`tasks`)})`,
  sql`own_task as materialized (
    select task, ${sum(
      bm25({
        times: sql`times`,
        size: sql`task_size.size`,
        mean: sql`task_sizes.mean`,
        all: sql`task_sizes.tasks`,
        holding: sql`task_frequency.tasks`
      })
    )} / (select score from full_task) as score
    from task_hit join task_frequency using (lexeme) join task_size using (task) cross join task_sizes
    group by task)`
]

const noTask = sql`own_task as (select null::text as task, 0::float8 as score where false)`

/** `weight`: the score by words of each unit, with shares from neighbouring notes and from its task. */
const weight = (ask: Ask): ReadonlyArray<Fragment> => {
  const { neighbours, task } = ask.query.context
  const unit = unitOf(ask)
  const bounded = bounds(ask).length > 0
  const beside = sql`select pool.id, pool.task, pool.hash, ${neighbours}::float8 * strong.score as score
    from (select * from own order by score desc, id limit ${4 * ask.query.candidates}::int) strong
    cross join unnest(${neighbourSteps}::int[]) as by(steps)
    join pool on pool.thought_id = strong.thought_id and pool.seq = strong.seq + by.steps`
  return [
    ...(task > 0 ? ownTask : [noTask]),
    neighbours > 0
      ? sql`heard as (
          select id, task, hash, ${sum(sql`score`)} as score from (select id, task, hash, score from own union all ${beside}) part
          group by id, task, hash)`
      : sql`heard as (select id, task, hash, score from own)`,
    ...(bounded ? [close(ask)] : []),
    sql`weight as materialized (
      select ${unit}, ${taskOf(ask)}
        max(heard.score / (select score from full_score) + ${task}::float8 * coalesce(own_task.score, 0)) as score
      from heard left join own_task using (task)
      where ${bounded ? sql`(${unit}) in (select ${unit} from close)` : sql`true`} group by ${unit})`
  ]
}

/** How far a distance stands out, as a part of how far the best of as many random ones would. */
const outstanding = (of: Fragment) => sql`((mean - ${of}) / deviation / chance)`

/** `task_gap`: how similar the notes of a task are on average. */
const taskGap = ({ nearest, query: { context } }: Ask): Fragment =>
  nearest === undefined && context.task > 0
    ? sql`task_gap as materialized (
        select task, ${context.task}::float8 * case when deviation > 0
          then ${taskMeaning}::float8 * trust * greatest(0, ${outstanding(sql`distance`)}) else 0 end as score
        from (select task, round((avg(distance) * 1e9)::float8) / 1e9 as distance from every_gap group by task) of_task
        cross join spread)`
    : sql`task_gap as (select null::text as task, 0::float8 as score where false)`

/** The parts that rank units: `allowed`, `gap` with distances, and `weight` with scores by words. */
export const arms = (ask: Ask): ReadonlyArray<Fragment> => [
  allowed(ask),
  pool(ask),
  ...gap(ask),
  ...own(ask),
  ...weight(ask),
  spread(ask),
  taskGap(ask)
]

/** The time of the newest note of a unit in these tables. */
export const newestOf = ({ unit }: Ask, ...tables: ReadonlyArray<string>): Fragment => {
  const same = unit.map((name) => {
    const known = tables.map((table) => sql.ref(`${table}.${name}`))
    return sql`allowed.${sql.ref(name)} = coalesce(${sql.join(known)})`
  })
  return sql`(select max(allowed.created_at) from allowed where ${sql.join(same, sql` and `)})`
}

/**
 * The fused score of a unit in `gap` and `weight`, using `spread`, `own_task` and `task_gap` joined by the unit's task.
 */
export const fused = ({ query: { context, fusion } }: Ask): Fragment => {
  const out = outstanding(sql`gap.distance`)
  const near = sql`case when gap.distance is null then 0 when deviation > 0 then power(case when ${out} < ${leastNear}::float8
    then ${leastNear ** 2}::float8 / (${2 * leastNear}::float8 - ${out}) else ${out} end, 2) * trust else 1 end`
  const left = sql`(1 - ${1 - leastMeaning}::float8 * least(1, best / ${covered}::float8))`
  const lexicalScore = sql`(coalesce(weight.score, ${context.task}::float8 * own_task.score, 0)
    + ${Math.min(1, fusion.vectorWeight)}::float8 * coalesce(task_gap.score, 0))`
  return sql`(${fusion.lexicalWeight}::float8 * power(${lexicalScore}, 2) + ${fusion.vectorWeight}::float8 * ${left} * (${near}))`
}

/** The score with the bonus for recent notes. */
export const aged = ({ query: { recency } }: Ask, score: Fragment, newest: Fragment): Fragment => {
  if (recency === undefined) return score
  const age = sql`greatest(${recency.nowMillis}::float8 - (extract(epoch from ${newest}) * 1000)::float8, 0)`
  return sql`(${score} * (1 + ${recency.weight}::float8 * (power(0.5, least(${age} / ${recency.halfLifeMillis}::float8, 1000)) - 0.5)))`
}

/** How many notes of the scope have text to embed but no vector yet; 0 without a space. */
export const pending = ({ scope, table }: Ask): Fragment => (table === undefined ? sql`0` : pendingOf(table, scope))
