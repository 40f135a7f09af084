import { it } from "@effect/vitest"
import { Duration, Effect, Fiber, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import { TestClock } from "effect/testing"
import { EffectAi } from "cogito/effect-ai"
import type { Request } from "cogito/Provider"
import { listen, told } from "../http/wire.ts"
import { forms, request, withForm } from "../openai/requests.ts"
import { transcribe } from "../transcript.ts"

type Part = Response.StreamPartEncoded
type Failure = AiError.AiErrorReason

const usage = {
  inputTokens: { total: 12, uncached: 6, cacheRead: 4, cacheWrite: 2 },
  outputTokens: { total: 7, text: 4, reasoning: 3 }
}
const metadata = { type: "response-metadata", id: "r-1", modelId: "house-2" } as const
const finish = (reason: Response.FinishReason, counts: object = usage) =>
  ({ type: "finish", reason, usage: counts }) as Response.FinishPartEncoded
const text = (...deltas: ReadonlyArray<string>): ReadonlyArray<Part> => [
  { type: "text-start", id: "0" },
  ...deltas.map((delta) => ({ type: "text-delta", id: "0", delta }) as const),
  { type: "text-end", id: "0" }
]
const thoughts: ReadonlyArray<Part> = [
  { type: "reasoning-start", id: "1" },
  { type: "reasoning-delta", id: "1", delta: "hm" },
  { type: "reasoning-end", id: "1" }
]
const errorOf = (reason: Failure) => AiError.make({ module: "House", method: "generateText", reason })

/** The parts of a stream as those of a whole answer. */
const wholeOf = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part): ReadonlyArray<Response.PartEncoded> => {
    if (part.type === "text-delta") return [{ type: "text", text: part.delta }]
    if (part.type === "reasoning-delta") return [{ type: "reasoning", text: part.delta }]
    return part.type === "response-metadata" || part.type === "finish" ? [part] : []
  })

/** What a model of `effect/ai` is asked, and what a call and a streamed one come to. */
const asked = (
  parts: ReadonlyArray<Part> | AiError.AiError,
  sent: Request = request(),
  options: EffectAi.Options = {},
  rest: Stream.Stream<Part, AiError.AiError> = Stream.empty
) =>
  Effect.gen(function* () {
    const prompts: Array<unknown> = []
    const model = yield* LanguageModel.make({
      generateText: ({ prompt, responseFormat, tools }) =>
        Effect.suspend(() => {
          const said = prompt.content.map(({ content, role }) => ({
            [role]:
              typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : part.type))
          }))
          prompts.push({ said, format: responseFormat.type, tools: tools.length })
          return AiError.isAiError(parts) ? Effect.fail(parts) : Effect.succeed([...wholeOf(parts)])
        }),
      streamText: () =>
        AiError.isAiError(parts) ? Stream.fail(parts) : Stream.concat(Stream.fromIterable(parts), rest)
    })
    const provider = EffectAi.fromLanguageModel(model, options)
    const whole = yield* Effect.result(provider.complete(sent))
    const stream = yield* listen(provider, sent)
    return {
      asked: prompts,
      call: whole._tag === "Success" ? whole.success : told(whole.failure),
      stream: Array.isArray(stream) && stream.length === 1 ? stream[0] : stream
    }
  })
const outcomes = (...args: Parameters<typeof asked>) =>
  Effect.map(asked(...args), ({ call, stream }) => ({ call, stream }))

const reasons: ReadonlyArray<Response.FinishReason> = [
  "stop",
  "length",
  "content-filter",
  "tool-calls",
  "pause",
  "error",
  "other",
  "unknown"
]
const counts = { promptTokens: 31, completionTokens: 32 }
const httpOf = (status: number) => ({
  request: { method: "POST", url: "https://model.test", urlParams: [], hash: undefined, headers: {} } as const,
  response: { status, headers: {} }
})
const failures: Readonly<Record<string, Failure>> = {
  "too many requests": new AiError.RateLimitError({}),
  "too many requests, with a wait": new AiError.RateLimitError({ retryAfter: Duration.seconds(7) }),
  "a quota that is used up": new AiError.QuotaExhaustedError({}),
  "a key that is missing": new AiError.AuthenticationError({ kind: "MissingKey" }),
  "a key that is not enough": new AiError.AuthenticationError({ kind: "InsufficientPermissions" }),
  "what policy forbids": new AiError.ContentPolicyError({ description: "canary" }),
  "trouble of the server": new AiError.InternalProviderError({ description: "canary" }),
  "a connection that broke": new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "canary" }),
  "a request that cannot be built": new AiError.NetworkError({ reason: "InvalidUrlError", method: "POST", url: "x" }),
  "a request with a bad parameter": new AiError.InvalidRequestError({ parameter: "seed", description: "canary" }),
  "a request with a parameter that is no name": new AiError.InvalidRequestError({ parameter: "a b" }),
  "messages that it does not take": new AiError.InvalidUserInputError({ description: "canary" }),
  "output that is none": new AiError.InvalidOutputError({ description: "canary", usage: counts }),
  "a response that is none": new AiError.InvalidResponseError({ description: "canary" }),
  "an object that is none": new AiError.StructuredOutputError({
    description: "canary",
    responseText: "canary",
    usage: counts
  }),
  "a schema that it cannot take": new AiError.UnsupportedSchemaError({ description: "canary" }),
  "a tool that is not there": new AiError.ToolNotFoundError({ toolName: "look", availableTools: [] }),
  "what nobody knows": new AiError.UnknownError({ description: "canary" }),
  ...Object.fromEntries(
    [402, 408, 413, 418].map((status) => [
      `what nobody knows, with status ${status}`,
      new AiError.UnknownError({ description: "canary", http: httpOf(status) })
    ])
  )
}

it.effect("what a language model of effect/ai is asked, and comes to as a provider", () =>
  transcribe("fromLanguageModel", {
    "Messages of every role, and an answer with all that may be told": asked(
      [metadata, ...thoughts, ...text("Hel", "", "lo"), finish("stop")],
      request(),
      { name: "house", model: "house-1" }
    ),
    "A form, and sampling": asked(
      [...text("{}"), finish("stop")],
      withForm("small", forms.small, { sampling: { temperature: 0.3, seed: 4 } })
    ),
    Tools: asked(
      [...text("x"), finish("stop")],
      request({ tools: [{ name: "look", description: "", parameters: {} }] })
    ),
    "Counts of one kind, and of none": Effect.all({
      some: outcomes([...text("x"), finish("stop", { inputTokens: { total: 3 }, outputTokens: {} })]),
      none: outcomes([...text("x"), finish("stop", { inputTokens: {}, outputTokens: {} })])
    }),
    "Two names of the model and of the answer": outcomes([
      metadata,
      { type: "response-metadata", id: "r-2" },
      ...text("x"),
      { type: "response-metadata", modelId: "house-3" },
      finish("stop")
    ]),
    "A name of the model that is told once, before another id": outcomes([
      metadata,
      { type: "response-metadata", id: "r-2" },
      ...text("x"),
      finish("stop")
    ]),
    ...Object.fromEntries(
      reasons.map((reason) => [`An answer that ended by ${reason}`, outcomes([...text("x"), finish(reason)])])
    ),
    "An answer of spaces": outcomes([...text(" "), finish("stop")]),
    "An answer without an end": outcomes([metadata, ...text("x")]),
    ...Object.fromEntries(
      Object.entries(failures).map(([what, reason]) => [`A failure of ${what}`, outcomes(errorOf(reason))])
    ),
    "A stream that fails after its end was told": Effect.map(
      asked([...text("x"), finish("stop")], request(), {}, Stream.fail(errorOf(failures["output that is none"]!))),
      ({ stream }) => stream
    ),
    "A stream with an error in it": Effect.map(
      asked([...text("x"), finish("stop"), { type: "error", error: errorOf(failures["too many requests"]!) }]),
      ({ stream }) => stream
    ),
    "A stream with an error of another kind in it": Effect.map(
      asked([...text("x"), { type: "error", error: "canary" }]),
      ({ stream }) => stream
    ),
    "A stream that takes too long": Effect.gen(function* () {
      const slow = Effect.map(
        asked([...text("x")], request(), { timeout: "7 seconds" }, Stream.never),
        ({ stream }) => stream
      )
      const fiber = yield* Effect.forkChild(slow)
      for (let i = 0; i < 16; i++) {
        for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        yield* TestClock.adjust(500)
      }
      return yield* Fiber.join(fiber)
    })
  })
)
