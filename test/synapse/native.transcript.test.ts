import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Provider, Synapse } from "cogito"
import { transcribe } from "../transcript.ts"
import { watching } from "./watched.ts"

type Answers = ReadonlyArray<Provider.Answer>

const predicate = (probability: number, more: object = {}): Provider.Answer => ({
  _tag: "Predicate",
  name: "decision",
  probability,
  ...more
})
const choice = (
  name: string,
  label: string,
  distribution: Readonly<Record<string, number>>,
  reasons?: ReadonlyArray<string>
): Provider.Answer => ({ _tag: "Choice", name, label, distribution, ...(reasons && { reasons }) })

const usage = { inputTokens: 31, outputTokens: 2 }
const decide = (answers: Answers) => ({ decide: () => answers, usage })
const yes = { decision: false, confidence: 0.61, reasoning: ["In words."] }

const binary = (options: Partial<Synapse.Options> = {}) =>
  Synapse.binary({
    question: "Is it urgent?",
    criteria: ["criterion a"],
    constraints: ["constraint b"],
    examples: ["example c"],
    context: "the context",
    ...options
  })
const which = Synapse.classification({ question: "Which?", categories: { a: "the first", b: "", c: "the last" } })
const rank = Synapse.ranking({ criteria: "size", top: 2 })
const mood = Synapse.sentiment({ question: "How?", aspects: ["price", "taste"] })

const tone = (name: string, label: string, distribution: Readonly<Record<string, number>>) =>
  choice(name, label, { positive: 0, negative: 0, neutral: 0, mixed: 0, ...distribution }, [`reason of ${name}`])
const feeling = {
  anger: 0,
  frustration: 0.3,
  worry: 0.12,
  urgency: 0.11,
  confusion: 0,
  disappointment: 0,
  gratitude: 0,
  joy: 0.4,
  calm: 0.07
}
const feelings: Answers = [
  tone("aspect:taste", "positive", { positive: 1 }),
  tone("overall", "mixed", { positive: 0.2, negative: 0.25, neutral: 0.15, mixed: 0.4 }),
  choice("emotion", "joy", feeling),
  tone("aspect:price", "negative", { negative: 0.9, neutral: 0.1 })
]

/** A provider that takes both ways, in some order, and what it says of itself. */
const saying =
  (more: object, order?: ReadonlyArray<"native" | "text">) =>
  (own: Provider.Shape): Provider.Shape => ({
    ...own,
    ...(order && { order }),
    ...(own.decide && {
      decide: (request) => Effect.map(own.decide?.(request) ?? Effect.never, (response) => ({ ...response, ...more }))
    })
  })

const down = (tag: string) =>
  new Provider.ProviderError({
    provider: "scripted",
    model: "script",
    reason: { _tag: tag, message: "down" } as never,
    usage: { inputTokens: 1000, cachedInputTokens: 500 }
  })
const failing = (tag: string) => ({ decide: () => Effect.fail(down(tag)), usage })

it.effect("closed questions to a provider that decides natively, and the results of its answers", () => {
  const { observed } = watching()
  return transcribe("native", {
    "A yes, with reasons": observed(
      binary()("one"),
      [],
      decide([predicate(0.8, { reasons: ["reason b", "reason a"] })])
    ),
    "A no": observed(binary()("two"), [], decide([predicate(0.3)])),
    "Neither more likely is a yes": observed(binary()("three"), [], decide([predicate(0.5)])),
    "From log-probabilities, by another provider and model, cached, with a price": observed(binary()("four"), [], {
      ...decide([predicate(1)]),
      provider: saying({ probabilitiesFrom: "logprobs", provider: "second", model: "newer", cached: true, usd: 0.5 })
    }),
    "Reasons in words are asked for: the question goes out as text": observed(
      binary({ reasons: true })("five"),
      [yes],
      decide([predicate(1)])
    ),
    "Reasons are asked for and native answers as well": observed(
      binary({ reasons: true, via: "native" })("six"),
      [],
      decide([predicate(0.75)])
    ),
    "Text is asked for": observed(binary({ via: "text" })("seven"), [yes], decide([predicate(1)])),
    "Native answers are asked for, which the provider has not": observed(binary({ via: "native" })("eight"), []),
    "A category, with a second one just likelier than by chance": observed(
      which("nine"),
      [],
      decide([choice("category", "b", { a: 0.26, b: 0.4, c: 0.34 }, ["reason c"])])
    ),
    "A category, without a second one": observed(
      which("ten"),
      [],
      decide([choice("category", "c", { a: 0.33, b: 0.2, c: 0.47 })])
    ),
    "A category that is not the likeliest, and probabilities that sum to 1.01": observed(
      which("eleven"),
      [],
      decide([choice("category", "a", { a: 0.25, b: 0.5, c: 0.26 })])
    ),
    "An order, the first two of it": observed(
      rank(["x y", "w\nz", "v"]),
      [],
      decide([choice("first", "v", { "x y": 0.3, "w z": 0.1, v: 0.6 }, ["reason d"])])
    ),
    "A feeling, with emotions by likelihood": observed(mood("twelve"), [], decide(feelings)),
    "An answer is missing": observed(mood("thirteen"), [], decide(feelings.slice(1))),
    "An answer of another kind": observed(binary()("fourteen"), [], decide([choice("decision", "yes", { yes: 1 })])),
    "A refusal with a message, and one without": Effect.all([
      observed(binary()("fifteen"), [], decide([{ _tag: "Refusal", name: "decision", message: "not this one" }])),
      observed(mood("sixteen"), [], decide([...feelings.slice(0, 3), { _tag: "Refusal", name: "aspect:price" }]))
    ]),
    "Probabilities that are none": Effect.forEach(
      [[predicate(1.01)], [predicate(-0.01)], [predicate(Number.NaN)]],
      (answers) => observed(binary()("seventeen"), [], decide(answers))
    ),
    "Distributions that are none": Effect.forEach(
      [
        { a: 0.5, b: 0.5 },
        { a: 0.5, b: 0.3, c: 0.18 },
        { a: 0.5, b: 0.3, c: 0.22 },
        { a: 1.2, b: -0.1, c: -0.1 }
      ],
      (distribution) =>
        observed(which("eighteen"), [], decide([choice("category", "a", distribution)])).pipe(
          Effect.map(({ result }) => result)
        )
    ),
    "A label that was not asked for": observed(
      which("nineteen"),
      [],
      decide([choice("category", "d", { a: 0.5, b: 0.3, c: 0.2 })])
    ),
    "The provider says that text comes first": observed(binary()("twenty"), [yes], {
      ...decide([predicate(1)]),
      provider: saying({}, ["text", "native"])
    }),
    "Text comes first and is down: the question is asked natively, and both are paid for": observed(
      binary()("twenty-one"),
      [down("Overloaded")],
      { ...decide([predicate(1)]), provider: saying({}, ["text", "native"]) }
    ),
    "Native answers come first and are not there: the question goes out as text": Effect.forEach(
      [
        "RateLimited",
        "QuotaExhausted",
        "Overloaded",
        "Connection",
        "Timeout",
        "Authentication",
        "CircuitOpen",
        "Unsupported"
      ],
      (tag) =>
        Effect.map(
          observed(binary()("twenty-two"), [yes], { ...failing(tag), provider: saying({}, ["native", "text"]) }),
          ({ requests, result, signals }) => ({ tag, requests: requests.length, signals, result })
        )
    ),
    "Native answers fail for what text would fail for too": Effect.forEach(
      ["InvalidRequest", "Refused", "ContextTooLong", "InvalidResponse", "Truncated"],
      (tag) =>
        Effect.map(
          observed(binary()("twenty-three"), [], { ...failing(tag), provider: saying({}, ["native", "text"]) }),
          ({ requests, result, signals }) => ({ tag, requests: requests.length, signals, result })
        )
    ),
    "An open question is asked in words": observed(
      Synapse.transform({ prompt: "Shorten" })("twenty-four"),
      [{ output: "S", confidence: 1, changes: [], reasoning: [] }],
      decide([])
    )
  })
})
