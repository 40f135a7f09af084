/** The layers around the real clients, against servers on this machine: what is sent, how often, and when. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Result } from "effect"
import { Provider } from "cogito"
import { type Adapter, adapters } from "../faults/adapters.ts"
import { key } from "../faults/clean.ts"
import { type Answer, reply, serve, silent, stream } from "../faults/server.ts"
import { ask, request } from "./fake.ts"

const ways = ["complete", "stream"] as const

/** Answers the call with that number, from 0, and remembers when. */
const inTurn = (answers: ReadonlyArray<Answer>) => {
  const times: Array<number> = []
  const answer: Answer = (response, asked, recorded) => {
    const number = times.push(performance.now()) - 1
    const one = answers[Math.min(number, answers.length - 1)]
    assert.isDefined(one)
    one(response, asked, recorded)
  }
  return { answer, times }
}

describe.each([adapters.chat, adapters.messages])("with the client of $dialect.name", (adapter: Adapter) => {
  const { dialect } = adapter

  const good: Answer = (response, asked, recorded) => {
    const { body } = recorded
    const answer =
      body.stream === true ? stream(dialect.events("good", "Hello")) : reply(200, dialect.body("good", "Hello"))
    answer(response, asked, recorded)
  }

  const refusing = (status: number, headers: Record<string, string> = {}) =>
    reply(status, dialect.error("some_code", "planted"), headers)

  const layerAt = (baseUrl: string) =>
    Layer.effect(Provider.Provider, Effect.orDie(adapter.make(baseUrl.replace("/v1", ""), { apiKey: key })))

  const run = (answers: ReadonlyArray<Answer>, change: Provider.Transformation, way: (typeof ways)[number]) =>
    Effect.gen(function* () {
      const { answer, times } = inTurn(answers)
      const server = yield* serve(answer)
      const start = performance.now()
      const result = yield* Effect.result(
        Effect.provide(
          Effect.flatMap(Provider.Provider, (provider) => ask(way, provider)),
          layerAt(server.baseUrl).pipe(change)
        )
      )
      return { result, server, times, took: performance.now() - start }
    })

  const quickly = Provider.retry({ base: 2, cap: 4 })

  it.live.each(ways)("a %s is sent again after what passes, not before it may be", (way) =>
    Effect.forEach(
      [
        [{ "retry-after-ms": "60" }, 60],
        [{ "retry-after": "0.05" }, 50],
        [{ "retry-after": "0" }, 0],
        [{ "retry-after": "-3" }, 0],
        [{ "retry-after": "soon" }, 0],
        [{ "retry-after": new Date(Date.now() - 60_000).toUTCString() }, 0]
      ] as const,
      ([headers, least]) =>
        Effect.gen(function* () {
          const { result, server, times } = yield* run([refusing(429, headers), refusing(503), good], quickly, way)
          assert.isTrue(Result.isSuccess(result))
          assert.lengthOf(server.recorded, 3)
          const [first = NaN, second = NaN] = times
          // timers may be early by a fraction of a millisecond
          assert.isAtLeast(second - first, least - 1)
          assert.isBelow(second - first, least + 3000)
          assert.deepStrictEqual(server.recorded[1]?.body, server.recorded[0]?.body)
        }),
      { concurrency: "unbounded" }
    )
  )

  it.live.each(ways)("a %s fails at once, with the time, when it would have to wait for too long", (way) =>
    Effect.forEach(
      [
        ["90", 90],
        ["410400", 410_400],
        [new Date(Date.now() + 100_000).toUTCString(), 99]
      ] as const,
      ([after, seconds]) =>
        Effect.gen(function* () {
          const { result, server, took } = yield* run([refusing(429, { "retry-after": after })], quickly, way)
          assert.isTrue(Result.isFailure(result))
          if (Result.isFailure(result)) {
            assert.strictEqual(result.failure.reason._tag, "RateLimited")
            assert.approximately(Duration.toSeconds(result.failure.retryAfter ?? 0), seconds, 3)
          }
          assert.lengthOf(server.recorded, 1)
          assert.isBelow(took, 5000)
        }),
      { concurrency: "unbounded" }
    )
  )

  it.live.each(ways)("a %s is sent as often as it may be, and once when it can never succeed", (way) =>
    Effect.forEach(
      [
        [refusing(500), 3],
        [refusing(529), 3],
        [refusing(400), 1],
        [refusing(401), 1],
        [reply(429, dialect.usedUp("planted")), 1],
        [reply(200, "<html>busy</html>", { "content-type": "text/html" }), 3]
      ] as const,
      ([answer, requests]) =>
        Effect.gen(function* () {
          const { result, server } = yield* run([answer], quickly, way)
          assert.isTrue(Result.isFailure(result))
          assert.lengthOf(server.recorded, requests)
        }),
      { concurrency: "unbounded" }
    )
  )

  it.live("a stream is restarted only while no piece of it was passed on", () =>
    Effect.gen(function* () {
      const events = dialect.events("good", "Hello there, whoever you are")
      const cut = stream(events.slice(0, -3), { end: "destroyed" })
      const passedOn = yield* run([cut, good], quickly, "stream")
      assert.isTrue(Result.isFailure(passedOn.result))
      assert.lengthOf(passedOn.server.recorded, 1)
      const early = yield* run([stream([], { end: "destroyed" }), good], quickly, "stream")
      assert.isTrue(Result.isSuccess(early.result))
      assert.lengthOf(early.server.recorded, 2)
    })
  )

  it.live.each(ways)("a %s is not sent any more when it is interrupted while it waits", (way) =>
    Effect.gen(function* () {
      const { answer } = inTurn([refusing(429, { "retry-after": "1" })])
      const server = yield* serve(answer)
      yield* Effect.provide(
        Effect.gen(function* () {
          const provider = yield* Provider.Provider
          const fiber = yield* Effect.forkChild(ask(way, provider))
          yield* server.arrived
          yield* server.idle()
          yield* Effect.sleep(5)
          yield* Fiber.interrupt(fiber)
        }),
        layerAt(server.baseUrl).pipe(quickly)
      )
      yield* Effect.sleep(20)
      assert.lengthOf(server.recorded, 1)
    })
  )

  it.live.each(ways)("a %s that is slow is hedged, and its connection closed when the other one answers", (way) =>
    Effect.gen(function* () {
      const slow = yield* serve(silent)
      const quick = yield* serve(good)
      const outcome = yield* Effect.provide(
        Effect.flatMap(Provider.Provider, (provider) => ask(way, provider)),
        Provider.hedge([layerAt(slow.baseUrl), layerAt(quick.baseUrl)], { after: 20 })
      )
      assert.strictEqual(outcome.text, "Hello")
      yield* slow.closed
      assert.deepStrictEqual([slow.recorded.length, quick.recorded.length], [1, 1])
    })
  )

  it.live.each(ways)("a %s is kept from a provider that has failed too often", (way) =>
    Effect.gen(function* () {
      const { answer } = inTurn([refusing(500)])
      const server = yield* serve(answer)
      const guarded = Provider.circuitBreaker({ failures: 3, reset: "1 minute" })
      const tags = yield* Effect.provide(
        Effect.flatMap(Provider.Provider, (provider) =>
          Effect.replicateEffect(
            Effect.map(Effect.flip(ask(way, provider)), ({ reason }) => reason._tag),
            5
          )
        ),
        layerAt(server.baseUrl).pipe(guarded)
      )
      assert.deepStrictEqual(tags, ["Overloaded", "Overloaded", "Overloaded", "CircuitOpen", "CircuitOpen"])
      assert.lengthOf(server.recorded, 3)
    })
  )

  it.live.each(ways)("a %s that is refused holds back everybody, for as long as it says", (way) =>
    Effect.gen(function* () {
      const limited = Provider.rateLimit({ requests: 1000 })
      const { answer, times } = inTurn([refusing(429, { "retry-after-ms": "80" }), good])
      const server = yield* serve(answer)
      yield* Effect.provide(
        Effect.gen(function* () {
          const provider = yield* Provider.Provider
          yield* Effect.flip(ask(way, provider))
          yield* Effect.all([ask(way, provider), ask(way, provider)], { concurrency: "unbounded" })
        }),
        layerAt(server.baseUrl).pipe(limited)
      )
      const [first = NaN, ...others] = times
      assert.lengthOf(others, 2)
      for (const time of others) assert.isAtLeast(time - first, 79)
    })
  )
})

describe("across providers", () => {
  it.live.each(ways)("a %s falls back on another API, with the sampling that it takes", (way) =>
    Effect.gen(function* () {
      const { chat, messages } = adapters
      const first = yield* serve(reply(503, chat.dialect.error("busy", "planted")))
      const second = yield* serve((response, asked, recorded) => {
        const { dialect } = messages
        const answer =
          way === "stream" ? stream(dialect.events("good", "Bonjour")) : reply(200, dialect.body("good", "Bonjour"))
        answer(response, asked, recorded)
      })
      const layerOf = ({ make }: Adapter, baseUrl: string, capabilities: Partial<Provider.Capabilities>) =>
        Layer.effect(Provider.Provider, Effect.orDie(make(baseUrl.replace("/v1", ""), { apiKey: key, capabilities })))
      const outcome = yield* Effect.provide(
        Effect.flatMap(Provider.Provider, (provider) => ask(way, provider, { ...request, wish: { temperature: 0 } })),
        Provider.fallback([
          layerOf(chat, first.baseUrl, {}).pipe(Provider.retry({ times: 1, base: 1, cap: 1 })),
          layerOf(messages, second.baseUrl, { temperature: "never", efforts: [] })
        ])
      )
      assert.deepStrictEqual([outcome.text, outcome.provider, outcome.sampling], ["Bonjour", "anthropic", {}])
      assert.deepStrictEqual([first.recorded.length, second.recorded.length], [2, 1])
      assert.strictEqual(first.last().body.temperature, 0)
      assert.notProperty(second.last().body, "temperature")
    })
  )
})
