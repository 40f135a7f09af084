/**
 * A provider answers the model calls of steps: a hosted language model, a local one, or a scripted one in tests.
 *
 * A request says everything twice: as rendered messages, which language models read, and as a structured task (kind,
 * question, labels, notes, output schema), which a provider that computes its answers can use. Closed questions (yes or
 * no, one of several labels, a score) may be answered natively with a probability distribution, by `decide`.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Usage } from "./internal/usage.ts"
import type { Trust } from "./Note.ts"

// ---------------------------------------------------------------------------------------------------------- usage

export { addUsage, type Usage } from "./internal/usage.ts"

// --------------------------------------------------------------------------------------------------------- errors

const UsageSchema = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Finite),
  outputTokens: Schema.optionalKey(Schema.Finite),
  cachedInputTokens: Schema.optionalKey(Schema.Finite),
  cacheWriteTokens: Schema.optionalKey(Schema.Finite),
  reasoningTokens: Schema.optionalKey(Schema.Finite)
})

const reason = <const Tag extends string, const F extends Schema.Struct.Fields>(tag: Tag, fields: F) =>
  Schema.TaggedStruct(tag, { message: Schema.String, ...fields })

/**
 * Why a provider failed, by what a caller can do about it.
 *
 * **Details**
 *
 * - `RateLimited`: slow down; retryable, not before `retryAfter` when it is given
 * - `QuotaExhausted`: credit or quota is used up, waiting does not help
 * - `Overloaded`: the provider has trouble of its own (5xx); retryable
 * - `Connection`: not reached, or the connection broke; retryable
 * - `Timeout`: no answer in time; retryable
 * - `Authentication`: the key is missing, wrong, or lacks permission
 * - `InvalidRequest`: refused as it is (other 4xx): unknown model, refused `parameter`
 * - `ContextTooLong`: longer than the model's context
 * - `Refused`: the model or its guard declined, with the provider's `category` where it names one
 * - `Truncated`: cut off by a length limit or a broken stream; retryable
 * - `EmptyAnswer`: an answer without any text; retryable
 * - `InvalidResponse`: not of the form that the provider's API promises; retryable
 * - `Unsupported`: this provider cannot do such a task at all
 *
 * @category errors
 */
export const Reason = Schema.Union([
  reason("RateLimited", { retryAfter: Schema.optionalKey(Schema.Duration) }),
  reason("QuotaExhausted", {}),
  reason("Overloaded", { retryAfter: Schema.optionalKey(Schema.Duration) }),
  reason("Connection", {}),
  reason("Timeout", {}),
  reason("Authentication", {}),
  reason("InvalidRequest", { parameter: Schema.optionalKey(Schema.String) }),
  reason("ContextTooLong", {}),
  reason("Refused", { category: Schema.optionalKey(Schema.String) }),
  reason("Truncated", {}),
  reason("EmptyAnswer", {}),
  reason("InvalidResponse", {}),
  reason("Unsupported", {})
])
/**
 * Why a provider failed.
 *
 * @category errors
 */
export type Reason = typeof Reason.Type

const retryable: ReadonlySet<Reason["_tag"]> = new Set<Reason["_tag"]>([
  "RateLimited",
  "Overloaded",
  "Connection",
  "Timeout",
  "Truncated",
  "EmptyAnswer",
  "InvalidResponse"
])

/**
 * A provider call failed.
 *
 * `reason` says why, `isRetryable` whether the same call may succeed later, `retryAfter` how long to wait at least,
 * `usage` what was billed all the same. The message says what to do and never holds prompts, note texts or keys.
 *
 * @category errors
 */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  model: Schema.String,
  reason: Reason,
  usage: Schema.optionalKey(UsageSchema),
  requestId: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `${this.provider} (${this.model}): ${this.reason.message}`
  }
  get isRetryable(): boolean {
    return retryable.has(this.reason._tag)
  }
  get retryAfter(): Duration.Duration | undefined {
    return "retryAfter" in this.reason ? this.reason.retryAfter : undefined
  }
}

// ---------------------------------------------------------------------------------------------------------- tasks

/**
 * One note as a task shows it.
 *
 * @category models
 */
export interface ContextNote {
  readonly id: string
  readonly key: string
  readonly text: string
  /** Who wrote it: `"user"`, or the kind of the step. */
  readonly source: string
  /** Path of the step that wrote it; empty for notes that a thought began with. */
  readonly step: string
  readonly trust: Trust
  /** Whether this request shows it for the first time. */
  readonly fresh: boolean
}

/**
 * A label of a choice, or a level of a score.
 *
 * @category models
 */
export interface Label {
  readonly label: string
  readonly description?: string
}

/**
 * A question with a closed set of answers, as data.
 *
 * @category models
 */
export type Question =
  | { readonly _tag: "Predicate"; readonly name: string; readonly question: string }
  | {
      readonly _tag: "Choice"
      readonly name: string
      readonly question: string
      readonly labels: ReadonlyArray<Label>
    }
  | {
      readonly _tag: "Score"
      readonly name: string
      readonly question: string
      /** From the lowest value to the highest. */
      readonly levels: ReadonlyArray<Label & { readonly value: number }>
    }

/**
 * The answer to one question: a distribution, or a refusal.
 *
 * Probabilities are in [0, 1] and sum to 1. `reasons` are spans of the context that speak for the answer, where the
 * provider has any.
 *
 * @category models
 */
export type Answer =
  | {
      readonly _tag: "Predicate"
      readonly name: string
      /** Probability of yes. */
      readonly probability: number
      readonly reasons?: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Choice"
      readonly name: string
      readonly label: string
      readonly distribution: Readonly<Record<string, number>>
      readonly reasons?: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Score"
      readonly name: string
      readonly value: number
      readonly distribution: Readonly<Record<string, number>>
      readonly reasons?: ReadonlyArray<string>
    }
  | { readonly _tag: "Refusal"; readonly name: string; readonly message?: string }

/**
 * The form the answer must have: a JSON Schema (draft 2020-12), or free text when absent from a task.
 *
 * `instructions` says the same in words, for models without structured output.
 *
 * @category models
 */
export interface Output {
  readonly name: string
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly instructions: string
}

/**
 * What is asked, apart from how it is put to a language model.
 *
 * @category models
 */
export interface Task {
  /** The kind of the asking step or synapse: `"decide"`, `"analyze"`, `"introspect"` … */
  readonly kind: string
  readonly instruction: string
  /** The text to work on, when the task has one apart from the notes. */
  readonly input?: string
  /** The closed questions, when the task consists of them. */
  readonly questions: ReadonlyArray<Question>
  /** The notes the model can see: those of the conversation in view, then the fresh ones. */
  readonly context: ReadonlyArray<ContextNote>
  readonly output?: Output
}

// ------------------------------------------------------------------------------------------------------- requests

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
export interface Tool {
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
  readonly tools?: ReadonlyArray<Tool>
}

/**
 * One answer.
 *
 * @category models
 */
export interface Response {
  readonly text: string
  readonly usage: Usage
  /** The model that answered, when the provider says so. */
  readonly model?: string
  readonly id?: string
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
  readonly usage: Usage
  readonly model?: string
  readonly id?: string
}

// --------------------------------------------------------------------------------------------------- capabilities

/**
 * What a provider and model can do, as data.
 *
 * @category models
 */
export interface Capabilities {
  /** Whether a temperature may be sent. */
  readonly temperature: "free" | "without-effort" | "never"
  /** Reasoning efforts from least to most; empty when the model has no such dial. */
  readonly efforts: ReadonlyArray<string>
  readonly structuredOutput: "json-schema" | "json" | "none"
  readonly seed: boolean
  readonly contextTokens?: number
  readonly outputTokens?: number
}

const reasonTemperature = 0
const introspectTemperature = 0.7

/**
 * Matches sampling wishes with what the model takes: a temperature where it may be sent, else an effort, else nothing.
 *
 * Without a wish, reasoning asks for temperature 0 and introspection for 0.7; on models that take only an effort, for
 * the least and for the middle one. What is returned is what is sent and reported.
 *
 * @category capabilities
 */
export const resolveSampling = (capabilities: Capabilities, phase: Phase, wish: Sampling = {}): Sampling => {
  const { effort, temperature, ...rest } = wish
  const efforts = capabilities.efforts
  const { seed: _, ...unseeded } = rest
  const kept = capabilities.seed ? rest : unseeded
  if (effort !== undefined && efforts.includes(effort)) {
    return capabilities.temperature === "free" && temperature !== undefined
      ? { ...kept, effort, temperature }
      : { ...kept, effort }
  }
  if (capabilities.temperature !== "never") {
    return { ...kept, temperature: temperature ?? (phase === "reason" ? reasonTemperature : introspectTemperature) }
  }
  const fallback = phase === "reason" ? efforts[0] : efforts[Math.floor(efforts.length / 2)]
  return fallback === undefined ? kept : { ...kept, effort: fallback }
}

// -------------------------------------------------------------------------------------------------------- service

/**
 * What a provider offers.
 *
 * @category models
 */
export interface Shape {
  readonly name: string
  readonly model: string
  readonly capabilities: Capabilities
  readonly complete: (request: Request) => Effect.Effect<Response, ProviderError>
  readonly stream: (request: Request) => Stream.Stream<StreamPart, ProviderError>
  /** Answers closed questions natively, with distributions. Absent where the provider has no such call. */
  readonly decide?: (request: DecideRequest) => Effect.Effect<DecideResponse, ProviderError>
}

/**
 * The provider in use.
 *
 * @category services
 */
export class Provider extends Context.Service<Provider, Shape>()("cogito/Provider") {}

/**
 * Builds a provider from its parts; without `stream`, the whole answer is streamed as one piece.
 *
 * @category constructors
 */
export const make = (
  options: Omit<Shape, "stream" | "capabilities"> & {
    readonly stream?: Shape["stream"]
    readonly capabilities?: Partial<Capabilities>
  }
): Shape => ({
  ...options,
  capabilities: { temperature: "free", efforts: [], structuredOutput: "none", seed: false, ...options.capabilities },
  stream:
    options.stream ??
    ((request) =>
      Stream.unwrap(
        Effect.map(options.complete(request), (response) =>
          Stream.make<[StreamPart, StreamPart]>({ _tag: "Text", delta: response.text }, { _tag: "Done", response })
        )
      ))
})

/**
 * A layer of the provider that `make` builds.
 *
 * @category layers
 */
export const layer = (options: Parameters<typeof make>[0]): Layer.Layer<Provider> =>
  Layer.succeed(Provider, make(options))
