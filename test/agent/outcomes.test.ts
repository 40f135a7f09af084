/** What a call came to, as the model and the listeners of an agent see it. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"
import { Memory, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, on, toolkit } from "./kit.ts"

const reading = <const N extends string, A>(name: N, success: Schema.Codec<A, any>) =>
  Tool.make(name, { success }).annotate(Tool.Readonly, true)

describe("the result of a call", () => {
  it.effect("is heard as the value of its schema, also if its text could be other JSON", () => {
    const tools = Toolkit.make(
      reading("count", Schema.FiniteFromString),
      reading("digits", Schema.String),
      reading("day", Schema.DateFromString),
      reading("place", Schema.Struct({ city: Schema.String }))
    )
    const day = new Date("2026-01-02T00:00:00.000Z")
    const handlers = tools.toLayer({
      count: () => Effect.succeed(12),
      digits: () => Effect.succeed("12"),
      day: () => Effect.succeed(day),
      place: () => Effect.succeed({ city: "Ulm" })
    })
    const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
    const names = ["count", "digits", "day", "place"]
    const model = Testing.scripted([Testing.calls(names.map((name) => ({ name, params: {} }))), "Done."])
    return Effect.gen(function* () {
      const events = yield* Stream.runCollect(Agent.stream(clerk, yield* Thought.make("look"), "Look"))
      const heard = events.flatMap((event) => (event._tag === "Returned" ? [[event.name, event.result] as const] : []))
      assert.deepStrictEqual(
        new Map<string, unknown>(heard),
        new Map<string, unknown>([
          ["count", 12],
          ["digits", "12"],
          ["day", day],
          ["place", { city: "Ulm" }]
        ])
      )
      const results = model.requests[1]?.messages.at(-1)?.results ?? []
      assert.deepStrictEqual(
        results.map(({ text }) => text),
        ["12", "12", "2026-01-02T00:00:00.000Z", `{"city":"Ulm"}`]
      )
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
  })

  it.effect("that does not fit its schema is a failure that says that the call was carried out", () => {
    const Long = Schema.String.check(Schema.isMinLength(3))
    const tools = Toolkit.make(reading("word", Long), reading("nothing", Schema.Void))
    const handlers = tools.toLayer({ word: () => Effect.succeed("x"), nothing: () => Effect.void })
    const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
    const model = Testing.scripted([Testing.calls(["word", "nothing"].map((name) => ({ name, params: {} }))), "Done."])
    return Effect.gen(function* () {
      yield* Agent.say(clerk, yield* Thought.make("look"), "Look")
      const [word, nothing] = model.requests[1]?.messages.at(-1)?.results ?? []
      assert.isTrue(word?.isFailure)
      assert.match(word?.text ?? "", /^It was carried out, but its result does not fit: /)
      assert.deepInclude(nothing, { isFailure: false, text: "null" })
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
  })

  it.effect("with a number that would change is a failure, and the handler does not run", () => {
    const paid: Array<number> = []
    const Amount = Schema.Struct({ amount: Schema.Finite, to: Schema.String })
    const tools = Toolkit.make(Tool.make("pay", { parameters: Amount, success: Schema.String }))
    const handlers = tools.toLayer({
      pay: ({ amount }) =>
        Effect.as(
          Effect.sync(() => paid.push(amount)),
          "paid"
        )
    })
    const clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: tools, triage: false })
    const written = ["9007199254740993", "90071992547409.93", "1e-400", "9007199254740.99"]
    const model = Testing.scripted([
      Testing.calls(
        written.map((amount) => ({ name: "pay", params: `{"amount":${amount},"to":"account 12345678901234567890"}` }))
      ),
      "Done."
    ])
    return Effect.gen(function* () {
      yield* Agent.say(clerk, yield* Thought.make("pay"), "Pay")
      const results = model.requests[1]?.messages.at(-1)?.results ?? []
      const refused = "The parameters have a number with more digits than can be kept. Call the tool again without it."
      assert.deepStrictEqual(
        results.map(({ text }) => text),
        [refused, refused, refused, "paid"]
      )
      assert.deepStrictEqual(paid, [9007199254740.99])
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
  })

  it.effect("that has failed is its message, or its fields where it has none or the tool returns its failures", () => {
    const Lost = Schema.Struct({ message: Schema.String, order: Schema.Int })
    const failing = <const N extends string>(name: N, failureMode: "error" | "return", failure: Schema.Codec<any>) =>
      Tool.make(name, { success: Schema.String, failure, failureMode }).annotate(Tool.Readonly, true)
    const tools = Toolkit.make(
      failing("message", "error", Lost),
      failing("fields", "return", Lost),
      failing("text", "return", Schema.String),
      failing("other", "return", Schema.Never),
      failing("read", "return", Schema.String),
      failing("limited", "error", Schema.Never)
    )
    const lost = { message: "It is lost.", order: 7 }
    const misread = Schema.decodeUnknownEffect(Schema.Int)("x")
    const limited = new AiError.InvalidRequestError({ description: "Too many orders" })
    const handlers = tools.toLayer({
      message: () => Effect.fail(lost),
      fields: () => Effect.fail(lost),
      text: () => Effect.fail("It is lost."),
      other: () => Effect.fail(lost as never),
      read: () => misread as Effect.Effect<never>,
      limited: () => Effect.fail(limited as never)
    })
    const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
    const names = ["message", "fields", "text", "other", "read", "limited"]
    const model = Testing.scripted([Testing.calls(names.map((name) => ({ name, params: {} }))), "Done."])
    return Effect.gen(function* () {
      yield* Agent.say(clerk, yield* Thought.make("look"), "Look")
      const results = model.requests[1]?.messages.at(-1)?.results ?? []
      assert.isTrue(results.every(({ isFailure }) => isFailure))
      assert.deepStrictEqual(
        results.map(({ text }) => text),
        [
          "It is lost.",
          `{"message":"It is lost.","order":7}`,
          "It is lost.",
          "It is lost.",
          `It was carried out, but its result does not fit: Expected number`,
          limited.message
        ]
      )
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
  })

  it.effect(
    "is a failure if the parameters do not fit a JSON Schema or are no object, or if no effect is returned",
    () =>
      Effect.gen(function* () {
        const order = {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false
        }
        const tools = Toolkit.make(
          Tool.dynamic("order", { parameters: order as never, success: Schema.String }).annotate(Tool.Readonly, true),
          Tool.make("bare", { parameters: Schema.Struct({}), success: Schema.String }).annotate(Tool.Readonly, true),
          reading("late", Schema.String)
        )
        const ran: Array<unknown> = []
        const handlers = tools.toLayer({
          order: (params) => Effect.sync(() => `order ${ran.push(params)}`),
          bare: (params) => Effect.sync(() => `bare ${ran.push(params)}`),
          late: (() => Promise.resolve("late")) as never
        })
        const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
        const asked = [
          ["order", { n: 1 }],
          ["order", { n: "1" }],
          ["order", { n: 1, m: 2 }],
          ["bare", [1]],
          ["late", {}]
        ] as const
        const model = Testing.scripted([Testing.calls(asked.map(([name, params]) => ({ name, params }))), "Done."])
        const program = Effect.flatMap(Thought.make("look"), (thought) => Agent.say(clerk, thought, "Look"))
        yield* Effect.provide(program, Layer.mergeAll(model.layer, handlers, Testing.memory))
        const texts = model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text) ?? []
        assert.strictEqual(texts[0], "order 1")
        for (const text of texts.slice(1, 3)) assert.match(text, /^The parameters do not fit the form of "order": /)
        assert.strictEqual(texts[3], 'The parameters do not fit the form of "bare": Expected an object')
        assert.strictEqual(texts[4], "The tool has failed unexpectedly. It may have done something before.")
        assert.deepStrictEqual(ran, [{ n: 1 }])
      })
  )

  it.effect("ends what its handler has begun: fibers, and preliminary results", () => {
    const tools = Toolkit.make(reading("watch", Schema.String))
    const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
    const model = Testing.scripted([Testing.calls([{ name: "watch", params: {} }]), "Done."])
    return Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const late = yield* Deferred.make<Effect.Effect<void>>()
      const handlers = tools.toLayer({
        watch: (_, { preliminary }) =>
          Effect.gen(function* () {
            yield* preliminary("soon")
            yield* Deferred.succeed(late, preliminary("late"))
            const watching = Effect.ensuring(Effect.never, Deferred.succeed(ended, undefined))
            yield* Effect.forkChild(watching, { startImmediately: true })
            return "seen"
          })
      })
      const heard: Array<unknown> = []
      const events = Agent.stream(clerk, yield* Thought.make("look"), "Look").pipe(
        Stream.tap((event) =>
          Effect.gen(function* () {
            if (event._tag === "Progress" || event._tag === "Returned") heard.push(event.result)
            if (event._tag !== "Round" || event.round !== 2) return
            yield* Deferred.await(ended)
            yield* yield* Deferred.await(late)
          })
        )
      )
      yield* Effect.provide(Stream.runDrain(events), Layer.mergeAll(model.layer, handlers, Testing.memory))
      assert.deepStrictEqual(heard, ["soon", "seen"])
    })
  })

  it.effect("is shown with its invisible characters, in the call's result and later, and kept as it is", () => {
    const done = new Done()
    done.page = "Porto\u200b is\u202e warm"
    const model = Testing.scripted([calls(["page"]), "It is warm.", "Yes."])
    return Effect.gen(function* () {
      const first = yield* Agent.say(guide, yield* Thought.make("trip"), "Is Porto warm?")
      yield* Agent.say(guide, first, "Really?")
      for (const { messages } of model.requests.slice(1)) {
        const texts = messages.flatMap(({ results = [] }) => results.map(({ text }) => text))
        assert.deepStrictEqual(texts, ["Porto[U+200B] is[U+202E] warm"])
      }
      assert.deepStrictEqual(
        Thought.history(first, "guide.page")
          .map(({ content }) => content)
          .slice(1),
        [done.page]
      )
    }).pipe(on(model, done))
  })
})

describe("rounds with failed calls", () => {
  const agent = Agent.make("guide", {
    instructions: "You plan trips.",
    triage: false,
    toolkit,
    limits: { failures: 2 }
  })
  const say = Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Go"))

  it.effect("go on as long as one call of each has succeeded", () => {
    const mixed = ["Ulm", "Rom", "Bonn"].map((city) => calls(["lost", city], ["weather", city]))
    return on(Testing.scripted([...mixed, "Done."]))(
      Effect.map(say, (done) => assert.strictEqual(done.get("answer"), "Done."))
    )
  })

  it.effect("are counted anew after one in which a call has succeeded", () => {
    const [lost, warm] = [(city: string) => calls(["lost", city]), calls(["weather"])]
    const model = Testing.scripted([lost("Ulm"), warm, lost("Rom"), lost("Bonn"), "Done."])
    return on(model)(
      Effect.gen(function* () {
        const error = yield* Effect.flip(say)
        assert.ok(error._tag === "PipelineError")
        assert.deepInclude(error.cause, { _tag: "AgentStopped", reason: "failures", rounds: 4 })
        assert.strictEqual((error.cause as Agent.AgentStopped).detail, "Bonn is not there")
      })
    )
  })
})

describe("an answer with a schema", () => {
  const planner = Agent.make("planner", {
    instructions: "You plan trips.",
    triage: false,
    toolkit,
    output: Schema.Struct({ city: Schema.String, cost: Schema.Finite }),
    limits: { rounds: 2 }
  })
  const answers = (params: unknown) => Testing.calls([{ name: "answer", params }])

  it.effect("accepts a number that is written as text, and rejects other text in its place", () => {
    const model = Testing.scripted([
      answers({ city: "Ulm", cost: "twelve" }),
      answers({ city: "Ulm", cost: "12" }),
      answers({ city: "Rom", cost: "9.5" })
    ])
    return on(model)(
      Effect.gen(function* () {
        const first = yield* Agent.say(planner, yield* Thought.make("trip"), "Plan it")
        assert.deepStrictEqual(first.get("answer"), { city: "Ulm", cost: 12 })
        const [refused] = model.requests[1]?.messages.flatMap(({ results = [] }) => results) ?? []
        assert.isTrue(refused?.isFailure)
        assert.match(refused?.text ?? "", /^The answer does not have its form:\n- .*cost/)
        const second = yield* Agent.say(planner, first, "And Rom?")
        assert.deepStrictEqual(second.get("answer"), { city: "Rom", cost: 9.5 })
      })
    )
  })
})

describe("a message while another one is answered", () => {
  it.effect("is refused with the run that goes on, and calls no model", () =>
    Effect.gen(function* () {
      const begins = yield* Deferred.make<void>()
      const ends = yield* Deferred.make<void>()
      const model = Testing.scripted([
        Effect.andThen(Deferred.succeed(begins, undefined), Effect.as(Deferred.await(ends), "Warm.")),
        "Still."
      ])
      yield* on(model)(
        Effect.gen(function* () {
          const thought = yield* Memory.commit(yield* Thought.make("trip"))
          const say = (text: string) => Agent.say(guide, thought, text)
          const first = yield* Effect.forkChild(Agent.say(guide, thought, "Is it?", { durable: { id: "first" } }))
          yield* Deferred.await(begins)
          for (const again of [say("And now?"), Agent.say(guide, thought, "And now?", { durable: { id: "second" } })]) {
            const error = yield* Effect.flip(again)
            assert.ok(error._tag === "RunBusy")
            assert.strictEqual(error.runId, "first")
            assert.isNotTrue(error.isOpen)
          }
          assert.strictEqual(model.requests.length, 1)
          yield* Deferred.succeed(ends, undefined)
          const done = yield* Fiber.join(first)
          assert.strictEqual(done.get("answer"), "Warm.")
          assert.strictEqual((yield* Agent.say(guide, done, "And now?")).get("answer"), "Still.")
        })
      )
    })
  )
})
