/** A database that an earlier version filled, as a dump beside this file, and what its rows are to be read as. */
import * as DateTime from "effect/DateTime"
import type { Kysely } from "kysely"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Space } from "../../src/Memory.ts"
import type { StoredThought, ThoughtRow } from "../../src/Store.ts"
import type { Note } from "../../src/Note.ts"
import { entry, note as noteOf, thought as thoughtOf } from "../../src/testing/contract/stage/rows.ts"

export type Db = Kysely<unknown>

/** The statements that restore it. */
export const dump = readFileSync(join(import.meta.dirname, "fixtures", "ten-steps.sql"), "utf8")

/** Ids that the dump has, and that no other row of a test gets. */
const id = (n: number): string => `01981f5e-0000-7000-9000-${n.toString(16).padStart(12, "0")}`
let made = 0
const note = (thoughtId: string, seq: number, more: Parameters<typeof noteOf>[2]): Note =>
  noteOf(thoughtId, seq, { id: id(++made), ...more })
const thought = (more: Partial<ThoughtRow> = {}): ThoughtRow => {
  const own = id(++made)
  return thoughtOf({ id: own, traceId: `trace ${own}`, ...more })
}

export const scope = "acme \u0000\ud800 \u001a0000"
export const other = "globex"

/**
 * The space in use, with a vector of the root's second note, and a retired one: with two vectors of the root's first note, one
 * of its second, and one of the stranger's first.
 */
export const few: Space = { embedder: "few\u0000\ud800", dimensions: 2, metric: "cosine" }
export const many: Space = { embedder: "many", dimensions: 3, metric: "cosine" }

const root: ThoughtRow = thought({
  traceId: "ticket\u00007",
  taskId: "refunds\u001a",
  intent: "\ufefftriage \ud800",
  hidden: new Map([["draft\u0000", 2]])
})
const rootNotes: ReadonlyArray<Note> = [
  note(root.id, 1, {
    key: "message\u0000",
    content: "The parcel was lost\u0000 on its way \udc00",
    metadata: { "from\u0000": "mail\ud83d", __proto__x: "1", "": "" },
    source: "user\u001a",
    step: "read\ufeff"
  }),
  note(root.id, 2, { key: "policy", content: "Refunds are due for damaged goods", trust: "trusted" }),
  note(root.id, 3, { key: "again", content: "Refunds are due for damaged goods", metadata: { a: "b" } })
]
const start: ThoughtRow = {
  ...root,
  checkpoints: new Map([["start\udc00", { id: rootNotes[0]!.id, seq: 1 }]])
}
const fork = thought({ parent: { id: root.id, seq: 2 }, taskId: "refunds\u001a", createdMillis: 1_700_000_001_000 })
const forkNotes: ReadonlyArray<Note> = [note(fork.id, 3, { key: "opinion", content: "\ufeffThe fork has a doubt" })]
const grandchild = thought({ parent: { id: fork.id, seq: 3 }, createdMillis: 1_700_000_002_000 })
const stranger = thought({ createdMillis: 1_700_000_003_000 })
const told = note(stranger.id, 1, { content: "Nobody of another tenant reads of damaged goods" })
const search = { source: "seek", step: "ask/history" }
const found = note(stranger.id, 3, {
  ...search,
  key: "history\u0000",
  content: JSON.stringify({ query: "\u0000", matches: [{ noteId: told.id, content: `"noteId":"${start.id}"` }] }),
  derivedFrom: [told.id]
})
/** What was redacted, and with it what a search wrote of it. */
const redacted = DateTime.makeUnsafe(1_700_000_009_000)
const secret = note(stranger.id, 2, { content: "", redacted })
/** The third is what a search wrote of the first, the fourth a summary of that. */
const strangerNotes: ReadonlyArray<Note> = [
  told,
  secret,
  found,
  note(stranger.id, 4, { ...search, key: "history_summary", content: "One was found", derivedFrom: [found.id] }),
  note(stranger.id, 5, { ...search, step: "other", key: "elsewhere", content: "Nothing was found" }),
  note(stranger.id, 6, { ...search, step: "third", key: "third", content: "", derivedFrom: [secret.id], redacted })
]

export const rows = { root: start, rootNotes, fork, forkNotes, grandchild, stranger, strangerNotes }

const entries = [
  entry(0, { text: "\ufeffHello\u0000", carries: [rootNotes[0]!.id] }),
  entry(1, { kind: "summary", text: "What was \ud800 said", carries: [rootNotes[1]!.id], covers: [rootNotes[0]!.id] }),
  entry(2, { role: "assistant", text: "", carries: [rootNotes[2]!.id] })
]
/** Entry 0 is no longer live. */
const gone = 0

const usage = { inputTokens: 12, outputTokens: 3 }

/** What each thought of the scope is to be read as. */
export const expected = {
  root: {
    thought: start,
    version: 3,
    notes: rootNotes,
    entries: entries.filter(({ index }) => index !== gone),
    nextIndex: 3,
    usage
  },
  fork: {
    thought: fork,
    version: 1,
    notes: [...rootNotes.slice(0, 2), ...forkNotes],
    entries: [],
    nextIndex: 0,
    usage: undefined
  },
  grandchild: {
    thought: grandchild,
    version: 1,
    notes: [...rootNotes.slice(0, 2), ...forkNotes],
    entries: [],
    nextIndex: 0,
    usage: undefined
  }
} satisfies Record<string, StoredThought>

/** What the thought of the other tenant is to be read as. A redaction is a version of its own. */
export const expectedOfStranger: StoredThought = {
  thought: stranger,
  version: 3,
  notes: strangerNotes,
  entries: [],
  nextIndex: 0,
  usage: undefined
}
