import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import type { ProviderError, Request, Shape } from "cogito/Provider"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { key, prompt } from "./clean.ts"

// How long a server may take that never begins to answer, where no option says it. No request leaves this process.

const request: Request = {
  messages: [{ role: "user", text: prompt }],
  task: { kind: "greet", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

interface Options {
  readonly apiKey: string
  readonly baseUrl?: string
  readonly fetch: typeof globalThis.fetch
}

const vendors: ReadonlyArray<readonly [string, (options: Options) => Effect.Effect<Shape, ProviderError>]> = [
  ["OpenAI, responses", (options) => OpenAi.make({ model: "gpt-5-mini", api: "responses", ...options })],
  ["OpenAI, chat", (options) => OpenAi.make({ model: "gpt-5-mini", api: "chat", ...options })],
  ["Anthropic", (options) => Anthropic.make({ model: "claude-sonnet-5-5", ...options })]
]

const ways = {
  "an answer in one piece": (provider: Shape) => Effect.asVoid(provider.complete(request)),
  "a stream": (provider: Shape) => Stream.runDrain(provider.stream(request))
}

const own = "http://127.0.0.1:9/v1"

const cases: ReadonlyArray<readonly [keyof typeof ways, string | undefined, number, string]> = [
  ["an answer in one piece", undefined, 60, "no complete answer within 1m: raise timeout"],
  ["an answer in one piece", own, 60, "no complete answer within 1m: raise timeout"],
  ["a stream", undefined, 10, "did not begin its answer within 10s: raise connectTimeout"],
  ["a stream", own, 60, "no complete answer within 1m: raise timeout"]
]

describe("the time that a call may take by default", () => {
  for (const [vendor, make] of vendors) {
    for (const [way, baseUrl, seconds, message] of cases) {
      const where = baseUrl === undefined ? "at the vendor" : "at a server of one's own"
      it.effect(`is ${seconds} seconds for ${way} ${where}: ${vendor}`, () =>
        Effect.gen(function* () {
          const called = yield* Deferred.make<void>()
          const fetch: typeof globalThis.fetch = (_, init) =>
            new Promise((_resolve, reject) => {
              init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))
              Deferred.doneUnsafe(called, Effect.void)
            })
          const provider = yield* make({ apiKey: key, fetch, ...(baseUrl !== undefined && { baseUrl }) })
          const fiber = yield* Effect.forkChild(Effect.flip(ways[way](provider)))
          yield* Deferred.await(called)
          yield* TestClock.adjust(seconds * 1000 - 1)
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust(1)
          // a longer wait than this one ends with another message, not never
          yield* TestClock.adjust("1 hour")
          const error = yield* Fiber.join(fiber)
          assert.strictEqual(error.reason._tag, "Timeout")
          assert.include(error.message, message)
        })
      )
    }
  }
})
