import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"

const Ticket = Schema.Struct({ customer: Schema.String, urgent: Schema.Boolean })
const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer" })
const escalate = Primitive.decide("escalate", { question: "Should a senior agent take it?", introspect: true })
const triage = Pipeline.sequence("triage", [ticket, escalate])

const replies = [
  { customer: "Ada", urgent: true },
  { decision: true, confidence: 0.9, reasoning: ["It is urgent."] },
  "A senior agent should look."
]
const start = Thought.make("triage", { message: "Ada here, please hurry" })

const eventsOf = (script: ReadonlyArray<Testing.Reply>, pieceLength = 4) =>
  Effect.gen(function* () {
    const model = Testing.scripted(script, { pieceLength })
    const thought = yield* start
    const events = yield* Pipeline.stream(triage, thought).pipe(Stream.runCollect, Effect.provide(model.layer))
    return { events, model, thought }
  })

describe("a streamed run", () => {
  it.effect("ends with the thought that `run` returns, stored as `run` stores it", () =>
    Effect.gen(function* () {
      const { events, model, thought } = yield* eventsOf(replies)
      const last = events.at(-1)
      const done = last?._tag === "Done" ? last.thought : assert.fail("the last event is Done")
      assert.deepStrictEqual(done.get("ticket"), { customer: "Ada", urgent: true })
      const plain = Testing.scripted(replies)
      const ran = yield* Pipeline.run(triage, yield* start).pipe(Effect.provide(plain.layer))
      const contents = (of: Thought.Thought<any>) => Thought.current(of).map(({ content, key }) => [key, content])
      assert.deepStrictEqual(contents(done), contents(ran))
      assert.deepStrictEqual(contents(yield* Memory.load(thought.id)), contents(ran))
      assert.deepStrictEqual(
        model.requests.map(({ messages }) => messages.length),
        plain.requests.map(({ messages }) => messages.length)
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("keeps its ledger under the id that it is given", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(replies)
      const running = Pipeline.stream(triage, yield* start, { durable: { id: "run-17" } })
      yield* Stream.runDrain(running).pipe(Effect.provide(model.layer))
      const { ledger } = yield* Memory.Memory
      assert.strictEqual((yield* ledger.load("run-17"))?.run.status, "completed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("keeps a ledger under a generated id if the options name none", () =>
    Effect.gen(function* () {
      for (const durable of [false, true, {}]) {
        const model = Testing.scripted(replies)
        yield* Stream.runDrain(Pipeline.stream(triage, yield* start, { durable })).pipe(Effect.provide(model.layer))
      }
      const runs = yield* Pipeline.runs()
      assert.deepStrictEqual(
        runs.map(({ status }) => status),
        ["completed", "completed"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("emits every event, even to a slow reader", () =>
    Effect.gen(function* () {
      const customer = "Ada Lovelace, ".repeat(20)
      const script = [{ customer, urgent: true }, replies[1]!, replies[2]!]
      const model = Testing.scripted(script, { pieceLength: 1 })
      const slowly = Pipeline.stream(triage, yield* start).pipe(
        Stream.tap(() => Effect.yieldNow),
        Stream.runCollect,
        Effect.provide(model.layer)
      )
      const events = yield* slowly
      assert.deepStrictEqual(events, (yield* eventsOf(script, 1)).events.slice(0, -1).concat(events.at(-1)!))
      assert.strictEqual(
        events.flatMap((event) => (event._tag === "Text" && event.call === 1 ? [event.delta] : [])).join(""),
        JSON.stringify(script[0])
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("emits every answer with its number, step and key", () =>
    Effect.gen(function* () {
      const { events } = yield* eventsOf(replies)
      const texts = [1, 2, 3].map((call) =>
        events.flatMap((event) => (event._tag === "Text" && event.call === call ? [event.delta] : [])).join("")
      )
      assert.deepStrictEqual(
        texts,
        replies.map((reply) => (typeof reply === "string" ? reply : JSON.stringify(reply)))
      )
      const partials = events.flatMap((event) => (event._tag === "Partial" ? [event] : []))
      assert.deepStrictEqual(
        [...new Set(partials.map(({ call, key }) => `${call} ${key}`))],
        ["1 ticket", "2 escalate"]
      )
      assert.deepStrictEqual(partials[0]?.path, ["triage", "ticket"])
      const looking = events.find((event) => event._tag === "Text" && event.kind === "introspect")
      assert.deepInclude(looking, { call: 3, path: ["triage", "escalate"] })
      const first = partials.findLast((event) => event.key === "ticket")
      assert.deepStrictEqual(first?.partial, {
        customer: { state: "done", value: "Ada" },
        urgent: { state: "done", value: true }
      })
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals that an answer is not accepted, and continues with the next", () =>
    Effect.gen(function* () {
      const { events } = yield* eventsOf(["no idea", ...replies])
      const discarded = events.flatMap((event) => (event._tag === "Discarded" ? [event] : []))
      assert.deepStrictEqual(discarded, [{ _tag: "Discarded", call: 1, path: ["triage", "ticket"] }])
      assert.strictEqual(events.at(-1)?._tag, "Done")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails like run, after the events so far", () =>
    Effect.gen(function* () {
      const error = new Provider.ProviderError({
        provider: "scripted",
        model: "script",
        reason: { _tag: "Overloaded", message: "busy" }
      })
      const seen: Array<string> = []
      const model = Testing.scripted([replies[0]!, Effect.fail(error)])
      const failure = yield* Pipeline.stream(triage, yield* start).pipe(
        Stream.runForEach(({ _tag }) => Effect.sync(() => seen.push(_tag))),
        Effect.provide(model.layer),
        Effect.flip
      )
      assert.deepStrictEqual(failure.path, ["triage", "escalate"])
      assert.deepStrictEqual(failure.cause instanceof Provider.ProviderError && failure.cause.reason, error.reason)
      assert.include(seen, "Partial")
      assert.strictEqual(seen.at(-1), "Discarded")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("distinguishes the answers of branches", () =>
    Effect.gen(function* () {
      const other = Primitive.analyze("mood", {
        schema: Schema.Struct({ mood: Schema.String }),
        prompt: "Name the mood"
      })
      const both = Pipeline.concurrent("both", [ticket, other])
      const model = Testing.scripted(
        ({ task }) => (task.instruction.startsWith("Name") ? { mood: "cross" } : { customer: "Ada", urgent: false }),
        { pieceLength: 3 }
      )
      const events = yield* Pipeline.stream(both, yield* start).pipe(Stream.runCollect, Effect.provide(model.layer))
      for (const call of [1, 2]) {
        const of = events.filter((event) => event._tag !== "Done" && event.call === call)
        const said = of.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])).join("")
        const key = of.flatMap((event) => (event._tag === "Partial" ? [event.key] : []))[0]
        assert.deepStrictEqual(Object.keys(JSON.parse(said)), key === "mood" ? ["mood"] : ["customer", "urgent"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("without any model call has its end only", () =>
    Effect.gen(function* () {
      const answer = Step.make("answer", { schema: Schema.Finite, run: () => 42 })
      const events = yield* Stream.runCollect(Pipeline.stream(answer, yield* start))
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Done"]
      )
    }).pipe(Effect.provide(Layer.merge(Testing.memory, Testing.scripted([]).layer)))
  )

  it.effect("discards an answer that is interrupted, when another attempt follows", () =>
    Effect.gen(function* () {
      let calls = 0
      const model = Provider.make({
        name: "slow",
        model: "m",
        complete: () => Effect.die("a watched call is streamed"),
        stream: () => {
          const begun = Stream.make<[Provider.StreamPart]>({ _tag: "Text", delta: '{"customer":"Ada",' })
          const rest: ReadonlyArray<Provider.StreamPart> = [
            { _tag: "Text", delta: '"urgent":true}' },
            { _tag: "Done", response: { text: '{"customer":"Ada","urgent":true}', usage: {} } }
          ]
          return Stream.concat(begun, ++calls === 1 ? Stream.never : Stream.fromIterable(rest))
        }
      })
      const step = ticket.pipe(Step.timeout("1 second"), Step.retry({ times: 1 }))
      const fiber = yield* Pipeline.stream(step, yield* start).pipe(
        Stream.runCollect,
        Effect.provideService(Provider.Provider, model),
        Effect.forkChild
      )
      yield* TestClock.adjust("2 seconds")
      const events = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        events.map((event) => (event._tag === "Done" ? "Done" : `${event.call} ${event._tag}`)),
        ["1 Text", "1 Partial", "1 Discarded", "2 Text", "2 Partial", "2 Text", "2 Partial", "Done"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )
})
