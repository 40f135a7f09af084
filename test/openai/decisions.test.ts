import { assert, describe, it } from "@effect/vitest"
import { Budget, Provider as Providers, Signal, Synapse } from "cogito"
import { type DecideRequest, Provider, type Question } from "cogito/Provider"
import { OpenAi } from "cogito/openai"
import { Effect } from "effect"
import { type Answer, type Recorded, reply, serve } from "./server.ts"
import { key, redirectTo, request } from "./streams.ts"

const urgent: Question = { _tag: "Predicate", name: "urgent", question: "Is it urgent?" }
const team: Question = {
  _tag: "Choice",
  name: "team",
  question: "Whose is it?",
  labels: [{ label: "billing", description: "money" }, { label: "technical" }]
}
const mood: Question = {
  _tag: "Score",
  name: "mood",
  question: "How angry?",
  levels: [
    { label: "calm", value: 0 },
    { label: "cross", value: 5, description: "not happy" },
    { label: "furious", value: 10 }
  ]
}

const deciding = (questions: ReadonlyArray<Question>, messages = request().messages): DecideRequest => ({
  messages,
  task: { kind: "decide", instruction: "canary", questions, context: [] }
})

const usage = {
  input_tokens: 20,
  output_tokens: 2,
  total_tokens: 22,
  input_tokens_details: { cached_tokens: 5, cache_write_tokens: 1 },
  output_tokens_details: { reasoning_tokens: 0 }
}
const billed = { inputTokens: 20, outputTokens: 2, cachedInputTokens: 5, cacheWriteTokens: 1, reasoningTokens: 0 }

const yes = { type: "predicate", name: "urgent", probability: 0.9 }
const billing = {
  type: "choice",
  name: "team",
  choice: "billing",
  confidence: 0.7,
  probabilities: [
    { value: "technical", probability: 0.29 },
    { value: "billing", probability: 0.7 }
  ]
}
const cross = {
  type: "score",
  name: "mood",
  score: 1,
  confidence: 0.5,
  probabilities: [
    { label: "calm", value: 0, probability: 0.25 },
    { label: "cross", value: 1, probability: 0.5 },
    { label: "furious", value: 2, probability: 0.25 }
  ]
}
const decision = (...answers: ReadonlyArray<unknown>) => ({ answers, model: "gpt-6-luna", usage })

const decide = (provider: Providers.Shape, asked: DecideRequest) => provider.decide?.(asked) ?? Effect.die("no decide")

const ask = (answer: Answer, asked: DecideRequest, options: Partial<OpenAi.DeciderOptions> = {}) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Provider.use((provider) => decide(provider, asked)).pipe(
      Effect.provide(OpenAi.decider({ model: "gpt-6-luna", apiKey: key, baseUrl: server.baseUrl, ...options })),
      Effect.result
    )
    return { server, outcome }
  })

describe("native decisions", () => {
  it.effect("ask questions of three kinds over the conversation, whose stable part is marked", () =>
    Effect.gen(function* () {
      const messages = [
        ...request().messages,
        { role: "assistant" as const, text: "noted" },
        { role: "user" as const, text: "And now?" }
      ]
      const { outcome, server } = yield* ask(
        reply(200, decision(yes, billing, cross), { "x-ratelimit-remaining-requests": "9" }),
        deciding([urgent, team, mood], messages),
        { cacheKey: "triage" }
      )
      const { body, path } = server.last()
      assert.strictEqual(path, "/v1/decisions")
      assert.deepStrictEqual(body, {
        model: "gpt-6-luna",
        input: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [{ type: "input_text", text: "canary prompt", prompt_cache_breakpoint: { mode: "explicit" } }]
          },
          { role: "assistant", content: "noted" },
          { role: "user", content: "And now?" }
        ],
        questions: [
          { type: "predicate", name: "urgent", instructions: "Is it urgent?" },
          {
            type: "choice",
            name: "team",
            instructions: "Whose is it?",
            choices: [{ value: "billing", description: "money" }, { value: "technical" }]
          },
          {
            type: "score",
            name: "mood",
            instructions: "How angry?",
            levels: [{ label: "calm" }, { label: "cross", description: "not happy" }, { label: "furious" }]
          }
        ],
        prompt_cache_key: "triage"
      })
      assert.deepStrictEqual(yield* Effect.fromResult(outcome), {
        answers: [
          { _tag: "Predicate", name: "urgent", probability: 0.9 },
          {
            _tag: "Choice",
            name: "team",
            label: "billing",
            distribution: { billing: 0.7 / 0.99, technical: 0.29 / 0.99 }
          },
          { _tag: "Score", name: "mood", value: 5, distribution: { calm: 0.25, cross: 0.5, furious: 0.25 } }
        ],
        usage: billed,
        model: "gpt-6-luna",
        limits: { requests: { remaining: 9 } }
      })
    })
  )

  it.effect("send calls of tools with their results, and with the text beside them if there is some", () =>
    Effect.gen(function* () {
      const call = (id: string) => ({ id, name: "lookup", params: `{"id":"${id}"}` })
      const result = (id: string, isFailure: boolean) => ({ id, name: "lookup", text: `of ${id}`, isFailure })
      const { server } = yield* ask(
        reply(200, decision(yes)),
        deciding(
          [urgent],
          [
            { role: "assistant", text: "Let me see.", calls: [call("a")] },
            { role: "tool", text: "", results: [result("a", false)] },
            { role: "assistant", text: " \n", calls: [call("b"), call("c")] },
            { role: "tool", text: "", results: [result("b", true), result("c", false)] },
            { role: "user", text: "Well?" }
          ]
        ),
        { model: "house-decider" }
      )
      const sent = (id: string) => ({ type: "function_call", call_id: id, name: "lookup", arguments: `{"id":"${id}"}` })
      const output = (id: string, text = `of ${id}`) => ({ type: "function_call_output", call_id: id, output: text })
      assert.deepStrictEqual(server.last().body.input, [
        { role: "assistant", content: "Let me see." },
        sent("a"),
        output("a"),
        sent("b"),
        sent("c"),
        output("b", "Error: of b"),
        output("c"),
        { role: "user", content: "Well?" }
      ])
    })
  )

  it.effect("mark nothing for models that do not accept marks", () =>
    Effect.gen(function* () {
      const { server } = yield* ask(reply(200, decision(yes)), deciding([urgent]), { model: "house-decider" })
      assert.deepStrictEqual(server.last().body.input[0], { role: "system", content: "Be brief." })
    })
  )

  it.effect("report which question was refused, and answer the others", () =>
    Effect.gen(function* () {
      const { outcome } = yield* ask(
        reply(200, decision({ type: "refusal", name: "urgent" }, billing)),
        deciding([urgent, team])
      )
      const { answers } = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(
        answers.map(({ _tag, name }) => [_tag, name]),
        [
          ["Refusal", "urgent"],
          ["Choice", "team"]
        ]
      )
    })
  )

  const predicates = (count: number): ReadonlyArray<Question> =>
    Array.from({ length: count }, (_, i) => ({ _tag: "Predicate", name: `q${i}`, question: `Question ${i}?` }))

  /** Answers every question with a probability that its number tells. */
  const answerAll: Answer = (response, incoming, asked) =>
    reply(
      200,
      decision(
        ...asked.body.questions.map(({ name }: { readonly name: string }) => ({
          type: "predicate",
          name,
          probability: Number(name.slice(1)) / 1000
        }))
      )
    )(response, incoming, asked)

  it.effect("send more than 400 questions in several calls, with the tokens of all", () =>
    Effect.gen(function* () {
      const { outcome, server } = yield* ask(answerAll, deciding(predicates(801)))
      const { answers, usage: spent } = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.questions.length),
        [400, 400, 1]
      )
      assert.deepStrictEqual(
        answers,
        Array.from({ length: 801 }, (_, i) => ({ _tag: "Predicate", name: `q${i}`, probability: i / 1000 }))
      )
      assert.deepStrictEqual(spent, {
        inputTokens: 60,
        outputTokens: 6,
        cachedInputTokens: 15,
        cacheWriteTokens: 3,
        reasoningTokens: 0
      })
    })
  )

  it.effect("report the usage of the calls before a failure", () =>
    Effect.gen(function* () {
      const { outcome } = yield* ask(
        (response, incoming, asked) =>
          asked.body.questions.length === 400
            ? answerAll(response, incoming, asked)
            : reply(503, { error: { message: key } })(response, incoming, asked),
        deciding(predicates(401))
      )
      const error = yield* Effect.flip(Effect.fromResult(outcome))
      assert.strictEqual(error.reason._tag, "Overloaded")
      assert.deepStrictEqual(error.usage, billed)
    })
  )

  it.effect("count each call in a budget", () =>
    Effect.gen(function* () {
      const server = yield* serve(answerAll)
      const layer = OpenAi.decider({ model: "gpt-6-luna", baseUrl: server.baseUrl })
      const error = yield* Provider.use((provider) => decide(provider, deciding(predicates(801)))).pipe(
        Effect.provide(layer),
        Providers.withBudget({ name: "two", calls: 2 }),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "BudgetExceeded")
      assert.strictEqual(server.recorded.length, 2)
    })
  )

  it.effect("choose a single label without a call", () =>
    Effect.gen(function* () {
      const only: Question = { ...team, labels: [{ label: "billing" }] }
      const level: Question = { ...mood, levels: [{ label: "calm", value: 3 }] }
      const { outcome, server } = yield* ask(reply(500, "canary"), deciding([only, level]))
      assert.deepStrictEqual(yield* Effect.fromResult(outcome), {
        answers: [
          { _tag: "Choice", name: "team", label: "billing", distribution: { billing: 1 } },
          { _tag: "Score", name: "mood", value: 3, distribution: { calm: 1 } }
        ],
        usage: {}
      })
      assert.strictEqual(server.recorded.length, 0)
      const mixed = yield* ask(reply(200, decision(yes)), deciding([only, urgent]))
      const { answers } = yield* Effect.fromResult(mixed.outcome)
      assert.deepStrictEqual(
        answers.map(({ name }) => name),
        ["team", "urgent"]
      )
    })
  )

  it.effect("refuse too many labels, and none, before anything is sent", () =>
    Effect.gen(function* () {
      for (const count of [0, 256]) {
        const labels = Array.from({ length: count }, (_, i) => ({ label: `l${i}` }))
        const { outcome, server } = yield* ask(reply(200, decision()), deciding([urgent, { ...team, labels }]))
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.strictEqual(error.reason._tag, "Unsupported")
        assert.include(error.message, `${count} labels`)
        assert.strictEqual(server.recorded.length, 0)
      }
    })
  )

  const odd = { ...billing, probabilities: [{ value: "billing", probability: 0.7 }] }
  const bad: ReadonlyArray<readonly [string, unknown, object | undefined]> = [
    ["of another form", { ...decision(yes, billing), answers: "canary" }, billed],
    ["that are HTML", "<html>canary", undefined],
    ["that are too few", decision(yes), billed],
    ["to other questions", decision({ ...yes, name: "canary" }, billing), billed],
    ["in another order", decision(billing, yes), billed],
    ["of another kind", decision(yes, { ...yes, name: "team" }), billed],
    ["without all labels", decision(yes, odd), billed],
    [
      "with another label in the place of one",
      decision(yes, {
        ...billing,
        probabilities: [
          { value: "billing", probability: 1 },
          { value: "canary", probability: 0 }
        ]
      }),
      billed
    ],
    ["that do not sum to 1", decision(yes, { ...odd, probabilities: billing.probabilities.slice(0, 1) }), billed],
    [
      "with a label twice",
      decision(yes, { ...billing, probabilities: [...billing.probabilities, ...odd.probabilities] }),
      billed
    ],
    ["with a label of their own", decision(yes, { ...billing, choice: "canary" }), billed],
    ["with a probability above 1", decision({ ...yes, probability: 1.5 }, billing), billed],
    ["with no probability", decision({ ...yes, probability: null }, billing), billed]
  ]
  for (const [what, body, spent] of bad) {
    it.effect(`answers ${what} are InvalidResponse`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* ask(reply(200, body), deciding([urgent, team]))
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.notInclude(JSON.stringify(error) + error.message, "canary")
        assert.strictEqual(error.reason._tag, "InvalidResponse")
        assert.deepStrictEqual(error.usage, spent)
        assert.strictEqual(error.requestId, "req-123")
      })
    )
  }

  it.effect("answers to a score that are of another kind are InvalidResponse", () =>
    Effect.gen(function* () {
      for (const answer of [
        { ...yes, name: "mood" },
        { ...billing, name: "mood" }
      ]) {
        const { outcome } = yield* ask(reply(200, decision(answer)), deciding([mood]))
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.strictEqual(error.reason._tag, "InvalidResponse")
      }
    })
  )

  it.effect("are the only calls that a decider supports", () =>
    Effect.gen(function* () {
      const layer = OpenAi.decider({ model: "gpt-6-luna", baseUrl: "http://127.0.0.1:1" })
      const error = yield* Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(layer),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, "combine it")
    })
  )
})

const lastPath = (recorded: ReadonlyArray<Recorded>) => recorded.map(({ path }) => path.replace("/v1/", ""))

describe("a provider with native decisions", () => {
  it.effect("has them by default at OpenAI itself for known models, else as its option says", () =>
    Effect.gen(function* () {
      const known: ReadonlyArray<readonly [OpenAi.Options, boolean]> = [
        [{ model: "gpt-6-luna" }, true],
        [{ model: "gpt-6-luna-2026-10-01" }, true],
        [{ model: "gpt-6-luna", decisions: false }, false],
        [{ model: "gpt-6-luna", baseUrl: "http://127.0.0.1:1" }, false],
        [{ model: "house", baseUrl: "http://127.0.0.1:1", decisions: true }, true],
        [{ model: "house", baseUrl: "http://127.0.0.1:1", decisions: "logprobs" }, true],
        [{ model: "gpt-6-sol" }, false],
        [{ model: "gpt-6-sol", decisions: { model: "gpt-6-luna" } }, true]
      ]
      for (const [options, has] of known) {
        const provider = yield* Effect.provide(Provider, OpenAi.layer({ apiKey: key, ...options }))
        assert.deepStrictEqual([options, provider.decide !== undefined], [options, has])
      }
    })
  )

  it.effect("decides by another model of the same server, and answers in words by its own", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, incoming, asked) =>
        asked.path.endsWith("decisions")
          ? reply(200, { ...decision({ ...yes, name: "decision" }), model: null })(response, incoming, asked)
          : reply(200, {
              status: "completed",
              output: [
                {
                  type: "message",
                  content: [{ type: "output_text", text: `{"decision":true,"confidence":1,"reasoning":["so"]}` }]
                }
              ]
            })(response, incoming, asked)
      )
      const layer = OpenAi.layer({
        model: "gpt-6-sol",
        apiKey: key,
        decisions: { model: "gpt-6-luna" },
        fetch: redirectTo(server.baseUrl)
      })
      const isUrgent = Synapse.binary({ question: "Is it urgent?" })
      const why = Synapse.binary({ question: "Is it urgent?", via: "text" })
      const [measured, stated] = yield* Effect.all([isUrgent("Hurry"), why("Hurry")]).pipe(Effect.provide(layer))
      assert.deepStrictEqual(lastPath(server.recorded), ["decisions", "responses"])
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.model),
        ["gpt-6-luna", "gpt-6-sol"]
      )
      assert.deepStrictEqual([measured.confidenceFrom, stated.confidenceFrom], ["measured", "stated"])
      assert.deepStrictEqual(measured.distribution, { yes: 0.9, no: 1 - 0.9 })
      const provider = yield* Effect.provide(Provider, layer)
      const { model } = yield* decide(provider, deciding([{ ...urgent, name: "decision" }]))
      assert.strictEqual(model, "gpt-6-luna")
      const error = yield* Effect.flip(decide(provider, deciding([urgent])))
      assert.strictEqual(error.model, "gpt-6-luna")
    })
  )

  it.effect("names, prices and counts another model's decisions as that model's", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, decision({ ...yes, name: "decision" })))
      const text = { input: 10, output: 10, asOf: "2026-11-01" }
      const prices = { input: 1000, output: 0, asOf: "2026-11-01" }
      const layerOf = (decisions: Exclude<OpenAi.Options["decisions"], undefined>) =>
        OpenAi.layer({ model: "gpt-6", baseUrl: server.baseUrl, decisions, capabilities: { prices: text } })
      const told: Array<unknown> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "CallCompleted") told.push([signal.provider, signal.model, signal.usd])
      })
      const isUrgent = Synapse.binary({ question: "Is it urgent?" })
      yield* listen(isUrgent("Hurry")).pipe(Effect.provide(layerOf({ model: "gpt-6-luna" })))
      assert.deepStrictEqual(told, [["openai", "gpt-6-luna", undefined]])

      // of 20 tokens read, at the prices of the one that decides
      const asked = Provider.use((provider) => decide(provider, deciding([{ ...urgent, name: "decision" }])))
      const budget = Budget.make({ name: "money", usd: 1000 })
      yield* asked.pipe(Effect.provide(layerOf({ model: "gpt-6-luna", prices })), Providers.withBudget(budget))
      const spent = yield* budget.spent
      assert.closeTo(spent.usd, 0.02, 1e-9)

      const unpriced = yield* asked.pipe(
        Effect.provide(layerOf({ model: "gpt-6-luna" })),
        Providers.withBudget({ name: "money", usd: 1000 }),
        Effect.flip
      )
      assert.strictEqual(unpriced.model, "gpt-6-luna")
      assert.strictEqual(server.recorded.length, 2)
    })
  )
})
