/** Options that steps share which ask a model. */
import * as Schema from "effect/Schema"
import { count, flag, maybe, names, number, oneOf, option, type Parts, words } from "../model/parts.ts"

export const sampling = Schema.Struct({
  temperature: maybe("How free the answers are; 0 for the most likely one.", number(0)),
  effort: maybe("How much the model thinks, in the provider's own words.", words),
  maxTokens: maybe("Most tokens of an answer.", count(1)),
  seed: maybe("A number that makes answers repeat, where the provider can.", Schema.Int),
  stop: maybe("Texts that end an answer.", names)
}).annotate({ expected: "an object of sampling wishes" })

const introspection = {
  prompt: maybe("What to look back on.", words),
  onFailure: maybe("Whether the step fails when looking back fails, or goes on without.", oneOf("fail", "skip")),
  sampling: maybe("Sampling wishes for looking back.", sampling)
}

/** How a pipeline looks back. */
export const introspecting = introspection

const introspect = Schema.Union([
  Schema.Boolean,
  Schema.Struct({ ...introspection, summaryKey: maybe("Key of the note that the reply becomes.", words) })
]).annotate({ expected: "true, false, or an object that says how to look back" })

const view = Schema.Union([
  Schema.Literal("full"),
  Schema.Struct({ recent: option("How many of the last turns are shown.", count(0)) }),
  Schema.Struct({ summaryAndRecent: option("How many turns are shown after the newest summary.", count(0)) })
]).annotate({ expected: '"full", { recent: <count> } or { summaryAndRecent: <count> }' })

/** What is called, and how. */
export const calling = (parts: Parts) => ({
  provider: maybe("Name of the registered provider for this step alone.", parts.provider),
  sampling: maybe("Sampling wishes.", sampling)
})

/** Of steps that look back, and show the conversation. */
export const looking = {
  introspect: maybe("Whether, and how, the step looks back on its answer.", introspect),
  view: maybe("The part of the conversation that the request shows.", view)
}

export const repairs = maybe("How often an answer of the wrong form is sent back to be corrected.", count(0))

export const parsing = maybe(
  "How much may be done to read an answer that is not quite of the form.",
  oneOf("strict", "lenient", "lossy")
)

export const compactable = maybe("Whether a long conversation may be compacted before the request.", flag)

export const via = maybe(
  "Whether the question is answered natively, with measured probabilities, or in text.",
  oneOf("auto", "native", "text")
)

export const reasons = maybe("Whether reasons are wanted in the model's own words.", flag)

/** Of steps that ask a closed question. */
export const closed = (parts: Parts) => ({
  via,
  reasons,
  repairs,
  parsing,
  ...looking,
  compact: compactable,
  ...calling(parts)
})

/** What the options of asking steps are when they are left out. */
export const askingDefaults = {
  via: "auto",
  reasons: false,
  repairs: 1,
  parsing: "lenient",
  view: "full",
  compact: true
}
