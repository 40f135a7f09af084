import { it } from "@effect/vitest"
import { Duration, Effect, Schema, Stream } from "effect"
import { AiError, type Prompt, Tool, Toolkit } from "effect/ai"
import { EffectAi } from "cogito/effect-ai"
import { type Capabilities, make, ProviderError, type Reason, type Request, type Response } from "cogito/Provider"
import { transcribe } from "../transcript.ts"

type Prompted = ReadonlyArray<Prompt.MessageEncoded> | string

const prompt: Prompted = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "b" }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "c" }
    ]
  },
  { role: "system", content: "Be kind." },
  { role: "user", content: "d" }
]
const usage = { inputTokens: 12, cachedInputTokens: 4, cacheWriteTokens: 2, outputTokens: 7, reasoningTokens: 3 }
const full = { text: "Hello", usage, id: "r-1", model: "house-1-dated", provider: "other", usd: 3 }

/** An error on few lines: the description is a part of the message. */
const shown = (error: unknown): unknown => {
  if (!AiError.isAiError(error)) return error
  const fields = Object.entries(error.reason).filter(([name]) => !["_tag", "description", "metadata"].includes(name))
  return {
    [error.reason._tag]: error.message,
    retryable: error.isRetryable,
    wait: error.retryAfter,
    ...Object.fromEntries(fields)
  }
}

interface Options extends EffectAi.LanguageModelOptions {
  readonly capabilities?: Partial<Capabilities>
}

/** What a provider is asked, and what a text, a stream and an object of it come to. */
const given = (
  answer: Partial<Response> | Reason,
  { capabilities, ...options }: Options = {},
  said: Prompted = prompt
) =>
  Effect.gen(function* () {
    const requests: Array<Request> = []
    const provider = make({
      name: "house",
      model: "house-1",
      ...(capabilities && { capabilities }),
      complete: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return "_tag" in answer
            ? Effect.fail(new ProviderError({ provider: "house", model: "house-1", reason: answer, usage }))
            : Effect.succeed({ text: "Hello", usage: {}, ...answer })
        })
    })
    const model = yield* EffectAi.toLanguageModel(provider, options)
    const result = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.map(Effect.result(effect), (made) => (made._tag === "Success" ? made.success : shown(made.failure)))
    const text = yield* result(Effect.map(model.generateText({ prompt: said }), ({ content }) => content))
    const parts: Array<unknown> = []
    const end = yield* result(
      Stream.runForEach(model.streamText({ prompt: said }), (part) => Effect.sync(() => void parts.push(part)))
    )
    const City = Schema.Struct({ city: Schema.String, since: Schema.DateFromString })
    const object = yield* result(
      Effect.map(model.generateObject({ prompt: said, schema: City, objectName: "city" }), ({ value }) => value)
    )
    const [first, , third] = requests
    return {
      asked: first,
      "asked for an object": third?.task.output,
      text,
      stream: end === undefined ? parts : [...parts, end],
      object: JSON.stringify(object) === JSON.stringify(text) ? "the same as the text" : object
    }
  })

const wait = Duration.seconds(7)
const message = "no"
const reasons: ReadonlyArray<Reason> = [
  { _tag: "RateLimited", message },
  { _tag: "RateLimited", message, retryAfter: wait },
  { _tag: "QuotaExhausted", message },
  { _tag: "Overloaded", message },
  { _tag: "Overloaded", message, retryAfter: wait },
  { _tag: "Connection", message },
  { _tag: "Timeout", message },
  { _tag: "Authentication", message },
  { _tag: "InvalidRequest", message },
  { _tag: "InvalidRequest", message, parameter: "seed", outOfRange: true },
  { _tag: "ContextTooLong", message },
  { _tag: "Refused", message, category: "cyber" },
  { _tag: "Truncated", message },
  { _tag: "EmptyAnswer", message },
  { _tag: "InvalidResponse", message },
  { _tag: "Unsupported", message },
  { _tag: "BudgetExceeded", message, budget: "b", limit: "usd" },
  { _tag: "CircuitOpen", message },
  { _tag: "CircuitOpen", message, retryAfter: wait },
  { _tag: "ReplayMismatch", message, call: 3 }
]

it.effect("what a provider is asked, and comes to as a language model of effect/ai", () =>
  transcribe("toLanguageModel", {
    "Messages of every role, and an answer with all that may be told": given(full),
    "An answer with nothing but its text": given({}, {}, "Hi"),
    "Some counts": given({ usage: { inputTokens: 9, cachedInputTokens: 2 } }, {}, "Hi"),
    "Sampling for a model that takes all of it": given(
      full,
      {
        sampling: { temperature: 0.3, maxTokens: 44, seed: 5, stop: ["b", "a"] },
        capabilities: { seed: true, temperature: "free" }
      },
      "Hi"
    ),
    "Sampling for a model that takes an effort only": given(
      full,
      {
        sampling: { temperature: 0.3, effort: "medium", seed: 5 },
        capabilities: { temperature: "never", efforts: ["low", "high"] }
      },
      "Hi"
    ),
    "No sampling for a model that takes an effort only": given(
      full,
      { capabilities: { temperature: "never", efforts: ["low", "high"] } },
      "Hi"
    ),
    "An object in other words": given({
      text: 'Here:\n```json\n{ "since": "2020-01-02T00:00:00.000Z", "city": "Ulm" }\n```'
    }),
    "An object that is none": given({ text: '{ "city": 4 }' }),
    ...Object.fromEntries(
      reasons.map((reason) => {
        const { _tag, message: _, ...rest } = reason
        const fields = Object.keys(rest)
        return [
          `A failure of ${_tag}${fields.length === 0 ? "" : ` with ${fields.join(" and ")}`}`,
          Effect.map(given(reason, {}, "Hi"), ({ object, stream, text }) => ({ object, stream, text }))
        ]
      })
    ),
    "A file, a tool call and a tool result": Effect.all({
      file: given(full, {}, [{ role: "user", content: [{ type: "file", mediaType: "text/plain", data: "QQ==" }] }]),
      call: given(full, {}, [
        {
          role: "assistant",
          content: [{ type: "tool-call", id: "1", name: "look", params: {}, providerExecuted: false }]
        }
      ]),
      result: given(full, {}, [
        { role: "tool", content: [{ type: "tool-result", id: "1", name: "look", isFailure: false, result: 3 }] }
      ])
    }),
    "A toolkit": Effect.gen(function* () {
      const model = yield* EffectAi.toLanguageModel(
        make({ name: "house", model: "house-1", complete: () => Effect.die("no") })
      )
      const toolkit = Toolkit.make(Tool.make("look", { parameters: Schema.Struct({ at: Schema.String }) }))
      const call = model.generateText({ prompt: "Hi", toolkit: yield* toolkit, disableToolCallResolution: true })
      return shown(yield* Effect.flip(call))
    }).pipe(
      Effect.provide(
        Toolkit.make(Tool.make("look", { parameters: Schema.Struct({ at: Schema.String }) })).toLayer({
          look: () => Effect.void
        })
      )
    )
  })
)
