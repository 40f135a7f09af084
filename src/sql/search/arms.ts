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
  halfWords,
  k1,
  leastEvidence,
  leastFull,
  leastTrust,
  maxTerms,
  mostEvidence
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

/** `allowed`: the notes that have content and pass the filters, with their task if it is needed. */
export const allowed = ({ query, scope, unit }: Ask): Fragment => {
  const byTask = unit.includes("task")
  const withTask = byTask || query.context.task > 0
  const where = [
    sql`n.scope = ${scope}`,
    sql`n.redacted_at is null`,
    ...(byTask ? [sql`t.task_id is not null`] : []),
    ...conditions(scope, query.filter)
  ]
  return sql`allowed as not materialized (
    select n.id, n.thought_id, n.seq, n.created_at, n.words, n.content_hash as hash,
      ${withTask ? sql`t.task_id` : sql`null::text`} as task
    from cogito.note n ${withTask ? sql`join cogito.thought t on t.scope = n.scope and t.id = n.thought_id` : sql``}
    where ${sql.join(where, sql` and `)})`
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
      select ${unit}, min(distance) as distance from (
        select ${unit}, (${distance})::float8 as distance
        from ${vectorsOf(ask)} v join ${ask.nearest === undefined ? sql`allowed` : sample} on allowed.id = v.note_id
        where v.scope = ${ask.scope} and ${sql.lit(counts)} offset 0) of_chunk
      group by ${unit})`,
    ask.nearest === undefined
      ? sql`gap as (select * from every_gap where ${sql.join(near, sql` and `)})`
      : sql`gap as materialized (
          select hash, min(distance) as distance
          from unnest(${ask.nearest.hashes}::uuid[], ${ask.nearest.distances}::float8[]) as known(hash, distance)
          where ${sql.join(near, sql` and `)} group by hash)`
  ]
}

/** `close`: the units within the filter's bounds of distance, whichever arm found them. */
const close = (ask: Ask): Fragment => {
  const unit = unitOf(ask)
  if (ask.nearest === undefined) {
    return sql`close as materialized (select ${unit} from every_gap where ${sql.join(bounds(ask), sql` and `)})`
  }
  return sql`close as materialized (
    select ${unit} from allowed join ${vectorsOf(ask)} v on v.scope = ${ask.scope} and v.note_id = allowed.id
    where ${unit} in (select ${unit} from heard)
    group by ${unit} having ${sql.join(bounds(ask, sql`min((${distance})::float8)`), sql` and `)})`
}

/**
 * A sample of 1,000 notes for the statistics, used if the index spares a full scan. The first by hash are as good as
 * random.
 */
const sample = sql`(select id, hash from allowed order by hash limit 1000) allowed`

/**
 * `spread`: statistics of the arms, which show what stands out.
 *
 * It holds the mean and deviation of distances, the score of a note that has every word, and the trust in the arm by
 * meaning. There is little trust if the nearest is no nearer than the nearest of as many random directions.
 */
const spread = ({ nearest, query: { vector } }: Ask): Fragment => sql`spread as materialized (
  select *, least(1, greatest(${leastTrust}::float8,
      case when mean > 0 then (mean - nearest) / mean * ${Math.sqrt(vector?.length ?? 1)}::float8 / chance - 1 else 0 end)) as trust
  from (
    select round((avg(distance) * 1e9)::float8) / 1e9 as mean, round((stddev_pop(distance) * 1e9)::float8) / 1e9 as deviation,
      ${nearest === undefined ? sql`min(distance)` : sql`least(min(distance), (select min(distance) from gap))`} as nearest,
      sqrt(2 * ln(greatest(${nearest === undefined ? sql`count(*)` : sql`(select count(*) from allowed)`}, 2)::float8)) as chance,
      greatest((select score from full_score), ${leastFull}::float8) as full_score
    from every_gap) usual)`

/**
 * Whether a word is in a table. In this form it is looked up; as a join, it may be compared with thousands of words.
 */
const among = (table: Fragment) => sql`(u.lexeme in (select lexeme from ${table})) is true`

/** `own`: BM25 of each note that has a term; empty if words have no weight. Of many terms, only the rarest count. */
const own = (ask: Ask): ReadonlyArray<Fragment> => [
  sql`word as materialized (select lexeme from unnest(to_tsvector('english'::regconfig, ${searchable(ask.query.text)}::text)))`,
  sql`term as materialized (
    select lexeme from word where (select count(*) from word) <= ${maxTerms}::int
    union all
    (select u.lexeme from allowed cross join lateral unnest(words) u
      where (select count(*) from word) > ${maxTerms}::int and ${among(sql`word`)}
      group by u.lexeme order by count(*), u.lexeme collate "C" limit ${maxTerms}::int))`,
  sql`any_term as materialized (
    select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery as query
    from term)`,
  sql`size as materialized (
    select count(*)::float8 as notes, greatest(avg(length(words)), 1)::float8 as mean from allowed
    where exists (select from term))`,
  sql`hit as materialized (
    select id, task, hash, length(words)::float8 as size, u.lexeme, cardinality(u.positions)::float8 as times
    from allowed cross join lateral unnest(words) u
    where ${sql.lit(ask.query.fusion.lexicalWeight > 0)} and words @@ (select query from any_term) and ${among(sql`term`)})`,
  sql`frequency as materialized (select lexeme, count(*)::float8 as notes from hit group by lexeme)`,
  sql`full_score as materialized (
    select ${sum(rarity(sql`size.notes`, sql`coalesce(frequency.notes, 0)`))} as score
    from term left join frequency using (lexeme) cross join size)`,
  sql`own as materialized (
    select id, task, hash,
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
    group by id, task, hash)`
]

/** `own_task`: BM25 of each task that has a term, as if all its notes were one. */
const ownTask: ReadonlyArray<Fragment> = [
  sql`task_hit as materialized (
    select task, lexeme, sum(times) as times from hit where task is not null group by task, lexeme)`,
  sql`task_size as materialized (
    select task, sum(length(words))::float8 as size from allowed where task is not null group by task)`,
  sql`task_sizes as materialized (
    select count(*)::float8 as tasks, greatest(avg(size), 1)::float8 as mean from task_size)`,
  sql`task_frequency as materialized (select lexeme, count(*)::float8 as tasks from task_hit group by lexeme)`,
  sql`own_task as materialized (
    select task, ${sum(
      bm25({
        times: sql`times`,
        size: sql`task_size.size`,
        mean: sql`task_sizes.mean`,
        all: sql`task_sizes.tasks`,
        holding: sql`task_frequency.tasks`
      })
    )} as score
    from task_hit join task_frequency using (lexeme) join task_size using (task) cross join task_sizes
    group by task)`
]

/** `weight`: the score by words of each unit, plus shares from neighbouring notes and from its task. */
const weight = (ask: Ask): ReadonlyArray<Fragment> => {
  const { neighbours, task } = ask.query.context
  const unit = unitOf(ask)
  const bounded = bounds(ask).length > 0
  const parts = [
    sql`select id, task, hash, score from own`,
    ...(neighbours > 0
      ? [
          sql`select allowed.id, allowed.task, allowed.hash, ${neighbours}::float8 * strong.score
            from (select * from own order by score desc, id limit ${4 * ask.query.candidates}::int) strong
            join cogito.note hit on hit.scope = ${ask.scope} and hit.id = strong.id
            join allowed on allowed.thought_id = hit.thought_id and allowed.seq in (hit.seq - 1, hit.seq + 1)`
        ]
      : []),
    ...(task > 0
      ? [
          sql`select own.id, own.task, own.hash, ${task}::float8 * own_task.score
            from own join own_task using (task)`
        ]
      : [])
  ]
  return [
    ...(task > 0 ? ownTask : []),
    ...(parts.length === 1
      ? [sql`heard as (select * from own)`]
      : [
          sql`heard as (
            select id, task, hash, ${sum(sql`score`)} as score from (${sql.join(parts, sql` union all `)}) part
            group by id, task, hash)`
        ]),
    ...(bounded ? [close(ask)] : []),
    sql`weight as materialized (
      select ${unit}, max(score) as score from heard
      where ${bounded ? sql`(${unit}) in (select ${unit} from close)` : sql`true`} group by ${unit})`
  ]
}

/** The parts that rank units: `allowed`, `gap` with distances, and `weight` with scores by words. */
export const arms = (ask: Ask): ReadonlyArray<Fragment> => [
  allowed(ask),
  ...gap(ask),
  ...own(ask),
  ...weight(ask),
  spread(ask)
]

/** The time of the newest note of a unit in `gap` and `weight`. */
export const newestOf = ({ unit }: Ask): Fragment => {
  const same = unit.map((name) => {
    const [left, right] = [sql.ref(`gap.${name}`), sql.ref(`weight.${name}`)]
    return sql`allowed.${sql.ref(name)} = coalesce(${left}, ${right})`
  })
  return sql`(select max(allowed.created_at) from allowed where ${sql.join(same, sql` and `)})`
}

/**
 * The fused score of a unit's ranks in the joined `gap` and `weight`, using `spread`, with the bonus for recent notes.
 */
export const fused = ({ query: { fusion, recency } }: Ask, newest: Fragment): Fragment => {
  const share = (weight: number, evidence: Fragment, rank: string) =>
    sql`coalesce(${weight}::float8 * power(${evidence}, ${fusion.evidence}::float8) / (${fusion.k}::float8 + ${sql.ref(rank)}), 0)`
  const near = sql`(case when deviation > 0
    then power(least(${mostEvidence}::float8, greatest(${leastEvidence}::float8, (mean - gap.distance) / deviation / chance)), 2) * trust
    else 1 end)`
  const square = sql`power(weight.score / full_score, 2)`
  const words = sql`(${square} / (${square} + ${halfWords}::float8))`
  const byMeaning = share(fusion.vectorWeight, near, "gap.rank")
  const both = sql`(${byMeaning} + ${share(fusion.lexicalWeight, words, "weight.rank")})`
  if (recency === undefined) return both
  const age = sql`greatest(${recency.nowMillis}::float8 - (extract(epoch from ${newest}) * 1000)::float8, 0)`
  return sql`(${both} * (1 + ${recency.weight}::float8 * (power(0.5, least(${age} / ${recency.halfLifeMillis}::float8, 1000)) - 0.5)))`
}

/** How many notes of the scope have text to embed but no vector yet; 0 without a space. */
export const pending = ({ scope, table }: Ask): Fragment => (table === undefined ? sql`0` : pendingOf(table, scope))
