import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Provider } from "cogito"
import { transcribe } from "../transcript.ts"

const takes = ["free", "without-effort", "never"] as const
const efforts = [[], ["low", "medium", "high"], ["none", "minimal", "max"], ["none"], ["high"], ["house", "other"]]
const wishes: Readonly<Record<string, Provider.Sampling | undefined>> = {
  none: undefined,
  temperature: { temperature: 0.4 },
  "temperature 0": { temperature: 0 },
  "effort medium": { effort: "medium" },
  "effort none": { effort: "none" },
  "effort xhigh": { effort: "xhigh" },
  "effort house": { effort: "house" },
  "effort unknown": { effort: "unknown" },
  "effort none and temperature": { effort: "none", temperature: 0.4 },
  "effort low and temperature": { effort: "low", temperature: 0.4 }
}
const others = { maxTokens: 9, seed: 0, stop: ["b", "a"] }
const base = { structuredOutput: "none", seed: false } as const

const textOf = (sampling: Provider.Sampling) => JSON.stringify(sampling)

/** What comes of each wish, in the two phases; once where that is the same. */
const resolved = (temperature: (typeof takes)[number], has: ReadonlyArray<string>) =>
  Object.fromEntries(
    Object.entries(wishes).map(([name, wish]) => {
      const of = (phase: Provider.Phase) =>
        textOf(Provider.resolveSampling({ ...base, temperature, efforts: has }, phase, wish))
      return [name, of("reason") === of("introspect") ? of("reason") : `${of("reason")}, ${of("introspect")}`]
    })
  )

const prices: Provider.Prices = { input: 2, output: 8, cachedInput: 0.2, cacheWrite: 3, asOf: "2026-11-01" }
const plain: Provider.Prices = { input: 2, output: 8, asOf: "2026-11-01" }
const usages: ReadonlyArray<Provider.Usage> = [
  {},
  { inputTokens: 1_000_000 },
  { outputTokens: 1_000_000 },
  { inputTokens: 1_000_000, cachedInputTokens: 250_000 },
  { inputTokens: 1_000_000, cacheWriteTokens: 500_000 },
  { inputTokens: 1_000_000, cachedInputTokens: 250_000, cacheWriteTokens: 500_000, outputTokens: 100_000 },
  { inputTokens: 100_000, cachedInputTokens: 250_000 },
  { outputTokens: 1_000_000, reasoningTokens: 900_000 }
]

const refused = (make: () => unknown) => Effect.exit(Effect.sync(make))

it.effect("capabilities", () =>
  transcribe("sampling", {
    ...Object.fromEntries(
      takes.flatMap((temperature) =>
        efforts.map((has) => [
          `Temperature ${temperature}, efforts ${has.join(", ") || "none at all"}`,
          Effect.succeed(resolved(temperature, has))
        ])
      )
    ),
    "What else is wished, with a seed and without": Effect.succeed({
      with: Provider.resolveSampling({ ...base, seed: true, temperature: "never", efforts: [] }, "reason", others),
      without: Provider.resolveSampling({ ...base, temperature: "free", efforts: [] }, "introspect", others)
    }),
    "What tokens cost, with all prices and with two": Effect.succeed(
      usages.map((usage) => [textOf(usage as never), Provider.costOf(usage, prices), Provider.costOf(usage, plain)])
    ),
    "Prices that are none": Effect.all(
      (["input", "output", "cachedInput", "cacheWrite"] as const).flatMap((name) =>
        [-1, Number.NaN, Infinity, "2", undefined].map((price) =>
          refused(() =>
            Provider.make({
              name: "a",
              model: "b",
              complete: () => Effect.die("no"),
              capabilities: { prices: { ...prices, [name]: price } }
            })
          ).pipe(
            Effect.map((exit) => ({
              [`${name} ${String(price)}`]: exit._tag === "Success" ? "taken" : exit.cause
            }))
          )
        )
      )
    ),
    "What a provider has by default": Effect.succeed(
      Provider.make({ name: "a", model: "b", complete: () => Effect.die("no") })
    )
  })
)
