/** Exact token counts by OpenAI's own tables, for limits that are given in tokens. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Session from "../Session.ts"

/** Text that looks like a control token is counted as text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

const missing = "cogito/tokenizer cannot load the gpt-tokenizer package: run npm install gpt-tokenizer"

const table = Effect.tryPromise(() => import("gpt-tokenizer/encoding/o200k_base")).pipe(
  Effect.catch(() => Effect.die(new Error(missing)))
)

/**
 * Counts tokens as OpenAI's models since gpt-4o do (`o200k_base`), which is close enough for other models. Without this
 * layer, counts are estimates (`Session.estimateTokens`).
 *
 * **Details**
 *
 * The package `gpt-tokenizer` and its table are loaded when the layer is built, which blocks the event loop for a
 * moment. If the package is not installed, building the layer dies with an error that says what to install.
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
 * const count = await Effect.runPromise(Session.tokens(session).pipe(Effect.provide(Tokenizer.o200k)))
 *
 * assert.equal(count, 5)
 * ```
 *
 * @category layers
 */
export const o200k: Layer.Layer<never> = Layer.effect(
  Session.Tokenizer,
  Effect.map(table, ({ countTokens }) => ({ count: (text: string) => countTokens(text, asText) }))
)
