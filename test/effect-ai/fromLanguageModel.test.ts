import { assert, describe, it } from "@effect/vitest"
import { Synapse } from "cogito"
import { EffectAi } from "cogito/effect-ai"
import { Provider, type Request, type Shape } from "cogito/Provider"
import { Duration, Effect, Fiber, Layer, Queue, Schema, Stream } from "effect"
import { AiError, LanguageModel, Model, type Response } from "effect/ai"
import { TestClock } from "effect/testing"
import { assertClean, prompt } from "../faults/clean.ts"

const request = (rest: Partial<Request> = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "a" },
    { role: "assistant", text: "b" },
    { role: "user", text: prompt }
  ],
  task: { kind: "ask", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

const usage = {
  inputTokens: { total: 12, uncached: 6, cacheRead: 4, cacheWrite: 2 },
  outputTokens: { total: 7, text: 4, reasoning: 3 }
}

const counted = { inputTokens: 12, cachedInputTokens: 4, cacheWriteTokens: 2, outputTokens: 7, reasoningTokens: 3 }

type Finish = Response.FinishPartEncoded["reason"]

const finish = (reason: Finish): Response.FinishPartEncoded => ({ type: "finish", reason, usage })

const metadata = { type: "response-metadata", id: "r-1", modelId: "house-2" } as const

/** A model of `effect/ai` that answers so, with what it was asked. */
const modelOf = (
  parts: ReadonlyArray<Response.PartEncoded> | AiError.AiError,
  streamed: Stream.Stream<Response.StreamPartEncoded, AiError.AiError> = Stream.empty
) => {
  const asked: Array<LanguageModel.ProviderOptions> = []
  const note = (options: LanguageModel.ProviderOptions) => void asked.push(options)
  const model = LanguageModel.make({
    generateText: (options) =>
      Effect.suspend(() => {
        note(options)
        return AiError.isAiError(parts) ? Effect.fail(parts) : Effect.succeed([...parts])
      }),
    streamText: (options) =>
      Stream.suspend(() => {
        note(options)
        return streamed
      })
  })
  const provider = Effect.map(model, (made) =>
    EffectAi.fromLanguageModel(made, { name: "house", model: "house-1", timeout: Duration.infinity })
  )
  return { asked, model, provider }
}

/** The prompt of a call, as roles and texts. */
const said = (options: LanguageModel.ProviderOptions | undefined) =>
  options?.prompt.content.map(({ content, role }) => [
    role,
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : part.type)).join("|")
  ])

const failing = (parts: Parameters<typeof modelOf>[0], asked: Request = request()) =>
  Effect.gen(function* () {
    const provider = yield* modelOf(parts).provider
    const error = yield* Effect.flip(provider.complete(asked))
    assertClean(error)
    return error
  })

describe("a language model of effect/ai, asked for a whole answer", () => {
  it.effect("is sent the messages, and its answer is text, usage, model and id", () =>
    Effect.gen(function* () {
      const { asked, provider: made } = modelOf([
        metadata,
        { type: "reasoning", text: "canary" },
        { type: "text", text: "Hel" },
        { type: "text", text: "lo" },
        finish("stop")
      ])
      const provider = yield* made
      assert.deepStrictEqual(yield* provider.complete(request()), {
        text: "Hello",
        usage: counted,
        model: "house-2",
        id: "r-1"
      })
      assert.deepStrictEqual(said(asked[0]), [
        ["system", "Be brief."],
        ["user", "a"],
        ["assistant", "b"],
        ["user", prompt]
      ])
      assert.deepStrictEqual(asked[0]?.responseFormat, { type: "text" })
      assert.deepStrictEqual(asked[0]?.tools, [])
    })
  )

  it.effect("gets the form in words, and our parser reads the answer", () =>
    Effect.gen(function* () {
      const text = 'Here you are:\n```json\n{"city": "Ulm",}\n```'
      const { asked, provider: made } = modelOf([{ type: "text", text }, finish("stop")])
      const extract = Synapse.extract(Schema.Struct({ city: Schema.String }), { prompt: "Where?" })
      const value = yield* Effect.provideService(extract("In Ulm."), Provider, yield* made)
      assert.deepStrictEqual(value, { city: "Ulm" })
      const last = said(asked[0])?.at(-1)
      assert.strictEqual(last?.[0], "user")
      assert.strictEqual(last?.[1], "Answer with JSON only: {city: string}")
    })
  )

  it.effect("reports that no sampling was sent, if some was requested", () =>
    Effect.gen(function* () {
      const provider = yield* modelOf([{ type: "text", text: "x" }, finish("stop")]).provider
      assert.deepStrictEqual(
        [provider.name, provider.model, provider.capabilities],
        [
          "house",
          "house-1",
          { temperature: "never", efforts: [], structuredOutput: "none", seed: false, tools: true, boundsOutput: false }
        ]
      )
      const answer = yield* provider.complete(request({ sampling: { temperature: 0, maxTokens: 5 } }))
      assert.deepStrictEqual(answer.sampling, {})
    })
  )

  const endings: ReadonlyArray<readonly [Finish, string]> = [
    ["length", "Truncated"],
    ["content-filter", "Refused"],
    ["tool-calls", "InvalidResponse"],
    ["pause", "InvalidResponse"],
    ["error", "Overloaded"],
    ["other", "InvalidResponse"],
    ["unknown", "InvalidResponse"]
  ]
  it.effect("fails if its answer is not finished or has no text, with its usage", () =>
    Effect.gen(function* () {
      for (const [reason, tag] of endings) {
        const error = yield* failing([{ type: "text", text: "canary words" }, finish(reason)])
        assert.deepStrictEqual([reason, error.reason._tag, error.usage], [reason, tag, counted])
      }
      const empty = yield* failing([{ type: "text", text: " " }, finish("stop")])
      assert.deepStrictEqual([empty.reason._tag, empty.usage], ["EmptyAnswer", counted])
      assert.strictEqual((yield* failing([{ type: "text", text: "x" }])).reason._tag, "InvalidResponse")
    })
  )

  const description = `canary: ${prompt}`
  const http = (status: number) => ({
    http: {
      response: { status, headers: { "x-canary": "canary" } },
      body: "canary"
    }
  })
  const reasons: ReadonlyArray<readonly [AiError.AiErrorReason, string, boolean]> = [
    [new AiError.RateLimitError({ retryAfter: Duration.seconds(9) }), "RateLimited", true],
    [new AiError.QuotaExhaustedError({}), "QuotaExhausted", false],
    [new AiError.AuthenticationError({ kind: "ExpiredKey", description }), "Authentication", false],
    [new AiError.ContentPolicyError({ description }), "Refused", false],
    [new AiError.InvalidRequestError({ description, parameter: "temperature" }), "InvalidRequest", false],
    [new AiError.InvalidUserInputError({ description }), "InvalidRequest", false],
    [new AiError.InternalProviderError({ description }), "Overloaded", true],
    [
      new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "http://canary", description }),
      "Connection",
      true
    ],
    [
      new AiError.NetworkError({ reason: "InvalidUrlError", method: "POST", url: "http://canary", description }),
      "InvalidRequest",
      false
    ],
    [new AiError.InvalidResponseError({ description }), "InvalidResponse", true],
    [
      new AiError.InvalidOutputError({ description, usage: { promptTokens: 5, completionTokens: 2 } }),
      "InvalidResponse",
      true
    ],
    [new AiError.StructuredOutputError({ description, responseText: "canary" }), "InvalidResponse", true],
    [new AiError.UnsupportedSchemaError({ description }), "Unsupported", false],
    [new AiError.ToolNotFoundError({ toolName: "canary", availableTools: [] }), "Unsupported", false],
    [new AiError.UnknownError({ description }), "InvalidRequest", false],
    [new AiError.UnknownError({ description, ...http(402) }), "QuotaExhausted", false],
    [new AiError.UnknownError({ description, ...http(408) }), "Timeout", true],
    [new AiError.UnknownError({ description, ...http(413) }), "ContextTooLong", false],
    [new AiError.UnknownError({ description, ...http(404) }), "InvalidRequest", false]
  ]
  it.effect("fails with the matching reason, without the text of the model", () =>
    Effect.gen(function* () {
      for (const [reason, tag, retries] of reasons) {
        const error = yield* failing(AiError.make({ module: "House", method: "generateText", reason }))
        assert.deepStrictEqual([reason._tag, error.reason._tag, error.isRetryable], [reason._tag, tag, retries])
        if (reason._tag === "RateLimitError") assert.deepStrictEqual(error.retryAfter, Duration.seconds(9))
        if (reason._tag === "InvalidOutputError") {
          assert.deepStrictEqual(error.usage, { inputTokens: 5, outputTokens: 2 })
        }
        if (reason._tag === "InvalidRequestError") {
          assert.strictEqual(error.reason._tag === "InvalidRequest" && error.reason.parameter, "temperature")
        }
      }
    })
  )

  it.effect("names the refused parameter only if it looks like a name", () =>
    Effect.gen(function* () {
      for (const [parameter, told] of [
        ["input.messages[0].content", true],
        ["x".repeat(60), true],
        ["x".repeat(61), false],
        ["canary words", false]
      ] as const) {
        const reason = new AiError.InvalidRequestError({ parameter })
        const error = yield* failing(AiError.make({ module: "House", method: "generateText", reason }))
        const named = error.reason._tag === "InvalidRequest" ? error.reason.parameter : assert.fail(error.reason._tag)
        assert.strictEqual(named, told ? parameter : undefined)
      }
    })
  )

  it.effect("keeps the model and id of its parts", () =>
    Effect.gen(function* () {
      const provider = yield* modelOf([
        metadata,
        { type: "text", text: "x" },
        { type: "response-metadata", id: undefined, modelId: undefined },
        finish("stop")
      ]).provider
      const { id, model } = yield* provider.complete(request())
      assert.deepStrictEqual([id, model], ["r-1", "house-2"])
    })
  )

  it.effect("is not called with tools if it cannot call them", () =>
    Effect.gen(function* () {
      const { asked, model } = modelOf([finish("stop")])
      const provider = EffectAi.fromLanguageModel(yield* model, { capabilities: { tools: false } })
      const tools = [{ name: "search", description: "", parameters: {} }]
      const error = yield* Effect.flip(provider.complete(request({ tools })))
      const streamed = yield* Effect.flip(Stream.runDrain(provider.stream(request({ tools }))))
      assert.deepStrictEqual([error.reason._tag, streamed.reason._tag], ["Unsupported", "Unsupported"])
      assert.strictEqual(asked.length, 0)
    })
  )
})

/** The parts of a stream until its end or failure. */
const listen = Effect.fnUntraced(function* (provider: Shape, asked: Request = request()) {
  const parts: Array<unknown> = []
  const outcome = yield* provider.stream(asked).pipe(
    Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
    Effect.result
  )
  const error = outcome._tag === "Failure" ? outcome.failure : undefined
  if (error !== undefined) assertClean(error)
  return { parts, error }
})

const start: ReadonlyArray<Response.StreamPartEncoded> = [
  metadata,
  { type: "reasoning-start", id: "0" },
  { type: "reasoning-delta", id: "0", delta: "canary" },
  { type: "reasoning-end", id: "0" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Hel" },
  { type: "text-delta", id: "1", delta: "lo" },
  { type: "text-end", id: "1" }
]

describe("a language model of effect/ai, asked for a stream", () => {
  it.effect("gives its text in pieces, and the whole at the end", () =>
    Effect.gen(function* () {
      const { asked, provider: made } = modelOf([], Stream.fromIterable([...start, finish("stop")]))
      const { error, parts } = yield* listen(yield* made, request({ sampling: { temperature: 0 } }))
      assert.isUndefined(error)
      assert.deepStrictEqual(parts, [
        { _tag: "Reasoning", delta: "canary" },
        { _tag: "Text", delta: "Hel" },
        { _tag: "Text", delta: "lo" },
        { _tag: "Done", response: { text: "Hello", usage: counted, model: "house-2", id: "r-1", sampling: {} } }
      ])
      assert.strictEqual(said(asked[0])?.length, 4)
    })
  )

  it.effect("fails without an end, with another end, and if it breaks off", () =>
    Effect.gen(function* () {
      const limited = AiError.make({
        module: "House",
        method: "streamText",
        reason: new AiError.RateLimitError({ retryAfter: Duration.seconds(2) })
      })
      const cases: ReadonlyArray<readonly [Stream.Stream<Response.StreamPartEncoded, AiError.AiError>, string]> = [
        [Stream.fromIterable(start), "Truncated"],
        [Stream.fromIterable([...start, finish("length")]), "Truncated"],
        [Stream.fromIterable([...start, finish("content-filter")]), "Refused"],
        [Stream.make(finish("stop")), "EmptyAnswer"],
        [Stream.fromIterable([...start, { type: "error", error: "canary" }]), "Overloaded"],
        [Stream.fromIterable([...start, { type: "error", error: limited }]), "RateLimited"],
        [Stream.concat(Stream.fromIterable(start), Stream.fail(limited)), "RateLimited"]
      ]
      for (const [streamed, tag] of cases) {
        const { error, parts } = yield* listen(yield* modelOf([], streamed).provider)
        assert.strictEqual(error?.reason._tag, tag)
        assert.notInclude(JSON.stringify(parts), "Done")
      }
    })
  )

  it.effect("that fails after its counts reports them, overridden by those of the failure", () =>
    Effect.gen(function* () {
      const make = (reason: AiError.AiErrorReason) => AiError.make({ module: "House", method: "streamText", reason })
      const limited = make(new AiError.RateLimitError({}))
      const invalid = make(new AiError.InvalidOutputError({ description: "canary", usage: { promptTokens: 5 } }))
      const failures = [
        [limited, counted],
        [invalid, { ...counted, inputTokens: 5 }]
      ] as const
      for (const [failure, expected] of failures) {
        const told = Stream.fromIterable([...start, finish("stop")])
        const broken = Stream.concat(told, Stream.fail(failure))
        const last = Stream.concat(told, Stream.make({ type: "error" as const, error: failure }))
        for (const streamed of [broken, last]) {
          const { error } = yield* listen(yield* modelOf([], streamed).provider)
          assert.deepStrictEqual(error?.usage, expected)
        }
      }
      const unknown = Stream.fromIterable([...start, finish("stop"), { type: "error" as const, error: "canary" }])
      const { error } = yield* listen(yield* modelOf([], unknown).provider)
      assert.deepStrictEqual([error?.reason._tag, error?.usage], ["Overloaded", counted])
    })
  )
})

describe("a language model of effect/ai that does not answer", () => {
  it.effect("is interrupted after the time for a call, whole and streamed", () =>
    Effect.gen(function* () {
      const ended = yield* Queue.unbounded<string>()
      const model = yield* LanguageModel.make({
        generateText: () => Effect.onInterrupt(Effect.never, () => Queue.offer(ended, "whole")),
        streamText: () =>
          Stream.concat(
            Stream.fromIterable([...start, finish("stop")]),
            Stream.fromEffect(Effect.onInterrupt(Effect.never, () => Queue.offer(ended, "stream")))
          )
      })
      const provider = EffectAi.fromLanguageModel(model, { timeout: "5 seconds" })
      const calls = yield* Effect.forkChild(
        Effect.all([Effect.flip(provider.complete(request())), listen(provider)], { concurrency: 2 })
      )
      yield* TestClock.adjust("5 seconds")
      const [whole, streamed] = yield* Fiber.join(calls)
      assert.strictEqual(whole.reason._tag, "Timeout")
      assert.deepStrictEqual([streamed.error?.reason._tag, streamed.error?.usage], ["Timeout", counted])
      assert.strictEqual(streamed.parts.length, 3)
      assert.sameMembers(yield* Queue.takeN(ended, 2), ["whole", "stream"])
    })
  )

  it.effect("is interrupted after the total time of a stream, however often a piece arrives", () =>
    Effect.gen(function* () {
      const piece = { type: "text-delta", id: "0", delta: "x" } as const
      const pieces = Stream.concat(
        Stream.fromIterable(start),
        Stream.fromEffectRepeat(Effect.delay(Effect.succeed(piece), "2 seconds"))
      )
      const model = yield* LanguageModel.make({ generateText: () => Effect.never, streamText: () => pieces })
      const fiber = yield* Effect.forkChild(listen(EffectAi.fromLanguageModel(model, { timeout: "5 seconds" })))
      yield* TestClock.adjust("5 seconds")
      const { error, parts } = yield* Fiber.join(fiber)
      assert.strictEqual(error?.reason._tag, "Timeout")
      assert.include(error?.message, "within 5s")
      assert.strictEqual(parts.length, 5)
    })
  )
})

describe("the layer of a language model", () => {
  it.effect("takes the names from the model, unless others are given", () =>
    Effect.gen(function* () {
      const silent = LanguageModel.make({ generateText: () => Effect.succeed([]), streamText: () => Stream.empty })
      const plain = Layer.effect(LanguageModel.LanguageModel, silent)
      const named = Model.make("house", "house-1", plain)
      const names = (options?: EffectAi.Options) =>
        Effect.map(Provider, ({ model, name }) => [name, model]).pipe(Effect.provide(EffectAi.layer(options)))
      assert.deepStrictEqual(yield* Effect.provide(names(), plain), ["effect-ai", "unknown"])
      assert.deepStrictEqual(yield* Effect.provide(names(), named), ["house", "house-1"])
      assert.deepStrictEqual(yield* Effect.provide(names({ name: "mine" }), named), ["mine", "house-1"])
    })
  )
})
