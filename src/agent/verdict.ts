/** Whether an agent may carry out a call. */
import type * as Context from "effect/Context"
import * as Tool from "effect/ai/Tool"

/**
 * What becomes of a call: it is carried out, somebody is asked first, or it is refused with a reason that the model sees.
 *
 * @category models
 */
export type Verdict = "allow" | "ask" | { readonly deny: string }

/** A flag of a tool, if the tool sets it itself: the defaults call every tool destructive. */
const flag = (tool: Tool.Any, annotation: Context.Reference<boolean>): boolean | undefined =>
  tool.annotations.mapUnsafe.get(annotation.key) as boolean | undefined

export const isReadonly = (tool: Tool.Any): boolean => flag(tool, Tool.Readonly) === true

/** Whether a call may be carried out again if it is not known whether it was. */
export const isRepeatable = (tool: Tool.Any): boolean => isReadonly(tool) || flag(tool, Tool.Idempotent) === true

/** Whether somebody may be asked before a call of the tool, by the default policy. */
export const mayAsk = (tool: Tool.Any): boolean => !isReadonly(tool) || tool.needsApproval === true

/**
 * The default policy: tools that only read are allowed; destructive ones, and those that need approval, ask. Others ask once the model has seen the result of a
 * tool, which may contain instructions of somebody else.
 */
export const verdictOf = (tool: Tool.Any, hasSeenResults: boolean): Verdict => {
  if (tool.needsApproval === true) return "ask"
  if (isReadonly(tool)) return "allow"
  return flag(tool, Tool.Destructive) === true || hasSeenResults ? "ask" : "allow"
}
