/** The scores by words of the notes in the in-memory store. */
import type { StoreQuery, ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
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

/**
 * Each row's score, with the shares of the notes beside it and of its task; the number of words that were searched; and the
 * score of a row that has them all.
 */
export const wordScores = (
  rows: ReadonlyArray<Row>,
  { candidates, context, text }: StoreQuery
): { readonly terms: number; readonly full: number; readonly scores: ReadonlyArray<number> } => {
  const texts = rows.map(({ note }) => textIn(note))
  const terms = rarest(textOf(text), texts)
  const hits = bm25(terms, texts).flatMap((score, i) => {
    const row = rows[i]
    return row === undefined || score === 0 ? [] : [{ ...row, i, score }]
  })
  const scores = rows.map(() => 0)
  const add = (i: number, more: number) => {
    scores[i] = rounded((scores[i] ?? 0) + more)
  }
  for (const { i, score } of hits) add(i, score)
  if (context.neighbours > 0) {
    const places = new Map(rows.map(({ note }, i) => [`${note.thoughtId} ${note.seq}`, i]))
    const strong = hits
      .toSorted((x, y) => y.score - x.score || (x.note.id < y.note.id ? -1 : 1))
      .slice(0, 4 * candidates)
    for (const { note, score } of strong) {
      for (const seq of [note.seq - 1, note.seq + 1]) {
        const beside = places.get(`${note.thoughtId} ${seq}`)
        if (beside !== undefined) add(beside, context.neighbours * score)
      }
    }
  }
  if (context.task > 0) {
    const members = Map.groupBy(texts.keys(), (i) => rows[i]?.thought.taskId)
    members.delete(undefined)
    const whole = Array.from(members.values(), (own) => together(own.flatMap((i) => texts[i] ?? [])))
    const taskScores = bm25(terms, whole)
    const scoreOf = new Map([...members.keys()].map((taskId, i) => [taskId, taskScores[i] ?? 0]))
    for (const { i, thought } of hits) add(i, context.task * (scoreOf.get(thought.taskId) ?? 0))
  }
  return { terms: terms.length, full: fullScore(terms, texts), scores }
}
