/** The conversation as it was before a message, also where a summary that was made later stands for it. */
import { isSummary, standIn } from "../../primitive/reasoning/compaction.ts"
import { withCalls } from "../../thought/callLines.ts"
import type { Draft, Entry } from "../../thought/Entry.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { inOrder, message } from "../../thought/render.ts"
import * as Session from "../../thought/Session.ts"
import { noteOf, stateOf } from "../../thought/state.ts"
import { shownBy } from "../../thought/turns.ts"
import { callsOf, isCall, resultOf, shownResults } from "../calls/conversation.ts"
import { isDocument } from "../model/Document.ts"
import { task } from "./round.ts"

/** The entries before the one that shows the note with this number. A summary that was made later gives way to what it stands for. */
export const conversationBefore = (thought: Thought<any>, seq: number): Session.Session => {
  const state = stateOf(thought)
  const entries = Session.entries(thought.session)
  const isLater = (id: string) => (noteOf(state, id)?.seq ?? 0) >= seq
  const isSummaryOf = (id: string) => {
    const note = noteOf(state, id)
    return note !== undefined && isSummary(note)
  }
  const earlier = (entry: Entry): ReadonlyArray<Note> =>
    shownBy([entry])
      .map((id) => noteOf(state, id))
      .filter((note): note is Note => note !== undefined && note.seq < seq)
      .toSorted((a, b) => a.seq - b.seq)
  const first = entries.findIndex((entry) => shownBy([entry]).some(isLater))
  const kept = first === -1 ? entries : entries.slice(0, first)
  const drafts: Array<Draft> = []
  for (const entry of entries.slice(kept.length)) {
    if (!shownBy([entry]).some(isLater)) {
      drafts.push(entry)
      continue
    }
    if (entry.kind !== "summary") break
    drafts.push(...shownAgain(thought, earlier(entry)))
    if (entry.covers.some((id) => isLater(id) && !isSummaryOf(id))) break
  }
  const session = Session.fromEntries(kept, { nextIndex: (entries.at(-1)?.index ?? -1) + 1 })
  return Session.append(session, ...drafts)
}

/** Shows notes that were shown before: the last summary among them, and each note that it does not stand for. */
const shownAgain = (thought: Thought<any>, shown: ReadonlyArray<Note>): ReadonlyArray<Draft> => {
  const summary = shown.findLast((note) => isSummary(note) && note.redacted === undefined)
  if (summary === undefined) return turnsOf(shown)
  const made = madeOf(thought, summary)
  const covered = shown.filter(({ id }) => made.has(id))
  const others = shown.filter((note) => note !== summary && !made.has(note.id))
  return [
    standIn(
      summary,
      covered.map(({ id }) => id)
    ),
    ...turnsOf(others)
  ]
}

/** The ids of all notes that a note was made of. */
const madeOf = (thought: Thought<any>, { derivedFrom }: Note): ReadonlySet<string> => {
  const state = stateOf(thought)
  const found = new Set(derivedFrom)
  // what is added meanwhile is visited too
  for (const id of found) for (const from of noteOf(state, id)?.derivedFrom ?? []) found.add(from)
  return found
}

/** What no request shows, although the conversation has it. */
const isAside = (note: Note): boolean => note.source === "triage" || isDocument(note) || note.redacted !== undefined

type Part = "message" | "calls" | "results" | "answer"

const partOf = (note: Note): Part => {
  if (isCall(note)) return "calls"
  if (resultOf(note) !== undefined) return "results"
  return note.source === "agent" ? "answer" : "message"
}

/** The entries of messages, calls, results and answers, in the order of their notes. */
const turnsOf = (notes: ReadonlyArray<Note>): ReadonlyArray<Draft> => {
  const groups: Array<{ readonly part: Part; readonly notes: Array<Note>; readonly aside: Array<Note> }> = []
  const aside: Array<Note> = []
  for (const note of notes) {
    if (isAside(note)) {
      aside.push(note)
      continue
    }
    const part = partOf(note)
    const last = groups.at(-1)
    const isNew =
      last?.part !== part ||
      part === "answer" ||
      (note.key === "message" && last.notes.some(({ key }) => key === "message"))
    if (isNew) groups.push({ part, notes: [note], aside: aside.splice(0) })
    else last.notes.push(note)
  }
  groups.at(-1)?.aside.push(...aside)
  return groups.map((group): Draft => ({
    ...draftOf(group.part, group.notes),
    carries: group.notes.map(({ id }) => id),
    covers: group.aside.map(({ id }) => id)
  }))
}

const draftOf = (part: Part, notes: ReadonlyArray<Note>): Draft => {
  if (part === "message") return { role: "user", text: message({ task, notes: inOrder(notes) }) }
  if (part === "calls") return { role: "assistant", text: withCalls("", callsOf(notes)) }
  if (part === "results") return { kind: "result", role: "user", text: shownResults(notes) }
  return { role: "assistant", text: notes.map(({ content }) => content).join("\n\n") }
}
