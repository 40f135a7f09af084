import { assert, describe, it } from "@effect/vitest"
import { EffectAi } from "cogito/effect-ai"
import { Testing } from "cogito/testing"
import { make, Provider, ProviderError, type Reason, type Request, type Usage } from "cogito/Provider"
import { Duration, Effect, Schema, Stream } from "effect"
import { AiError, Chat, LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"

const usage = { inputTokens: 12, cachedInputTokens: 4, cacheWriteTokens: 2, outputTokens: 7, reasoningTokens: 3 }

/** A provider that answers so, with what it was asked. */
const providerOf = (answer: string | Reason) => {
  const asked: Array<Request> = []
  const provider = make({
    name: "house",
    model: "house-1",
    capabilities: { temperature: "free", seed: true },
    complete: (request) =>
      Effect.suspend(() => {
        asked.push(request)
        return typeof answer === "string"
          ? Effect.succeed({ text: answer, usage, id: "r-1", model: "house-1-dated" })
          : Effect.fail(new ProviderError({ provider: "house", model: "house-1", reason: answer, usage }))
      })
  })
  return { asked, provider }
}

describe("a provider as a language model of effect/ai", () => {
  it.effect('finishes with its text and the reason "stop" if its list of calls is empty', () =>
    Effect.gen(function* () {
      for (const text of ["Hello", ""]) {
        const complete = () => Effect.succeed({ text, calls: [], usage })
        const model = yield* EffectAi.toLanguageModel(
          make({ name: "house", model: "house-1", capabilities: {}, complete })
        )
        const answer = yield* model.generateText({ prompt: "Hi" })
        assert.deepStrictEqual([answer.text, answer.finishReason], [text, "stop"])
        assert.deepStrictEqual(
          answer.content.map(({ type }) => type),
          ["text", "response-metadata", "finish"]
        )
      }
    })
  )

  it.effect("uses the sampling of the layer's options, and checks it when it is made", () =>
    Effect.gen(function* () {
      const { asked, provider } = providerOf("Hello")
      const sampling = { seed: 7, maxTokens: 30 }
      yield* LanguageModel.generateText({ prompt: "Hi" }).pipe(
        Effect.provide(EffectAi.languageModel({ sampling })),
        Effect.provideService(Provider, provider)
      )
      assert.deepInclude(asked[0]?.sampling, sampling)
      for (const [wrong, says] of [
        [{ temperature: Number.NaN }, /temperature/],
        [{ temperature: -1 }, /temperature/],
        [{ maxTokens: 0 }, /maxTokens/],
        [{ seed: 0.5 }, /seed/]
      ] as const) {
        assert.throws(() => EffectAi.toLanguageModel(provider, { sampling: wrong }), says)
      }
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("is called with the prompt, and returns text, usage, model and id", () =>
    Effect.gen(function* () {
      const { asked, provider } = providerOf("Hello")
      const model = yield* EffectAi.toLanguageModel(provider, { sampling: { seed: 1, effort: "high" } })
      const answer = yield* model.generateText({
        prompt: Prompt.make([
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
          { role: "user", content: "d" }
        ])
      })
      yield* Stream.runDrain(model.streamText({ prompt: "again" }))
      const [streamed] = asked.splice(1)
      assert.deepStrictEqual([streamed?.sampling, streamed?.wish], [{ seed: 1, temperature: 0 }, asked[0]?.wish])
      assert.strictEqual(answer.text, "Hello")
      assert.strictEqual(answer.finishReason, "stop")
      const { inputTokens, outputTokens } = answer.usage
      assert.deepStrictEqual(inputTokens, { total: 12, uncached: 6, cacheRead: 4, cacheWrite: 2 })
      assert.deepStrictEqual(outputTokens, { total: 7, text: 4, reasoning: 3 })
      const metadata = answer.content.find((part) => part.type === "response-metadata")
      assert.deepStrictEqual([metadata?.id, metadata?.modelId], ["r-1", "house-1-dated"])
      assert.deepStrictEqual(asked, [
        {
          messages: [
            { role: "system", text: "Be brief." },
            { role: "user", text: "ab" },
            { role: "assistant", text: "c" },
            { role: "user", text: "d" }
          ],
          task: { kind: "language-model", instruction: "d", questions: [], context: [] },
          phase: "reason",
          sampling: { seed: 1, temperature: 0 },
          wish: { seed: 1, effort: "high" }
        }
      ])
    })
  )

  const Trip = Schema.Struct({
    city: Schema.String,
    at: Schema.DateFromString,
    days: Schema.optionalKey(Schema.Int)
  })
  it.effect("requests an object as a form, and finds it in the answer", () =>
    Effect.gen(function* () {
      const { asked, provider } = providerOf('Sure:\n```json\n{"city": "Ulm", "at": "2026-11-22T00:00:00.000Z",}\n```')
      const model = yield* EffectAi.toLanguageModel(provider)
      const { value } = yield* model.generateObject({ prompt: "Where?", schema: Trip, objectName: "trip" })
      assert.deepStrictEqual(value, { city: "Ulm", at: new Date("2026-11-22") })
      const output = asked[0]?.task.output
      assert.strictEqual(output?.name, "trip")
      assert.deepStrictEqual(output?.jsonSchema["required"], ["city", "at"])
      assert.include(output?.instructions ?? "", "JSON only: {city: string, at: string")
    })
  )

  it.effect("fails as effect/ai does if there is no such object", () =>
    Effect.gen(function* () {
      const model = yield* EffectAi.toLanguageModel(providerOf("I do not know.").provider)
      const error = yield* Effect.flip(model.generateObject({ prompt: "Where?", schema: Trip }))
      assert.strictEqual(error.reason._tag, "StructuredOutputError")
    })
  )

  it.effect("streams its pieces and ends as it does", () =>
    Effect.gen(function* () {
      const { provider } = providerOf("Hello")
      const model = yield* EffectAi.toLanguageModel(provider)
      const parts = yield* Stream.runCollect(model.streamText({ prompt: "Hi" }))
      assert.deepStrictEqual(
        parts.map((part) => (part.type === "text-delta" ? part.delta : part.type)),
        ["text-start", "Hello", "text-end", "response-metadata", "finish"]
      )
      const finish = parts.find((part) => part.type === "finish")
      assert.strictEqual(finish?.usage.outputTokens.total, 7)
    })
  )

  it.effect("keeps the history of a chat", () =>
    Effect.gen(function* () {
      const { asked, provider } = providerOf("Hello")
      const chat = yield* Chat.empty
      const talk = Effect.andThen(chat.generateText({ prompt: "a" }), chat.generateText({ prompt: "b" }))
      yield* Effect.provideServiceEffect(talk, LanguageModel.LanguageModel, EffectAi.toLanguageModel(provider))
      assert.deepStrictEqual(asked[1]?.messages, [
        { role: "user", text: "a" },
        { role: "assistant", text: "Hello" },
        { role: "user", text: "b" }
      ])
    })
  )

  it.effect("keeps a system message where it stands between the others", () =>
    Effect.gen(function* () {
      const { asked, provider } = providerOf("Hello")
      const model = yield* EffectAi.toLanguageModel(provider)
      // what a chat asks before it adds one
      assert.isTrue(yield* model.supportsSystemMessagesInHistory ?? Effect.succeed(false))
      yield* model.generateText({
        prompt: Prompt.make([
          { role: "user", content: "a" },
          { role: "system", content: "Be brief from now on." },
          { role: "user", content: "b" }
        ])
      })
      assert.deepStrictEqual(
        asked[0]?.messages.map(({ role, text }) => [role, text]),
        [
          ["user", "a"],
          ["system", "Be brief from now on."],
          ["user", "b"]
        ]
      )
    })
  )

  it.effect("reports no tokens that the provider does not count", () =>
    Effect.gen(function* () {
      const usageFor = (usage: Usage) =>
        Effect.gen(function* () {
          const provider = make({ name: "house", model: "m", complete: () => Effect.succeed({ text: "x", usage }) })
          const { usage: told } = yield* (yield* EffectAi.toLanguageModel(provider)).generateText({ prompt: "a" })
          return [told.inputTokens, told.outputTokens].map((tokens) => JSON.parse(JSON.stringify(tokens)))
        })
      assert.deepStrictEqual(yield* usageFor({}), [{}, {}])
      assert.deepStrictEqual(yield* usageFor({ inputTokens: 5, outputTokens: 3 }), [
        { total: 5, uncached: 5 },
        { total: 3, text: 3 }
      ])
    })
  )

  it.effect("refuses files, and tools of a model that cannot call them, instead of dropping them", () =>
    Effect.gen(function* () {
      const { provider, requests } = Testing.scripted([], { capabilities: { tools: false } })
      const model = yield* EffectAi.toLanguageModel(provider)
      const Look = Tool.make("Look", { parameters: Schema.Struct({ at: Schema.String }), success: Schema.String })
      const toolkit = yield* Toolkit.make(Look).pipe(
        Effect.provide(Toolkit.make(Look).toLayer({ Look: () => Effect.succeed("x") }))
      )
      const file = Prompt.make([
        { role: "user", content: [{ type: "file", mediaType: "image/png", data: new Uint8Array([1]) }] }
      ])
      const result = Prompt.make([
        { role: "assistant", content: [{ type: "tool-call", id: "1", name: "Look", params: {} }] },
        {
          role: "tool",
          content: [{ type: "tool-result", id: "1", name: "Look", isFailure: false, result: "x" }]
        }
      ])
      const errors = [
        yield* Effect.flip(model.generateText({ prompt: result })),
        yield* Effect.flip(model.generateText({ prompt: "a", toolkit })),
        yield* Effect.flip(Stream.runDrain(model.streamText({ prompt: "a", toolkit }))),
        yield* Effect.flip(model.generateText({ prompt: file }))
      ]
      for (const error of errors) {
        assert.isTrue(AiError.isAiError(error) && error.reason._tag === "InvalidUserInputError")
      }
      assert.strictEqual(requests.length, 0)
    })
  )

  it.effect("refuses calls that a server carried out, and results that are no text, instead of dropping them", () =>
    Effect.gen(function* () {
      const { provider, requests } = Testing.scripted(() => "fine")
      const model = yield* EffectAi.toLanguageModel(provider)
      const asked = { type: "tool-call", id: "1", name: "Look", params: {} } as const
      const result = { type: "tool-result", id: "1", name: "Look", isFailure: false, result: "x" } as const
      const picture = { type: "file", mediaType: "image/png", data: new Uint8Array([1]) } as const
      const text = { type: "text", text: "seen" } as const
      const prompts = [
        Prompt.make([
          {
            role: "assistant",
            content: [
              { type: "text", text: "Seen." },
              { ...asked, providerExecuted: true }
            ]
          },
          { role: "user", content: "And?" }
        ]),
        Prompt.make([
          { role: "assistant", content: [asked] },
          { role: "tool", content: [{ ...result, modelOutput: [text, picture] }] }
        ])
      ]
      for (const prompt of prompts) {
        const error = yield* Effect.flip(model.generateText({ prompt }))
        assert.strictEqual(error.reason._tag, "InvalidUserInputError")
      }
      assert.strictEqual(requests.length, 0)
      yield* model.generateText({
        prompt: Prompt.make([
          { role: "assistant", content: [asked] },
          { role: "tool", content: [{ ...result, modelOutput: [text] }] }
        ])
      })
      assert.strictEqual(requests[0]?.messages.at(-1)?.results?.[0]?.text, "seen")
    })
  )

  const wait = Duration.seconds(9)
  const reasons: ReadonlyArray<readonly [Reason, string]> = [
    [{ _tag: "RateLimited", message: "m", retryAfter: wait }, "RateLimitError"],
    [{ _tag: "QuotaExhausted", message: "m" }, "QuotaExhaustedError"],
    [{ _tag: "Overloaded", message: "m", retryAfter: wait }, "RateLimitError"],
    [{ _tag: "Overloaded", message: "m" }, "InternalProviderError"],
    [{ _tag: "Connection", message: "m" }, "NetworkError"],
    [{ _tag: "Timeout", message: "m" }, "InternalProviderError"],
    [{ _tag: "Authentication", message: "m" }, "AuthenticationError"],
    [{ _tag: "InvalidRequest", message: "m", parameter: "seed" }, "InvalidRequestError"],
    [{ _tag: "ContextTooLong", message: "m" }, "InvalidRequestError"],
    [{ _tag: "Refused", message: "m" }, "ContentPolicyError"],
    [{ _tag: "Truncated", message: "m" }, "InvalidOutputError"],
    [{ _tag: "EmptyAnswer", message: "m" }, "InvalidOutputError"],
    [{ _tag: "InvalidResponse", message: "m" }, "InvalidOutputError"],
    [{ _tag: "Unsupported", message: "m" }, "InvalidUserInputError"],
    [{ _tag: "BudgetExceeded", message: "m", budget: "b", limit: "usd" }, "QuotaExhaustedError"],
    [{ _tag: "CircuitOpen", message: "m", retryAfter: wait }, "RateLimitError"],
    [{ _tag: "CircuitOpen", message: "m" }, "InternalProviderError"],
    [{ _tag: "ReplayMismatch", message: "m", call: 1 }, "InvalidRequestError"]
  ]
  it.effect("fails with the matching error, which is retryable if the provider error is", () =>
    Effect.gen(function* () {
      for (const [reason, tag] of reasons) {
        const { provider } = providerOf(reason)
        const model = yield* EffectAi.toLanguageModel(provider)
        const own = yield* Effect.flip(provider.complete({ messages: [], task: task, phase: "reason", sampling: {} }))
        const whole = yield* Effect.flip(model.generateText({ prompt: "a" }))
        const streamed = yield* Effect.flip(Stream.runDrain(model.streamText({ prompt: "a" })))
        assert.deepStrictEqual([whole.method, streamed.method], ["generateText", "streamText"])
        for (const error of [whole, streamed]) {
          assert.deepStrictEqual(
            [reason._tag, error.reason._tag, error.isRetryable],
            [reason._tag, tag, own.isRetryable]
          )
          if (tag === "RateLimitError") assert.deepStrictEqual(error.retryAfter, wait)
          assert.include(error.message, "m")
          if (reason._tag === "InvalidRequest") {
            assert.strictEqual(error.reason._tag === "InvalidRequestError" && error.reason.parameter, "seed")
          }
          if (error.reason._tag === "InvalidOutputError") {
            assert.deepStrictEqual({ ...error.reason.usage }, { promptTokens: 12, completionTokens: 7 })
          }
        }
      }
    })
  )

  const task = { kind: "ask", instruction: "a", questions: [], context: [] }

  it.effect("is the same provider again, there and back", () =>
    Effect.gen(function* () {
      const { provider } = providerOf("Hello")
      const model = yield* EffectAi.toLanguageModel(provider)
      const back = EffectAi.fromLanguageModel(model)
      const request: Request = { messages: [{ role: "user", text: "a" }], task, phase: "reason", sampling: {} }
      assert.deepStrictEqual(yield* back.complete(request), yield* provider.complete(request))
    })
  )
})
