import { it } from "@effect/vitest"
import { Duration, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Synapse } from "cogito"
import { transcribe } from "../transcript.ts"
import { watching } from "./watched.ts"

const unnamed: Readonly<Record<string, string>> = {}

const yes = { decision: true, confidence: 0.91, reasoning: ["It is late."] }
const binary = (options: Partial<Synapse.Options> = {}) => Synapse.binary({ question: "Is it urgent?", ...options })
const usage = { inputTokens: 3, outputTokens: 5, cachedInputTokens: 7, cacheWriteTokens: 11, reasoningTokens: 13 }
const failure = (
  reason: Partial<Extract<Provider.Reason, { readonly _tag: "RateLimited" | "Overloaded" }>>,
  more: object = {}
) =>
  new Provider.ProviderError({
    provider: "other",
    model: "other-model",
    reason: { _tag: "Overloaded", message: "as scripted", ...reason },
    ...more
  })

/** What a function throws, or that it does not. */
const thrown = (make: () => unknown) =>
  Effect.sync(() => {
    try {
      make()
      return "nothing is thrown"
    } catch (error) {
      return error
    }
  })

const Item = Schema.Struct({
  name: Schema.String,
  size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
})
const Items = Schema.Record(Schema.String, Item)

it.effect("how typed calls fail, and what is sent back for correction", () => {
  const { observed } = watching()
  const late = (effect: Effect.Effect<any>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(effect)
      yield* TestClock.adjust("3 seconds")
      return yield* Fiber.join(fiber)
    })
  return transcribe("failures", {
    "A second answer is right": observed(binary()("one"), [{ ...yes, confidence: 2, reasoning: [] }, yes], { usage }),
    "No repairs are allowed": observed(binary({ repairs: 0 })("two"), [{ decision: "x" }], {
      usage,
      name: "n",
      model: "m"
    }),
    "Both repairs are used up, and the last answer decides which issues there are": observed(
      binary({ repairs: 2 })("three"),
      [{ confidence: 0.1 }, "no JSON at all", { ...yes, confidence: -1 }],
      { usage }
    ),
    "Issues in items of a record, whose keys the model made up": observed(
      Synapse.extract(Items, { prompt: "Extract", repairs: 1 })("four"),
      [{ "secret key": { name: "a", size: 0 } }, { "other\nkey": { name: null, size: 10 } }]
    ),
    "Two scores that do not sum to one": observed(Synapse.sentiment({ repairs: 0, aspects: ["price"] })("five"), [
      {
        overall: "angry",
        confidence: 1,
        scores: { positive: 0.5, negative: 0.5, neutral: 0.06 },
        emotions: [""],
        aspects: { price: "cheap" },
        reasoning: ["So."]
      }
    ]),
    "Scores at the edge of what is taken for one": observed(Synapse.sentiment({ repairs: 0 })("six"), [
      {
        overall: "neutral",
        confidence: 1,
        scores: { positive: 0.5, negative: 0.5, neutral: 0.05 },
        emotions: [],
        reasoning: ["So."]
      }
    ]),
    "A ranking with an item twice, too few, and one that is none": observed(
      Synapse.ranking({ criteria: "size", repairs: 2 })(["b", "a"]),
      [
        { ranked: ["a", "a"], confidence: 1, reasoning: ["So."] },
        { ranked: ["a"], confidence: 1, reasoning: ["So."] },
        { ranked: ["a", "c", "b"], confidence: 1, reasoning: [] }
      ]
    ),
    "Rankings of nothing, an empty item, and one item twice": Effect.forEach(
      [[], ["a", " \n"], ["c", "a b", "d", " a\n b "]],
      (items) => observed(Synapse.ranking({ criteria: "size" })(items), [])
    ),
    "The provider fails at once, with all that an error can have": observed(binary()("seven"), [
      failure(
        { _tag: "RateLimited", retryAfter: Duration.seconds(7) },
        { usage, requestId: "req-1", cause: new Error("the cause") }
      )
    ]),
    "The provider fails after an answer that was refused: both are paid for": observed(
      binary()("eight"),
      [{ decision: "perhaps" }, failure({ _tag: "Overloaded" }, { usage: { inputTokens: 100, reasoningTokens: 200 } })],
      { usage }
    ),
    "The provider answers after a time, says another name, model, price and sampling": late(
      observed(binary({ sampling: { temperature: 0.4 } })("nine"), [yes], {
        capabilities: { temperature: "free", prices: { input: 2, output: 3, asOf: "2026-01-01" } },
        provider: (own) => ({
          ...own,
          complete: (request) =>
            own.complete(request).pipe(
              Effect.delay("2 seconds"),
              Effect.map((response) => ({
                ...response,
                provider: "second",
                model: "second-model",
                usd: 0.25,
                cached: true,
                sampling: { effort: "low" },
                usage
              }))
            )
        })
      })
    ),
    "The provider answers with usage and prices of its own, and another model": observed(binary()("ten"), [yes], {
      usage: { inputTokens: 1_000_000, outputTokens: 2_000_000 },
      capabilities: { prices: { input: 2, output: 3, asOf: "2026-01-01" } },
      provider: (own) => ({
        ...own,
        complete: (request) => Effect.map(own.complete(request), (response) => ({ ...response, model: "newer" }))
      })
    }),
    "An answer of another provider without the form": observed(binary({ repairs: 0 })("eleven"), [{}], {
      provider: (own) => ({
        ...own,
        complete: (request) =>
          Effect.map(own.complete(request), (response) => ({
            ...response,
            provider: "second",
            model: "newer",
            cached: false
          }))
      })
    }),
    "No provider at all": Effect.exit(binary()("twelve") as Effect.Effect<unknown>),
    "Inputs that are none": Effect.forEach([undefined, 3, {}, { text: 4 }, { subject: ["a"] }, []], (input) =>
      observed(binary()(input as never), [])
    ),
    "What is thrown when a call is made of wrong options": Effect.all([
      thrown(() => binary({ repairs: -1 })),
      thrown(() => binary({ repairs: 1.5 })),
      thrown(() => binary({ repairs: 0 })),
      thrown(() => Synapse.binary({ question: "" })),
      thrown(() => Synapse.binary(undefined as never)),
      thrown(() => Synapse.binary({ question: "?", critera: ["a"] } as never)),
      thrown(() => Synapse.binary({ question: "?", temperature: 1 } as never)),
      thrown(() => Synapse.binary({ question: "?", retries: 1 } as never)),
      thrown(() => Synapse.classification({ question: "?" } as never)),
      thrown(() => Synapse.classification({ question: "?", categories: [] as never })),
      thrown(() => Synapse.classification({ question: "?", categories: unnamed })),
      thrown(() => Synapse.classification({ question: "?", categories: ["a", "b", "a"] })),
      thrown(() => Synapse.classification({ question: "?", categories: ["a", " "] })),
      thrown(() => Synapse.classification({ question: "", categories: ["a"] })),
      thrown(() => Synapse.ranking({ criteria: "" })),
      thrown(() => Synapse.ranking({ criteria: "size", top: 0 })),
      thrown(() => Synapse.ranking({ criteria: "size", top: 1.5 })),
      thrown(() => Synapse.ranking({ criteria: "size", top: 1 })),
      thrown(() => Synapse.ranking({ criteria: "size" }).with({ top: -1 })),
      thrown(() => Synapse.sentiment({ aspects: ["a", "a"] })),
      thrown(() => Synapse.sentiment({ aspects: ["a"] }).with({ aspects: ["a"] })),
      thrown(() => Synapse.sentiment({ aspects: [""] })),
      thrown(() => Synapse.extract(Item, { prompt: "" })),
      thrown(() => Synapse.extract({} as never, { prompt: "p" })),
      thrown(() => Synapse.transform({ prompt: "p", maxLength: 0 })),
      thrown(() => Synapse.transform({ prompt: "p", maxLength: 2.5 })),
      thrown(() => Synapse.transform({ prompt: "p" }).with({ maxLength: -2 })),
      thrown(() => Synapse.convert(Item, undefined as never, { prompt: "p" })),
      thrown(() => Synapse.convert("x" as never, Item, { prompt: "p" })),
      thrown(() => Synapse.analyze(null as never, { prompt: "p" })),
      thrown(() => Synapse.Ranking("x" as never))
    ]),
    "Messages of an unsuitable answer": Effect.succeed(
      [1, 3].map(
        (attempts) =>
          new Synapse.ResponseError({
            kind: "binary",
            provider: "p",
            model: "m",
            attempts,
            issues: [
              { path: ["a", "0"], message: "Expected b" },
              { path: [], message: "Expected JSON" }
            ],
            usage
          }).message
      )
    ),
    "Messages of items that cannot be ranked": Effect.succeed(
      (["none", "empty", "duplicate"] as const).flatMap((problem) =>
        [[], ["b"], ["b", "a"]].map((keys) => new Synapse.InvalidItems({ problem, keys, positions: [4, 2] }).message)
      )
    )
  })
})
