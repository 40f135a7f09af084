/** Counts and estimates the tokens of texts. */
import * as Context from "effect/Context"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"

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
