/** Calls and results in the conversation of a thought, and in the messages that a model sees. */
import * as Chunk from "effect/Chunk"
import type { Carry, Message, ToolCall, ToolResult } from "../../Provider.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Thought } from "../../thought/model.ts"
import { noteOf, stateOf } from "../../thought/state.ts"
import { seenText } from "../../thought/render.ts"
import { estimateTokens } from "../../thought/tokens.ts"

/** Names of metadata. A call is a note with its parameters, a result is a note with what the tool gave. */
const meta = {
  call: "tool_call",
  name: "tool",
  result: "tool_result",
  failed: "tool_failed",
  carry: "tool_carry"
} as const

export const callMetadata = ({ id, name }: ToolCall, carry: Carry | undefined): Readonly<Record<string, string>> => ({
  [meta.call]: id,
  [meta.name]: name,
  ...(carry === undefined ? {} : { [meta.carry]: JSON.stringify(carry) })
})

export const resultMetadata = ({
  id,
  isFailure,
  name
}: Omit<ToolResult, "text">): Readonly<Record<string, string>> => ({
  [meta.result]: id,
  [meta.name]: name,
  ...(isFailure ? { [meta.failed]: "true" } : {})
})

/** The text of an answer that calls tools, for readers that know nothing of tools. */
export const withCalls = (text: string, calls: ReadonlyArray<ToolCall>): string => {
  const lines = linesOf(calls)
  return text === "" ? lines : `${text}\n\n${lines}`
}

const linesOf = (calls: ReadonlyArray<Pick<ToolCall, "name" | "params">>): string =>
  calls.map(({ name, params }) => `[calls ${name} with ${params}]`).join("\n")

/** A long text with its middle left out, so that it has at most about so many tokens. */
export const cutTo = (text: string, tokens: number): string => {
  const size = estimateTokens(text)
  if (size <= tokens) return text
  const half = Math.max(1, Math.floor((text.length * tokens) / size / 2))
  const left = text.length - 2 * half
  return `${text.slice(0, half)}\n[… ${left} characters were left out …]\n${text.slice(-half)}`
}

const notesOf = (thought: Thought<any>, { carries }: Entry): ReadonlyArray<Note> => {
  const state = stateOf(thought)
  return carries.map((id) => noteOf(state, id)).filter((note) => note !== undefined)
}

/** The call that a note is. */
export const callOf = ({ content, metadata }: Note): ToolCall | undefined => {
  const id = metadata[meta.call]
  return id === undefined ? undefined : { id, name: metadata[meta.name] ?? "", params: content }
}

const callsOf = (notes: ReadonlyArray<Note>): ReadonlyArray<ToolCall> =>
  notes.map(callOf).filter((call) => call !== undefined)

const longestName = 64

/** A text in the characters that names and ids may have. */
const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, "_")

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

/** The note of a call. */
export const noteOfCall = (thought: Thought<any>, id: string): Note | undefined =>
  Array.from(stateOf(thought).log).findLast(({ metadata }) => metadata[meta.call] === id)

/** The parameters of a call of the thought, as JSON. Undefined if it has no such call any more. */
export const paramsOfCall = (thought: Thought<any>, id: string): unknown => {
  const note = noteOfCall(thought, id)
  if (note === undefined || note.redacted !== undefined) return undefined
  try {
    return JSON.parse(note.content)
  } catch {
    return undefined
  }
}

/** The ids of all calls of a thought. */
const knownIds = (thought: Thought<any>): Set<string> =>
  new Set(callsOf(Array.from(stateOf(thought).log)).map(({ id }) => id))

/** Room for a number within the 64 characters that vendors allow. */
const longestId = 56

/** Makes ids that every vendor takes and no other call of the thought has, as a result is found by its id. */
export const naming = (thought: Thought<any>): ((given: string) => string) => {
  const known = knownIds(thought)
  return (given) => {
    const base = plain(given).slice(0, longestId) || "call"
    let id = base
    for (let n = 2; known.has(id); n++) id = `${base}_${n}`
    known.add(id)
    return id
  }
}

/** The calls with such ids. */
export const distinct = (thought: Thought<any>, calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> => {
  const idOf = naming(thought)
  return calls.map((call) => ({ ...call, id: idOf(call.id) }))
}

const carryOf = (notes: ReadonlyArray<Note>): Carry | undefined => {
  const text = notes.find(({ metadata }) => metadata[meta.carry] !== undefined)?.metadata[meta.carry]
  // written by `callMetadata`
  return text === undefined ? undefined : (JSON.parse(text) as Carry)
}

/** The result that a note is, apart from its text. */
export const resultOf = ({ metadata }: Note): Omit<ToolResult, "text"> | undefined => {
  const id = metadata[meta.result]
  return id === undefined
    ? undefined
    : { id, name: metadata[meta.name] ?? "", isFailure: metadata[meta.failed] === "true" }
}

const resultsOf = (notes: ReadonlyArray<Note>, tokens: number): ReadonlyMap<string, ToolResult> =>
  new Map(
    notes.flatMap((note) => {
      const result = resultOf(note)
      return result === undefined ? [] : [[result.id, { ...result, text: cutTo(seenText(note), tokens) }] as const]
    })
  )

/** The result of a call that an earlier run has not carried out. */
const missing = ({ id, name }: ToolCall): ToolResult => ({
  id,
  name,
  text: "Its result is not there any more.",
  isFailure: true
})

/**
 * The messages of entries. Every call is followed by its result, as providers demand, and no result comes without its call,
 * whatever of the conversation is in view.
 */
export const messagesOf = (
  thought: Thought<any>,
  entries: ReadonlyArray<Entry>,
  resultTokens: number
): ReadonlyArray<Message> => {
  const messages: Array<Message> = []
  for (const [i, entry] of entries.entries()) {
    const { kind, role, text } = entry
    const notes = notesOf(thought, entry)
    const calls = role === "assistant" ? callsOf(notes) : []
    if (calls.length > 0) {
      const next = entries[i + 1]
      const known =
        next?.kind === "result" ? resultsOf(notesOf(thought, next), resultTokens) : new Map<string, ToolResult>()
      const carry = carryOf(notes)
      const own = text.slice(0, Math.max(0, text.length - linesOf(calls).length)).trim()
      const sent = calls.map(sendable)
      const results = sent.map((call) => ({ ...(known.get(call.id) ?? missing(call)), name: call.name }))
      messages.push({ role, text: own, calls: sent, ...(carry === undefined ? {} : { carry }) })
      messages.push({ role: "tool", text: "", results })
      continue
    }
    const before = entries[i - 1]
    const isAnswered = kind === "result" && before !== undefined && callsOf(notesOf(thought, before)).length > 0
    if (!isAnswered) messages.push({ role, text })
  }
  return messages
}

/** Whether the thought has results of tools, wherever they are shown: they may contain instructions of somebody else. */
export const hasResults = (thought: Thought<any>): boolean =>
  Chunk.some(stateOf(thought).log, ({ source }) => source === toolSource)

/** The source of results. */
export const toolSource = "tool"
