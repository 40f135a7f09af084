import { it } from "@effect/vitest"
import { Duration, Effect, Layer, Random } from "effect"
import { Provider } from "cogito"
import type { HedgeOptions } from "cogito/types"
import { transcribe } from "../transcript.ts"
import { failing, type Fake } from "./fake.ts"
import { type End, model, prices, spent } from "./models.ts"
import { type Scene, watched } from "./watched.ts"

const around = Random.withSeed("steady")

const retrying = (
  options: NonNullable<Parameters<typeof Provider.retry>[0]>,
  ends: ReadonlyArray<End>,
  rest: Partial<Scene> = {},
  millis = 0
) =>
  watched(() => {
    const one = model("a", ends, millis)
    return { models: [one], layer: one.layer.pipe(Provider.retry(options)), around, ...rest }
  })

it.effect("retries", () =>
  transcribe("retry", {
    "A first attempt that succeeds": retrying({}, [{ usd: 0.5, sampling: { seed: 4 }, model: "a-2", provider: "b" }]),
    "Two failures and an answer, whose cost is not known then": retrying({ base: "1 second" }, [
      ["Overloaded", spent(1, 2)],
      ["EmptyAnswer", spent(3, 4)],
      { usd: 0.5 }
    ]),
    "Three failures by default": retrying({}, [
      ["Overloaded", spent(1, 2)],
      ["Timeout", spent(3, 4)],
      ["Truncated", spent(5, 6)]
    ]),
    "No retries": retrying({ times: 0 }, ["Overloaded"]),
    "One retry": retrying({ times: 1 }, [
      ["Connection", spent(1, 2)],
      ["RateLimited", spent(3, 4, { retryAfter: "5 seconds" })]
    ]),
    "Two empty answers": retrying({ times: 5 }, [["EmptyAnswer", spent(1, 2)], ["EmptyAnswer", spent(3, 4)], {}]),
    "An error that passes not": retrying({}, [["InvalidRequest", spent(1, 2)]]),
    "Errors of the caller's choice": retrying({ while: (error) => error.reason._tag === "Refused", times: 3 }, [
      "Refused",
      "Refused",
      "Overloaded"
    ]),
    "A wait that the provider asks for, longer than the backoff": retrying({ base: "1 second" }, [
      ["RateLimited", { retryAfter: "7 seconds" }],
      {}
    ]),
    "A wait that is as long as may be asked for": retrying({ maxWait: "7 seconds" }, [
      ["RateLimited", { retryAfter: "7 seconds" }],
      {}
    ]),
    "A wait that is longer than may be asked for": retrying({ maxWait: "7 seconds" }, [
      ["RateLimited", { retryAfter: Duration.millis(7001), usage: { inputTokens: 5 } }],
      {}
    ]),
    "Waits that grow up to a limit": retrying({ times: 6, base: "4 seconds", cap: "9 seconds" }, ["Overloaded"]),
    "A deadline that a wait would cross": retrying({ deadline: "4 seconds" }, [
      ["RateLimited", { retryAfter: "4 seconds" }],
      {}
    ]),
    "A deadline within the second attempt": retrying(
      { deadline: "4 seconds" },
      [["RateLimited", { retryAfter: "1 second", usage: { inputTokens: 5 } }], {}],
      {},
      2000
    ),
    "Two calls through one layer": retrying({}, ["Overloaded", {}], { asks: [{}, { sampling: { seed: 8 } }] })
  })
)

const capabilities = { efforts: ["low", "high"], temperature: "never", prices } as const

it.effect("fallbacks", () => {
  const falling = (
    first: ReadonlyArray<End>,
    second: ReadonlyArray<End>,
    options?: NonNullable<Parameters<typeof Provider.fallback>[1]>,
    rest: Partial<Scene> = {}
  ) =>
    watched(() => {
      const [a, b, c] = [
        model("a", first, 10, { capabilities: { prices } }),
        model("b", second, 20, { capabilities }),
        model("c", [{ usd: 9 }], 30)
      ]
      return { models: [a, b, c], layer: Provider.fallback([a.layer, b.layer, c.layer], options), ...rest }
    })
  const wish = { temperature: 0.4, effort: "medium", maxTokens: 33 }
  return transcribe("fallback", {
    "The first answers": falling([{}], []),
    "The first answers for another, which says what it cost": falling([{ provider: "x", model: "x-9", usd: 4 }], []),
    "The second answers, after a failure that cost nothing": falling(["Overloaded"], [{}]),
    "The second answers, after a failure that cost tokens": falling([["Truncated", spent(1, 2)]], [{}]),
    "The second is asked by the wish, in the phase of reasoning": falling(["Timeout"], [{}], undefined, {
      asks: [{ wish }]
    }),
    "The second is asked by what the first was asked, without a wish": falling(["Timeout"], [{}], undefined, {
      asks: [{ sampling: { temperature: 0.6, seed: 3, stop: ["END"] }, phase: "introspect" }]
    }),
    "The second says itself what it was sent": falling(["Timeout"], [{ sampling: { effort: "max" } }]),
    "The third answers": falling([["Timeout", spent(1, 2)]], [["QuotaExhausted", spent(3, 4)]]),
    "Errors that end it": Effect.all({
      refused: falling([["Refused", spent(1, 2)]], [{}]),
      invalid: falling(["InvalidRequest"], [{}]),
      second: falling(["Authentication"], [["Refused", spent(5, 6)]])
    }),
    "Errors after which another is asked": Effect.all({
      key: falling(["Authentication"], [{}]),
      context: falling(["ContextTooLong"], [{}]),
      unsupported: falling(["Unsupported"], [{}]),
      open: falling(["CircuitOpen"], [{}])
    }),
    "Errors of the caller's choice": Effect.all({
      yes: falling(["Refused"], ["Overloaded"], { when: (error) => error.reason._tag === "Refused" }),
      no: falling(["Overloaded"], [{}], { when: (error) => error.reason._tag === "Refused" })
    }),
    "All fail": watched(() => {
      const [a, b] = [model("a", [["Overloaded", spent(1, 2)]]), model("b", [["Timeout", spent(3, 4)]])]
      return { models: [a, b], layer: Provider.fallback([a.layer, b.layer]) }
    }),
    "Only the second decides": watched(() => {
      const [a, b] = [model("a", [{}], 0, { decides: false }), model("b", [{}])]
      return { models: [a, b], layer: Provider.fallback([a.layer, b.layer]) }
    }),
    "Only the first decides, which fails": watched(() => {
      const [a, b] = [model("a", ["Overloaded"]), model("b", [{}], 0, { decides: false })]
      const layer = Provider.fallback([a.layer, b.layer])
      const after = Effect.provide(
        Effect.map(Provider.Provider, ({ model, name, order }) => ({ model, name, order })),
        layer
      )
      return { models: [a, b], layer, after: Effect.orDie(after) }
    }),
    "A stream that breaks off goes on nowhere else": watched(() => {
      const broken = (number: number) => (number === 0 ? failing("Truncated", spent(7, 8)) : undefined)
      const [a, b] = [model("a", [{}], 0, { broken }), model("b", [{}])]
      return { models: [a, b], layer: Provider.fallback([a.layer, b.layer]) }
    }, ["stream"])
  })
})

it.effect("hedges", () => {
  const hedging = (make: () => ReadonlyArray<Fake>, options: HedgeOptions, rest: Partial<Scene> = {}) =>
    watched(() => {
      const [first, ...others] = make()
      if (first === undefined) throw new Error("no model")
      const layers = [first.layer, ...others.map(({ layer }) => layer)] as const
      return {
        models: [first, ...others],
        layer: others.length === 0 ? Provider.hedge(first.layer, options) : Provider.hedge(layers, options),
        after: Effect.sync(() => ({ dropped: [first, ...others].map((one) => one.dropped()) })),
        ...rest
      }
    })
  const priced = { capabilities: { prices } }
  return transcribe("hedge", {
    "The first is in time": hedging(() => [model("a", [{}], 999, priced), model("b", [{}])], { after: "1 second" }),
    "The second is sooner": hedging(
      () => [model("a", [{}], 5000), model("b", [{}], 1500, { capabilities })],
      { after: "1 second" },
      {
        asks: [{ wish: { effort: "medium" } }]
      }
    ),
    "The first is still sooner": hedging(() => [model("a", [{}], 1700, priced), model("b", [{}], 1500)], {
      after: "1 second"
    }),
    "The first fails before the time for the second": hedging(
      () => [model("a", [["Overloaded", spent(1, 2)]], 400), model("b", [{}], 100, priced)],
      { after: "1 second" }
    ),
    "All fail": hedging(
      () => [model("a", [["Overloaded", spent(1, 2)]], 1200), model("b", [["Refused", spent(3, 4)]], 100)],
      { after: "1 second" }
    ),
    "One provider, asked twice": hedging(() => [model("a", [{ text: "slow" }, { text: "also" }], 1500)], {
      after: "1 second"
    }),
    "One provider, asked at most three times": hedging(
      () => [model("a", [["Timeout", spent(1, 2)], ["Timeout", spent(3, 4)], {}], 2500)],
      {
        after: "1 second",
        max: 3
      }
    ),
    "Two providers, four calls": hedging(() => [model("a", [{}], 9000), model("b", [{}], 9000)], {
      after: "1 second",
      max: 4
    }),
    "Three providers, two calls": hedging(() => [model("a", [{}], 9000), model("b", [{}], 9000), model("c", [{}])], {
      after: "1 second",
      max: 2
    }),
    "A second that cannot decide": hedging(() => [model("a", [{}], 1500), model("b", [{}], 0, { decides: false })], {
      after: "1 second"
    })
  })
})

it.effect("combinations", () => {
  const combining = (order?: ReadonlyArray<"native" | "text">, decides = true) =>
    watched(() => {
      const [a, b] = [
        model("a", [{ limits: { requests: { limit: 5 } } }], 0, { decides }),
        model("b", [{}], 0, { capabilities })
      ]
      const layer = Provider.combine({ decide: a.layer, complete: b.layer, ...(order && { order }) })
      const after = Effect.provide(
        Effect.map(Provider.Provider, ({ capabilities: can, model: named, name, order: asked }) => ({
          can,
          name,
          named,
          asked
        })),
        layer
      )
      return { models: [a, b], layer, after: Effect.orDie(after) }
    })
  return transcribe("combine", {
    "One decides, the other one answers": combining(),
    "Text first": combining(["text", "native"]),
    "A decider that does not decide": combining(undefined, false),
    "One that says who decided": watched(() => {
      const a = model("a", [{ provider: "x", model: "x-9" }])
      return { models: [a], layer: Provider.combine({ decide: a.layer, complete: Layer.fresh(a.layer) }) }
    })
  })
})
