/**
 * What OpenAI's models accept, by the family that their name tells.
 */
import type { Capabilities } from "../Provider.ts"

const free: Capabilities = { temperature: "free", efforts: [], structuredOutput: "json-schema", seed: true }

// Without a temperature and without efforts nothing is sent that a model could refuse.
const silent: Capabilities = { temperature: "never", efforts: [], structuredOutput: "json-schema", seed: false }

// The first that matches counts. Which family refuses what is known from recorded calls, not from the API.
const families: ReadonlyArray<readonly [RegExp, Capabilities]> = [
  [/^(gpt-3\.5|gpt-4(-|$)|gpt-4o-2024-05-13|chatgpt-)/, { ...free, structuredOutput: "none" }],
  [/^(gpt-4|gpt-5-chat)/, free],
  [/^o1-(mini|preview)/, { ...silent, structuredOutput: "none" }],
  [/^o\d/, { ...silent, efforts: ["low", "medium", "high"] }],
  [/^gpt-5[^/]*-(chat|codex|pro)/, silent],
  [/^gpt-5(-|$)/, { ...silent, efforts: ["minimal", "low", "medium", "high"] }],
  [/^gpt-5\.[1-4](-|$)/, { ...silent, temperature: "without-effort", efforts: ["none", "low", "medium", "high"] }],
  [/^gpt-5\./, { ...silent, efforts: ["none", "low", "medium", "high"] }]
]

/**
 * Capabilities of a model. Names are read without a `ft:` before and a `vendor/` in front of them.
 *
 * A name of no known family is taken to accept everything, as open models do, but at OpenAI itself to accept neither
 * temperature nor effort, as its newest models do.
 */
export const capabilitiesOf = (model: string, official: boolean): Capabilities => {
  const name = model.toLowerCase().replace(/^ft:/, "").replace(/^.*\//, "")
  return families.find(([family]) => family.test(name))?.[1] ?? (official ? silent : free)
}
