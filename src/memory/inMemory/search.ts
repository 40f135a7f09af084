/** The search of the in-memory store. It ranks as the statements of the databases do. */
import type { Found, FoundTasks, StoreMatch, StoreQuery, ThoughtRow } from "../model/Store.ts"
import type { TaskMatch } from "../model/Search.ts"
import type { Note } from "../../thought/Note.ts"
import { taskNotes } from "../search/fusion.ts"
import { boundsOf } from "../search/filter.ts"
import { allows } from "./filter.ts"
import { fused, type Place, spreadOf } from "./fusion.ts"
import { compare } from "./Row.ts"
import { type Parts, similarity } from "./vectors.ts"
import { wordScores } from "./words.ts"

/** A note of the scope, with its vectors where it has any. */
export interface Row {
  readonly note: Note
  readonly thought: ThoughtRow
  readonly parts: Parts | undefined
}

/** Notes that count as one: the newest of them last. */
interface Unit {
  readonly rows: ReadonlyArray<Row>
  /** That of the nearest part of any of them. */
  readonly distance: number | undefined
  /** Whether meaning has found it. */
  readonly near: boolean
  readonly words: number | undefined
}

interface Ranked extends Unit {
  readonly ranks: StoreMatch["ranks"]
  readonly score: number
}

/** The values of the arms that have one. */
const byArm = (vector: number | undefined, lexical: number | undefined) => ({
  ...(vector === undefined ? {} : { vector }),
  ...(lexical === undefined ? {} : { lexical })
})

const least = (values: ReadonlyArray<number>) =>
  values.length === 0 ? undefined : values.reduce((a, b) => Math.min(a, b))

type Ranking = ReturnType<typeof unitsOf>

const unitsOf = (rows: ReadonlyArray<Row>, query: StoreQuery, keyOf: (row: Row) => string) => {
  const { fusion, vector } = query
  const { maxDistance, minSimilarity } = boundsOf(query.filter)
  const { full, scores, terms } = wordScores(rows, query)
  const distances = rows.map(({ parts }) =>
    vector === undefined || parts === undefined ? undefined : 1 - similarity(vector, parts)
  )
  const all: Array<number> = []
  const units = [...Map.groupBy(rows.entries(), ([, row]) => keyOf(row)).values()].map((members): Unit => {
    const distance = least(members.flatMap(([i]) => distances[i] ?? []))
    if (distance !== undefined) all.push(distance)
    const close =
      (minSimilarity === undefined || (distance !== undefined && 1 - distance >= minSimilarity)) &&
      (maxDistance === undefined || (distance !== undefined && distance <= maxDistance))
    const words = members.reduce((best, [i]) => Math.max(best, scores[i] ?? 0), 0)
    return {
      rows: members
        .map(([, row]) => row)
        .toSorted(
          ({ note: a }, { note: b }) => a.created.epochMilliseconds - b.created.epochMilliseconds || compare(a.id, b.id)
        ),
      distance,
      near: close && distance !== undefined && fusion.vectorWeight > 0,
      words: close && words > 0 && fusion.lexicalWeight > 0 ? words : undefined
    }
  })
  return { units, terms, spread: spreadOf(all, full, vector?.length ?? 1) }
}

const firstId = ({ rows }: Unit) => rows.map(({ note }) => note.id).toSorted(compare)[0] ?? ""

/** Ranks from 1, equals sharing one, of those that have a value; the smallest is best. */
const ranksOf = <A>(items: ReadonlyArray<A>, valueOf: (item: A) => number | undefined): ReadonlyMap<A, number> => {
  const sorted = items.flatMap((item) => {
    const value = valueOf(item)
    return value === undefined ? [] : [{ item, value }]
  })
  sorted.sort((a, b) => a.value - b.value)
  const ranks = new Map<A, number>()
  for (const [i, { item, value }] of sorted.entries()) {
    const before = sorted[i - 1]
    ranks.set(item, before?.value === value ? (ranks.get(before.item) ?? i + 1) : i + 1)
  }
  return ranks
}

const negative = (value: number | undefined) => (value === undefined ? undefined : -value)

const placeOf = (rank: number | undefined, value: number | undefined): Place | undefined =>
  rank === undefined || value === undefined ? undefined : { rank, value }

const newestOf = ({ rows }: Unit) => rows.at(-1)?.note.created.epochMilliseconds ?? 0

const rank = ({ spread, units }: Ranking, query: StoreQuery, candidates: number): ReadonlyArray<Ranked> => {
  const byId = units.toSorted((a, b) => compare(firstId(a), firstId(b)))
  const arm = (valueOf: (unit: Unit) => number | undefined) => [...ranksOf(byId, valueOf)].slice(0, candidates)
  const near = new Map(arm((unit) => (unit.near ? unit.distance : undefined)))
  const worded = new Map(arm(({ words }) => negative(words)))
  return byId
    .flatMap((unit): ReadonlyArray<Ranked> => {
      const ranks = byArm(near.get(unit), worded.get(unit))
      if (ranks.vector === undefined && ranks.lexical === undefined) return []
      const places = { vector: placeOf(ranks.vector, unit.distance), lexical: placeOf(ranks.lexical, unit.words) }
      const score = fused(query, spread, places, newestOf(unit))
      return [{ ...unit, ranks, score }]
    })
    .toSorted((a, b) => b.score - a.score)
}

const matchOf = (unit: Ranked, { vector, vectors }: StoreQuery): ReadonlyArray<StoreMatch> => {
  const newest = unit.rows.at(-1)
  if (newest === undefined) return []
  const { note, thought } = newest
  const near = unit.distance === undefined ? 0 : Math.min(1, Math.max(0, 1 - unit.distance))
  const nearest =
    vector === undefined
      ? undefined
      : unit.rows
          .flatMap(({ parts = [] }) => parts)
          .toSorted((a, b) => similarity(vector, [b]) - similarity(vector, [a]))[0]
  return [
    {
      note,
      thought: { id: thought.id, traceId: thought.traceId, taskId: thought.taskId, intent: thought.intent },
      score: unit.score,
      similarity: near,
      copies: unit.rows.length,
      ranks: unit.ranks,
      scores: byArm(unit.ranks.vector && near, unit.ranks.lexical && unit.words),
      ...(vectors && nearest !== undefined ? { vector: nearest } : {})
    }
  ]
}

const allowed = (rows: ReadonlyArray<Row>, { filter }: StoreQuery, thoughts: ReadonlyMap<string, ThoughtRow>) => {
  const may = allows(filter, thoughts)
  return rows.filter(({ note, thought }) => may(note, thought))
}

/** The best notes of a scope, each content once. */
export const search = (
  rows: ReadonlyArray<Row>,
  thoughts: ReadonlyMap<string, ThoughtRow>,
  query: StoreQuery
): Omit<Found, "pending"> => {
  const units = unitsOf(allowed(rows, query, thoughts), query, ({ note }) => note.content)
  return {
    matches: rank(units, query, query.candidates)
      .slice(0, query.limit)
      .flatMap((unit) => matchOf(unit, query))
      .toSorted((a, b) => b.score - a.score || compare(a.note.id, b.note.id)),
    terms: units.terms
  }
}

/** The best tasks of a scope: in each arm a task ranks by its best note, among all tasks. */
export const survey = (
  rows: ReadonlyArray<Row>,
  thoughts: ReadonlyMap<string, ThoughtRow>,
  query: StoreQuery
): Omit<FoundTasks, "pending"> => {
  const of = (row: Row | undefined) => row?.thought.taskId ?? ""
  const mine = allowed(rows, query, thoughts).filter(({ thought }) => thought.taskId !== undefined)
  const units = unitsOf(mine, query, (row) => JSON.stringify([of(row), row.note.content]))
  const tasks = Array.from(
    Map.groupBy(rank(units, query, Infinity), ({ rows }) => of(rows[0])),
    ([taskId, found]) => ({
      taskId,
      found,
      distance: found.reduce(
        (best, { distance = Infinity, near }) => (near ? Math.min(best, distance) : best),
        Infinity
      ),
      words: found.reduce((best, { words = 0 }) => Math.max(best, words), 0)
    })
  )
  const near = ranksOf(tasks, ({ distance }) => (distance === Infinity ? undefined : distance))
  const worded = ranksOf(tasks, ({ words }) => (words === 0 ? undefined : -words))
  const best = tasks
    .map((task) => ({
      ...task,
      score: fused(
        query,
        units.spread,
        { vector: placeOf(near.get(task), task.distance), lexical: placeOf(worded.get(task), task.words) },
        task.found.reduce((newest, unit) => Math.max(newest, newestOf(unit)), 0)
      )
    }))
    .toSorted((a, b) => b.score - a.score || compare(a.taskId, b.taskId))
    .slice(0, query.limit)
  return {
    tasks: best.map(({ found, score, taskId }): TaskMatch => {
      const matches = found.slice(0, taskNotes).flatMap((unit) => matchOf(unit, query))
      const { id, intent } = newestThought(mine.filter(({ thought }) => thought.taskId === taskId))
      return {
        taskId,
        thoughtId: id,
        intent,
        score,
        similarity: Math.max(...matches.map(({ similarity }) => similarity)),
        matches: matches.toSorted((a, b) => b.score - a.score || compare(a.note.id, b.note.id))
      }
    }),
    terms: units.terms
  }
}

const newestThought = (rows: ReadonlyArray<Row>): ThoughtRow =>
  rows
    .map(({ thought }) => thought)
    .reduce((a, b) => ((b.createdMillis - a.createdMillis || compare(b.id, a.id)) > 0 ? b : a))
