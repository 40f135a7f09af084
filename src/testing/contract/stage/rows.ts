/** Rows for tests of stores: thoughts, notes, entries and commits, with defaults. */
import * as DateTime from "effect/DateTime"
import type { Commit, NewNote, StoredThought, ThoughtRow } from "../../../Store.ts"
import type { Note } from "../../../Note.ts"
import type { Entry } from "../../../Session.ts"

let made = 0

/** Ids in ascending order. */
export const uuid = (): string => `01981f5e-0000-7000-8000-${(++made).toString(16).padStart(12, "0")}`

export const thought = (more: Partial<ThoughtRow> = {}): ThoughtRow => {
  const id = uuid()
  return {
    id,
    traceId: `trace ${id}`,
    taskId: undefined,
    intent: "triage a ticket",
    createdMillis: 1_700_000_000_123,
    parent: undefined,
    hidden: new Map(),
    checkpoints: new Map(),
    ...more
  }
}

export const note = (
  thoughtId: string,
  seq: number,
  { millis = 1_700_000_000_000 + seq, ...more }: Partial<Note> & { readonly millis?: number } = {}
): Note => ({
  id: uuid(),
  thoughtId,
  seq,
  key: `key ${seq}`,
  content: `content ${seq}`,
  metadata: {},
  source: "user",
  step: "",
  created: DateTime.makeUnsafe(millis),
  trust: "untrusted",
  derivedFrom: [],
  ...more
})

/** One note for each draft, numbered from `first`. */
export const notes = (
  thoughtId: string,
  first: number,
  drafts: ReadonlyArray<Parameters<typeof note>[2]>
): ReadonlyArray<Note> => drafts.map((draft, i) => note(thoughtId, first + i, draft))

export const entry = (index: number, more: Partial<Entry> = {}): Entry => ({
  index,
  kind: "message",
  role: "user",
  text: `text ${index}`,
  carries: [],
  covers: [],
  ...more
})

export const commit = (row: ThoughtRow, more: Partial<Commit> = {}): Commit => ({
  thought: row,
  version: 0,
  notes: [],
  entries: [],
  removed: [],
  nextIndex: 0,
  usage: undefined,
  parent: undefined,
  ...more
})

/** A note to append. */
export const newNote = (more: Partial<NewNote> = {}): NewNote => {
  const { seq: _seq, thoughtId: _thought, ...made } = note("", 1, { key: "added", content: "text" })
  return { ...made, ...more }
}

/** A thought as a store returns it. */
export const asStored = (row: ThoughtRow, more: Partial<StoredThought> = {}): StoredThought => ({
  thought: row,
  version: 1,
  notes: [],
  entries: [],
  nextIndex: 0,
  usage: undefined,
  ...more
})

const sorted = <A>(map: ReadonlyMap<string, A>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))

/** A stored thought as plain data, for comparisons. */
export const plain = (stored: StoredThought | undefined): unknown => {
  if (stored === undefined) return undefined
  const { checkpoints, hidden } = stored.thought
  const thought = { ...stored.thought, hidden: sorted(hidden), checkpoints: sorted(checkpoints) }
  return { ...stored, thought, notes: stored.notes.map(plainNote) }
}

/** A note as plain data, with its metadata sorted. */
export const plainNote = ({ created, metadata, ...note }: Note): unknown => ({
  ...note,
  created: created.epochMilliseconds,
  metadata: Object.entries(metadata)
})

/** Texts that databases are known to change or refuse. */
export const awkwardTexts: ReadonlyArray<string> = [
  "",
  " ",
  "a\u0000b",
  "\u0000",
  "\ud800",
  "x\udc00y",
  "\udc00\ud800",
  "\ufeff",
  "\ufeff\ufeffa\ufeff",
  "\u001a",
  "\u001a0000",
  "\u001a\u0000\u001a001a",
  "\ufffd",
  "\uffff\ufffe\ufdd0",
  "😀 é e\u0301 \u2028\u2029\u0085\r\n",
  `quotes " ' \\ \\u0000 {} [] $1 %s`,
  "NULL",
  '{"a":1}',
  "long ".repeat(5000)
]
