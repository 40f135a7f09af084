/** What OpenAI's models accept, by the family that their name belongs to. */
import type { Capabilities } from "../../Provider.ts"

const free: Capabilities = {
  temperature: "free",
  efforts: [],
  structuredOutput: "json-schema",
  seed: true,
  tools: true
}

// With neither a temperature nor efforts, nothing is sent that a model could refuse.
const silent: Capabilities = {
  temperature: "never",
  efforts: [],
  structuredOutput: "json-schema",
  seed: false,
  tools: true
}

// The first match counts. Which family refuses what is known from recorded calls, not from the API. A mistake here costs
// one more call, as the provider learns from refusals.
const families: ReadonlyArray<readonly [RegExp, Capabilities]> = [
  [/^(gpt-3\.5|gpt-4(-|$)|gpt-4o-2024-05-13|chatgpt-)/, { ...free, structuredOutput: "none" }],
  [/^(gpt-4|gpt-5-chat)/, free],
  [/^o1-(mini|preview)/, { ...silent, structuredOutput: "none", tools: false }],
  // These choose their own effort: none is known that all of them accept.
  [/^o\d+-(pro|deep-research)|^o\d+-mini-deep-research/, silent],
  [/^o\d/, { ...silent, efforts: ["low", "medium", "high"] }],
  [/^gpt-\d+(\.\d+)?-([^/]*-)?(chat|codex|pro)(-|$)/, silent],
  [/^gpt-5(-|$)/, { ...silent, efforts: ["minimal", "low", "medium", "high"] }],
  // Without an effort they do not reason, and accept a temperature.
  [/^gpt-5\.[1-4](-|$)/, { ...silent, temperature: "without-effort", efforts: ["none", "low", "medium", "high"] }],
  // Later ones reason unless the effort is "none". For the newest this is an assumption.
  [/^gpt-(5\.|6(\.\d+)?(-|$))/, { ...silent, efforts: ["none", "low", "medium", "high"] }]
]

const bare = (model: string): string => model.toLowerCase().replace(/^ft:/, "").replace(/^.*\//, "")

/**
 * Whether chat completions limit an answer by `max_completion_tokens`. OpenAI does, and so do other servers for
 * OpenAI's reasoning models, which refuse the older `max_tokens`.
 */
export const takesNewLimit = (model: string, official: boolean): boolean =>
  official || /^(o\d|gpt-([5-9]|\d\d))/.test(bare(model))

/**
 * The capabilities of a model, by its name without a leading `ft:` or `vendor/`.
 *
 * A model of an unknown family is assumed to accept everything, as open models do. At OpenAI itself it is assumed to
 * accept neither temperature nor effort, as its newest models do.
 */
export const capabilitiesOf = (model: string, official: boolean): Capabilities => {
  const name = bare(model)
  return families.find(([family]) => family.test(name))?.[1] ?? (official ? silent : free)
}

/** Models from gpt-5.6 on accept a mark at the end of a prompt's stable part, and keep nothing up to another place. */
export const takesBreakpoints = (model: string): boolean => /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/.test(bare(model))
