/** The messages that a model sees of a conversation with calls and results. */
import type { Carry, Message, ToolCall, ToolResult } from "../../Provider.ts"
import { linesOf } from "../../thought/callLines.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { seenText } from "../../thought/render.ts"
import * as Session from "../../thought/Session.ts"
import { toolMeta } from "../../thought/toolMeta.ts"
import { callsOf, cutTo, isCall, notesOf, resultOf } from "./conversation.ts"
import { plain } from "./ids.ts"

const longestName = 64

/** A call as every provider takes it back, whatever the model wrote. */
const sendable = ({ id, name, params }: ToolCall): ToolCall => ({
  id,
  name: plain(name).slice(0, longestName) || "unknown",
  params: isObject(params) ? params : JSON.stringify({ malformed: params })
})

const isObject = (text: string): boolean => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null && !Array.isArray(json)
  } catch {
    return false
  }
}

const carryOf = (notes: ReadonlyArray<Note>): Carry | undefined => {
  const text = notes.find(({ metadata }) => metadata[toolMeta.carry] !== undefined)?.metadata[toolMeta.carry]
  // written by `callMetadata`
  return text === undefined ? undefined : (JSON.parse(text) as Carry)
}

const resultsOf = (notes: ReadonlyArray<Note>, tokens: number): ReadonlyMap<string, ToolResult> => {
  const results = new Map<string, ToolResult>()
  for (const note of notes) {
    const result = resultOf(note)
    if (result !== undefined) results.set(result.id, { ...result, text: cutTo(seenText(note), tokens) })
  }
  return results
}

/** The result of a call without one: its run has failed, or a note was removed. */
const missing = ({ id, name }: ToolCall): ToolResult => ({
  id,
  name,
  text: "Its result is not there any more. It is not known whether this was carried out.",
  isFailure: true
})

/**
 * The messages of the conversation of a thought that grows. Every call is followed by its result, as providers demand, and no
 * result comes without its call, whatever of the conversation is in view.
 */
export class Messages {
  readonly #resultTokens: number
  #session: Session.Session = Session.empty
  /** Its last two entries: the messages of an entry depend on those beside it. */
  #recent: ReadonlyArray<Entry> = []
  /** Those of all entries but the last one, whose messages depend on what comes next. */
  #settled: ReadonlyArray<Message> = []

  constructor(resultTokens: number) {
    this.#resultTokens = resultTokens
  }

  /** All of them. Only entries that were added since the last time are looked at. */
  of(thought: Thought<any>): ReadonlyArray<Message> {
    const { session } = thought
    const added = Session.addedSince(session, this.#session)
    const before = added === undefined ? [] : this.#recent
    const entries = [...before, ...(added ?? Session.entries(session))]
    const messages = added === undefined ? [] : [...this.#settled]
    const last = entries.length - 1
    for (let i = Math.max(0, before.length - 1); i < last; i++) {
      messages.push(...messagesAt(thought, entries, i, this.#resultTokens))
    }
    this.#session = session
    this.#recent = entries.slice(-2)
    this.#settled = messages
    return [...messages, ...messagesAt(thought, entries, last, this.#resultTokens)]
  }
}

/** The messages of the entry at a position: a call comes with its result, which the next entry has. */
const messagesAt = (
  thought: Thought<any>,
  entries: ReadonlyArray<Entry>,
  position: number,
  resultTokens: number
): ReadonlyArray<Message> => {
  const entry = entries[position]
  if (entry === undefined) return []
  const { kind, role, text } = entry
  const notes = role === "assistant" ? notesOf(thought, entry) : []
  const calls = callsOf(notes)
  if (calls.length > 0) {
    const next = entries[position + 1]
    const known =
      next?.kind === "result" ? resultsOf(notesOf(thought, next), resultTokens) : new Map<string, ToolResult>()
    const carry = carryOf(notes)
    const own = text.slice(0, Math.max(0, text.length - linesOf(calls).length)).trim()
    const sent = calls.map(sendable)
    const results = sent.map((call) => ({ ...(known.get(call.id) ?? missing(call)), name: call.name }))
    return [
      { role, text: own, calls: sent, ...(carry === undefined ? {} : { carry }) },
      { role: "tool", text: "", results }
    ]
  }
  const before = entries[position - 1]
  const isAnswered = kind === "result" && before?.role === "assistant" && notesOf(thought, before).some(isCall)
  return isAnswered ? [] : [{ role, text }]
}
