/** Providers over any connection that keeps its conversation. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Budget, Provider } from "cogito"
import { guarded } from "../../src/provider/resumable/guarded.ts"
import { limitsOf } from "../../src/provider/resumable/resumable.ts"
import { folder } from "../examples/triage.ts"
import { answered, asking, streaming, talking, user } from "./kit.ts"
import { toy } from "./toy.ts"

describe("a provider over connections", () => {
  it.effect("sends what is new, and closes each connection once, with the scope", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      yield* Effect.gen(function* () {
        const provider = yield* Provider.resumable(options)
        const { answers } = yield* talking(provider, ["one", "two"], [])
        assert.strictEqual(answers[1]?.text, "said one two")
        yield* talking(provider, ["other"], [])
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(log, [
        "open 1",
        "1 one",
        "1 go",
        "1 two",
        "1 go",
        "open 2",
        "2 other",
        "2 go",
        "close 1",
        "close 2"
      ])
    })
  )

  it.effect("closes the connection of a call that fails, breaks or is interrupted", () =>
    Effect.gen(function* () {
      for (const frames of [["refused"], ["dead"], ["piece", "break"], ["break"]]) {
        const { log, options } = toy(() => frames)
        const provider = yield* Provider.resumable(options)
        const error = yield* Effect.flip(provider.complete(asking([user("one")])))
        assert.strictEqual(error.reason._tag, frames.length > 1 ? "Truncated" : "Connection")
        assert.deepStrictEqual(log, ["open 1", "1 one", "1 go", "close 1"])
      }
      const { log, options } = toy(() => ["piece"])
      const provider = yield* Provider.resumable(options)
      const begun = yield* Deferred.make<void>()
      const reading = Stream.runForEach(provider.stream(asking([user("one")])), () =>
        Deferred.succeed(begun, undefined)
      )
      const fiber = yield* Effect.forkChild(reading)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(log, ["open 1", "1 one", "1 go", "close 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("begins a changed conversation over a new connection, or over the same one if it can", () =>
    Effect.gen(function* () {
      for (const restarts of [false, true]) {
        const { log, options } = toy()
        const provider = yield* Provider.resumable({ ...options, restarts, connections: { most: 1 } })
        yield* talking(provider, ["one"], [])
        yield* talking(provider, ["two"], [])
        assert.deepStrictEqual(log, [
          "open 1",
          "1 one",
          "1 go",
          ...(restarts ? ["1 two", "1 go"] : ["close 1", "open 2", "2 two", "2 go"])
        ])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("sends all of it once more if the connection has forgotten it, and then fails", () =>
    Effect.gen(function* () {
      let times = 0
      const { log, options } = toy(() => (++times === 2 ? ["forgotten"] : ["said well"]))
      const provider = yield* Provider.resumable(options)
      const { answers } = yield* talking(provider, ["one", "two"], [])
      assert.strictEqual(answers[1]?.sent?.what, "again")
      assert.deepStrictEqual(log.slice(3), [
        "1 two",
        "1 go",
        "close 1",
        "open 2",
        "2 one",
        "2 said well",
        "2 two",
        "2 go"
      ])

      const always = toy(() => ["forgotten"])
      const failing = yield* Provider.resumable(always.options)
      yield* Effect.flip(failing.complete(asking([user("one")])))
      assert.lengthOf(
        always.log.filter((line) => line.startsWith("open")),
        2
      )
    }).pipe(Effect.scoped)
  )

  it.effect("says how much was sent, with what was sent twice", () =>
    Effect.gen(function* () {
      let times = 0
      const { options } = toy(() => (++times === 3 ? ["forgotten"] : ["said well"]))
      const provider = yield* Provider.resumable(options)
      const { answers } = yield* talking(provider, ["one", "two", "three"], [])
      assert.deepStrictEqual(
        answers.map(({ sent }) => sent),
        [
          { tokens: 2, what: "all" },
          { tokens: 2, what: "rest" },
          // "three", and then all of the conversation
          { tokens: 2 + (2 + 3 + 2 + 3 + 2), what: "again" }
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("uses a connection no more after its life, however short ago it was used, and closes idle ones", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const connections = { life: "10 minutes", idle: "6 minutes" } as const
      const provider = yield* Provider.resumable({ ...options, connections })
      const messages: Array<Provider.Message> = []
      const say = (text: string) =>
        Effect.gen(function* () {
          messages.push(user(text))
          messages.push(answered(yield* provider.complete(asking([...messages]))))
        })
      for (const text of ["one", "two", "three"]) {
        yield* say(text)
        yield* TestClock.adjust("5 minutes")
      }
      assert.deepStrictEqual(
        log.filter((line) => /open|close/.test(line)),
        ["open 1", "close 1", "open 2"]
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(log.at(-1), "close 2")
    }).pipe(Effect.scoped)
  )

  it.effect("counts idle time from the last use of a connection", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const provider = yield* Provider.resumable({ ...options, connections: { idle: "6 minutes" } })
      const first = asking([user("one")])
      const answer = yield* provider.complete(first)
      yield* TestClock.adjust("5 minutes")
      yield* provider.complete(asking([...first.messages, answered(answer), user("two")]))
      yield* TestClock.adjust("359 seconds")
      assert.deepStrictEqual(log, ["open 1", "1 one", "1 go", "1 two", "1 go"])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(log.at(-1), "close 1")
    }).pipe(Effect.scoped)
  )

  it.effect("closes the connection that was unused for longest if there are too many", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const provider = yield* Provider.resumable({ ...options, connections: { most: 2 } })
      const first = yield* talking(provider, ["one"], [])
      yield* TestClock.adjust("1 second")
      yield* talking(provider, ["other"], [])
      yield* TestClock.adjust("1 second")
      yield* talking(provider, ["two"], first.messages)
      yield* TestClock.adjust("1 second")
      yield* talking(provider, ["third"], [])
      assert.deepStrictEqual(
        log.filter((line) => /open|close/.test(line)),
        ["open 1", "open 2", "close 2", "open 3"]
      )
    }).pipe(Effect.scoped)
  )

  it("keeps at most 16 connections for at most 55 minutes, unused ones for 5, unless its options differ", () => {
    const minute = 60_000
    const usual = { most: 16, idle: 5 * minute, life: 55 * minute }
    assert.deepStrictEqual(limitsOf("It"), usual)
    assert.deepStrictEqual(limitsOf("It", { life: "1 minute" }), { ...usual, life: minute })
    assert.deepStrictEqual(limitsOf("It", { most: 1, idle: "1 hour" }), { ...usual, most: 1, idle: 60 * minute })
  })

  it.effect("counts the connections that are still being opened", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const gate = Latch.makeUnsafe(true)
      const connect = Effect.andThen(gate.await, options.connect)
      const provider = yield* Provider.resumable({ ...options, connect, connections: { most: 2 } })
      const changes = () => log.filter((line) => /open|close/.test(line))
      yield* talking(provider, ["one"], [])
      yield* gate.close
      const calls = yield* Effect.forEach(["two", "three"], (text) =>
        Effect.forkChild(provider.complete(asking([user(text)])), { startImmediately: true })
      )
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      assert.deepStrictEqual(changes(), ["open 1", "close 1"])
      yield* gate.open
      for (const call of calls) yield* Fiber.join(call)
      assert.deepStrictEqual(changes(), ["open 1", "close 1", "open 2", "open 3"])
    }).pipe(Effect.scoped)
  )

  it.effect("counts toward a budget in dollars at its own prices, with or without a provider to replay calls", () =>
    Effect.gen(function* () {
      const { options } = toy()
      const prices = { input: 1, cachedInput: 1, cacheWrite: 1, output: 2, asOf: "2026-11-01" }
      const replay = Provider.make({
        name: "other",
        model: "other-1",
        complete: () => Effect.succeed({ text: "replayed", usage: {} })
      })
      const read = () => () =>
        ({ _tag: "Done", response: { text: "said", usage: { inputTokens: 1e6, outputTokens: 1e6 } } }) as const
      for (const other of [{}, { replay }]) {
        const provider = yield* Provider.resumable({ ...options, ...other, read, capabilities: { prices } })
        const budget = Budget.make({ usd: 10 })
        const { text } = yield* provider
          .complete(asking([user("one")], { sampling: { maxTokens: 1000 } }))
          .pipe(Provider.withBudget(budget))
        assert.deepStrictEqual([text, (yield* budget.spent).usd], ["said", 3])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("lends a connection to one call at a time", () =>
    Effect.gen(function* () {
      // nothing answers the second message of a connection
      const { log, options } = toy((lines) => (lines.length > 1 ? [] : [`said ${lines.join(" ")}`]))
      const provider = yield* Provider.resumable(options)
      const { messages } = yield* talking(provider, ["one"], [])
      const waits = yield* Effect.forkChild(provider.complete(asking([...messages, user("two")])))
      yield* Effect.yieldNow
      yield* TestClock.adjust("1 second")
      const other = yield* Effect.forkChild(provider.complete(asking([...messages, user("other")])))
      yield* Effect.yieldNow
      yield* TestClock.adjust("1 second")
      const afresh = ["open 2", "2 one", "2 said one", "2 other", "2 go"]
      assert.deepStrictEqual(log.slice(3), ["1 two", "1 go", ...afresh])
      yield* Fiber.interrupt(waits)
      yield* Fiber.interrupt(other)
    }).pipe(Effect.scoped)
  )

  it.effect("does not go on with other settings: tools, temperature and effort", () =>
    Effect.gen(function* () {
      const tool: Provider.Tool = { name: "look", description: "Looks", parameters: { type: "object" } }
      for (const other of [
        { tools: [tool] },
        { sampling: { temperature: 1 } },
        { sampling: { effort: "high" } }
      ] as const) {
        const { log, options } = toy()
        const provider = yield* Provider.resumable({ ...options, capabilities: { tools: true } })
        const { messages } = yield* talking(provider, ["one"], [])
        const more = [...messages, user("two")]
        const changed = yield* provider.complete(asking(more, other))
        assert.deepStrictEqual([changed.sent?.what, log.at(3)], ["all", "open 2"])
        // both go on from where they are
        const same = yield* provider.complete(asking([...more, answered(changed), user("three")], other))
        assert.strictEqual(same.sent?.what, "rest")
        assert.strictEqual((yield* provider.complete(asking(more))).sent?.what, "rest")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("neither sends nor receives over a connection that is closed", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const connection = yield* options.connect
      const safe = guarded(connection, connection.close, options)
      const waiting = yield* Effect.forkChild(Effect.flip(safe.receive))
      yield* Effect.yieldNow
      yield* safe.close
      yield* safe.close
      const errors = [
        yield* Fiber.join(waiting),
        yield* Effect.flip(safe.send("one")),
        yield* Effect.flip(safe.receive)
      ]
      for (const error of errors) {
        assert.strictEqual(error.reason._tag, "Connection")
        assert.isTrue(error.isRetryable)
      }
      assert.isFalse(safe.isOpen())
      assert.deepStrictEqual(log, ["open 1", "close 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("ends calls under way when its scope closes", () =>
    Effect.gen(function* () {
      const { log, options } = toy(() => ["piece"])
      const scope = yield* Scope.make()
      const provider = yield* Scope.provide(Provider.resumable(options), scope)
      const begun = yield* Deferred.make<void>()
      const reading = Stream.runForEach(provider.stream(asking([user("one")])), () =>
        Deferred.succeed(begun, undefined)
      )
      const fiber = yield* Effect.forkChild(Effect.flip(reading))
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "Truncated")
      assert.deepStrictEqual(log, ["open 1", "1 one", "1 go", "close 1"])
    })
  )

  it.effect("fails once its scope is closed", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const provider = yield* Effect.scoped(Provider.resumable(options))
      const error = yield* Effect.flip(provider.complete(asking([user("one")])))
      assert.strictEqual(error.reason._tag, "Connection")
      assert.include(error.message, "closed")
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("makes calls in another way if no connection opens or it breaks, and tells both", () =>
    Effect.gen(function* () {
      const replayed: Array<number> = []
      const { provider: other } = yield* Effect.sync(() => {
        const provider = Provider.make({
          name: "other",
          model: "other-1",
          complete: ({ messages }) => {
            replayed.push(messages.length)
            return Effect.succeed({ text: "replayed", usage: {} })
          }
        })
        return { provider }
      })
      const { down, options } = toy((lines) => (lines.length > 1 ? ["break"] : ["said one"]))
      const provider = yield* Provider.resumable({ ...options, replay: other })
      const { answers, messages } = yield* talking(provider, ["one", "two"], [])
      assert.deepStrictEqual(
        answers.map(({ text }) => text),
        ["said one", "replayed"]
      )
      assert.strictEqual(answers[1]?.sent?.what, "again")
      down()
      const { deltas, response } = yield* streaming(provider, asking([...messages, user("three")]))
      assert.deepStrictEqual([deltas, response.text], [["replayed"], "replayed"])
      assert.strictEqual(response.sent?.what, "all")
      assert.deepStrictEqual(replayed, [3, 5])
      assert.deepStrictEqual(answered(response).text, "replayed")
    }).pipe(Effect.scoped)
  )

  it.effect("tries a connection again a minute after none could be opened", () =>
    Effect.gen(function* () {
      const replay = Provider.make({
        name: "other",
        model: "other-1",
        complete: () => Effect.succeed({ text: "replayed", usage: {} })
      })
      const { down, log, options } = toy()
      const provider = yield* Provider.resumable({ ...options, replay })
      const call = Effect.map(provider.complete(asking([user("one")])), ({ text }) => text)
      down()
      assert.strictEqual(yield* call, "replayed")
      down(false)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* call, "replayed")
      assert.deepStrictEqual(log, [])
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* call, "said one")
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(log, ["open 1", "1 one", "1 go", "close 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("tries no connection for a minute for streams either", () =>
    Effect.gen(function* () {
      const replay = Provider.make({
        name: "other",
        model: "other-1",
        complete: () => Effect.succeed({ text: "replayed", usage: {} })
      })
      const { down, options } = toy()
      const provider = yield* Provider.resumable({ ...options, replay })
      const call = Effect.map(streaming(provider, asking([user("one")])), ({ response }) => response.text)
      down()
      assert.strictEqual(yield* call, "replayed")
      down(false)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* call, "replayed")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* call, "said one")
    }).pipe(Effect.scoped)
  )

  it.effect("fails with all that the error of a connection says", () =>
    Effect.gen(function* () {
      const cause = new Error("closed")
      const refused = new Provider.ProviderError({
        provider: "toy",
        model: "toy-1",
        reason: { _tag: "Overloaded", message: "too many" },
        requestId: "request 7",
        usage: { inputTokens: 3 },
        cause
      })
      const provider = yield* Provider.resumable({ ...toy().options, connect: Effect.fail(refused) })
      const error = yield* Effect.flip(provider.complete(asking([user("one")])))
      const { reason, requestId, usage } = error
      assert.deepStrictEqual(
        [reason, requestId, usage, error.cause],
        [refused.reason, "request 7", { inputTokens: 3 }, cause]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("fails with the cause of a connection that breaks within an answer", () =>
    Effect.gen(function* () {
      const cause = new Error("reset")
      const { options } = toy(() => ["piece"])
      let received = 0
      const provider = yield* Provider.resumable({
        ...options,
        connect: Effect.map(options.connect, (connection) => ({
          ...connection,
          receive: Effect.suspend(() =>
            ++received === 1
              ? connection.receive
              : Effect.fail(
                  new Provider.ProviderError({
                    provider: "toy",
                    model: "toy-1",
                    reason: { _tag: "Connection", message: "gone" },
                    cause
                  })
                )
          )
        }))
      })
      const error = yield* Effect.flip(provider.complete(asking([user("one")])))
      assert.deepStrictEqual([error.reason._tag, error.cause], ["Truncated", cause])
    }).pipe(Effect.scoped)
  )

  it.effect("uses connections again at once after one broke or all were busy", () =>
    Effect.gen(function* () {
      const replay = Provider.make({
        name: "other",
        model: "other-1",
        complete: () => Effect.succeed({ text: "replayed", usage: {} })
      })
      const { options } = toy(([line = ""]) => [line === "break" || line === "piece" ? line : `said ${line}`])
      const provider = yield* Provider.resumable({ ...options, replay, connections: { most: 1 } })
      const completed = (text: string) =>
        Effect.map(provider.complete(asking([user(text)])), (response) => response.text)
      const streamed = (text: string) =>
        Effect.map(streaming(provider, asking([user(text)])), ({ response }) => response.text)
      for (const call of [completed, streamed]) {
        assert.deepStrictEqual([yield* call("break"), yield* call("one")], ["replayed", "said one"])
        const begun = yield* Deferred.make<void>()
        const reading = Stream.runForEach(provider.stream(asking([user("piece")])), () =>
          Deferred.succeed(begun, undefined)
        )
        const fiber = yield* Effect.forkChild(reading)
        yield* Deferred.await(begun)
        assert.strictEqual(yield* call("two"), "replayed")
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* call("three"), "said three")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("does not say of an answer that is kept or recorded what was sent", () =>
    Effect.gen(function* () {
      const { options } = toy()
      const provider = yield* Provider.resumable(options)
      const path = join(yield* folder, "calls.json")
      const layer = Layer.succeed(Provider.Provider, provider).pipe(
        Provider.record(path),
        Provider.cache({ timeToLive: "1 hour", always: true })
      )
      const program = Effect.gen(function* () {
        const { complete } = yield* Provider.Provider
        assert.strictEqual((yield* complete(asking([user("one")]))).sent?.what, "all")
        const again = yield* complete(asking([user("one")]))
        assert.isTrue(again.cached)
        assert.isUndefined(again.sent)
      })
      yield* Effect.provide(program, layer)
      assert.notInclude(readFileSync(path, "utf8"), "sent")
    }).pipe(Effect.scoped)
  )

  it("throws without its parts, or for limits out of range", () => {
    const { options } = toy()
    assert.throws(() => Provider.resumable({ ...options, connections: { most: 0 } }), /connections.most/)
    assert.throws(() => Provider.resumable({ ...options, name: "" }), /name/)
  })
})
