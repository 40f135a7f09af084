import type { Configured } from "../http/configured.ts"
import type { ServerOptions } from "../http/options.ts"
import type { Capabilities, Prices } from "../Provider.ts"
import type { Decisions } from "./decisions/decide.ts"

/**
 * Which model, where, and with which key.
 *
 * **Details**
 *
 * The options for the server, its key and the time of a call are the same for every vendor. `baseUrl` is where the API
 * begins, default `https://api.openai.com/v1`; `name` is `"openai"` by default. Beside these there are:
 *
 * - `api`: which of OpenAI's two APIs to call. Default: `"responses"` at OpenAI itself, `"chat"` (chat completions)
 *   elsewhere, as that is what other servers speak
 * - `decisions`: how closed questions (yes or no, one of several labels, a score) are decided, where no written reasons are
 *   wanted. `true`: natively, by OpenAI's decisions API. `{ model }`: by that model of the same server, whose name its
 *   answers carry, and whose `prices` budgets count with. `"logprobs"`: by the probabilities of the tokens that the model
 *   might answer with. `false`: in words. Default: natively at OpenAI itself for models that are known to have it
 *   (gpt-6-luna), else in words
 * - `cacheKey`: sent as `prompt_cache_key`: calls that share a key and the beginning of their prompts share OpenAI's cache
 * - `capabilities`: replace what is assumed by the model's name, field by field. No limits and no prices are assumed: give
 *   yours as `{ contextTokens, outputTokens, prices: { input, output, asOf } }`, prices in US dollars for a million tokens
 *
 * @category models
 */
export interface Options extends ServerOptions {
  readonly api?: "responses" | "chat"
  readonly decisions?: Decisions | { readonly model: string; readonly prices?: Prices }
  readonly cacheKey?: string
  readonly capabilities?: Partial<Capabilities>
}

/**
 * The same options, where every one may be a `Config` that is read when the layer is built.
 *
 * @category models
 */
export type ConfigOptions = Configured<Options>
