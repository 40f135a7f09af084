/** How notes say that they are a call of a tool, or the result of one. */
import type { Note } from "./Note.ts"

/** Names of metadata. A call is a note with its parameters, a result is a note with what the tool gave. */
export const toolMeta = {
  call: "tool_call",
  name: "tool",
  round: "tool_round",
  result: "tool_result",
  failed: "tool_failed",
  carry: "tool_carry",
  approval: "approval"
} as const

/** The tool whose call or result a note is. */
export const toolOf = ({ metadata }: Note): string => metadata[toolMeta.name] ?? ""

export const isCall = ({ metadata }: Note): boolean => metadata[toolMeta.call] !== undefined

export const isResult = ({ metadata }: Note): boolean => metadata[toolMeta.result] !== undefined

export const isFailedResult = (note: Note): boolean => isResult(note) && note.metadata[toolMeta.failed] === "true"
