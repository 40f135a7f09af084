/** Which connection a call takes, and what becomes of one that fails. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { Provider } from "cogito"
import { answered, asking, streaming, talking, user } from "./kit.ts"
import { broken, toy } from "./toy.ts"

/** What opens and closes. */
const changes = (log: ReadonlyArray<string>) => log.filter((line) => /open|close/.test(line))

const form = (instructions: string, type: string) => ({ name: "answer", instructions, jsonSchema: { type } })

/** Makes several calls at once. */
const together = (provider: Provider.Shape, texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => Effect.result(provider.complete(asking([user(text)]))), { concurrency: "unbounded" })

describe("the connections of a provider", () => {
  it.effect("are opened anew for another form of the answer", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const provider = yield* Provider.resumable({ ...options, capabilities: { structuredOutput: "json-schema" } })
      const { task } = asking([])
      const messages = [user("one")]
      const first = { task: { ...task, output: form("As text", "string") } }
      const answer = yield* provider.complete(asking(messages, first))
      const more = [...messages, answered(answer), user("two")]
      const other = yield* provider.complete(asking(more, { task: { ...task, output: form("As text", "number") } }))
      assert.strictEqual(other.sent?.what, "all")
      assert.strictEqual((yield* provider.complete(asking(more, first))).sent?.what, "rest")
      assert.deepStrictEqual(changes(log), ["open 1", "open 2"])
    }).pipe(Effect.scoped)
  )

  it.effect("are not taken again once the server has closed them", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      let isOpen = true
      const connect = Effect.map(options.connect, (connection) => ({ ...connection, isOpen: () => isOpen }))
      const provider = yield* Provider.resumable({ ...options, connect })
      const first = yield* provider.complete(asking([user("one")]))
      const more = [user("one"), answered(first), user("two")]
      assert.strictEqual((yield* provider.complete(asking(more))).sent?.what, "rest")
      isOpen = false
      assert.strictEqual((yield* provider.complete(asking(more))).sent?.what, "all")
      assert.deepStrictEqual(changes(log).slice(0, 2), ["open 1", "close 1"])
      assert.include(log, "open 2")
    }).pipe(Effect.scoped)
  )

  it.effect("are sent tools and the form of the answer with each call, which count as sent", () =>
    Effect.gen(function* () {
      const description = "Looks at all that there is to be seen, and says in a few words what it has found there"
      const tool: Provider.Tool = { name: "look", description, parameters: { type: "object" } }
      const task = { ...asking([]).task, output: form(description, "string") }
      const tokens = (rest: Partial<Provider.Request>) =>
        Effect.gen(function* () {
          const provider = yield* Provider.resumable({ ...toy().options, capabilities: { tools: true } })
          const first = yield* provider.complete(asking([user("one")], rest))
          const more = [user("one"), answered(first), user("two")]
          const second = yield* provider.complete(asking(more, rest))
          assert.strictEqual(second.sent?.what, "rest")
          return [first.sent?.tokens ?? 0, second.sent?.tokens ?? 0] as const
        })
      const [first, second] = yield* tokens({})
      const length = description.length
      for (const [rest, least] of [
        [{ tools: [tool] }, length / 6],
        [{ task }, length / 6],
        [{ task, tools: [tool] }, length / 3]
      ] as const) {
        const [one, two] = yield* tokens(rest)
        assert.isAtLeast(one - first, least)
        // the second call sends them again
        assert.strictEqual(two - second, one - first)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("go on with an answer that carries something, and not with another that does", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const carrying = (data: string) => ({ provider: "toy", model: "toy-1", data })
      const provider = yield* Provider.resumable({
        ...options,
        capabilities: { tools: true },
        read: () => (frame) => ({
          _tag: "Done",
          response: {
            text: frame,
            calls: [{ id: "1", name: "look", params: "{}" }],
            carry: carrying("mine"),
            usage: {}
          }
        })
      })
      const tools: Partial<Provider.Request> = {
        tools: [{ name: "look", description: "Looks", parameters: { type: "object" } }]
      }
      const answer = yield* provider.complete(asking([user("one")], tools))
      const results: Provider.Message = {
        role: "tool",
        text: "",
        results: [{ id: "1", name: "look", text: "seen", isFailure: false }]
      }
      const more = (message: Provider.Message) => asking([user("one"), message, results], tools)
      const other = yield* provider.complete(more({ ...answered(answer), carry: carrying("other") }))
      assert.strictEqual(other.sent?.what, "all")
      const same = yield* provider.complete(more(answered(answer)))
      assert.strictEqual(same.sent?.what, "rest")
      assert.deepStrictEqual(changes(log), ["open 1", "open 2"])
    }).pipe(Effect.scoped)
  )

  it.effect("are sent all of a conversation that one has forgotten, whatever the others still have of it", () =>
    Effect.gen(function* () {
      // both connections forget what came before the second line
      const { log, options } = toy((lines) => [lines.length === 2 ? "forgotten" : "said well"])
      const provider = yield* Provider.resumable(options)
      yield* together(provider, ["one", "one"])
      const before = [user("one"), { role: "assistant", text: "said well" }] as const
      const { answers } = yield* talking(provider, ["two"], before)
      assert.deepStrictEqual(
        answers.map(({ sent }) => sent?.what),
        ["again"]
      )
      assert.deepStrictEqual(log.slice(-4), ["3 one", "3 said well", "3 two", "3 go"])
    }).pipe(Effect.scoped)
  )

  it.effect("are taken by the one that has most of the conversation", () =>
    Effect.gen(function* () {
      const { log, options } = toy()
      const provider = yield* Provider.resumable(options)
      yield* together(provider, ["one", "one"])
      assert.deepStrictEqual(changes(log), ["open 1", "open 2"])
      const before = [user("one"), { role: "assistant", text: "said one" }] as const
      const { answers } = yield* talking(provider, ["two", "three"], before)
      assert.deepStrictEqual(
        answers.map(({ sent }) => sent?.what),
        ["rest", "rest"]
      )
      const [two = "", three = ""] = log.filter((line) => /two|three/.test(line))
      assert.strictEqual(two.split(" ")[0], three.split(" ")[0])
    }).pipe(Effect.scoped)
  )

  it.effect("are kept for other conversations after a refusal, and closed if they say that they end", () =>
    Effect.gen(function* () {
      for (const [frame, closed] of [
        ["refused", []],
        ["dead", ["close 1", "open 2"]]
      ] as const) {
        let times = 0
        const { log, options } = toy(() => [++times === 1 ? frame : "said well"])
        const provider = yield* Provider.resumable({ ...options, restarts: true })
        const error = yield* Effect.flip(provider.complete(asking([user("one")])))
        assert.strictEqual(error.reason._tag, "Connection")
        assert.strictEqual((yield* provider.complete(asking([user("two")]))).sent?.what, "all")
        assert.deepStrictEqual(changes(log), ["open 1", ...closed])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("are not sent the conversation again after a part of the answer has come", () =>
    Effect.gen(function* () {
      let times = 0
      const { log, options } = toy(() => (++times === 2 ? ["piece", "forgotten"] : ["said well"]))
      const provider = yield* Provider.resumable(options)
      const { messages } = yield* talking(provider, ["one"], [])
      const error = yield* Effect.flip(streaming(provider, asking([...messages, user("two")])))
      assert.strictEqual(error.reason._tag, "Connection")
      assert.deepStrictEqual(log.slice(3), ["1 two", "1 go", "close 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("are tried once more if they were closed in the meantime, and then the call fails", () =>
    Effect.gen(function* () {
      let answer = "refused"
      const { log, options } = toy(() => [answer])
      // all calls have begun before the first connection is open
      const connect = Effect.andThen(Effect.yieldNow, options.connect)
      const provider = yield* Provider.resumable({ ...options, connect, restarts: true, connections: { most: 3 } })
      yield* together(provider, ["one", "two", "three"])
      assert.deepStrictEqual(changes(log), ["open 1", "open 2", "open 3"])
      answer = "break"
      const before = log.length
      const error = yield* Effect.flip(provider.complete(asking([user("four")])))
      assert.strictEqual(error.reason._tag, "Connection")
      assert.deepStrictEqual(log.slice(before), ["1 four", "1 go", "close 1", "2 four", "2 go", "close 2"])
    }).pipe(Effect.scoped)
  )

  it.effect("release what they hold: after they are closed, and at once if they do not open", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const begun = yield* Deferred.make<void>()
      let how: "fails" | "hangs" | "opens" = "fails"
      const connect = Effect.gen(function* () {
        yield* Effect.acquireRelease(Effect.void, () => Effect.sync(() => log.push("released")))
        if (how === "fails") return yield* broken
        if (how === "hangs") return yield* Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        const frames = yield* Queue.unbounded<string>()
        const connection: Provider.Connection = {
          send: (frame) => Effect.sync(() => frame === "go" && Queue.offerUnsafe(frames, "said it")),
          receive: Queue.take(frames),
          close: Effect.sync(() => void log.push("closed"))
        }
        return connection
      })
      const { frames, read } = toy().options
      yield* Effect.gen(function* () {
        const provider = yield* Provider.resumable({
          name: "toy",
          model: "toy-1",
          connect,
          frames,
          read,
          connections: { most: 1 }
        })
        const call = provider.complete(asking([user("one")]))
        assert.strictEqual((yield* Effect.flip(call)).reason._tag, "Connection")
        assert.deepStrictEqual(log.splice(0), ["released"])
        how = "hangs"
        const fiber = yield* Effect.forkChild(Stream.runDrain(provider.stream(asking([user("one")]))))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(log.splice(0), ["released"])
        // its place is free again
        how = "opens"
        assert.strictEqual((yield* call).text, "said it")
        assert.deepStrictEqual(log, [])
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(log, ["closed", "released"])
    })
  )
})
