/**
 * What OpenAI's models accept, by the family that their name tells.
 */
import type { Capabilities } from "../../Provider.ts"

const free: Capabilities = { temperature: "free", efforts: [], structuredOutput: "json-schema", seed: true }

// Without a temperature and without efforts nothing is sent that a model could refuse.
const silent: Capabilities = { temperature: "never", efforts: [], structuredOutput: "json-schema", seed: false }

// The first that matches counts. Which family refuses what is known from recorded calls, not from the API; what is wrong
// here costs one call more, as the provider learns from refusals.
const families: ReadonlyArray<readonly [RegExp, Capabilities]> = [
  [/^(gpt-3\.5|gpt-4(-|$)|gpt-4o-2024-05-13|chatgpt-)/, { ...free, structuredOutput: "none" }],
  [/^(gpt-4|gpt-5-chat)/, free],
  [/^o1-(mini|preview)/, { ...silent, structuredOutput: "none" }],
  // These reason as they like: no effort is known that all of them take.
  [/^o\d+-(pro|deep-research)|^o\d+-mini-deep-research/, silent],
  [/^o\d/, { ...silent, efforts: ["low", "medium", "high"] }],
  [/^gpt-\d+(\.\d+)?-([^/]*-)?(chat|codex|pro)(-|$)/, silent],
  [/^gpt-5(-|$)/, { ...silent, efforts: ["minimal", "low", "medium", "high"] }],
  // Without an effort they do not reason, and take a temperature.
  [/^gpt-5\.[1-4](-|$)/, { ...silent, temperature: "without-effort", efforts: ["none", "low", "medium", "high"] }],
  // Those after them reason unless told not to. Of the newest this is assumed.
  [/^gpt-(5\.|6(\.\d+)?(-|$))/, { ...silent, efforts: ["none", "low", "medium", "high"] }]
]

const bare = (model: string): string => model.toLowerCase().replace(/^ft:/, "").replace(/^.*\//, "")

/**
 * Whether chat completions limit an answer by `max_completion_tokens`: OpenAI does, and so do others for its models that
 * reason, which refuse the older `max_tokens`.
 */
export const takesNewLimit = (model: string, official: boolean): boolean =>
  official || /^(o\d|gpt-([5-9]|\d\d))/.test(bare(model))

/**
 * Capabilities of a model. Names are read without a `ft:` before and a `vendor/` in front of them.
 *
 * A name of no known family is taken to accept everything, as open models do, but at OpenAI itself to accept neither
 * temperature nor effort, as its newest models do.
 */
export const capabilitiesOf = (model: string, official: boolean): Capabilities => {
  const name = bare(model)
  return families.find(([family]) => family.test(name))?.[1] ?? (official ? silent : free)
}
