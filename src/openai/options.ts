import type * as Config from "effect/Config"
import type { Mode, ServerOptions } from "../http/options.ts"
import type { Capabilities, Prices } from "../Provider.ts"
import type { Connections } from "../provider/resumable/resumable.ts"
import type { Decisions } from "./decisions/decide.ts"

/**
 * Options of the provider: which model, where, and with which key.
 *
 * **Details**
 *
 * The options of the server, its key and the time of a call are the same for every vendor. `baseUrl` is where the API
 * begins, by default `https://api.openai.com/v1`. `name` is by default `"openai"`. In addition there are:
 *
 * - `api`: which of OpenAI's APIs to call. Default: `"responses"` at OpenAI itself, `"chat"` (chat completions)
 *   elsewhere, as other servers speak that. `"realtime"` is for models that are reached by sockets only, such as
 *   `gpt-realtime`, and uses them in text: without a temperature, with at most 4,096 tokens in an answer
 * - `decisions`: how closed questions (yes or no, one of several labels, a score) are decided, if no written reasons
 *   are requested. Default: natively at OpenAI itself for models known to support it (gpt-6-luna), else in words
 * - `decisions: true`: natively, with OpenAI's decisions API. A call holds up to 400 questions; more take several
 *   calls, one after the other. A choice has 1 to 255 labels
 * - `decisions: { model, prices }`: natively, by that model of the same server. Its answers carry its name, and budgets
 *   count with its `prices`
 * - `decisions: "logprobs"`: by the probabilities of the first token that the model might answer with. Each question is
 *   a call over chat completions, with at most 20 labels
 * - `decisions: false`: in words
 * - `cacheKey`: sent as `prompt_cache_key`. Calls with the same key and the same beginning of their prompts share
 *   OpenAI's cache
 * - `formInText`: from how many tokens of a thought's conversation on an answer's form is described at the end of the
 *   request, with `json_object`, instead of as a JSON Schema. OpenAI puts the schema before the conversation, so without
 *   this each other kind of step pays for the whole conversation again. The tokens are estimated from the length.
 *   Default: 1024 at OpenAI itself, which caches no shorter prompt; elsewhere `false`, for never
 * - `mode`: how a conversation goes over the wire. `"replay"` (default) sends all of it in every call, over HTTP. `"resume"`
 *   sends only what is new, over a WebSocket of the Responses API that keeps the rest. `"auto"` does so where it is possible,
 *   and otherwise sends all. What the model reads, and what is billed, is the same. With `mode` set, answers say in `sent`
 *   how much they have sent
 * - `connections`: how many sockets there are, and how long they live. Default: at most 16, closed after 5 minutes without
 *   a call, and not used for more than 55 minutes
 * - `capabilities`: override what is assumed by the model's name, field by field. No limits and no prices are assumed:
 *   give yours as `{ contextTokens, outputTokens, prices: { input, output, asOf } }`, with prices in US dollars for a
 *   million tokens
 *
 * A question with too many labels for its way of deciding fails with `Unsupported` before anything is sent. So does,
 * after its call, a question whose log-probabilities the server does not return, or whose labels have less than half of
 * the probability.
 *
 * @category models
 */
export interface Options extends ServerOptions {
  readonly api?: "responses" | "chat" | "realtime"
  readonly decisions?: Decisions | { readonly model: string; readonly prices?: Prices }
  readonly cacheKey?: string
  readonly mode?: Mode
  readonly connections?: Connections
  readonly formInText?: number | false
  readonly capabilities?: Partial<Capabilities>
}

/**
 * The same options. Each may be a `Config` that is read when the layer is built.
 *
 * @category models
 */
export type ConfigOptions = {
  readonly [K in keyof Options]: Required<Options>[K] | Config.Config<Required<Options>[K]>
}
