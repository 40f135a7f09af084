import { it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenAi } from "cogito/openai"
import type { DecideRequest, ProviderError, Question, Shape } from "cogito/Provider"
import { Provider } from "cogito/Provider"
import { wire } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { request } from "./requests.ts"
import { type Answer, reply } from "./server.ts"

const late: Question = { _tag: "Predicate", name: "late", question: "Is it late?" }
const team: Question = {
  _tag: "Choice",
  name: "team",
  question: "Whose is it?",
  labels: [{ label: "technical", description: "faults" }, { label: "billing" }, { label: "account", description: "" }]
}
const mood: Question = {
  _tag: "Score",
  name: "mood",
  question: "How cross?",
  levels: [
    { label: "calm", value: 1 },
    { label: "cross", value: 4, description: "not happy" },
    { label: "furious", value: 10 }
  ]
}
const alone: Question = { _tag: "Choice", name: "alone", question: "Which?", labels: [{ label: "only" }] }
const oneLevel: Question = { _tag: "Score", name: "level", question: "How?", levels: [{ label: "flat", value: 3 }] }
const none: Question = { _tag: "Choice", name: "none", question: "Which?", labels: [] }
const wide = (count: number): Question => ({
  _tag: "Choice",
  name: "wide",
  question: "Which?",
  labels: Array.from({ length: count }, (_, i) => ({ label: `label ${i}` }))
})

const closed = (questions: ReadonlyArray<Question>): DecideRequest => ({
  messages: request().messages,
  task: { kind: "decide", instruction: "the instruction", questions, context: [] }
})

type Options = Partial<OpenAi.Options>
type Make = (fetch: typeof globalThis.fetch) => Effect.Effect<Shape, ProviderError>

const house = { model: "house-1", apiKey: "sk-house-key", baseUrl: "https://model.test/v1" }
const making =
  (options: Options = {}): Make =>
  (fetch) =>
    OpenAi.make({ ...house, fetch, ...options })
const decider =
  (options: Partial<OpenAi.DeciderOptions> = {}): Make =>
  (fetch) =>
    Effect.provide(Provider, OpenAi.decider({ ...house, fetch, ...options }))

const asking = (make: Make, answers: Answer | ReadonlyArray<Answer>, questions: ReadonlyArray<Question>) =>
  wire(answers, (fetch) =>
    Effect.flatMap(make(fetch), (provider): Effect.Effect<object, ProviderError> =>
      provider.decide === undefined
        ? Effect.succeed({ decides: "only in words", order: provider.order })
        : provider.decide(closed(questions))
    )
  )
const outcomeOf = (make: Make, answers: Answer | ReadonlyArray<Answer>, questions: ReadonlyArray<Question>) =>
  Effect.map(asking(make, answers, questions), ({ outcome, sent }) => ({ outcome, calls: sent.length }))

const billed = {
  input_tokens: 31,
  output_tokens: 32,
  input_tokens_details: { cached_tokens: 33, cache_write_tokens: 34 },
  output_tokens_details: { reasoning_tokens: 35 }
}
const isLate = { type: "predicate", name: "late", probability: 0.8 }
const billing = {
  type: "choice",
  name: "team",
  choice: "billing",
  probabilities: [
    { value: "account", probability: 0.31 },
    { value: "billing", probability: 0.5 },
    { value: "technical", probability: 0.2 }
  ]
}
const angry = {
  type: "score",
  name: "mood",
  probabilities: [
    { label: "furious", probability: 0.5 },
    { label: "calm", probability: 0.1 },
    { label: "cross", probability: 0.4 }
  ]
}
const decided = (answers: ReadonlyArray<unknown>, rest: object = {}) =>
  reply(
    200,
    { id: "dec-1", model: "decider-2026", answers, usage: billed, ...rest },
    { "x-ratelimit-remaining-requests": "8" }
  )

it.effect("what native decisions send and come to", () => {
  const all = [late, team, mood]
  const good = decided([isLate, billing, angry])
  const native = { decisions: true } as const
  return transcribe("decisions", {
    "Questions of every kind": asking(making(native), good, all),
    "At OpenAI itself, with a cache key and a prompt whose stable part is marked": asking(
      making({ model: "gpt-6-luna", baseUrl: "", cacheKey: "team-7" }),
      good,
      all
    ),
    "Another model of the same server, with prices": asking(
      making({ decisions: { model: "gpt-6-luna-2", prices: { input: 1, output: 2, asOf: "2026" } }, name: "house" }),
      decided([isLate], { model: null }),
      [late]
    ),
    "A provider that only decides": asking(
      decider({ cacheKey: "team-8", name: "house", headers: { "x-team": "red" } }),
      good,
      all
    ),
    "A provider that only decides, asked for words": wire(good, (fetch) =>
      Effect.flatMap(decider({ name: "house" })(fetch), (provider) => provider.complete(request()))
    ),
    "What a provider that only decides says of itself": wire(good, (fetch) =>
      Effect.map(
        decider({ prices: { input: 5, output: 6, asOf: "2027" } })(fetch),
        ({ capabilities, model, name, order }) => ({
          capabilities,
          model,
          name,
          order
        })
      )
    ),
    "A model that decides by itself elsewhere does so only in words": asking(
      making({ model: "gpt-6-luna" }),
      good,
      all
    ),
    "No native decisions at OpenAI itself": asking(
      making({ model: "gpt-6-luna", baseUrl: "", decisions: false }),
      good,
      all
    ),
    "Another model at OpenAI itself": asking(making({ baseUrl: "" }), good, all),

    "Questions that have one answer alone are not sent": asking(making(native), decided([isLate]), [
      alone,
      late,
      oneLevel
    ]),
    "Only questions that have one answer alone": asking(making(native), good, [oneLevel, alone]),
    "No questions": asking(making(native), good, []),
    "A question without labels": asking(making(native), good, [late, none]),
    "255 labels": outcomeOf(making(native), decided([]), [wide(255)]),
    "256 labels": asking(making(native), good, [late, wide(256)]),
    "401 questions go in two calls": Effect.map(
      asking(
        making(native),
        [
          decided(Array.from({ length: 400 }, () => isLate)),
          decided([{ ...isLate, probability: 0.1 }], { model: "second" })
        ],
        Array.from({ length: 401 }, () => ({ ...late }))
      ),
      ({ outcome, sent }) => {
        const { answers, ...rest } = outcome as { readonly answers: ReadonlyArray<unknown> }
        const counts = sent.map(({ body }) => Array.isArray(body["questions"]) && body["questions"].length)
        return { ...rest, first: answers[0], last: answers.at(-1), answers: answers.length, questions: counts }
      }
    ),
    "The second of two calls fails": outcomeOf(
      making(native),
      [decided(Array.from({ length: 400 }, () => isLate)), reply(429, { error: {} }, { "retry-after": "2" })],
      Array.from({ length: 401 }, () => ({ ...late }))
    ),

    "A refusal of one": outcomeOf(making(native), decided([isLate, { type: "refusal", name: "team" }, angry]), all),
    "Answers in another order": outcomeOf(making(native), decided([billing, isLate, angry]), all),
    "Too few answers": outcomeOf(making(native), decided([isLate, billing]), all),
    "A choice that is no label": outcomeOf(making(native), decided([{ ...billing, choice: "other" }]), [team]),
    "A choice that is not the most probable": outcomeOf(making(native), decided([{ ...billing, choice: "account" }]), [
      team
    ]),
    "Probabilities whose sum is off by more than the tolerance": outcomeOf(
      making(native),
      decided([{ ...angry, probabilities: angry.probabilities.map((one) => ({ ...one, probability: 0.3 })) }]),
      [mood]
    ),
    "A label that is missing": outcomeOf(
      making(native),
      decided([{ ...billing, probabilities: billing.probabilities.slice(1) }]),
      [team]
    ),
    "A probability above 1": outcomeOf(making(native), decided([{ ...isLate, probability: 1.2 }]), [late]),
    "Something else": outcomeOf(making(native), reply(200, { choices: [], usage: billed }), all)
  })
})

const listed = (
  shares: Readonly<Record<string, number>>,
  rest: object = {},
  usage: object = { prompt_tokens: 21, completion_tokens: 1 }
) =>
  reply(
    200,
    {
      id: "chat-5",
      model: "house-1-2026",
      usage,
      choices: [
        {
          finish_reason: "length",
          logprobs: {
            content: [
              { top_logprobs: Object.entries(shares).map(([token, share]) => ({ token, logprob: Math.log(share) })) }
            ]
          },
          ...rest
        }
      ]
    },
    { "x-ratelimit-remaining-tokens": "77" }
  )

it.effect("what decisions by log-probabilities send and come to", () => {
  const ways: Options = { decisions: "logprobs" }
  return transcribe("logprobs", {
    "A yes or no": asking(making(ways), listed({ Yes: 0.5, " yes": 0.125, no: 0.25 }), [late]),
    "Labels, one of which is not listed": asking(making(ways), listed({ A: 0.5, B: 0.25, x: 0.125 }), [team]),
    Levels: asking(making(ways), listed({ " C": 0.5, "\u0120B": 0.25, "\u2581A": 0.25 }), [mood]),
    "Several questions go in several calls, but for one with one answer alone": asking(
      making(ways),
      [listed({ no: 1 }), listed({ B: 0.75, A: 0.125, C: 0.125 }, {}, { prompt_tokens: 4 })],
      [late, alone, team]
    ),
    "At OpenAI itself, with a cache key": asking(
      making({ ...ways, baseUrl: "", cacheKey: "team-9" }),
      listed({ yes: 1 }),
      [late]
    ),
    "20 labels": outcomeOf(making(ways), listed({ T: 0.75, A: 0.25 }), [wide(20)]),
    "21 labels": outcomeOf(making(ways), listed({ A: 1 }), [wide(21)]),
    "Less than half for all labels together": outcomeOf(making(ways), listed({ yes: 0.24, no: 0.25, Hm: 0.5 }), [late]),
    "Letters of another size": outcomeOf(making(ways), listed({ a: 0.5, b: 0.5 }), [team]),
    "No log-probabilities": outcomeOf(making(ways), listed({}), [late]),
    "A refusal": outcomeOf(making(ways), listed({ yes: 1 }, { message: { refusal: "no" } }), [late]),
    "A filter": outcomeOf(making(ways), listed({ yes: 1 }, { finish_reason: "content_filter" }), [late]),
    "Something else": outcomeOf(making(ways), reply(200, { usage: { prompt_tokens: 6 } }), [late]),
    "The second of two calls fails": outcomeOf(making(ways), [listed({ yes: 1 }), reply(500, {})], [late, team])
  })
})
