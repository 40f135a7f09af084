/** A thought in a report, with its notes and its conversation. */
import type { History } from "../memory/model/Store.ts"
import type { Note } from "../Note.ts"
import { defined } from "./defined.ts"
import type { EntryReport, NoteReport, ThoughtReport } from "./model.ts"

/** The notes of several thoughts, each once. */
export class Notes {
  readonly all: Array<NoteReport> = []
  readonly #places = new Map<string, number>()

  /** The place of a note among all. */
  add(note: Note): number {
    const known = this.#places.get(note.id)
    if (known !== undefined) return known
    this.#places.set(note.id, this.all.length)
    return this.all.push(noteOf(note)) - 1
  }
}

const noteOf = ({ created, redacted, ...note }: Note): NoteReport => {
  const isRedacted = redacted !== undefined
  return {
    id: note.id,
    thoughtId: note.thoughtId,
    seq: note.seq,
    key: note.key,
    content: isRedacted ? "" : note.content,
    metadata: isRedacted ? {} : note.metadata,
    source: note.source,
    step: note.step,
    trust: note.trust,
    createdMillis: created.epochMilliseconds,
    derivedFrom: note.derivedFrom,
    ...defined({ redactedMillis: redacted?.epochMilliseconds })
  }
}

export const thoughtOf = (
  { entries, notes, removed, thought, version }: History,
  relation: ThoughtReport["relation"],
  all: Notes
): ThoughtReport => {
  const gone = removed.map(({ entry, version }): EntryReport => ({ ...entry, removedBy: version }))
  return {
    id: thought.id,
    traceId: thought.traceId,
    ...defined({ taskId: thought.taskId, parent: thought.parent }),
    intent: thought.intent,
    createdMillis: thought.createdMillis,
    version,
    relation,
    hidden: Object.fromEntries(thought.hidden),
    notes: notes.map((note) => all.add(note)),
    entries: [...entries, ...gone].toSorted((a, b) => a.index - b.index)
  }
}
