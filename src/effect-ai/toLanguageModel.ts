/** A provider as a language model of `effect/ai`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import { LanguageModel, make, type ProviderOptions } from "effect/ai/LanguageModel"
import type * as AiResponse from "effect/ai/Response"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import { checkSampling } from "../arguments/checked.ts"
import { Provider, type Request, resolveSampling, type Sampling, type Shape } from "../Provider.ts"
import { compile, type Form, read } from "../synapse/form.ts"
import { begin, streaming, toParts } from "./parts.ts"
import { toMessages, toTools } from "./prompt.ts"
import { toAiError } from "./toAiError.ts"

/**
 * Options of a language model. `sampling` is sent with every call, as far as the model accepts it: `effect/ai` has no
 * such options of its own.
 *
 * @category models
 */
export interface LanguageModelOptions {
  readonly sampling?: Sampling
}

type Method = "generateText" | "streamText"

const unsupported = (method: Method, description: string): AiError.AiError =>
  AiError.make({ module: "EffectAi", method, reason: new AiError.InvalidUserInputError({ description }) })

type Json = Schema.Codec<unknown, unknown>

interface Prepared {
  readonly request: Request
  /** Reads an answer that must have a form. */
  readonly form?: Form<unknown>
}

/**
 * The output form to request, and a form that only parses the JSON of the answer, because `effect/ai` decodes it. Undefined
 * if the answer is plain text.
 */
const formsOf = ({ responseFormat }: ProviderOptions) => {
  if (responseFormat.type === "text") return undefined
  const { objectName, schema } = responseFormat
  // `effect/ai` has checked that it encodes to an object. The form requires no services for decoding.
  const json = Schema.toCodecJson(schema as Json)
  const { output } = compile(objectName, json, (value) => value)
  return { output, form: compile(objectName, Schema.toEncoded(json), (value) => value) }
}

const toAsked = Effect.fnUntraced(function* (
  provider: Shape,
  options: ProviderOptions,
  wish: Sampling,
  method: Method
): Effect.fn.Return<Prepared, AiError.AiError> {
  const messages = toMessages(options.prompt)
  if (messages === undefined) {
    return yield* unsupported(method, "this model takes text, calls and their results, but no files and no approvals")
  }
  const tools = toTools(options)
  if (tools === undefined) return yield* unsupported(method, "tools of a vendor cannot be called through this model")
  const forms = formsOf(options)
  return {
    request: {
      messages,
      ...tools,
      task: {
        kind: "language-model",
        instruction: messages.findLast(({ role }) => role === "user")?.text ?? "",
        questions: [],
        context: [],
        ...(forms && { output: forms.output })
      },
      phase: "reason",
      sampling: resolveSampling(provider.capabilities, "reason", wish),
      wish
    },
    ...(forms && { form: forms.form })
  }
})

/** The answer as bare JSON of its form, if it contains such: `effect/ai` reads nothing else. */
const toText = (text: string, form: Form<unknown> | undefined): Effect.Effect<string> =>
  form === undefined
    ? Effect.succeed(text)
    : Effect.match(read(form, text, "lenient"), {
        onSuccess: ({ value }) => JSON.stringify(value),
        onFailure: () => text
      })

const toStream = (answers: ReturnType<Shape["stream"]>): Stream.Stream<AiResponse.StreamPartEncoded, AiError.AiError> =>
  Stream.suspend(() =>
    answers.pipe(
      Stream.mapError((error) => toAiError(error, "streamText")),
      Stream.map(streaming()),
      Stream.flattenIterable,
      (parts) => Stream.concat(Stream.make(begin), parts)
    )
  )

/**
 * Makes a language model of `effect/ai` from a provider, for its chats, plans and servers.
 *
 * **Details**
 *
 * - An object is requested in the way that the provider requests forms. Text around the JSON of the answer is removed.
 * - A toolkit is sent as tools. A prompt with files or approvals, or a tool of a vendor, fails with `InvalidUserInputError`.
 * - What an answer carries is in the metadata of its first call, and goes back from the options of that part.
 * - Every failure of the provider becomes the matching error of `effect/ai`. An overload or open circuit with a
 *   `retryAfter` becomes `RateLimitError`, the only one that has a time to wait.
 * - Throws if `sampling` is invalid.
 *
 * **Example** (An object from a provider)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import assert from "node:assert/strict"
 * import { EffectAi } from "cogito/effect-ai"
 * import { Testing } from "cogito/testing"
 *
 * const { provider } = Testing.scripted(["Here it is:\n```json\n{ \"city\": \"Ulm\" }\n```"])
 * const program = Effect.gen(function*() {
 *   const model = yield* EffectAi.toLanguageModel(provider)
 *   return yield* model.generateObject({ prompt: "Where?", schema: Schema.Struct({ city: Schema.String }) })
 * })
 *
 * assert.deepEqual((await Effect.runPromise(program)).value, { city: "Ulm" })
 * ```
 *
 * @category constructors
 */
export const toLanguageModel = taking("EffectAi.toLanguageModel", {
  args: [kinds.object],
  options: 1,
  optional: true,
  known: { sampling: forms.maybe("", forms.sampling) }
})((provider: Shape, options: LanguageModelOptions = {}): Effect.Effect<LanguageModel> => {
  const { sampling = {} } = options
  checkSampling("EffectAi.toLanguageModel", sampling)
  return make({
    generateText: Effect.fnUntraced(function* (asked) {
      const { form, request } = yield* toAsked(provider, asked, sampling, "generateText")
      const response = yield* Effect.mapError(provider.complete(request), (error) => toAiError(error, "generateText"))
      return toParts(response, yield* toText(response.text, form))
    }),
    streamText: (asked) =>
      Stream.unwrap(
        Effect.map(toAsked(provider, asked, sampling, "streamText"), ({ request }) =>
          toStream(provider.stream(request))
        )
      ),
    supportsSystemMessagesInHistory: Effect.succeed(true)
  })
})

/**
 * Provides the provider in the context as a language model of `effect/ai`, as `toLanguageModel` does.
 *
 * **Example** (A chat)
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { LanguageModel } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { EffectAi } from "cogito/effect-ai"
 * import { Testing } from "cogito/testing"
 *
 * const model = EffectAi.languageModel().pipe(Layer.provide(Testing.scripted(["Hello."]).layer))
 * const answer = await Effect.runPromise(Effect.provide(LanguageModel.generateText({ prompt: "Hi" }), model))
 *
 * assert.equal(answer.text, "Hello.")
 * assert.equal(answer.finishReason, "stop")
 * ```
 *
 * @category layers
 */
export const languageModel = taking("EffectAi.languageModel", {
  options: 0,
  optional: true,
  known: { sampling: forms.maybe("", forms.sampling) }
})((options: LanguageModelOptions = {}): Layer.Layer<LanguageModel, never, Provider> =>
  Layer.effect(
    LanguageModel,
    Effect.flatMap(needed(Provider), (provider) => toLanguageModel(provider, options))
  )
)
