/** What a model takes and costs, and what a request may therefore ask for. */
import { quoted } from "../text/legible.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Usage } from "../thought/usage.ts"
import type { Phase, Sampling } from "./request.ts"

/**
 * What a million tokens cost, in US dollars, and when that was so.
 *
 * `cachedInput` and `cacheWrite` are what input costs that was read from, or written to, the provider's prompt cache;
 * default: as much as other input. `asOf` is a date such as `"2026-11-01"`.
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
 * What tokens cost at these prices, in US dollars. Counts that are not known cost nothing.
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
 * What a provider and model can do, as data.
 *
 * @category models
 */
export interface Capabilities {
  /** Whether a temperature may be sent. */
  readonly temperature: "free" | "without-effort" | "never"
  /** Reasoning efforts from least to most; empty when the model has no such dial. */
  readonly efforts: ReadonlyArray<string>
  readonly structuredOutput: "json-schema" | "json" | "none"
  readonly seed: boolean
  /**
   * Tokens of the model's context, for programs to read: no call is refused by it, as only the server can count them, and
   * says `ContextTooLong`.
   */
  readonly contextTokens?: number
  /** Tokens of the longest answer: what budgets reserve for an answer that has no limit of its own. */
  readonly outputTokens?: number
  /**
   * Whether answers keep to `maxTokens`. Where they do not, a budget of tokens or money reserves `outputTokens` for each,
   * and makes no call while that is not known. Default true.
   */
  readonly boundsOutput?: boolean
  /** Absent where they are not known: nothing is priced silently. */
  readonly prices?: Prices
}

const reasonTemperature = 0
const introspectTemperature = 0.7

/** The names of efforts, from least to most. */
const ladder = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** The effort itself where the model has it, else the nearest that it has, of two the lower; none for a name of no known place. */
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

/** The effort of a phase: reasoning is not switched off where the model has any other. */
const usual = (efforts: ReadonlyArray<string>, phase: Phase): string | undefined =>
  phase === "reason"
    ? efforts.includes("low")
      ? "low"
      : (efforts.find((effort) => effort !== "none") ?? efforts[0])
    : efforts.includes("medium")
      ? "medium"
      : efforts[Math.floor(efforts.length / 2)]

/**
 * Matches sampling wishes with what the model takes: a temperature where it may be sent, else an effort, else nothing.
 *
 * Without a wish, reasoning asks for temperature 0 and introspection for 0.7; on models that take only an effort, for
 * `"low"`, else the least that is not `"none"`, and for `"medium"`, else the middle one. An effort that the model does not
 * have becomes the nearest that it has, of two the lower, in the order none, minimal, low, medium, high, xhigh, max; one of
 * another name, or on a model without efforts, is not sent. Beside an effort, a wished temperature goes only where the
 * model takes both, or where the effort is `"none"`. What is returned is what is sent and reported.
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

/** Throws unless prices are amounts of dollars from 0; `owner` is what has them. */
export const checkPrices = (owner: string, prices: Prices | undefined): void => {
  for (const name of ["input", "output", "cachedInput", "cacheWrite"] as const) {
    const price: unknown = prices?.[name]
    if (price === undefined && (prices === undefined || name === "cachedInput" || name === "cacheWrite")) continue
    if (typeof price === "number" && Number.isFinite(price) && price >= 0) continue
    throw new Error(`${owner} needs a finite number from 0 as prices.${name}, not ${quoted(price)}.`)
  }
}
