/** How long a text is to a model. */
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

/** Chinese, Japanese and Korean characters: most are a token or nearly one each. */
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/**
 * About how many tokens a text has, without a tokenizer: the greater of a quarter of its characters, with 0.45 more for
 * each Chinese, Japanese or Korean one, and 1.3 times its words, rounded up.
 *
 * It is meant for thresholds: near for prose and source code, a fifth too low for dense JSON, and as far off as a third
 * for other scripts. Characters are UTF-16 units, words what stands between white space.
 *
 * @category tokens
 */
export const estimateTokens = taking("Session.estimateTokens", { args: [kinds.text] })((text: string): number => {
  const words = text.match(/\S+/g)?.length ?? 0
  return Math.ceil(Math.max(text.length / 4 + 0.45 * (text.match(wide)?.length ?? 0), 1.3 * words))
})

/**
 * The tokenizer that thresholds in tokens are measured with. Default: `estimateTokens`; `cogito/tokenizer` has an exact one.
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
