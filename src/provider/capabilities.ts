/** What a model accepts and costs, and how requests are adapted to it. */
import { quoted } from "../text/legible.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Usage } from "../thought/tokens.ts"
import type { Phase, Sampling } from "./request.ts"

/**
 * Prices of a model, in US dollars for a million tokens.
 *
 * **Details**
 *
 * - `cachedInput`: input that was read from the provider's prompt cache; default `input`
 * - `cacheWrite`: input that was written to that cache; default `input`
 * - `asOf`: the date of the prices, such as `"2026-11-01"`
 *
 * @category models
 */
export interface Prices {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly asOf: string
}

/**
 * Computes what tokens cost, in US dollars. Unknown counts cost nothing.
 *
 * **Example** (A call's cost)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 *
 * const prices: Provider.Prices = { input: 2, cachedInput: 0.2, output: 8, asOf: "2026-11-01" }
 * const usage = { inputTokens: 1_000_000, cachedInputTokens: 500_000, outputTokens: 250_000 }
 *
 * assert.equal(Provider.costOf(usage, prices), 1 + 0.1 + 2)
 * ```
 *
 * @category usage
 */
export const costOf = taking("Provider.costOf", { args: [kinds.object, kinds.object] })((
  usage: Usage,
  prices: Prices
): number => {
  const { cacheWriteTokens = 0, cachedInputTokens = 0, inputTokens = 0, outputTokens = 0 } = usage
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  const { cacheWrite = prices.input, cachedInput = prices.input } = prices
  const input = fresh * prices.input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite
  return (input + outputTokens * prices.output) / 1_000_000
})

/**
 * What a provider and its model support, as data.
 *
 * @category models
 */
export interface Capabilities {
  /**
   * Whether a temperature may be sent: always (`"free"`), only without an effort or with the effort `"none"`
   * (`"without-effort"`), or `"never"`.
   */
  readonly temperature: "free" | "without-effort" | "never"
  /** Reasoning efforts, from least to most. Empty if the model has none. */
  readonly efforts: ReadonlyArray<string>
  readonly structuredOutput: "json-schema" | "json" | "none"
  readonly seed: boolean
  /** Whether the model can call tools. Default: `false`. */
  readonly tools?: boolean
  /**
   * Tokens of the model's context, for programs to read. No call is refused because of it: only the server can count
   * its tokens, and a prompt that is too long fails with `ContextTooLong`.
   */
  readonly contextTokens?: number
  /** Tokens of the longest answer. Budgets reserve them for an answer without a limit of its own. */
  readonly outputTokens?: number
  /**
   * Whether answers stay within `maxTokens`. If not, a budget of tokens or money reserves `outputTokens` for each
   * answer, and refuses every call while `outputTokens` is unknown. Default: `true`.
   */
  readonly boundsOutput?: boolean
  /** Absent if they are unknown. No price is assumed silently. */
  readonly prices?: Prices
}

const reasonTemperature = 0
const introspectTemperature = 0.7

/** The known efforts, from least to most. */
const ladder = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** The effort itself if the model has it, else the nearest one, the lower of two. Undefined for an unknown name. */
const nearest = (efforts: ReadonlyArray<string>, wished: string): string | undefined => {
  if (efforts.includes(wished)) return wished
  const place = ladder.indexOf(wished)
  if (place < 0) return undefined
  const distance = (effort: string) => Math.abs(ladder.indexOf(effort) - place)
  return ladder
    .filter((effort) => efforts.includes(effort))
    .reduce<string | undefined>(
      (best, effort) => (best === undefined || distance(effort) < distance(best) ? effort : best),
      undefined
    )
}

/** The default effort of a phase. Reasoning stays on if the model has an effort other than `"none"`. */
const usual = (efforts: ReadonlyArray<string>, phase: Phase): string | undefined =>
  phase === "reason"
    ? efforts.includes("low")
      ? "low"
      : (efforts.find((effort) => effort !== "none") ?? efforts[0])
    : efforts.includes("medium")
      ? "medium"
      : efforts[Math.floor(efforts.length / 2)]

/**
 * Adapts the wishes for sampling to what the model accepts. The result is what is sent and reported.
 *
 * **Details**
 *
 * - Without a wish, the temperature is 0 to reason and 0.7 to introspect.
 * - A model that accepts no temperature gets an effort: to reason `"low"`, else the least that is not `"none"`; to
 *   introspect `"medium"`, else the middle one.
 * - An effort that the model does not have becomes the nearest one, the lower of two, in the order none, minimal, low,
 *   medium, high, xhigh, max. An effort of another name, or for a model without efforts, is not sent.
 * - A temperature is sent with an effort only if the model accepts both, or accepts a temperature and the effort is
 *   `"none"`.
 * - A seed is sent only if the model accepts one.
 *
 * @category capabilities
 */
export const resolveSampling = taking("Provider.resolveSampling", {
  args: [kinds.object, kinds.text, kinds.optional(kinds.object)]
})((capabilities: Capabilities, phase: Phase, wish: Sampling = {}): Sampling => {
  const { effort: wished, temperature, ...rest } = wish
  const { efforts, temperature: takes } = capabilities
  const { seed: _, ...unseeded } = rest
  const kept = capabilities.seed ? rest : unseeded
  const effort = wished === undefined ? undefined : nearest(efforts, wished)
  if (effort !== undefined) {
    const both = takes === "free" || (takes === "without-effort" && effort === "none")
    return both && temperature !== undefined ? { ...kept, effort, temperature } : { ...kept, effort }
  }
  if (takes !== "never") {
    return { ...kept, temperature: temperature ?? (phase === "reason" ? reasonTemperature : introspectTemperature) }
  }
  const fallback = usual(efforts, phase)
  return fallback === undefined ? kept : { ...kept, effort: fallback }
})

/** Throws unless prices are finite numbers from 0. `owner` is the function that the message names. */
export const checkPrices = (owner: string, prices: Prices | undefined): void => {
  for (const name of ["input", "output", "cachedInput", "cacheWrite"] as const) {
    const price: unknown = prices?.[name]
    if (price === undefined && (prices === undefined || name === "cachedInput" || name === "cacheWrite")) continue
    if (typeof price === "number" && Number.isFinite(price) && price >= 0) continue
    throw new Error(`${owner} needs a finite number from 0 as prices.${name}, not ${quoted(price)}.`)
  }
}

/** The capabilities of a provider that says little about them. */
export const withDefaults = (capabilities: Partial<Capabilities> | undefined): Capabilities => ({
  temperature: "free",
  efforts: [],
  structuredOutput: "none",
  seed: false,
  ...capabilities
})
