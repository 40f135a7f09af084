import { assert, describe, it } from "@effect/vitest"
import { Provider as Providers, Synapse } from "cogito"
import { type DecideRequest, Provider, type Question } from "cogito/Provider"
import { OpenAi } from "cogito/openai"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import { type Answer, completion, reply, serve } from "./server.ts"
import { key, redirectTo, request } from "./streams.ts"

const urgent: Question = { _tag: "Predicate", name: "urgent", question: "Is it urgent?" }
const team: Question = {
  _tag: "Choice",
  name: "team",
  question: "Whose is it?",
  labels: [{ label: "billing", description: "money" }, { label: "technical" }, { label: "sales" }]
}
const mood: Question = {
  _tag: "Score",
  name: "mood",
  question: "How angry?",
  levels: [
    { label: "calm", value: 0 },
    { label: "furious", value: 10 }
  ]
}

const deciding = (...questions: ReadonlyArray<Question>): DecideRequest => ({
  messages: request().messages,
  task: { kind: "decide", instruction: "canary", questions, context: [] }
})

const billed = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 }

/** An answer whose first token might have been any of these, with such probabilities. */
const listing = (tokens: Readonly<Record<string, number>>, message: object = {}, finish = "length") => {
  const whole = completion("x", finish, message)
  const top_logprobs = Object.entries(tokens).map(([token, share]) => ({
    token,
    logprob: Math.log(share),
    bytes: null
  }))
  const content = [{ token: "x", logprob: 0, bytes: null, top_logprobs }]
  return { ...whole, choices: whole.choices.map((choice) => ({ ...choice, logprobs: { content, refusal: null } })) }
}

const ask = (answer: Answer, asked: DecideRequest, options: Partial<OpenAi.Options> = {}) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Provider.use((provider) => provider.decide?.(asked) ?? Effect.die("no decide")).pipe(
      Effect.provide(
        OpenAi.layer({ model: "qwen3:8b", apiKey: key, baseUrl: server.baseUrl, decisions: "logprobs", ...options })
      ),
      Effect.result
    )
    return { server, outcome }
  })

const answered = (question: Question, tokens: Readonly<Record<string, number>>) =>
  Effect.gen(function* () {
    const { outcome } = yield* ask(reply(200, listing(tokens)), deciding(question))
    const { answers } = yield* Effect.fromResult(outcome)
    return answers[0] ?? assert.fail("no answer")
  })

const closeTo = (actual: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>) => {
  assert.deepStrictEqual(Object.keys(actual), Object.keys(expected))
  for (const [label, share] of Object.entries(expected)) assert.closeTo(actual[label] ?? -1, share, 1e-9)
}

const distributionOf = (question: Question, tokens: Readonly<Record<string, number>>) =>
  Effect.map(answered(question, tokens), (answer) =>
    "distribution" in answer ? answer.distribution : assert.fail("no distribution")
  )

describe("decisions by log-probabilities", () => {
  it.effect("ask for one token of each question, after the same conversation", () =>
    Effect.gen(function* () {
      const { outcome, server } = yield* ask(
        (response, incoming, asked) => {
          const question = asked.body.messages.at(-1).content
          const tokens = question.startsWith("Is it urgent") ? { Yes: 0.75, No: 0.25 } : { B: 0.6, A: 0.3, C: 0.1 }
          reply(200, listing(tokens), { "x-ratelimit-remaining-requests": "2" })(response, incoming, asked)
        },
        deciding(urgent, team)
      )
      const [first, second] = server.recorded.map(({ body }) => body)
      const { messages, ...rest } = first
      assert.strictEqual(server.last().path, "/v1/chat/completions")
      assert.deepStrictEqual(rest, { model: "qwen3:8b", logprobs: true, top_logprobs: 20, max_tokens: 1 })
      assert.deepStrictEqual(messages, [
        { role: "system", content: "Be brief." },
        { role: "user", content: "canary prompt" },
        { role: "user", content: "Is it urgent?\nAnswer with one word and nothing else: yes or no." }
      ])
      assert.deepStrictEqual(second.messages.slice(0, 2), messages.slice(0, 2))
      assert.strictEqual(
        second.messages[2].content,
        "Whose is it?\nA: billing - money\nB: technical\nC: sales\n" +
          "Answer with the letter in front of your choice and nothing else."
      )
      const response = yield* Effect.fromResult(outcome)
      assert.strictEqual(response.probabilitiesFrom, "logprobs")
      assert.deepStrictEqual(response.limits, { requests: { remaining: 2 } })
      assert.deepStrictEqual(response.usage, {
        inputTokens: 24,
        outputTokens: 14,
        cachedInputTokens: 8,
        reasoningTokens: 6
      })
      const [predicate, choice] = response.answers
      assert.deepStrictEqual([predicate?.name, choice?.name], ["urgent", "team"])
      assert.closeTo(predicate?._tag === "Predicate" ? predicate.probability : -1, 0.75, 1e-9)
      assert.strictEqual(choice?._tag === "Choice" && choice.label, "technical")
    })
  )

  it.effect("ask OpenAI itself not to store, and use its own name of the limit", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, listing({ yes: 1 })))
      const fetch = redirectTo(server.baseUrl)
      yield* Provider.use((provider) => provider.decide?.(deciding(urgent)) ?? Effect.die("no decide")).pipe(
        Effect.provide(OpenAi.layer({ model: "gpt-4o", apiKey: key, decisions: "logprobs", cacheKey: "k", fetch }))
      )
      const { messages: _, ...rest } = server.last().body
      assert.deepStrictEqual(rest, {
        model: "gpt-4o",
        logprobs: true,
        top_logprobs: 20,
        max_completion_tokens: 1,
        store: false,
        prompt_cache_key: "k"
      })
    })
  )

  it.effect("sum the spellings of a label, and leave out other tokens", () =>
    Effect.gen(function* () {
      const predicate = yield* answered(urgent, { yes: 0.3, " Yes": 0.2, "\u2581YES": 0.1, "\u0120no": 0.2, Well: 0.2 })
      assert.closeTo(predicate._tag === "Predicate" ? predicate.probability : -1, 0.6 / 0.8, 1e-9)
      const shares = yield* distributionOf(team, { A: 0.5, " A": 0.1, B: 0.15, "\nC": 0.15, a: 0.1 })
      closeTo(shares, { billing: 0.6 / 0.9, technical: 0.15 / 0.9, sales: 0.15 / 0.9 })
    })
  )

  it.effect("give a label that is not listed at most the least listed probability, and all such labels the rest", () =>
    Effect.gen(function* () {
      // 0.02 are left for two labels.
      closeTo(yield* distributionOf(team, { A: 0.9, x: 0.08 }), {
        billing: 0.9 / 0.92,
        technical: 0.01 / 0.92,
        sales: 0.01 / 0.92
      })
      // 0.2 are left, but nothing that is not listed is more probable than 0.03.
      closeTo(yield* distributionOf(team, { A: 0.7, B: 0.07, x: 0.03 }), {
        billing: 0.7 / 0.8,
        technical: 0.07 / 0.8,
        sales: 0.03 / 0.8
      })
      const certain = yield* answered(urgent, { yes: 1 })
      assert.deepStrictEqual(certain, { _tag: "Predicate", name: "urgent", probability: 1 })
    })
  )

  it.effect("weigh the values of a score", () =>
    Effect.gen(function* () {
      const score = yield* answered(mood, { A: 0.25, B: 0.75 })
      assert.closeTo(score._tag === "Score" ? score.value : -1, 7.5, 1e-9)
    })
  )

  it.effect("report a question that the model or a filter declines", () =>
    Effect.gen(function* () {
      for (const body of [
        listing({ I: 1 }, { refusal: "I cannot, canary" }),
        listing({ yes: 1 }, {}, "content_filter")
      ]) {
        const { outcome } = yield* ask(reply(200, body), deciding(urgent))
        const { answers } = yield* Effect.fromResult(outcome)
        assert.deepStrictEqual(answers, [
          { _tag: "Refusal", name: "urgent", message: "the model declined to answer urgent" }
        ])
      }
    })
  )

  const bad: ReadonlyArray<readonly [string, unknown, string, object | undefined]> = [
    ["no log-probabilities", completion("Yes"), "Unsupported", billed],
    ["an empty list of them", listing({}), "Unsupported", billed],
    ["labels that are unlikely", listing({ "<think>": 0.9, yes: 0.05, no: 0.01 }), "Unsupported", billed],
    ["something else", { canary: 1 }, "InvalidResponse", undefined]
  ]
  for (const [what, body, tag, spent] of bad) {
    it.effect(`a server that gives ${what} is ${tag}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* ask(reply(200, body), deciding(urgent))
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.notInclude(JSON.stringify(error) + error.message, "canary")
        assert.strictEqual(error.reason._tag, tag)
        assert.deepStrictEqual(error.usage, spent)
        assert.strictEqual(error.requestId, "req-123")
      })
    )
  }

  const refusals: ReadonlyArray<readonly [string, number, object]> = [
    ["by its parameter", 400, { message: "canary", type: "invalid_request_error", param: "logprobs" }],
    ["in words", 400, { message: "Unsupported parameter: 'top_logprobs' is not supported with this model. canary" }],
    ["as not allowed", 403, { message: "You are not allowed to request logprobs from this model. canary" }]
  ]
  for (const [how, status, error] of refusals) {
    it.effect(`refused ${how} are Unsupported, so that the next way is tried`, () =>
      Effect.gen(function* () {
        const { outcome, server } = yield* ask(reply(status, { error }), deciding(urgent))
        const refused = yield* Effect.flip(Effect.fromResult(outcome))
        assert.strictEqual(refused.reason._tag, "Unsupported")
        assert.notInclude(JSON.stringify(refused) + refused.message, "canary")
        assert.strictEqual(refused.requestId, "req-123")
        const text = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["so"] }])
        const decider = OpenAi.layer({ model: "m", baseUrl: server.baseUrl, decisions: "logprobs" })
        const answer = yield* Synapse.binary({ question: "Is it urgent?" })("Hurry").pipe(
          Effect.provide(Providers.combine({ decide: decider, complete: text.layer }))
        )
        assert.deepStrictEqual([answer.confidenceFrom, server.recorded.length], ["stated", 2])
      })
    )
  }

  it.effect("refused for another reason fail as any call does", () =>
    Effect.gen(function* () {
      for (const error of [{ message: "canary", param: "messages" }, { message: "canary" }]) {
        const { outcome } = yield* ask(reply(400, { error }), deciding(urgent))
        const refused = yield* Effect.flip(Effect.fromResult(outcome))
        assert.strictEqual(refused.reason._tag, "InvalidRequest")
      }
    })
  )

  it.effect("refuse more than 20 labels before anything is sent", () =>
    Effect.gen(function* () {
      const labels = (count: number) => Array.from({ length: count }, (_, i) => ({ label: `l${i}` }))
      const { outcome, server } = yield* ask(reply(200, ""), deciding(urgent, { ...team, labels: labels(21) }))
      const error = yield* Effect.flip(Effect.fromResult(outcome))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.strictEqual(server.recorded.length, 0)
      const shares = yield* distributionOf({ ...team, labels: labels(20) }, { T: 1 })
      assert.strictEqual(shares["l19"], 1)
    })
  )

  it.effect("are marked as probabilities in the answer to a typed question", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, listing({ B: 0.8, A: 0.2 })))
      const category = yield* Synapse.classification({ question: "Which?", categories: ["bill", "tech"] })(
        "Hello"
      ).pipe(Effect.provide(OpenAi.layer({ model: "m", baseUrl: server.baseUrl, decisions: "logprobs" })))
      assert.strictEqual(category.primary, "tech")
      assert.strictEqual(category.confidenceFrom, "logprobs")
      assert.closeTo(category.confidence, 0.8, 1e-9)
    })
  )
})
