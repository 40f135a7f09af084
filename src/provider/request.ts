/** Calls and their answers. */
import type * as Duration from "effect/Duration"
import type { Usage } from "../thought/tokens.ts"
import type { Answer, Task } from "./task.ts"
import type { Carry, Tool, ToolCall, ToolChoice, ToolResult } from "./tools.ts"

/**
 * What a call is for: to answer (`"reason"`, as repeatable as possible), or to review an answer (`"introspect"`,
 * more varied).
 *
 * @category models
 */
export type Phase = "reason" | "introspect"

/**
 * Wishes for sampling. Unset fields are left to the phase and the provider. The value 0 counts as set.
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
 * One message of the conversation. Notes appear only in user messages. The system text is the caller's own.
 *
 * @category models
 */
export interface Message {
  /** `"tool"` for the results of calls. They follow the answer with these calls directly. */
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly text: string
  /** The tools that the assistant called. */
  readonly calls?: ReadonlyArray<ToolCall>
  /** The results of these calls, in a message of the role `"tool"`, whose own text is not sent. */
  readonly results?: ReadonlyArray<ToolResult>
  /** That of the answer with the calls. */
  readonly carry?: Carry
  /**
   * Set on the last message if later requests of the same conversation follow: the length of the beginning of the text
   * that they repeat. The rest says how to do the task this time.
   */
  readonly kept?: number
}

/**
 * One call of a model.
 *
 * **Details**
 *
 * `messages` begin with the bytes of the earlier requests of the same conversation, except for how to do the tasks of
 * these, so that prompt caches apply. They do not contain the output form: an adapter sends `task.output` as structured output, or appends its `instructions`.
 *
 * @category models
 */
export interface Request {
  readonly messages: ReadonlyArray<Message>
  readonly task: Task
  readonly phase: Phase
  /** What to send, already adapted to the capabilities of the provider. */
  readonly sampling: Sampling
  /** The wishes before that, for a fallback provider with other capabilities. Default: `sampling`. */
  readonly wish?: Sampling
  readonly tools?: ReadonlyArray<Tool>
  /** Default: `"auto"`. */
  readonly toolChoice?: ToolChoice
  /** Whether an answer may have several calls. Default: as the model does. */
  readonly parallelCalls?: boolean
}

/**
 * The rate limits that a provider reports. Those that it does not report are absent.
 *
 * @category models
 */
export type RateLimits = {
  readonly [W in "requests" | "tokens" | "inputTokens" | "outputTokens"]?: {
    /** The total for the whole window. */
    readonly limit?: number
    /** What is left of it. */
    readonly remaining?: number
    /** Time until the window is full again. */
    readonly resetAfter?: Duration.Duration
  }
}

/**
 * How much of a request went over the wire.
 *
 * **Details**
 *
 * - `tokens`: estimated from the length of what was sent. What the model has read, and what is billed, is in the `usage`
 * - `what`: `"all"` of the request, or only the `"rest"` that the connection did not have. `"again"` is all of it because the
 *   conversation has changed, or because the connection or its memory was lost
 *
 * @category models
 */
export interface Sent {
  readonly tokens: number
  readonly what: "all" | "rest" | "again"
}

/**
 * The answer to one call.
 *
 * @category models
 */
export interface Response {
  /** Empty if the model only called tools. */
  readonly text: string
  /** The tools that the model called, complete and in its order. Only if the request had tools. */
  readonly calls?: ReadonlyArray<ToolCall>
  /** What the model needs to see again with these calls. */
  readonly carry?: Carry
  readonly usage: Usage
  /** Name of the provider that answered, if there are several. Default: the provider that was called. */
  readonly provider?: string
  /** The model that answered, if the provider reports it. */
  readonly model?: string
  readonly id?: string
  /** What was sent, if it differs from the request: the model refused a part, or another provider answered. */
  readonly sampling?: Sampling
  /**
   * Cost of `usage` in US dollars, if it is known. Default: computed from the prices of the provider that was called,
   * unless `provider` is set.
   */
  readonly usd?: number
  readonly limits?: RateLimits
  /** How much of the request was sent, if the provider reports it. */
  readonly sent?: Sent
  /** Whether this is an earlier answer to an equal request, so that nothing was sent. */
  readonly cached?: boolean
}

/**
 * A piece of a streamed answer. The last piece is `Done`, with the whole response.
 *
 * **Details**
 *
 * - `Text`: the next piece of the text
 * - `Reasoning`: the next piece of what the model tells of its reasoning. It is no part of the response
 * - `Call`: the next piece of the parameters of a call, perhaps empty. The pieces of several calls may alternate. Only the
 *   calls of `Done` are complete
 *
 * @category models
 */
export type StreamPart =
  | { readonly _tag: "Text"; readonly delta: string }
  | { readonly _tag: "Reasoning"; readonly delta: string }
  | { readonly _tag: "Call"; readonly id: string; readonly name: string; readonly delta: string }
  | { readonly _tag: "Done"; readonly response: Response }

/**
 * One call that decides closed questions over one context.
 *
 * @category models
 */
export interface DecideRequest {
  readonly messages: ReadonlyArray<Message>
  readonly task: Task
}

/**
 * The answers to closed questions, in the order of the questions.
 *
 * @category models
 */
export interface DecideResponse {
  readonly answers: ReadonlyArray<Answer>
  /**
   * Where the probabilities come from: `"measured"` by a model made for decisions, or the `"logprobs"` of a text
   * model's tokens. Default: `"measured"`.
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

/** A request, and in which of the two ways it is made. */
export type AnyRequest =
  | { readonly asked: "text"; readonly request: Request }
  | { readonly asked: "native"; readonly request: DecideRequest }
