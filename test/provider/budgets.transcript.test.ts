import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Budget, Memory, Provider } from "cogito"
import { transcribe } from "../transcript.ts"
import { failing, type Kind } from "./fake.ts"
import { type End, model, spent } from "./models.ts"
import { type Scene, watched } from "./watched.ts"

const prices: Provider.Prices = { input: 3, output: 70, cachedInput: 1, cacheWrite: 11, asOf: "2026-11-01" }
const cheap: Provider.Prices = { input: 500, output: 100, asOf: "2026-11-02" }
const times = (count: number, more: Partial<Provider.Request> = {}) => Array.from({ length: count }, () => more)
/** Native decisions need far more tokens. */
const texts = ["complete", "stream"] as const
const short = { sampling: { maxTokens: 100 } }

/** All that a budget says of itself. */
const of = (budget: Budget.Budget) => Effect.all({ left: budget.left, spent: budget.spent, reserved: budget.reserved })

interface Rest extends Partial<Scene> {
  readonly millis?: number
  readonly kinds?: ReadonlyArray<Kind>
  readonly capabilities?: Partial<Provider.Capabilities>
}

/** Calls of one model within a budget; in the end what the budget says. */
const within = (
  options: Budget.Options,
  ends: ReadonlyArray<End> = [{}],
  { capabilities = { prices }, kinds, millis = 0, ...rest }: Rest = {}
) =>
  watched(() => {
    const one = model("a", ends, millis, { capabilities })
    const budget = Budget.make(options)
    return {
      models: [one],
      layer: one.layer,
      around: Provider.withBudget(budget),
      asks: times(3),
      after: of(budget),
      ...rest
    }
  }, kinds)

const free = [
  "RateLimited",
  "QuotaExhausted",
  "Authentication",
  "InvalidRequest",
  "ContextTooLong",
  "Connection",
  "Overloaded",
  "Unsupported",
  "CircuitOpen"
] as const
const billed = ["Timeout", "Refused", "Truncated", "EmptyAnswer", "InvalidResponse"] as const

/** What a call that fails so is booked with: without a report of its tokens, and with one. */
const booked = (tags: typeof free | typeof billed) =>
  Effect.all(
    Object.fromEntries(
      tags.map((tag) => [
        tag,
        within({ tokens: 10_000, usd: 1 }, [tag, [tag, spent(30, 4)]], { asks: times(2, short), kinds: ["complete"] })
      ])
    )
  )

it.effect("what budgets let pass and book", () =>
  transcribe("budget", {
    "Calls, one less than are made": within({ calls: 2, name: "two" }),
    "No calls": within({ calls: 0 }, [{}], { asks: times(1) }),
    "Tokens, of which the longest answer is reserved": within({ tokens: 1000, name: "tokens" }, [{}], {
      asks: [
        short,
        { sampling: { maxTokens: 800 } },
        { sampling: { maxTokens: 900 } },
        { sampling: { maxTokens: 100 } }
      ],
      apart: 100
    }),
    "Tokens for exactly one call, and one less": Effect.all({
      enough: within({ tokens: 147 }, [{ usage: {} }], { asks: [short], kinds: texts }),
      less: within({ tokens: 146 }, [{ usage: {} }], { asks: [short], kinds: texts }),
      least: within({ tokens: 111 }, [{ usage: {} }], { asks: [short], kinds: texts }),
      tooFew: within({ tokens: 110 }, [{ usage: {} }], { asks: [short], kinds: texts })
    }),
    "An answer that is bound by the model, by default and by the request below the least": within(
      { tokens: 50_000 },
      [{}],
      {
        capabilities: { prices, outputTokens: 777 },
        asks: [{}, { sampling: { maxTokens: 10, seed: 3 } }, { sampling: { effort: "low" } }]
      }
    ),
    "An answer without any bound": within({ tokens: 50_000 }, [{}], { asks: [{}, { sampling: {} }], capabilities: {} }),
    "Limits of calls and time do not bound an answer": within({ calls: 9, time: "1 hour" }, [{}], {
      asks: [{}],
      step: 500
    }),
    "An answer that says what was sent": within({ tokens: 50_000 }, [{ sampling: { effort: "high" } }], { asks: [{}] }),
    "Money by all prices": within(
      { usd: 0.5 },
      [
        { usage: { inputTokens: 1000, outputTokens: 10, cachedInputTokens: 100, cacheWriteTokens: 200 } },
        { usage: { inputTokens: 1000, outputTokens: 10 } },
        { usage: { outputTokens: 10 } },
        { usage: { inputTokens: 1000 } },
        { usage: {} },
        { usage: { inputTokens: Number.NaN, outputTokens: -1 } },
        { usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: Number.NaN, cacheWriteTokens: -5 } }
      ],
      { asks: times(7, short), apart: 1 }
    ),
    "Money where writing the cache costs nothing more": within({ usd: 0.5 }, [{}], {
      asks: [short],
      capabilities: { prices: cheap }
    }),
    "Money for less than the whole answer": within({ usd: 0.0062 }, [{ usage: {} }], { asks: [short] }),
    "Money for less than the least answer": within({ usd: 0.0049 }, [{ usage: {} }], { asks: [short] }),
    "Money for a model without prices": within({ usd: 3, name: "purse" }, [{}], { capabilities: {}, asks: times(1) }),
    "Tokens for a model whose answers have no bound": Effect.all({
      known: within({ tokens: 5000 }, [{}], {
        capabilities: { boundsOutput: false, outputTokens: 600 },
        asks: [short]
      }),
      unknown: within({ tokens: 5000, name: "jar" }, [{}], { capabilities: { boundsOutput: false }, asks: [short] }),
      "unknown, with calls only": within({ calls: 5 }, [{}], { capabilities: { boundsOutput: false }, asks: [short] })
    }),
    "More than was reserved": within(
      { tokens: 1000, usd: 0.02 },
      [{ usage: { inputTokens: 900, outputTokens: 200 } }],
      {
        asks: times(2, short)
      }
    ),
    "More money than was reserved": within({ usd: 0.02 }, [{ usage: { inputTokens: 10, outputTokens: 300 } }], {
      asks: times(2, short)
    }),
    "An answer that was cut at a lowered bound": within(
      { tokens: 130 },
      [["Truncated", spent(40, 83, { requestId: "req-4", cause: new Error("cut") })]],
      { asks: [short], kinds: texts }
    ),
    "An answer that was cut below a lowered bound": within({ tokens: 130 }, [["Truncated", spent(40, 82)]], {
      asks: [short],
      kinds: texts
    }),
    "An answer that was cut at a bound lowered by money": within({ usd: 0.0062 }, [["Truncated", spent(40, 86)]], {
      asks: [short],
      kinds: texts
    }),
    "A time that is over before the next call": within({ time: "5 seconds", name: "hurry" }, [{}], {
      apart: 2500,
      step: 500
    }),
    "A time that ends during a call": within({ time: "5 seconds", tokens: 5000 }, [{}], {
      millis: 3000,
      asks: times(2)
    }),
    "A time that ends with a call": within({ time: "5 seconds" }, [{}], { millis: 5000, asks: times(1) }),
    "What failures without an answer cost": booked(free),
    "What failures of an answer cost": booked(billed),
    "A defect costs all that was reserved": within({ tokens: 1000, usd: 1 }, [new Error("planted")], { asks: [short] }),
    "An interruption costs all that was reserved": within({ tokens: 1000, usd: 1 }, ["never"], {
      asks: [short],
      until: 1000
    }),
    "A stream whose reader leaves it costs all that was reserved": within({ tokens: 1000, usd: 1 }, [{}], {
      asks: [short],
      leaves: 1,
      kinds: ["stream"]
    }),
    "A stream that breaks off": watched(() => {
      const one = model("a", [{}], 0, { capabilities: { prices }, broken: () => failing("Connection") })
      const budget = Budget.make({ tokens: 1000 })
      return { models: [one], layer: one.layer, around: Provider.withBudget(budget), asks: [short], after: of(budget) }
    }, ["stream"]),
    "Three calls at once, of which two have room": within({ tokens: 350, name: "narrow" }, [{}], {
      asks: times(3, short),
      kinds: texts,
      apart: "none",
      millis: 700
    }),
    "Three calls at once, of which two have room and none waits": within(
      { tokens: 350, name: "narrow", onShort: "fail" },
      [{}],
      { asks: times(3, short), kinds: texts, apart: "none", millis: 700 }
    ),
    "Three calls at once, of which one is given up while it waits": within({ tokens: 200 }, ["never"], {
      asks: times(3, short),
      kinds: texts,
      apart: "none",
      until: 1000
    }),
    "A wait for room that ends after ten minutes": within({ tokens: 200, name: "stuck" }, ["never"], {
      asks: times(2, short),
      kinds: texts,
      apart: "none",
      until: 700_000
    }),
    "Calls while others are under way, and no call left": within({ calls: 1 }, [{}], {
      asks: times(2, short),
      apart: "none",
      millis: 700
    }),
    "A budget for each scope": watched(() => {
      const one = model("a", [{}])
      const budget = Budget.make({ calls: 1, per: "scope" })
      const scopes = ["acme", "globex", "acme"]
      let calls = 0
      const at = (scope: string) => Memory.withScope(scope)(budget.spent)
      return {
        models: [one],
        layer: one.layer,
        around: (self) => Provider.withBudget(budget)(Memory.withScope(scopes[calls++] ?? "none")(self)),
        asks: times(3),
        after: Effect.all({ acme: at("acme"), other: at("other"), none: budget.spent })
      }
    }),
    "Scopes that are forgotten, the one first that called least recently": watched(() => {
      const one = model("a", [{}])
      const budget = Budget.make({ calls: 1, per: "scope", remember: 2 })
      const scopes = ["first", "second", "first", "third", "second", "first"]
      let calls = 0
      return {
        models: [one],
        layer: one.layer,
        around: (self) => Provider.withBudget(budget)(Memory.withScope(scopes[calls++] ?? "none")(self)),
        asks: times(6)
      }
    }),
    "Two budgets, of which the inner one is short": watched(() => {
      const one = model("a", [{}])
      const [outer, inner] = [Budget.make({ calls: 5, name: "outer" }), Budget.make({ calls: 1, name: "inner" })]
      return {
        models: [one],
        layer: one.layer.pipe(Provider.budget(outer)),
        around: Provider.withBudget(inner),
        asks: times(2),
        after: Effect.all({ outer: of(outer), inner: of(inner) })
      }
    }),
    "A budget of its own for each run of a program, and one for a layer": watched(() => {
      const one = model("a", [{}])
      return {
        models: [one],
        layer: one.layer.pipe(Provider.budget({ calls: 3, name: "layer" })),
        around: Provider.withBudget({ calls: 1, name: "run" }),
        asks: times(4)
      }
    }),
    "What is added and reset": watched(() => {
      const one = model("a", [{}], 0, { capabilities: { prices } })
      const budget = Budget.make({ calls: 1, tokens: 2000, usd: 0.25, time: "5 seconds" })
      return {
        models: [one],
        layer: one.layer,
        around: Provider.withBudget(budget),
        asks: [short],
        step: 500,
        apart: 1000,
        after: Effect.gen(function* () {
          const before = yield* of(budget)
          yield* budget.add({ calls: 2, usd: 0.5 })
          const added = yield* of(budget)
          yield* budget.add({ tokens: 7, time: "2 seconds" })
          const more = yield* of(budget)
          yield* budget.reset
          return { before, added, more, reset: yield* of(budget), bad: yield* Effect.exit(budget.add({ calls: 0.5 })) }
        })
      }
    }),
    "A retry, a fallback and a hedge, whose calls count": watched(() => {
      const [a, b] = [
        model("a", ["Overloaded", ["Timeout", spent(3, 4)]], 10, { capabilities: { prices } }),
        model("b", [{}], 3000, { capabilities: { prices: cheap } })
      ]
      const budget = Budget.make({ calls: 9, tokens: 9000 })
      const layer = Provider.hedge(
        Provider.fallback([a.layer.pipe(Provider.retry({ times: 1, base: "1 milli" })), b.layer]),
        { after: "1 second" }
      )
      return { models: [a, b], layer, around: Provider.withBudget(budget), asks: [short], after: of(budget) }
    }),
    "A cached answer, which costs nothing": watched(() => {
      const one = model("a", [{}])
      const budget = Budget.make({ calls: 1 })
      const layer = one.layer.pipe(Provider.cache())
      return { models: [one], layer, around: Provider.withBudget(budget), asks: times(2), after: of(budget), step: 0 }
    })
  })
)
