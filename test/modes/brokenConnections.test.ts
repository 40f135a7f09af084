/** What becomes of connections and calls when something goes wrong, and what is sent then. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Session } from "cogito"
import { Conversation } from "../../src/provider/service.ts"
import { answered, asking, streaming, talking, user } from "./kit.ts"
import { toy } from "./toy.ts"

const replay = () => {
  let calls = 0
  const provider = Provider.make({
    name: "other",
    model: "other-1",
    complete: () => Effect.sync(() => ({ text: `replayed ${++calls}`, usage: {} }))
  })
  return { provider, calls: () => calls }
}

/** Frames of an answer by its number. */
const inTurn = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  let count = 0
  return () => answers[count++] ?? ["said well"]
}

const sends = (log: ReadonlyArray<string>): number => log.filter((line) => line.endsWith(" go")).length

/** The pieces of an answer that fails, and how. */
const failing = (provider: Provider.Shape, request: Provider.Request) =>
  Effect.gen(function* () {
    const deltas: Array<string> = []
    const error = yield* Effect.flip(
      Stream.runForEach(provider.stream(request), (part) =>
        Effect.sync(() => {
          if (part._tag === "Text") deltas.push(part.delta)
        })
      )
    )
    return { deltas, tag: error.reason._tag }
  })

describe("an answer of which a part has come", () => {
  it.effect("fails if its connection breaks, and is made in no other way", () =>
    Effect.gen(function* () {
      const { log, options } = toy(() => ["piece", "break"])
      const other = replay()
      const provider = yield* Provider.resumable({ ...options, replay: other.provider })
      const failed = yield* failing(provider, asking([user("one")]))
      assert.deepStrictEqual(failed, { deltas: ["piece"], tag: "Truncated" })
      assert.strictEqual(other.calls(), 0)
      // nobody has seen a part of this one
      const { text } = yield* provider.complete(asking([user("one")]))
      assert.strictEqual(text, "replayed 1")
      assert.strictEqual(sends(log), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked for again, though its connection was open before", () =>
    Effect.gen(function* () {
      for (const end of ["break", "forgotten"]) {
        const { log, options } = toy(inTurn(["said well"], ["piece", end]))
        const provider = yield* Provider.resumable(options)
        const { messages } = yield* talking(provider, ["one"], [])
        const failed = yield* failing(provider, asking([...messages, user("two")]))
        assert.deepStrictEqual(failed, { deltas: ["piece"], tag: end === "break" ? "Truncated" : "Connection" })
        assert.deepStrictEqual(log.slice(3), ["1 two", "1 go", "close 1"])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is asked for again over a new connection if nothing had come over an old one", () =>
    Effect.gen(function* () {
      const { log, options } = toy(inTurn(["said well"], ["break"]))
      const provider = yield* Provider.resumable(options)
      const { messages } = yield* talking(provider, ["one"], [])
      const { deltas, response } = yield* streaming(provider, asking([...messages, user("two")]))
      assert.deepStrictEqual([deltas, response.text, response.sent?.what], [[], "said well", "again"])
      assert.deepStrictEqual(log.slice(5, 7), ["close 1", "open 2"])
    }).pipe(Effect.scoped)
  )
})

describe("a connection", () => {
  it.effect("takes another call after a failure, unless the vendor says that it is at its end", () =>
    Effect.gen(function* () {
      for (const [frame, opened] of [
        ["refused", ["open 1"]],
        ["dead", ["open 1", "close 1", "open 2"]]
      ] as const) {
        const { log, options } = toy(inTurn([frame]))
        const provider = yield* Provider.resumable({ ...options, restarts: true })
        assert.strictEqual((yield* Effect.flip(provider.complete(asking([user("one")])))).reason._tag, "Connection")
        assert.strictEqual((yield* provider.complete(asking([user("one")]))).text, "said well")
        assert.deepStrictEqual(
          log.filter((line) => /open|close/.test(line)),
          [...opened]
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that could not be opened takes no place of another", () =>
    Effect.gen(function* () {
      const { down, options } = toy()
      const provider = yield* Provider.resumable({ ...options, connections: { most: 1 } })
      down()
      assert.strictEqual((yield* Effect.flip(provider.complete(asking([user("one")])))).reason._tag, "Connection")
      down(false)
      const fiber = yield* Effect.forkChild(provider.complete(asking([user("one")])))
      yield* TestClock.adjust("1 second")
      const exit = fiber.pollUnsafe()
      assert.isTrue(exit !== undefined && Exit.isSuccess(exit), "the call waits for a place")
    }).pipe(Effect.scoped)
  )

  it.effect("that opens after its layer has closed is closed at once, and carries nothing", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const [begun, mayOpen] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const connect = Effect.andThen(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(mayOpen)),
        options.connect
      )
      const scope = yield* Scope.make()
      const provider = yield* Scope.provide(Provider.resumable({ ...options, connect }), scope)
      const fiber = yield* Effect.forkChild(Effect.flip(provider.complete(asking([user("one")]))))
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(mayOpen, undefined)
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason._tag, "Connection")
      assert.include(error.message, "the layer of this provider is closed")
      assert.deepStrictEqual(log, ["open 1", "close 1"])
    })
  )
})

describe("what is sent", () => {
  it.effect("is everything if the connection lacks nothing of the conversation", () =>
    Effect.gen(function* () {
      const { log, options } = toy(() => ["said well"])
      const provider = yield* Provider.resumable(options)
      const { messages } = yield* talking(provider, ["one"], [])
      const { sent } = yield* provider.complete(asking(messages))
      assert.strictEqual(sent?.what, "all")
      assert.deepStrictEqual(log.slice(3), ["open 2", "2 one", "2 said well", "2 go"])
    }).pipe(Effect.scoped)
  )

  it.effect("counts what went over a connection that broke, and then all of it in the other way", () =>
    Effect.gen(function* () {
      const tokens = (...texts: ReadonlyArray<string>) =>
        texts.reduce((sum, text) => sum + Session.estimateTokens(text), 0)
      const { options } = toy(inTurn(["said well"], ["break"], ["said well"], ["break"]))
      const provider = yield* Provider.resumable({ ...options, replay: replay().provider })
      const { messages } = yield* talking(provider, ["one"], [])
      const completed = yield* provider.complete(asking([...messages, user("two")]))
      // over the old connection, and then over a new one
      const all = tokens("one", "said well", "two")
      assert.deepStrictEqual(completed.sent, { tokens: tokens("two") + all, what: "again" })
      const { response } = yield* streaming(provider, asking([user("a longer text than before")]))
      const own = tokens("a longer text than before")
      assert.deepStrictEqual([response.text, response.sent], ["replayed 1", { tokens: 2 * own, what: "again" }])
    }).pipe(Effect.scoped)
  )

  it.effect("is counted with the form of the answer and the tools each time", () =>
    Effect.gen(function* () {
      const output = { name: "form", jsonSchema: { type: "object" }, instructions: "Answer with a JSON object." }
      const tools = [{ name: "look", description: "Looks", parameters: { type: "object" } }]
      const asked = asking([user("one")])
      const request = { ...asked, task: { ...asked.task, output }, tools }
      const { options } = toy(() => ["said well"])
      const provider = yield* Provider.resumable({ ...options, capabilities: { tools: true } })
      const first = yield* provider.complete(request)
      const second = yield* provider.complete({ ...request, messages: [user("one"), answered(first), user("two")] })
      const repeated = Session.estimateTokens(output.instructions) + Session.estimateTokens(JSON.stringify(tools))
      assert.deepStrictEqual(first.sent, { tokens: Session.estimateTokens("one") + repeated, what: "all" })
      assert.deepStrictEqual(second.sent, { tokens: Session.estimateTokens("two") + repeated, what: "rest" })
    }).pipe(Effect.scoped)
  )

  it.effect("is all of a conversation that no connection has, and again only what one had otherwise", () =>
    Effect.gen(function* () {
      const { options } = toy(() => ["said well"])
      for (const resumes of [true, false]) {
        const provider = yield* Provider.resumable({ ...options, restarts: true, resumes: () => resumes })
        const program = Effect.gen(function* () {
          yield* provider.complete(asking([user("one")]))
          return yield* provider.complete(asking([user("other"), user("two")]))
        })
        const { sent } = yield* Effect.provideService(program, Conversation, "thought 1")
        assert.strictEqual(sent?.what, resumes ? "again" : "all")
      }
    }).pipe(Effect.scoped)
  )
})
