/**
 * Notes that repeat the text of others, and say of which: what `seek` and `survey` write.
 *
 * A summary of findings, made by the same step, is the note after them, under another key.
 */
import type { Note } from "../Note.ts"

/** What the steps are called that write findings. */
export const findingSources: ReadonlyArray<string> = ["seek", "survey"]

/** What stands before and after the id of a note whose text is repeated. Within a repeated text the quotes are escaped. */
export const [beforeId, afterId] = ['"noteId":"', '"'] as const

const shownId = /"noteId":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g

/** The ids of the notes whose text a note repeats. */
export const repeatedIds = ({ content, source }: Pick<Note, "content" | "source">): ReadonlyArray<string> =>
  findingSources.includes(source) ? Array.from(content.matchAll(shownId), ([, id]) => id ?? "") : []

/** Whether a note is the summary that was made of the findings before it. */
export const isSummaryOf = (note: Note, findings: Note): boolean =>
  findingSources.includes(note.source) &&
  note.seq === findings.seq + 1 &&
  note.source === findings.source &&
  note.step === findings.step &&
  note.key !== findings.key
