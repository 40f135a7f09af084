import { it } from "@effect/vitest"
import { Effect } from "effect"
import { CircuitBreaker, Provider } from "cogito"
import { transcribe } from "../transcript.ts"
import type { Kind } from "./fake.ts"
import { type End, model, spent } from "./models.ts"
import { type Scene, watched } from "./watched.ts"

const times = (count: number) => Array.from({ length: count }, () => ({}))

interface Options {
  readonly failures?: number
  readonly reset?: string
  readonly successes?: number
}

/** Calls of one model behind a circuit; in the end its state, and what a reset makes of it. */
const behind = (
  { counts, ...options }: Options & { readonly counts?: (error: Provider.ProviderError) => boolean },
  ends: ReadonlyArray<End>,
  calls: number,
  { millis = 0, of, ...rest }: Partial<Scene> & { readonly millis?: number; readonly of?: ReadonlyArray<Kind> } = {}
) =>
  watched(() => {
    const one = model("a", ends, millis)
    const breaker = CircuitBreaker.make(options as never)
    const state = breaker.state
    return {
      models: [one],
      layer: one.layer.pipe(Provider.circuitBreaker({ breaker, ...(counts && { counts }) })),
      asks: times(calls),
      after: Effect.all([state, Effect.andThen(breaker.reset, state)]),
      ...rest
    }
  }, of)

const trouble = ["Overloaded", "Connection", "Timeout", "Truncated", "InvalidResponse"] as const
const others = [
  "RateLimited",
  "QuotaExhausted",
  "Authentication",
  "InvalidRequest",
  "ContextTooLong",
  "Refused",
  "EmptyAnswer",
  "Unsupported",
  "CircuitOpen"
] as const

it.effect("circuits", () =>
  transcribe("circuitBreaker", {
    "Five failures open it by default, for a minute": behind({}, ["Overloaded"], 7, { apart: 9999 }),
    "One less than the failures that open it": behind({ failures: 3 }, ["Overloaded", "Timeout", {}, "Timeout"], 5),
    "A failure opens it, and one that succeeds after the time closes it": behind(
      { failures: 1, reset: "3 seconds" },
      [["Overloaded", spent(1, 2)], {}],
      4,
      { apart: 1500 }
    ),
    "A millisecond before the time": behind({ failures: 1, reset: "3 seconds" }, ["Connection", {}], 2, {
      apart: 2999
    }),
    "A try that fails opens it again": behind({ failures: 2, reset: "3 seconds" }, ["Timeout"], 6, { apart: 2000 }),
    "Two tries that succeed close it, one alone does not": behind(
      { failures: 1, reset: "3 seconds", successes: 2 },
      ["Truncated", {}, "Truncated", {}, {}, "Truncated"],
      9,
      { apart: 3000 }
    ),
    "Four at once, of which the first fails": behind({ failures: 1, reset: "3 seconds" }, ["Overloaded", {}], 4, {
      apart: "none",
      millis: 500
    }),
    "Others call while one tries": watched(() => {
      const one = model("a", ["InvalidResponse", {}], 500)
      const breaker = CircuitBreaker.make({ failures: 1, reset: "3 seconds" })
      let calls = 0
      return {
        models: [one],
        layer: one.layer.pipe(Provider.circuitBreaker({ breaker })),
        asks: times(4),
        apart: "none",
        // at 0, 3700, 3800 and 4300
        around: (self) => Effect.delay(self, [0, 3700, 3800, 4300][calls++] ?? 0)
      }
    }),
    "A try that is interrupted": behind({ failures: 1, reset: "3 seconds" }, ["Overloaded", "never", {}], 3, {
      apart: 3000,
      until: 1000
    }),
    "A defect": behind({ failures: 2, reset: "3 seconds" }, [new Error("out of order"), "Overloaded", {}], 3),
    "A reader that leaves a stream": behind({ failures: 1, reset: "3 seconds" }, ["Overloaded", {}], 3, {
      apart: 3000,
      leaves: 1,
      of: ["stream"]
    }),
    "Failures that count": Effect.all(
      Object.fromEntries(trouble.map((tag) => [tag, behind({ failures: 1 }, [tag], 2, { of: ["complete"] })]))
    ),
    "Failures that do not count": Effect.all(
      Object.fromEntries(others.map((tag) => [tag, behind({ failures: 1 }, [tag], 2, { of: ["complete"] })]))
    ),
    "Failures that do not count, between those that do": behind(
      { failures: 2 },
      ["Overloaded", "Refused", "Overloaded"],
      4
    ),
    "A failure that does not count while it is half-open": behind(
      { failures: 1, reset: "3 seconds" },
      ["Overloaded", "Refused", {}],
      3,
      { apart: 3000 }
    ),
    "Failures of the caller's choice": behind(
      { failures: 1, counts: ({ reason }) => reason._tag === "Refused" },
      ["Overloaded", "Refused"],
      3
    ),
    "Three layers that share a circuit, the third of another model": watched(() => {
      const [a, b, c] = [model("a", ["Overloaded"]), model("a", [{ text: "two" }]), model("c", [{}])]
      const breaker = CircuitBreaker.make({ failures: 1, reset: "4 seconds" })
      const guarded = Provider.circuitBreaker({ breaker })
      return {
        models: [a, b, c],
        layer: Provider.fallback([guarded(a.layer), guarded(b.layer), guarded(c.layer)]),
        asks: times(2),
        apart: 4000,
        after: breaker.state
      }
    }),
    "A retry outside waits until the circuit lets it pass": watched(() => {
      const one = model("a", ["Overloaded", {}])
      const layer = one.layer.pipe(
        Provider.circuitBreaker({ failures: 1, reset: "5 seconds" }),
        Provider.retry({ times: 2, base: "1 milli" })
      )
      return { models: [one], layer }
    }),
    "A rate limit outside and a retry inside": watched(() => {
      const one = model("a", ["Overloaded"])
      const layer = one.layer.pipe(
        Provider.retry({ times: 1, base: "1 milli" }),
        Provider.circuitBreaker({ failures: 2, reset: "5 seconds" }),
        Provider.rateLimit({ requests: 1, per: "2 seconds" })
      )
      return { models: [one], layer, asks: times(4) }
    })
  })
)
