/** Whether an agent may carry out a call. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { quoted } from "../../text/legible.ts"

/**
 * What becomes of a call: it is carried out, somebody is asked first, or it is refused with a reason that the model sees.
 *
 * @category models
 */
export type Verdict = "allow" | "ask" | { readonly deny: string }

/** What a policy has given, if it is a verdict. Anything else, such as a promise of one, is a bug. */
export const checkedVerdict =
  (tool: string) =>
  (given: Verdict): Verdict => {
    if (given === "allow" || given === "ask") return given
    const reason: unknown = hasProperty(given, "deny") ? given.deny : undefined
    if (typeof reason === "string") return { deny: reason }
    throw new Error(
      `The policy gave no verdict for a call of ${quoted(tool)}: it needs "allow", "ask" or { deny: reason }.`
    )
  }

/** A flag of a tool, if the tool sets it itself: the defaults call every tool destructive. */
const flag = (tool: Tool.Any, annotation: Context.Reference<boolean>): boolean | undefined =>
  tool.annotations.mapUnsafe.get(annotation.key) as boolean | undefined

const isDestructive = (tool: Tool.Any): boolean => flag(tool, Tool.Destructive) === true

/** Whether a tool only reads. */
export const isReadonly = (tool: Tool.Any): boolean => flag(tool, Tool.Readonly) === true && !isDestructive(tool)

/** Whether a call may be carried out again if it is not known whether it was. */
export const isRepeatable = (tool: Tool.Any): boolean => isReadonly(tool) || flag(tool, Tool.Idempotent) === true

/** Whether somebody may be asked before a call of the tool, by the default policy. */
export const mayAsk = (tool: Tool.Any): boolean =>
  !isReadonly(tool) || (tool.needsApproval !== undefined && tool.needsApproval !== false)

/** Whether a function of the tool says which calls need approval. */
export const judgesItself = ({ needsApproval }: Tool.Any): boolean => typeof needsApproval === "function"

/**
 * The default policy: destructive tools ask, and those that need approval. Tools that only read are allowed. Others ask once the
 * model has seen the result of a tool, which may contain instructions of somebody else. `messages` is the conversation.
 */
export const verdictOf = (
  tool: Tool.Any,
  call: { readonly id: string; readonly params: unknown },
  messages: () => ReadonlyArray<Prompt.Message>,
  hasSeenResults: boolean
): Effect.Effect<Verdict, never, any> => {
  const byAnnotations = Effect.succeed<Verdict>(
    isDestructive(tool) || (!isReadonly(tool) && hasSeenResults) ? "ask" : "allow"
  )
  const needs: unknown = tool.needsApproval
  if (!judgesItself(tool)) return needs === true ? Effect.succeed<Verdict>("ask") : byAnnotations
  return Effect.suspend(() => {
    // a tool of any type takes its own parameters
    const asks = (tool.needsApproval as Tool.NeedsApprovalFunction<any>)(call.params, {
      toolCallId: call.id,
      messages: messages()
    })
    const decided = Effect.isEffect(asks) ? (asks as Effect.Effect<boolean, never, any>) : Effect.succeed(asks)
    return Effect.flatMap(decided, (isNeeded) => (isNeeded ? Effect.succeed<Verdict>("ask") : byAnnotations))
  })
}
