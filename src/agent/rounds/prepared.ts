/** What `prepare` sets for a round. Anything else that it gives is a defect, as a slip there would lift what it restricts. */
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import { checkSampling } from "../../arguments/checked.ts"
import { maybe, others, provider, sampling } from "../../arguments/forms.ts"
import { kindOf, oddOneOf, text } from "../../arguments/kinds.ts"
import { refuseSlips } from "../../arguments/slips.ts"
import { quoted } from "../../text/legible.ts"
import type { Thought } from "../../thought/model.ts"
import type { Prepared, Settings } from "../model/settings.ts"

const forms = {
  ...others("tools", "toolChoice"),
  provider: maybe("", provider),
  sampling: maybe("", sampling)
}

const choices: ReadonlySet<unknown> = new Set(["auto", "none", "required"])

export const preparedFor = (
  settings: Settings,
  round: number,
  thought: Thought<any>
): Effect.Effect<Prepared, any, any> => {
  const { prepare } = settings
  if (prepare === undefined) return Effect.succeed({})
  return Effect.suspend(() => {
    const prepared = prepare(round, thought)
    return Effect.map(Effect.isEffect(prepared) ? prepared : Effect.succeed(prepared), (one) => checked(settings, one))
  })
}

const checked = ({ name: agent, toolkit }: Settings, prepared: Prepared): Prepared => {
  const owner = `\`prepare\` of the agent ${quoted(agent)}`
  const kind = kindOf(prepared)
  if (kind !== "an object") throw new Error(`${owner} must give an object, or an effect of one, but gave ${kind}.`)
  refuseSlips(owner, forms, prepared)
  const { toolChoice = "auto", tools } = prepared
  const odd = oddOneOf(tools ?? [], text)
  if (odd !== undefined) throw new Error(`${owner} must give an array of names as tools, but gave ${odd}.`)
  const named = hasProperty(toolChoice, "tool") && text.is(toolChoice.tool) ? [toolChoice.tool] : []
  if (named.length === 0 && !choices.has(toolChoice)) {
    throw new Error(
      `${owner} must give "auto", "none", "required" or { tool } as toolChoice, not ${quoted(toolChoice)}.`
    )
  }
  const unknown = [...(tools ?? []), ...named].filter((tool) => !Object.hasOwn(toolkit.tools, tool))
  if (unknown.length > 0) {
    throw new Error(
      `The agent ${quoted(agent)} has no tool ${unknown.map(quoted).join(", ")}, which \`prepare\` names.`
    )
  }
  const barred = tools === undefined ? undefined : named.find((tool) => !tools.includes(tool))
  if (barred !== undefined)
    throw new Error(`${owner} demands the tool ${quoted(barred)}, which is not among its tools.`)
  checkSampling(owner, prepared.sampling)
  return prepared
}
