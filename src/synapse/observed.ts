/** One call of a model, with a span and signals. The span follows OpenTelemetry's conventions for generative AI. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { ProviderError } from "../provider/ProviderError.ts"
import { Remembering } from "../provider/service.ts"
import type { Message, Phase, Response, Sampling } from "../provider/request.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import { costKnown } from "../provider/spent.ts"
import { contentOf } from "../run/content.ts"
import { emit, isHeard, isTraced, traced } from "../run/run.ts"
import { describe } from "../run/within.ts"
import type { Thought } from "../thought/model.ts"
import type { Usage } from "../thought/tokens.ts"
import { answeredBy } from "./Declaration.ts"
import { inputContent, outputContent } from "./content.ts"

/** What is observed of an answer. */
type Answered = Pick<Response, "usage" | "usd" | "sampling" | "sent" | "provider" | "model" | "cached" | "id"> &
  Partial<Pick<Response, "text" | "calls">>

/** What is known of a call before it is made. */
interface Calling {
  readonly kind: "complete" | "decide"
  readonly phase: Phase
  readonly sampling: Sampling
  readonly messages: ReadonlyArray<Message>
  readonly thought: Thought<any> | undefined
  /** Whether the answer is to have a form. */
  readonly isTyped: boolean
}

/** Runs a call in a span and signals how it ended. */
export const observed = <A extends Answered>(
  provider: ProviderShape,
  calling: Calling,
  effect: Effect.Effect<A, ProviderError>
): Effect.Effect<A, ProviderError> =>
  Effect.withFiber((fiber) => {
    const { isTyped, kind, messages, phase, sampling, thought } = calling
    const signalled = isHeard(fiber, ...ofCalls)
      ? announced(fiber, provider, kind, phase, sampling, thought, effect)
      : effect
    if (!isTraced(fiber)) return signalled
    const annotated = Effect.onExit(signalled, (exit) =>
      Effect.annotateCurrentSpan(
        Exit.isSuccess(exit) ? answerAttributes(fiber, provider, calling, exit.value) : failureAttributes(exit.cause)
      )
    )
    return traced(
      fiber,
      annotated,
      `chat ${provider.model}`,
      () => ({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider.name,
        "gen_ai.request.model": provider.model,
        "gen_ai.output.type": isTyped ? "json" : "text",
        ...samplingAttributes(sampling),
        ...defined({ "gen_ai.conversation.id": thought?.traceId }),
        "cogito.call": kind,
        "cogito.phase": phase,
        ...contentOf(fiber, (redact) => inputContent(messages, redact))
      }),
      "client"
    )
  })

const ofCalls = ["CallStarted", "CallCompleted", "CallFailed"] as const

/** Signals that a call begins and how it ends: once each, also if it is interrupted. */
const announced = <A extends Answered>(
  fiber: Fiber.Fiber<unknown, unknown>,
  provider: ProviderShape,
  kind: "complete" | "decide",
  phase: Phase,
  sampling: Sampling,
  thought: Thought<any> | undefined,
  effect: Effect.Effect<A, ProviderError>
): Effect.Effect<A, ProviderError> => {
  const clock = fiber.getRef(Clock.Clock)
  const start = clock.currentTimeMillisUnsafe()
  const elapsed = () => clock.currentTimeMillisUnsafe() - start
  const base = { provider: provider.name, model: provider.model, call: kind, phase }
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* emit(thought, "CallStarted", () => base)
      const exit = yield* Effect.exit(restore(effect))
      if (Exit.isSuccess(exit)) {
        const response = exit.value
        yield* emit(thought, "CallCompleted", () => ({
          ...base,
          ...answeredBy(response),
          ...(response.provider !== undefined && response.model !== undefined && { model: response.model }),
          sampling: response.sampling ?? sampling,
          usage: response.usage,
          ...(response.sent !== undefined && { sent: response.sent }),
          ...defined({ usd: usdOf(provider, response) }),
          ...replayed(fiber, response),
          durationMillis: elapsed()
        }))
        return response
      }
      const error = exit.cause.reasons.find(Cause.isFailReason)?.error
      yield* emit(thought, "CallFailed", () => ({
        ...base,
        // the provider that failed, if the one that was called passes calls on
        ...(error !== undefined && { provider: error.provider, model: error.model }),
        error: error?.reason._tag ?? describe(exit.cause),
        sampling,
        usage: error?.usage ?? {},
        ...(error !== undefined && replayed(fiber, error)),
        durationMillis: elapsed()
      }))
      return yield* exit
    })
  )
}

const replayed = (fiber: Fiber.Fiber<unknown, unknown>, outcome: object): { readonly replayed?: true } =>
  fiber.getRef(Remembering)?.isReplayed(outcome) === true ? { replayed: true } : {}

/** The cost of an answer, if it is known. The prices of the called provider apply only if it answered itself. */
export const usdOf = (
  { capabilities: { prices } }: ProviderShape,
  { provider, usage, usd }: Pick<Response, "provider" | "usage" | "usd">
): number | undefined => usd ?? (provider === undefined ? costKnown(usage, prices) : undefined)

const answerAttributes = (
  fiber: Fiber.Fiber<unknown, unknown>,
  provider: ProviderShape,
  { kind, sampling }: Calling,
  response: Answered
) => {
  const { cached, calls = [], id, model, provider: other, sent, text = "", usage } = response
  const finish = calls.length > 0 ? "tool_call" : "stop"
  return {
    ...usageAttributes(usage),
    ...samplingAttributes(response.sampling ?? sampling),
    ...defined({
      "cogito.sent.tokens": sent?.tokens,
      "cogito.cost.usd": usdOf(provider, response),
      "gen_ai.provider.name": other,
      "gen_ai.response.model": model,
      "gen_ai.response.id": id
    }),
    ...(kind === "complete" && { "gen_ai.response.finish_reasons": [finish] }),
    ...(cached === true && { "cogito.cached": true }),
    ...(fiber.getRef(Remembering)?.isReplayed(response) === true && { "cogito.replayed": true }),
    ...(kind === "complete" && contentOf(fiber, (redact) => outputContent({ text, calls }, finish, redact)))
  }
}

const failureAttributes = (cause: Cause.Cause<ProviderError>) => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  return { "error.type": error?.reason._tag ?? describe(cause), ...usageAttributes(error?.usage ?? {}) }
}

const usageAttributes = (usage: Usage) =>
  defined({
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens
  })

const samplingAttributes = ({ effort, maxTokens, seed, stop, temperature }: Sampling) => ({
  ...defined({
    "gen_ai.request.temperature": temperature,
    "gen_ai.request.max_tokens": maxTokens,
    "gen_ai.request.seed": seed,
    "cogito.effort": effort
  }),
  ...(stop !== undefined && stop.length > 0 && { "gen_ai.request.stop_sequences": stop })
})

const defined = (attributes: Readonly<Record<string, string | number | undefined>>) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
