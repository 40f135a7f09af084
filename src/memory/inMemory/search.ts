/** The search of the in-memory store. It ranks as the statements of the databases do. */
import type { Found, FoundTasks, StoreMatch, StoreQuery, ThoughtRow } from "../model/Store.ts"
import type { TaskMatch } from "../model/Search.ts"
import type { Note } from "../../thought/Note.ts"
import { taskNotes } from "../search/fusion.ts"
import { boundsOf } from "../search/filter.ts"
import { allows } from "./filter.ts"
import { aged, dated, fused, isDated, meanOf, spreadOf } from "./fusion.ts"
import { compare } from "./Row.ts"
import { type Parts, similarity } from "./vectors.ts"
import { taskOf, wordScores } from "./words.ts"

/** A note of the scope, with its vectors where it has any. */
export interface Row {
  readonly note: Note
  readonly thought: ThoughtRow
  readonly parts: Parts | undefined
}

/** Notes that count as one: the newest of them last. */
interface Unit {
  readonly rows: ReadonlyArray<Row>
  /** The newest of those that are of the times that the question names; undefined if none is. */
  readonly dated: Row | undefined
  /** That of the nearest part of any of them. */
  readonly distance: number | undefined
  /** Whether meaning has found it. */
  readonly near: boolean
  readonly words: number | undefined
  /** The score without the bonus for new notes. */
  readonly worth: number
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

const unitsOf = (rows: ReadonlyArray<Row>, query: StoreQuery, keyOf: (row: Row) => string) => {
  const { fusion, vector } = query
  const { maxDistance, minSimilarity } = boundsOf(query.filter)
  const { scores, tasks, terms } = wordScores(rows, query)
  const distances = rows.map(({ parts }) =>
    vector === undefined || parts === undefined ? undefined : 1 - similarity(vector, parts)
  )
  const found = [...Map.groupBy(rows.entries(), ([, row]) => keyOf(row)).values()].map((members) => {
    const distance = least(members.flatMap(([i]) => distances[i] ?? []))
    const close =
      (minSimilarity === undefined || (distance !== undefined && 1 - distance >= minSimilarity)) &&
      (maxDistance === undefined || (distance !== undefined && distance <= maxDistance))
    const words = members.reduce((best, [i]) => Math.max(best, scores[i] ?? 0), 0)
    const [place, task] = members
      .filter(([i]) => (distance === undefined ? (scores[i] ?? 0) > 0 : distances[i] !== undefined))
      .map(([i, row]) => [i, taskOf(row)] as const)
      .reduce((a, b) => (a[1] === "" || compare(b[1], a[1]) < 0 ? b : a), [-1, ""] as const)
    const rows = members
      .map(([, row]) => row)
      .toSorted(
        ({ note: a }, { note: b }) => a.created.epochMilliseconds - b.created.epochMilliseconds || compare(a.id, b.id)
      )
    return {
      rows,
      dated: rows.findLast(({ note }) => isDated(query, note.created.epochMilliseconds)),
      distance,
      near: close && distance !== undefined && fusion.vectorWeight > 0,
      words: close && words > 0 && fusion.lexicalWeight > 0 ? words : undefined,
      task,
      taskWords: tasks[place] ?? 0
    }
  })
  const known = found.flatMap(({ distance, task }) => (distance === undefined ? [] : [{ distance, task }]))
  const spread = spreadOf(
    known.map(({ distance }) => distance),
    vector?.length ?? 1
  )
  const taskDistances = new Map(
    Array.from(
      Map.groupBy(known, ({ task }) => task),
      ([task, own]) => [task, meanOf(own.map(({ distance }) => distance))]
    )
  )
  const best = found.reduce((most, { words = 0 }) => Math.max(most, words), 0)
  const units = found
    .filter(({ near, words }) => near || words !== undefined)
    .map((unit): Unit => {
      const taskDistance = taskDistances.get(unit.task)
      const score = fused(query, spread, best, { ...unit, taskDistance })
      return { ...unit, worth: dated(score, query, unit.dated !== undefined) }
    })
  return { units, terms }
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

const newestOf = ({ rows }: Unit) => rows.at(-1)?.note.created.epochMilliseconds ?? 0

const isOfTime = ({ dated }: Unit) => dated !== undefined

/** The best of each arm, and as many of the times that the question names. */
const rank = (units: ReadonlyArray<Unit>, query: StoreQuery, candidates: number): ReadonlyArray<Ranked> => {
  const byId = units.toSorted((a, b) => compare(firstId(a), firstId(b)))
  const arm = (valueOf: (unit: Unit) => number | undefined) => {
    const ofTime = ranksOf(byId.filter(isOfTime), valueOf)
    return new Map(
      [...ranksOf(byId, valueOf)].filter(
        ([unit, rank]) => rank <= candidates || (ofTime.get(unit) ?? Infinity) <= candidates
      )
    )
  }
  const near = arm((unit) => (unit.near ? unit.distance : undefined))
  const worded = arm(({ words }) => negative(words))
  return byId
    .flatMap((unit): ReadonlyArray<Ranked> => {
      const ranks = byArm(near.get(unit), worded.get(unit))
      if (ranks.vector === undefined && ranks.lexical === undefined) return []
      return [{ ...unit, ranks, score: aged(unit.worth, query, newestOf(unit)) }]
    })
    .toSorted((a, b) => b.score - a.score)
}

/** The thoughts of the copies besides one, those of the newest copies first. */
const alsoIn = (rows: Unit["rows"], thoughtId: string): Pick<StoreMatch, "alsoIn"> => {
  const others = new Set(rows.map(({ thought }) => thought.id).toReversed())
  others.delete(thoughtId)
  return others.size === 0 ? {} : { alsoIn: [...others].slice(0, mostAlsoIn) }
}

const mostAlsoIn = 20

const matchOf = (unit: Ranked, { vector, vectors }: StoreQuery): ReadonlyArray<StoreMatch> => {
  const shown = unit.dated ?? unit.rows.at(-1)
  if (shown === undefined) return []
  const { note, thought } = shown
  const near = unit.distance === undefined ? 0 : Math.min(1, Math.max(0, 1 - unit.distance))
  const nearest =
    vector === undefined || !vectors
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
      ...alsoIn(unit.rows, thought.id),
      ranks: unit.ranks,
      scores: byArm(unit.ranks.vector && near, unit.ranks.lexical && unit.words),
      ...(nearest !== undefined ? { vector: nearest } : {})
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
    matches: rank(units.units, query, query.candidates)
      .slice(0, query.limit)
      .flatMap((unit) => matchOf(unit, query))
      .toSorted((a, b) => b.score - a.score || compare(a.note.id, b.note.id)),
    terms: units.terms
  }
}

/** The best tasks of a scope: a task ranks by its best note. */
export const survey = (
  rows: ReadonlyArray<Row>,
  thoughts: ReadonlyMap<string, ThoughtRow>,
  query: StoreQuery
): Omit<FoundTasks, "pending"> => {
  const of = (row: Row | undefined) => row?.thought.taskId ?? ""
  const mine = allowed(rows, query, thoughts).filter(({ thought }) => thought.taskId !== undefined)
  const units = unitsOf(mine, query, (row) => JSON.stringify([of(row), row.note.content]))
  const tasks = Map.groupBy(rank(units.units, query, Infinity), ({ rows }) => of(rows[0]))
  const best = Array.from(tasks, ([taskId, found]) => {
    const newest = found.reduce((last, unit) => Math.max(last, newestOf(unit)), 0)
    const worth = found.reduce((most, unit) => Math.max(most, unit.worth), 0)
    return { taskId, found, score: aged(worth, query, newest) }
  })
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
