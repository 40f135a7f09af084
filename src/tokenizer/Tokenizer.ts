/**
 * Exact token counts, with OpenAI's own tables, for thresholds that are given in tokens.
 */
import * as Layer from "effect/Layer"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import * as Session from "../Session.ts"

/** Text that looks like a control token is text all the same. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/**
 * Counts tokens as OpenAI's models since gpt-4o do (`o200k_base`); near enough for others. Without this layer counts are
 * estimates (`Session.estimateTokens`).
 *
 * **Example** (Counting exactly)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Session } from "cogito"
 * import { Tokenizer } from "cogito/tokenizer"
 *
 * const session = Session.append(Session.empty, { role: "user", text: "I was charged twice!" })
 * const count = Effect.runSync(Session.tokens(session).pipe(Effect.provide(Tokenizer.o200k)))
 *
 * assert.equal(count, 5)
 * ```
 *
 * @category layers
 */
export const o200k: Layer.Layer<never> = Layer.succeed(Session.Tokenizer, {
  count: (text) => countTokens(text, asText)
})
