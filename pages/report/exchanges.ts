/** What each call was sent: what was new in it, and what the conversation had before. */
import type { CallRecord, EntryReport, NoteReport } from "../../src/report/model.ts"
import { fieldsOf } from "../../src/text/answer.ts"
import { isModelCall, repairsOf, samePath, type View } from "./model.ts"

export interface Message {
  readonly role: string
  readonly text: string
  readonly notes: ReadonlyArray<NoteReport>
}

/** A call of a model, or what the conversation says of one. */
export interface Exchange {
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly frame?: string
  readonly call?: CallRecord
  /** Messages that an earlier call was sent too. */
  readonly before: ReadonlyArray<Message>
  readonly fresh: ReadonlyArray<Message>
  /** Notes that this call showed for the first time. */
  readonly newNotes: ReadonlyArray<NoteReport>
  readonly reply?: string
  /** Where the messages come from. */
  readonly source: "request" | "conversation" | "notes"
  /** The answer before this one was rejected, and this call repairs it. */
  readonly isRepair: boolean
}

const computed = new WeakMap<View, ReadonlyArray<Exchange>>()

export const exchangesOf = (view: View): ReadonlyArray<Exchange> => {
  const known = computed.get(view)
  if (known !== undefined) return known
  const { run } = view
  const exchanges = run === undefined ? ofConversation(view) : ofCalls(view, run.calls.filter(isModelCall))
  computed.set(view, exchanges)
  return exchanges
}

/** Messages of the conversation, removed ones included, up to an index. */
const messageOf = (view: View, { carries, role, text }: EntryReport): Message => ({
  role,
  text,
  notes: carries.flatMap((id) => view.byId.get(id) ?? [])
})

const ofCalls = (view: View, calls: ReadonlyArray<CallRecord>): ReadonlyArray<Exchange> => {
  const seen = new Set<Message>()
  const known = new Map<number, Message>()
  const messageAt = (at: number, startedMillis: number): Message => {
    const message = known.get(at) ?? withNotes(view, at, startedMillis)
    known.set(at, message)
    return message
  }
  const used = new Set<string>()
  const repairs = repairsOf(view)
  return calls.map((call): Exchange => {
    const base = { name: call.path.at(-1) ?? view.run?.pipeline ?? "", path: call.path, frame: call.frame, call }
    const reply = call.answer === undefined ? {} : { reply: call.answer }
    if (call.sent !== undefined) {
      const { sent } = call
      const messages = sent.map((at) => messageAt(at, call.startedMillis))
      const isKnown = (message: Message): boolean => {
        const { notes, role, text } = message
        if (seen.has(message)) return true
        return (
          // an answer that became a note is the model's own; one that did not is shown to be corrected
          (role === "assistant" && notes.length > 0) ||
          // the last message of a request adds the form of the answer, which a later request leaves out
          [...seen].some((one) => one.role === role && one.text.startsWith(text))
        )
      }
      const fresh = messages.filter((message) => !isKnown(message))
      const before = messages.filter((message) => !fresh.includes(message))
      const shown = new Set([...seen].flatMap(({ notes }) => notes))
      const asked = fresh.filter(({ role }) => role !== "assistant").flatMap(({ notes }) => notes)
      for (const message of messages) seen.add(message)
      return {
        ...base,
        ...reply,
        before,
        fresh,
        newNotes: [...new Set(asked)].filter((note) => !shown.has(note)),
        source: "request",
        isRepair: repairs.has(call)
      }
    }
    return { ...base, ...fromConversation(view, call, used), ...reply, isRepair: false }
  })
}

/** The beginning of a note in a message. */
const noteBegins = /^<note \d{6,} key=("(?:[^"\\]|\\.)*")/gmu

/** The newest notes of the keys that a message shows. */
const notesIn = (view: View, text: string, untilMillis: number): ReadonlyArray<NoteReport> => {
  const there = view.notes.filter(({ createdMillis }) => createdMillis <= untilMillis)
  return Array.from(text.matchAll(noteBegins), ([, key = ""]) => key).flatMap(
    (quoted) => there.findLast(({ key }) => JSON.stringify(key) === quoted) ?? []
  )
}

const withNotes = (view: View, at: number, untilMillis: number): Message => {
  const { role, text } = view.report.messages[at] ?? { role: "user", text: "" }
  // a request adds the form of the answer to the text of the conversation
  const entry = view.thought.entries.find((one) => one.role === role && one.text !== "" && text.startsWith(one.text))
  // the conversation has no message of a native decision
  const notes = entry?.carries.flatMap((id) => view.byId.get(id) ?? []) ?? notesIn(view, text, untilMillis)
  return { role, text, notes }
}

/** What the conversation has of a call whose request was not kept: the message before the answer of its step. */
const fromConversation = (
  view: View,
  call: CallRecord,
  used: Set<string>
): Omit<Exchange, "name" | "path" | "isRepair"> => {
  const { entries } = view.thought
  const own = view.notes.find(
    (note) =>
      samePath(call.path, note.step) &&
      !used.has(note.id) &&
      (note.metadata["via"] === "native") === (call.kind === "decide")
  )
  if (own !== undefined) used.add(own.id)
  const newNotes = own?.derivedFrom.flatMap((id) => view.byId.get(id) ?? []) ?? []
  const at =
    own === undefined ? -1 : entries.findIndex(({ carries, role }) => role === "assistant" && carries.includes(own.id))
  if (at > 0) {
    const question = entries[at - 1]
    const messages = entries.slice(0, at).map((entry) => messageOf(view, entry))
    return {
      source: "conversation",
      before: messages.slice(0, -1),
      fresh: messages.slice(-1),
      newNotes: question?.carries.flatMap((id) => view.byId.get(id) ?? []) ?? [],
      ...(own === undefined ? {} : { reply: own.content })
    }
  }
  const until = own === undefined ? undefined : entries.findIndex(({ carries }) => carries.includes(own.id))
  const before = (until === undefined || until === -1 ? [] : entries.slice(0, until)).map((entry) =>
    messageOf(view, entry)
  )
  return { source: "notes", before, fresh: [], newNotes, ...(own === undefined ? {} : { reply: own.content }) }
}

/** Without a run: each answer in the conversation, with what came since the one before. */
const ofConversation = (view: View): ReadonlyArray<Exchange> => {
  const { entries } = view.thought
  const all: Array<Exchange> = []
  let from = 0
  for (const [at, entry] of entries.entries()) {
    if (entry.role !== "assistant") continue
    const [own] = entry.carries.flatMap((id) => view.byId.get(id) ?? [])
    const path = own?.step.split("/") ?? []
    const fresh = entries.slice(from, at).map((one) => messageOf(view, one))
    all.push({
      name: path.at(-1) ?? own?.key ?? "answer",
      path,
      before: entries.slice(0, from).map((one) => messageOf(view, one)),
      fresh,
      newNotes: fresh.flatMap(({ notes }) => notes),
      reply: entry.text,
      source: "conversation",
      isRepair: false
    })
    from = at + 1
  }
  return all
}

/** The parts of a message: notes in their fences, and the text between them. */
export type Part =
  | { readonly _tag: "text"; readonly text: string }
  | { readonly _tag: "note"; readonly key: string; readonly text: string }

const fence = /<note (\d+)([^>\n]*)>\n?([\s\S]*?)\n?<\/note \1>/g

export const partsOf = (text: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let from = 0
  for (const found of text.matchAll(fence)) {
    const [all, , attributes = "", content = ""] = found
    const before = text.slice(from, found.index).trim()
    if (before !== "") parts.push({ _tag: "text", text: before })
    parts.push({ _tag: "note", key: /key="([^"]*)"/.exec(attributes)?.[1] ?? "note", text: content })
    from = found.index + all.length
  }
  const rest = text.slice(from).trim()
  return rest === "" ? parts : [...parts, { _tag: "text", text: rest }]
}

/** The kinds of corrections that an answer needed, such as a missing quote. */
export const coercionsOf = ({ metadata }: NoteReport): ReadonlyArray<string> => metadata["coerced"]?.split(", ") ?? []

interface Decision {
  readonly name: string
  readonly shares: ReadonlyArray<readonly [label: string, share: number]>
}

/** The shares in the answer of a native decision, by question. */
export const decisionsOf = (answer: string): ReadonlyArray<Decision> => {
  const list = fieldsOf(`{"answers":${answer}}`)?.["answers"]
  if (!Array.isArray(list)) return []
  return list.flatMap((one: unknown): ReadonlyArray<Decision> => {
    const { distribution, name, probability } = (typeof one === "object" && one !== null ? one : {}) as Readonly<
      Record<string, unknown>
    >
    if (typeof name !== "string") return []
    if (typeof distribution === "object" && distribution !== null)
      return [{ name, shares: Object.entries(distribution as Readonly<Record<string, number>>) }]
    return typeof probability === "number"
      ? [{ name, shares: [["yes", probability] as const, ["no", 1 - probability] as const] }]
      : []
  })
}
