/** Tokens: those that calls have used, and those of texts, counted or estimated. */
import * as Context from "effect/Context"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"

/**
 * Tokens of one or more calls. A count that the provider did not report is absent, not 0.
 *
 * `inputTokens` includes cached tokens, and `outputTokens` includes reasoning tokens.
 *
 * @category models
 */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

const usageFields = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens"
] as const satisfies ReadonlyArray<keyof Usage>

/**
 * Adds token counts. A count that both lack stays absent.
 *
 * **Example** (Two calls)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 *
 * const sum = Provider.addUsage({ inputTokens: 100, outputTokens: 20 }, { inputTokens: 50, reasoningTokens: 8 })
 * assert.deepEqual(sum, { inputTokens: 150, outputTokens: 20, reasoningTokens: 8 })
 * ```
 *
 * @category usage
 */
export const addUsage = taking("Provider.addUsage", { args: [kinds.object, kinds.object] })((
  self: Usage,
  that: Usage
): Usage => {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const field of usageFields) {
    const a = self[field]
    const b = that[field]
    if (a !== undefined || b !== undefined) sum[field] = (a ?? 0) + (b ?? 0)
  }
  return sum
})

/**
 * Counts the tokens of a text.
 *
 * @category models
 */
export interface Tokenizer {
  readonly count: (text: string) => number
}

/** Chinese, Japanese and Korean characters. Most are about one token each. */
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/**
 * Estimates the number of tokens of a text without a tokenizer: either a quarter of its characters, plus 0.45 for each
 * Chinese, Japanese or Korean one, or 1.3 times its words, whichever is larger, rounded up.
 *
 * **Details**
 *
 * The estimate is meant for thresholds. It is close for prose and source code, a fifth too low for dense JSON, and up
 * to a third off for other scripts. Characters are UTF-16 units, and words are separated by white space.
 *
 * **Example** (Nine words)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Session } from "cogito"
 *
 * assert.equal(Session.estimateTokens("I was charged twice for my invoice in May"), 12)
 * ```
 *
 * @category tokens
 */
export const estimateTokens = taking("Session.estimateTokens", { args: [kinds.text] })((text: string): number => {
  const words = text.match(/\S+/g)?.length ?? 0
  return Math.ceil(Math.max(text.length / 4 + 0.45 * (text.match(wide)?.length ?? 0), 1.3 * words))
})

/**
 * The tokenizer for thresholds in tokens. Default: `estimateTokens`. `cogito/tokenizer` has an exact one.
 *
 * **Example** (Another tokenizer)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Session } from "cogito"
 *
 * const tokenizer: Session.Tokenizer = { count: (text) => text.split(" ").length }
 * const session = Session.append(Session.empty, { role: "user", text: "three words here" })
 *
 * const count = Effect.runSync(Session.tokens(session).pipe(Effect.provideService(Session.Tokenizer, tokenizer)))
 * assert.equal(count, 3)
 * ```
 *
 * @category tokens
 */
export const Tokenizer = Context.Reference<Tokenizer>("cogito/Tokenizer", {
  defaultValue: () => ({ count: estimateTokens })
})
