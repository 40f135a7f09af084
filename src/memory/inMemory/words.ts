/** The scores by words of the notes in the in-memory store. */
import type { StoreQuery, ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import { neighbourSteps, leastFull } from "../search/fusion.ts"
import { bm25, fullScore, rarest, rounded, type Text, together } from "./bm25.ts"
import { termsOf } from "./stems.ts"

interface Row {
  readonly note: Note
  readonly thought: ThoughtRow
}

const textOf = (content: string): Text => {
  const terms = termsOf(content)
  return { terms, size: terms.size }
}

const known = new WeakMap<Note, Text>()
const textIn = (note: Note): Text => {
  const text = known.get(note) ?? textOf(note.content)
  known.set(note, text)
  return text
}

/** The texts of notes, the same one for notes with the same content. */
const textsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Text> => {
  const texts = new Map<string, Text>()
  for (const { note } of rows) if (!texts.has(note.content)) texts.set(note.content, textIn(note))
  return rows.flatMap(({ note }) => texts.get(note.content) ?? [])
}

/** The scores by words of a scope's notes. */
export interface WordScores {
  /** The number of words that were searched. */
  readonly terms: number
  /** Of each note, with the shares of the notes beside it and of its task; 0 if none of them has a word. */
  readonly scores: ReadonlyArray<number>
  /** What each note's task gives to it. */
  readonly tasks: ReadonlyArray<number>
}

/** The task of a note, or its thought without one. */
export const taskOf = ({ note, thought }: Row): string => thought.taskId ?? note.thoughtId

export const wordScores = (rows: ReadonlyArray<Row>, { candidates, context, fusion, text }: StoreQuery): WordScores => {
  const texts = textsOf(rows)
  const terms = rarest(textOf(text), texts)
  const none = rows.map(() => 0)
  if (fusion.lexicalWeight === 0) return { terms: terms.length, scores: none, tasks: none }
  const hits = bm25(terms, texts).flatMap((score, i) => {
    const row = rows[i]
    return row === undefined || score === 0 ? [] : [{ ...row, i, score }]
  })
  const own = [...none]
  const add = (i: number, more: number) => {
    own[i] = rounded((own[i] ?? 0) + more)
  }
  for (const { i, score } of hits) add(i, score)
  if (context.neighbours > 0) {
    const places = new Map(rows.map(({ note }, i) => [`${note.thoughtId} ${note.seq}`, i]))
    const strong = hits
      .toSorted((x, y) => y.score - x.score || (x.note.id < y.note.id ? -1 : 1))
      .slice(0, 4 * candidates)
    for (const { note, score } of strong) {
      for (const by of neighbourSteps) {
        const beside = places.get(`${note.thoughtId} ${note.seq + by}`)
        if (beside !== undefined) add(beside, context.neighbours * score)
      }
    }
  }
  const tasks = context.task > 0 ? taskScores(rows, texts, terms).map((score) => context.task * score) : none
  const full = Math.max(fullScore(terms, texts), leastFull)
  const scores = own.map((score, i) => (score === 0 ? 0 : score / full + (tasks[i] ?? 0)))
  return { terms: terms.length, scores, tasks }
}

/** The score of each note's task as if its notes were one, as a part of what a task with all the words would have. */
const taskScores = (
  rows: ReadonlyArray<Row>,
  texts: ReadonlyArray<Text>,
  terms: ReadonlyArray<string>
): ReadonlyArray<number> => {
  const members = Map.groupBy(texts.keys(), (i) => {
    const row = rows[i]
    return row === undefined ? "" : taskOf(row)
  })
  const whole = Array.from(members.values(), (own) => together(own.flatMap((i) => texts[i] ?? [])))
  const full = Math.max(fullScore(terms, whole), leastFull)
  const scores = bm25(terms, whole)
  const scoreOf = new Map([...members.keys()].map((task, i) => [task, (scores[i] ?? 0) / full]))
  return rows.map((row) => scoreOf.get(taskOf(row)) ?? 0)
}
