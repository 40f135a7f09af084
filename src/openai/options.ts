import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import type { Configured } from "../http/configured.ts"
import type { Capabilities, Prices } from "../Provider.ts"
import type { Decisions } from "./decisions/decide.ts"

/**
 * Which model, where, and with which key.
 *
 * - `model`: as the server names it
 * - `apiKey`: needed for OpenAI; sent to every other server too when given, else a placeholder is
 * - `baseUrl`: where the API begins, default `https://api.openai.com/v1`; http or https, without user name or query
 * - `api`: which of OpenAI's two APIs to call. Default: `"responses"` at OpenAI itself, `"chat"` (chat completions)
 *   elsewhere, as that is what other servers speak
 * - `decisions`: how closed questions (yes or no, one of several labels, a score) are decided, where no written reasons are
 *   wanted. `true`: natively, by OpenAI's decisions API; `{ model }`: so, by that model of the same server, whose name its
 *   answers tell, and whose `prices` budgets count with; `"logprobs"`: by the probabilities of the tokens that the model
 *   might answer with; `false`: in words. Default: natively at OpenAI itself for models that are known to have it
 *   (gpt-6-luna), else in words
 * - `timeout`: total time for a call, until the last byte of its answer, streamed or not; default 60 seconds. The time
 *   that the reader of a stream takes between its pieces counts too. Node's own `fetch` waits at most 300 seconds for an
 *   answer to begin; give a `fetch` of your own for more
 * - `connectTimeout`: time until a stream begins; default 10 seconds at OpenAI itself, elsewhere as long as `timeout`, as a
 *   server of one's own may load its model first. An answer in one piece only begins when it is written: there `timeout`
 *   alone counts
 * - `idleTimeout`: time between two pieces of an answer; default half of `timeout`, but at least 30 seconds and at most 5
 *   minutes, as a model may reason in silence
 * - `cacheKey`: sent as `prompt_cache_key`: calls that share a key and the beginning of their prompts share OpenAI's cache
 * - `capabilities`: replace what is assumed by the model's name, field by field. No limits and no prices are
 *   assumed: say what yours are as `{ contextTokens, outputTokens, prices: { input, output, asOf } }`, prices in US dollars
 *   for a million tokens
 * - `name`: name of the provider in errors and reports, default `"openai"`
 * - `headers`: sent with every call
 * - `allowInsecureHttp`: allow a key or `headers` to go over `http` to another machine, where anyone on the way can read
 *   them; default `false`. This machine (`localhost`, `127.0.0.0/8`, `[::1]`) needs no permission
 * - `fetch`: used instead of the global one
 *
 * Nothing of the environment of the `openai` package is sent.
 *
 * @category models
 */
export interface Options {
  readonly model: string
  readonly apiKey?: Redacted.Redacted | string
  readonly baseUrl?: string
  readonly api?: "responses" | "chat"
  readonly decisions?: Decisions | { readonly model: string; readonly prices?: Prices }
  readonly timeout?: Duration.Input
  readonly connectTimeout?: Duration.Input
  readonly idleTimeout?: Duration.Input
  readonly cacheKey?: string
  readonly capabilities?: Partial<Capabilities>
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowInsecureHttp?: boolean
  readonly fetch?: typeof globalThis.fetch
}

/**
 * The same, where every option may be a `Config` to be read when the layer is built.
 *
 * @category models
 */
export type ConfigOptions = Configured<Options>
