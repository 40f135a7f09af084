import { it } from "@effect/vitest"
import { Duration } from "effect"
import { Provider, RateLimiter } from "cogito"
import { transcribe } from "../transcript.ts"
import type { Kind } from "./fake.ts"
import { type End, model, spent } from "./models.ts"
import { type Scene, watched } from "./watched.ts"

const seconds = (count: number) => Duration.seconds(count)

/** Calls of one model; in the end what is left. */
const limited = (
  options: NonNullable<Parameters<typeof Provider.rateLimit>[0]>,
  ends: ReadonlyArray<End> = [{}],
  { millis = 0, of, ...rest }: Partial<Scene> & { readonly millis?: number; readonly of?: ReadonlyArray<Kind> } = {}
) =>
  watched(() => {
    const one = model("a", ends, millis)
    const { maxWait, outputTokens, per = "1 minute", requests: limit, ...others } = options
    const limiter = RateLimiter.make({ per, ...others, ...(limit !== undefined && { limit }) })
    return {
      models: [one],
      layer: one.layer.pipe(
        Provider.rateLimit({
          limiter,
          ...(maxWait !== undefined && { maxWait }),
          ...(outputTokens !== undefined && { outputTokens })
        })
      ),
      after: limiter.left,
      ...rest
    }
  }, of)

const times = (count: number, more: Partial<Provider.Request> = {}) => Array.from({ length: count }, () => more)
const saying = (text: string): Partial<Provider.Request> => ({ messages: [{ role: "user", text }] })
const task = { kind: "test", instruction: "Answer.", questions: [], context: [] }
const form = { name: "form", jsonSchema: { type: "object" }, instructions: "Answer with JSON, in one object." }

it.effect("rate limits", () =>
  transcribe("rateLimit", {
    "No limit": limited({}, [{}], { asks: times(2) }),
    "Two requests a second, four at once": limited({ requests: 2, per: "1 second" }, [{}], {
      asks: times(5),
      apart: "none"
    }),
    "Ten requests a second, of which two at once": limited({ requests: 10, per: "1 second", burst: 2 }, [{}], {
      asks: times(5),
      apart: "none"
    }),
    "A burst that is larger than the limit": limited({ requests: 1, per: "1 second", burst: 3 }, [{}], {
      asks: times(5),
      apart: "none"
    }),
    "One request a minute by default, after a pause of half of it": limited({ requests: 1 }, [{}], {
      asks: times(2),
      apart: 30_000
    }),
    "Less than one request in the time": limited({ requests: 0.5, per: "10 seconds" }, [{}], { asks: times(2) }),
    "Tokens, whose estimate is replaced by what was used": limited({ tokens: 2000, per: "10 seconds" }, [{}], {
      asks: times(3),
      apart: "none",
      millis: 100
    }),
    "Tokens by the longest answer of the request and of the options": limited(
      { tokens: 500, per: "10 seconds", outputTokens: 300 },
      [{ usage: {} }],
      { asks: [{}, { sampling: { maxTokens: 150 } }, { sampling: { maxTokens: 90 } }], apart: 500 }
    ),
    "Tokens of the form and tools": limited({ tokens: 500, per: "10 seconds", outputTokens: 0 }, [{ usage: {} }], {
      asks: [
        saying("word ".repeat(20)),
        { ...saying("word ".repeat(40)), task: { ...task, output: form } },
        { tools: [{ name: "look", description: "Looks up a word.", parameters: { type: "object" } }] }
      ]
    }),
    "More tokens than there ever are": limited({ tokens: 40, per: "1 second", outputTokens: 41 }, [{}], {
      asks: [{}, { sampling: { maxTokens: 5 } }]
    }),
    "Counts of one kind only": limited(
      { tokens: 1000, outputTokens: 400, per: "1 hour" },
      [{ usage: { inputTokens: 7 } }, { usage: { outputTokens: 9 } }, ["Refused", { usage: { outputTokens: 11 } }]],
      { asks: times(3) }
    ),
    "Counts that are none": limited(
      { tokens: 1000, outputTokens: 400, per: "1 hour" },
      [
        { usage: { inputTokens: Number.NaN, outputTokens: 7 } },
        { usage: { inputTokens: -90, outputTokens: Infinity } }
      ],
      { asks: times(2) }
    ),
    "Failures that give the tokens back, and those that do not": limited(
      { tokens: 10_000, outputTokens: 100, per: "1 hour" },
      [
        "RateLimited",
        "QuotaExhausted",
        "Authentication",
        "InvalidRequest",
        "ContextTooLong",
        "Unsupported",
        "CircuitOpen"
      ],
      { asks: times(7) }
    ),
    ...Object.fromEntries(
      (["Overloaded", "Connection", "Timeout", "Refused", "Truncated", "EmptyAnswer", "InvalidResponse"] as const).map(
        (tag) => [
          `Tokens that ${tag} does not give back`,
          limited({ tokens: 1000, outputTokens: 100, per: "1 hour" }, [tag, [tag, spent(3, 4)]], {
            asks: times(2),
            of: ["complete"]
          })
        ]
      )
    ),
    "A call that was interrupted while it waited, and one while it ran": limited(
      { requests: 2, tokens: 5000, outputTokens: 50, per: "1 hour" },
      ["never"],
      {
        asks: times(3),
        apart: "none",
        until: 2000
      }
    ),
    "A failure that says when to come back": limited({}, [["RateLimited", { retryAfter: "7 seconds" }], {}], {
      asks: times(3)
    }),
    "A failure that says to come back later than may be waited": limited(
      { maxWait: "7 seconds" },
      [["RateLimited", { retryAfter: Duration.millis(7001), usage: { inputTokens: 5 } }], {}],
      { asks: times(2) }
    ),
    "A failure that says to come back after as long as may be waited": limited(
      { maxWait: "7 seconds" },
      [["RateLimited", { retryAfter: "7 seconds" }], {}],
      { asks: times(2) }
    ),
    "A wait that is not of whole milliseconds, and one that is endless": limited(
      {},
      [
        ["RateLimited", { retryAfter: Duration.nanos(1_500_001n) }],
        ["RateLimited", { retryAfter: Duration.infinity }],
        {}
      ],
      { asks: times(3) }
    ),
    "Waits that other failures ask for": limited(
      {},
      [["Overloaded", { retryAfter: "7 seconds" }], ["CircuitOpen", { retryAfter: "9 seconds" }], {}],
      { asks: times(3) }
    ),
    "A failure while others wait for their turn": limited(
      { requests: 1, per: "2 seconds" },
      [["RateLimited", { retryAfter: "9 seconds" }], {}],
      { asks: times(3), apart: "none", millis: 100 }
    ),
    "Limits that the provider states": limited(
      {},
      [{ limits: { requests: { limit: 2 }, tokens: { limit: 6000 } } }, {}],
      { asks: times(4) }
    ),
    "Limits that the provider states, for another time than a minute": limited(
      { per: "30 seconds", requests: 100 },
      [{ limits: { requests: { limit: 6 } } }, {}],
      { asks: times(5) }
    ),
    "Limits that are above the configured ones, and none": limited(
      { requests: 3, tokens: 3000, outputTokens: 10, per: "1 minute" },
      [{ limits: { requests: { limit: 4 }, tokens: { limit: 3001 } } }, { limits: { requests: { limit: 0 } } }],
      { asks: times(3) }
    ),
    "Limits of input and of output": limited(
      { outputTokens: 500 },
      [{ limits: { inputTokens: { limit: 2000 }, outputTokens: { limit: 1000 } } }, {}],
      { asks: times(2) }
    ),
    "A limit of input alone": limited({}, [{ limits: { inputTokens: { limit: 2000 } } }], { asks: times(2) }),
    "Windows that are used up": limited(
      {},
      [
        { limits: { requests: { remaining: 0, resetAfter: seconds(3) } } },
        {
          limits: {
            tokens: { remaining: 0, resetAfter: seconds(5) },
            requests: { remaining: 1, resetAfter: seconds(50) }
          }
        },
        { limits: { inputTokens: { remaining: 0, resetAfter: seconds(7) } } },
        { limits: { outputTokens: { remaining: 0, resetAfter: seconds(11) } } },
        { limits: { outputTokens: { remaining: 0 }, inputTokens: { resetAfter: seconds(13) } } },
        {
          limits: {
            requests: { remaining: 0, resetAfter: seconds(17) },
            tokens: { remaining: 0, resetAfter: seconds(2) }
          }
        },
        {}
      ],
      { asks: times(8) }
    ),
    "Three layers that share a limiter, the third of another model": watched(() => {
      const [a, b, c] = [model("a", [{ text: "one" }]), model("a", [{ text: "two" }]), model("c", [{}])]
      const limiter = RateLimiter.make({ limit: 1, per: "4 seconds" })
      const limit = Provider.rateLimit({ limiter })
      return {
        models: [a, b, c],
        layer: Provider.fallback([limit(a.layer), limit(b.layer), limit(c.layer)]),
        asks: times(2),
        after: limiter.left
      }
    }),
    "A stream that its reader leaves": watched(() => {
      const a = model("a", [{}])
      const limiter = RateLimiter.make({ tokens: 1000, per: "1 hour" })
      return {
        models: [a],
        layer: a.layer.pipe(Provider.rateLimit({ limiter, outputTokens: 100 })),
        leaves: 1,
        after: limiter.left
      }
    }, ["stream"])
  })
)
