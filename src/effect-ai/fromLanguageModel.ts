/** A language model of `effect/ai` as a provider. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import { LanguageModel } from "effect/ai/LanguageModel"
import * as Model from "effect/ai/Model"
import type * as AiResponse from "effect/ai/Response"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { saying } from "../provider/sent.ts"
import {
  type Capabilities,
  make,
  Provider,
  type ProviderError,
  type Request,
  type Shape,
  type StreamPart
} from "../Provider.ts"
import { Answer, broken } from "./answer.ts"
import { type Caller, fail, fromAiError, timeoutOf, tooLate } from "./failure.ts"
import { toPrompt, toToolkit } from "./toPrompt.ts"

/**
 * Options of a provider over a language model of `effect/ai`.
 *
 * **Details**
 *
 * - `name`: name of the provider in errors and reports. Default: in `layer` the model's `ProviderName`, if it has one;
 *   otherwise `"effect-ai"`
 * - `model`: name of the model. Default: in `layer` the model's `ModelName`, if it has one; otherwise `"unknown"`
 * - `timeout`: total time for a call, by default 60 seconds
 * - `capabilities`: limits, prices, and whether the model can call tools, by default true. A request cannot set the sampling, the structured output or the length of an
 *   answer, so a budget of tokens or money requires `outputTokens`, the longest answer
 *
 * @category models
 */
export interface Options {
  readonly name?: string
  readonly model?: string
  readonly timeout?: Duration.Input
  readonly capabilities?: Pick<Capabilities, "contextTokens" | "outputTokens" | "prices" | "tools">
}

/**
 * Makes a provider of a language model of `effect/ai`.
 *
 * **Details**
 *
 * - The sampling is set in the model itself. The sampling of a request is not passed on, and the answer's `sampling` says
 *   so.
 * - Output forms are described in the prompt.
 * - Tools are sent as a toolkit. Nobody executes their calls: they are in the answer. `parallelCalls` is not passed on.
 * - What a model reasons before its calls goes back with them, with its metadata, in the `carry` of their message.
 * - Failures of the model become the matching `ProviderError`, with the tokens billed if the model reports them.
 *
 * **Example** (A model that always gives the same answer)
 *
 * ```ts
 * import { Effect, Stream } from "effect"
 * import { LanguageModel } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { EffectAi } from "cogito/effect-ai"
 *
 * const usage = { inputTokens: { total: 3 }, outputTokens: { total: 1 } }
 * const program = Effect.gen(function*() {
 *   const model = yield* LanguageModel.make({
 *     generateText: () => Effect.succeed([{ type: "text", text: "yes" }, { type: "finish", reason: "stop", usage }]),
 *     streamText: () => Stream.empty
 *   })
 *   const provider = EffectAi.fromLanguageModel(model, { model: "always" })
 *   return yield* provider.complete({
 *     messages: [{ role: "user", text: "Is it?" }],
 *     task: { kind: "ask", instruction: "Is it?", questions: [], context: [] },
 *     phase: "reason",
 *     sampling: {}
 *   })
 * })
 *
 * assert.deepEqual(await Effect.runPromise(program), { text: "yes", usage: { inputTokens: 3, outputTokens: 1 } })
 * ```
 *
 * @category constructors
 */
export const fromLanguageModel = taking("EffectAi.fromLanguageModel", {
  args: [kinds.object],
  options: 1,
  optional: true,
  known: ["capabilities", "model", "name", "timeout"]
})((model: LanguageModel, options: Options = {}): Shape => {
  const caller: Caller = { name: options.name ?? "effect-ai", model: options.model ?? "unknown" }
  const timeout = timeoutOf(options.timeout)

  const complete = Effect.fnUntraced(function* (request: Request) {
    const { content } = yield* model.generateText({ prompt: toPrompt(request, caller), ...toToolkit(request) }).pipe(
      Effect.mapError((error) => fromAiError(error, caller)),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooLate(caller, timeout)) })
    )
    const answer = new Answer(caller, hasTools(request))
    for (const part of content) {
      if (part.type === "text") answer.say(part.text)
      else if (part.type === "reasoning") answer.reason(part.text, part.metadata)
      else if (part.type === "tool-call") answer.call(part)
      else if (part.type === "response-metadata" || part.type === "finish") answer.end(part)
    }
    const { problem, response, usage } = answer
    if (problem !== undefined) return yield* fail(caller, problem, usage)
    return saying(response, request.sampling, {})
  })

  const stream = (request: Request): Stream.Stream<StreamPart, ProviderError> =>
    Stream.suspend(() => {
      const answer = new Answer(caller, hasTools(request))
      const names = new Map<string, string>()
      const thoughts = new Map<string, { readonly text: string; readonly metadata: AiResponse.ProviderMetadata }>()
      const think = (id: string, text: string, metadata: AiResponse.ProviderMetadata) => {
        const before = thoughts.get(id)
        thoughts.set(id, { text: `${before?.text ?? ""}${text}`, metadata: merged(before?.metadata ?? {}, metadata) })
      }
      const toParts = (part: StreamedPart): Effect.Effect<ReadonlyArray<StreamPart>, ProviderError> => {
        switch (part.type) {
          case "text-delta":
            answer.say(part.delta)
            return Effect.succeed(part.delta === "" ? [] : [{ _tag: "Text", delta: part.delta }])
          case "reasoning-start":
            think(part.id, "", part.metadata)
            return Effect.succeed([])
          case "reasoning-delta":
            think(part.id, part.delta, part.metadata)
            return Effect.succeed(part.delta === "" ? [] : [{ _tag: "Reasoning", delta: part.delta }])
          case "reasoning-end": {
            think(part.id, "", part.metadata)
            const { metadata = {}, text = "" } = thoughts.get(part.id) ?? {}
            answer.reason(text, metadata)
            return Effect.succeed([])
          }
          case "tool-params-start":
            if (part.providerExecuted) return Effect.succeed([])
            names.set(part.id, part.name)
            return Effect.succeed(answer.grow(part.id, part.name, ""))
          case "tool-params-delta": {
            const name = names.get(part.id)
            return Effect.succeed(name === undefined ? [] : answer.grow(part.id, name, part.delta))
          }
          case "tool-call":
            return Effect.succeed(answer.call(part))
          case "response-metadata":
          case "finish":
            answer.end(part)
            return Effect.succeed([])
          case "error":
            return Effect.fail(brokenOff(part.error, caller, answer))
          default:
            return Effect.succeed([])
        }
      }
      const end = Effect.suspend((): Effect.Effect<StreamPart, ProviderError> => {
        const { isFinished, problem, response, usage } = answer
        const message = "the stream ended before the answer was complete: try again"
        if (!isFinished) return Effect.fail(fail(caller, { _tag: "Truncated", message }, usage))
        if (problem !== undefined) return Effect.fail(fail(caller, problem, usage))
        return Effect.succeed({ _tag: "Done", response: saying(response, request.sampling, {}) })
      })
      return model.streamText({ prompt: toPrompt(request, caller), ...toToolkit(request) }).pipe(
        Stream.mapError((error) => fromAiError(error, caller, answer.usage)),
        Stream.mapEffect(toParts),
        Stream.flattenIterable,
        Stream.concat(Stream.fromEffect(end)),
        within(timeout, () => tooLate(caller, timeout, answer.usage))
      )
    })

  return make({
    ...caller,
    capabilities: { tools: true, ...options.capabilities, temperature: "never", boundsOutput: false },
    complete,
    stream
  })
})

/** Fails if the stream as a whole takes longer than `timeout`, and interrupts what it waits for. */
const within =
  <E>(timeout: Duration.Duration, late: () => E) =>
  <A>(self: Stream.Stream<A, E>): Stream.Stream<A, E> =>
    Stream.unwrap(
      Effect.map(Clock.currentTimeNanos, (start) =>
        Stream.transformPull(self, (pull) =>
          Effect.succeed(
            Effect.flatMap(Clock.currentTimeNanos, (now) =>
              Effect.timeoutOrElse(pull, {
                duration: Duration.subtract(timeout, Duration.nanos(now - start)),
                orElse: () => Effect.suspend(() => Effect.fail(late()))
              })
            )
          )
        )
      )
    )

type StreamedPart = AiResponse.StreamPart<ReturnType<typeof toToolkit>["toolkit"]["tools"], "opaque">

/** Each vendor's metadata, with that of later parts. */
const merged = (
  before: AiResponse.ProviderMetadata,
  later: AiResponse.ProviderMetadata
): AiResponse.ProviderMetadata => {
  const entries = Object.entries(later).map(([vendor, data]) => {
    const known = before[vendor]
    const both = [...Object.entries(known ?? {}), ...Object.entries(data ?? {})]
    return [vendor, Object.fromEntries(both)] as const
  })
  return { ...before, ...Object.fromEntries(entries) }
}

const hasTools = ({ tools = [] }: Request): boolean => tools.length > 0

const brokenOff = (error: unknown, caller: Caller, { usage }: Answer): ProviderError =>
  AiError.isAiError(error) ? fromAiError(error, caller, usage) : fail(caller, broken, usage)

/**
 * Provides the language model of `effect/ai` in the context as a provider, as `fromLanguageModel` does.
 *
 * **Example** (A model of `effect/ai` behind a synapse)
 *
 * ```ts
 * import { Effect, Layer, Stream } from "effect"
 * import { LanguageModel, Model } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 * import { EffectAi } from "cogito/effect-ai"
 *
 * const silent = LanguageModel.make({ generateText: () => Effect.succeed([]), streamText: () => Stream.empty })
 * const model = Model.make("house", "silent-1", Layer.effect(LanguageModel.LanguageModel, silent))
 *
 * const name = Provider.Provider.use((provider) => Effect.succeed(`${provider.name}/${provider.model}`))
 * const program = name.pipe(Effect.provide(EffectAi.layer()), Effect.provide(model))
 * assert.equal(await Effect.runPromise(program), "house/silent-1")
 * ```
 *
 * @category layers
 */
export const layer = taking("EffectAi.layer", {
  options: 0,
  optional: true,
  known: ["capabilities", "model", "name", "timeout"]
})((options: Options = {}): Layer.Layer<Provider, never, LanguageModel> =>
  Layer.effect(
    Provider,
    Effect.gen(function* () {
      const model = yield* LanguageModel
      const name = Option.getOrUndefined(yield* Effect.serviceOption(Model.ProviderName))
      const of = Option.getOrUndefined(yield* Effect.serviceOption(Model.ModelName))
      const named = { ...(name !== undefined && { name }), ...(of !== undefined && { model: of }) }
      return fromLanguageModel(model, { ...named, ...options })
    })
  )
)
