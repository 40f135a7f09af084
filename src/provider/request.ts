/** Calls and their answers. */
import type * as Duration from "effect/Duration"
import type { Usage } from "../thought/usage.ts"
import type { Answer, Task } from "./task.ts"

/**
 * What a call is for: to answer (as repeatable as can be), or to look back on an answer (freer).
 *
 * @category models
 */
export type Phase = "reason" | "introspect"

/**
 * Sampling wishes. What is not set is left to the phase and the provider; 0 is a value.
 *
 * @category models
 */
export interface Sampling {
  readonly temperature?: number
  readonly effort?: string
  readonly maxTokens?: number
  readonly seed?: number
  readonly stop?: ReadonlyArray<string>
}

/**
 * One message of the conversation. Notes are only ever in user messages; the system text is the caller's own.
 *
 * @category models
 */
export interface Message {
  readonly role: "system" | "user" | "assistant"
  readonly text: string
}

/**
 * A tool the model may call.
 *
 * @category models
 */
interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/**
 * One model call.
 *
 * `messages` begin with the bytes of the earlier requests of the same conversation, so that prompt caches hold. The
 * output form is not in them: an adapter passes `task.output` as structured output, or appends its `instructions`.
 *
 * @category models
 */
export interface Request {
  readonly messages: ReadonlyArray<Message>
  readonly task: Task
  readonly phase: Phase
  /** What to send, already matched with the provider's capabilities. */
  readonly sampling: Sampling
  /** What was wished before that, for a provider with other capabilities that answers instead. Default: `sampling`. */
  readonly wish?: Sampling
  readonly tools?: ReadonlyArray<Tool>
}

/**
 * How much the provider still takes in its current window of time, as its answer says.
 *
 * @category models
 */
export interface RateWindow {
  /** How many in the whole window. */
  readonly limit?: number
  /** How many are left. */
  readonly remaining?: number
  /** How long until the window is full again. */
  readonly resetAfter?: Duration.Duration
}

/**
 * What the provider says of its rate limits. What it does not say is absent.
 *
 * @category models
 */
export interface RateLimits {
  readonly requests?: RateWindow
  readonly tokens?: RateWindow
  readonly inputTokens?: RateWindow
  readonly outputTokens?: RateWindow
}

/**
 * One answer.
 *
 * @category models
 */
export interface Response {
  readonly text: string
  readonly usage: Usage
  /** The name of the provider that answered, where several may. Default: that of the provider that was asked. */
  readonly provider?: string
  /** The model that answered, when the provider says so. */
  readonly model?: string
  readonly id?: string
  /** What was really sent, when that is not the request's sampling: the model refused a part of it, or another answered. */
  readonly sampling?: Sampling
  /**
   * What `usage` cost, in US dollars, where that is known. Default: by the prices of the provider that was asked, unless
   * `provider` names one.
   */
  readonly usd?: number
  readonly limits?: RateLimits
  /** Whether it is an earlier answer to an equal request, and nothing was sent. */
  readonly cached?: boolean
}

/**
 * A piece of a streamed answer; the last one is `Done` with the whole response.
 *
 * @category models
 */
export type StreamPart =
  | { readonly _tag: "Text"; readonly delta: string }
  | { readonly _tag: "Done"; readonly response: Response }

/**
 * Closed questions over one context.
 *
 * @category models
 */
export interface DecideRequest {
  readonly messages: ReadonlyArray<Message>
  readonly task: Task
}

/**
 * The answers, in the order of the questions.
 *
 * @category models
 */
export interface DecideResponse {
  readonly answers: ReadonlyArray<Answer>
  /**
   * Where the probabilities come from: from a model made for it (`"measured"`), or from the log-probabilities of a text
   * model's tokens. Default `"measured"`.
   */
  readonly probabilitiesFrom?: "measured" | "logprobs"
  readonly usage: Usage
  /** As in `Response`. */
  readonly provider?: string
  readonly model?: string
  readonly id?: string
  readonly usd?: number
  readonly limits?: RateLimits
  readonly cached?: boolean
}

/** What was asked, and in which of the two ways. */
export type Asked =
  | { readonly asked: "text"; readonly request: Request }
  | { readonly asked: "native"; readonly request: DecideRequest }
