/** The keys of the notes that an agent writes, and of the questions that it asks. */
import * as Schema from "effect/Schema"
import type { ToolCall } from "../../Provider.ts"
import * as Note from "../../thought/Note.ts"
import type { Settings } from "./settings.ts"
import { answerTool } from "./tools.ts"

/** The key of the calls of a tool and of their results. */
export const keyOf = (
  { name: agent, toolkit }: Pick<Settings, "name" | "toolkit">,
  { name }: Pick<ToolCall, "name">
): string => `${agent}.${name === answerTool || Object.hasOwn(toolkit.tools, name) ? name : "unknown"}`

const handles = new WeakMap<Settings["toolkit"], Map<string, Note.Handle<string, string>>>()

/** The handle of the calls of a tool and of their results. Cached, as making one is slow. */
export const handleOf = (
  settings: Pick<Settings, "name" | "toolkit">,
  call: Pick<ToolCall, "name">
): Note.Handle<string, string> => {
  const key = keyOf(settings, call)
  const known = handles.get(settings.toolkit) ?? new Map<string, Note.Handle<string, string>>()
  handles.set(settings.toolkit, known)
  const handle = known.get(key) ?? Note.handle(key, Schema.String)
  known.set(key, handle)
  return handle
}

/** The key of questions whether a call may be carried out. */
export const approvalKey = (agent: string): string => `${agent}.approval`

/** The key of what triage says. */
export const triageKey = (agent: string): string => `${agent}.triage`
