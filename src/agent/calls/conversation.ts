/** Calls and results in the notes and in the conversation of a thought. */
import * as Chunk from "effect/Chunk"
import type { Carry, ToolCall, ToolResult } from "../../Provider.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Thought } from "../../thought/model.ts"
import { noteList } from "../../thought/render.ts"
import { noteOf, stateOf } from "../../thought/state.ts"
import { estimateTokens } from "../../thought/tokens.ts"
import { toolMeta } from "../../thought/toolMeta.ts"

export const callMetadata = (
  { id, name }: ToolCall,
  round: number,
  carry: Carry | undefined
): Readonly<Record<string, string>> => ({
  [toolMeta.round]: String(round),
  [toolMeta.call]: id,
  [toolMeta.name]: name,
  ...(carry === undefined ? {} : { [toolMeta.carry]: JSON.stringify(carry) })
})

export const resultMetadata = ({
  id,
  isFailure,
  name
}: Omit<ToolResult, "text">): Readonly<Record<string, string>> => ({
  [toolMeta.result]: id,
  [toolMeta.name]: name,
  ...(isFailure ? { [toolMeta.failed]: "true" } : {})
})

/** A long text with its middle left out, so that it has at most about so many tokens. */
export const cutTo = (text: string, tokens: number): string => {
  // a token has at least a character
  if (text.length <= tokens) return text
  const size = estimateTokens(text)
  if (size <= tokens) return text
  const half = Math.max(1, Math.floor((text.length * tokens) / size / 2))
  const left = text.length - 2 * half
  return `${text.slice(0, half)}\n[… ${left} characters were left out …]\n${text.slice(-half)}`
}

/** About how many tokens of a result readers see that know nothing of tools. */
const shownTokens = 4_000

/** Results as readers see them that know nothing of tools. */
export const shownResults = (notes: ReadonlyArray<Note>): string =>
  noteList(notes.map((note) => ({ ...note, content: cutTo(note.content, shownTokens) })))

/** The notes of an entry. */
export const notesOf = (thought: Thought<any>, { carries }: Entry): ReadonlyArray<Note> => {
  const state = stateOf(thought)
  const notes: Array<Note> = []
  for (const id of carries) {
    const note = noteOf(state, id)
    if (note !== undefined) notes.push(note)
  }
  return notes
}

/** Whether a note is a call. */
export const isCall = ({ metadata }: Note): boolean => metadata[toolMeta.call] !== undefined

/** The call that a note is. */
export const callOf = ({ content, metadata }: Note): ToolCall | undefined => {
  const id = metadata[toolMeta.call]
  return id === undefined ? undefined : { id, name: metadata[toolMeta.name] ?? "", params: content }
}

/** The calls among notes. */
export const callsOf = (notes: ReadonlyArray<Note>): ReadonlyArray<ToolCall> =>
  notes.map(callOf).filter((call) => call !== undefined)

/** The note of a call. */
export const noteOfCall = (thought: Thought<any>, id: string): Note | undefined => {
  const { log } = stateOf(thought)
  // usually one of the last notes
  for (let i = Chunk.size(log) - 1; i >= 0; i--) {
    const note = Chunk.getUnsafe(log, i)
    if (note.metadata[toolMeta.call] === id) return note
  }
  return undefined
}

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

/** The result that a note is, apart from its text. */
export const resultOf = ({ metadata }: Note): Omit<ToolResult, "text"> | undefined => {
  const id = metadata[toolMeta.result]
  return id === undefined
    ? undefined
    : { id, name: metadata[toolMeta.name] ?? "", isFailure: metadata[toolMeta.failed] === "true" }
}

/** Whether the thought has results of tools, wherever they are shown: they may contain instructions of somebody else. */
export const hasResults = (thought: Thought<any>): boolean =>
  Chunk.some(stateOf(thought).log, ({ source }) => source === toolSource)

/** The source of results. */
export const toolSource = "tool"
