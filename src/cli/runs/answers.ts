/** The answers of a run in short, as the page of a report shows them. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { MemoryError, Shape } from "../../Memory.ts"
import type { Note } from "../../Note.ts"
import type { Ledger } from "../../Store.ts"
import { answerOf, percent } from "../../text/answer.ts"
import { notes } from "../../Thought.ts"
import { plain } from "../console/output.ts"
import { thoughtOf } from "./run.ts"

/** The notes that the steps of a run have written, of each key the newest, in their order. Empty if its thought was removed. */
export const answersOf = (
  memory: Pick<Shape, "load">,
  run: Ledger.RunRow
): Effect.Effect<ReadonlyArray<Note>, MemoryError> =>
  Effect.map(notesIn(memory, thoughtOf(run)), (notes) => answersIn(notes, run))

/** The notes of a thought. Empty if it was removed. */
export const notesIn = (
  memory: Pick<Shape, "load">,
  thoughtId: string
): Effect.Effect<ReadonlyArray<Note>, MemoryError> =>
  memory.load(thoughtId).pipe(
    Effect.map(notes),
    Effect.catchReason("MemoryError", "NotFound", () => Effect.succeed([]))
  )

/** Those among the notes of its thought that a run has written, of each key the newest, in their order. */
export const answersIn = (found: ReadonlyArray<Note>, run: Ledger.RunRow): ReadonlyArray<Note> => {
  const newest = new Map<string, Note>()
  for (const note of found) {
    if (!isOf(run, note)) continue
    newest.delete(note.key)
    newest.set(note.key, note)
  }
  return [...newest.values()]
}

/** Whether the run has written a note, and not an earlier or a later one on the same thought. */
const isOf = ({ createdMillis, end, start }: Ledger.RunRow, { created, seq, step, thoughtId }: Note): boolean =>
  step !== "" &&
  DateTime.toEpochMillis(created) >= createdMillis &&
  !(thoughtId === start.thoughtId && seq <= start.seq) &&
  !(thoughtId === end?.thoughtId && seq > end.seq)

/** `escalate: yes 85 %` */
export const answerLine = (note: Note): string => {
  const { confidence, headline } = answerOf(note)
  return plain(`${note.key}: ${headline}${confidence === undefined ? "" : ` ${percent(confidence)}`}`)
}

export const answersJson = (answers: ReadonlyArray<Note>) =>
  answers.map(({ content, key, seq, step }) => ({ key, seq, step, content }))
