/** Which calls wait for an approval, and which of them a decision is about. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, on, page, toolkit } from "./kit.ts"

const inner = Agent.make("scout", { instructions: "You look around.", toolkit, triage: false })
const scout = Agent.asTool("scout", inner, {
  description: "Looks around",
  parameters: Schema.Struct({ message: Schema.String })
})
const lead = Agent.make("lead", { instructions: "You lead.", toolkit: Toolkit.make(scout.tool), triage: false })

describe("the calls that wait", () => {
  it.effect("are those of all thoughts, or of one thought or run", () =>
    on(Testing.scripted([calls(["book", "Porto"]), calls(["book", "Rom"], ["book", "Bonn"])]))(
      Effect.gen(function* () {
        const say = Effect.fnUntraced(function* (id: string) {
          const thought = yield* Thought.make("trip")
          assert.strictEqual(
            (yield* Effect.flip(Agent.say(guide, thought, "Book", { durable: { id } })))._tag,
            "Suspended"
          )
          return thought.id
        })
        const [one, two] = [yield* say("one"), yield* say("two")]
        const listed = (options?: Parameters<typeof Agent.waiting>[0]) =>
          Effect.map(Agent.waiting(options), (all) =>
            all.map(({ params, runId, thoughtId }) => [runId, thoughtId, params])
          )
        const ofOne = [["one", one, { city: "Porto" }]]
        const ofTwo = [
          ["two", two, { city: "Rom" }],
          ["two", two, { city: "Bonn" }]
        ]
        assert.deepStrictEqual(yield* listed(), [...ofOne, ...ofTwo])
        assert.deepStrictEqual(yield* listed({ thoughtId: one }), ofOne)
        assert.deepStrictEqual(yield* listed({ thoughtId: two }), ofTwo)
        assert.deepStrictEqual(yield* listed({ runId: "two" }), ofTwo)
        assert.deepStrictEqual(yield* listed({ runId: "two", thoughtId: one }), [])
        // a redaction takes the parameters, and the question stays
        yield* Memory.redact((yield* Memory.load(one)).note("guide.book") ?? "")
        assert.deepStrictEqual(yield* listed({ runId: "one" }), [["one", one, undefined]])
      })
    )
  )
})

describe("calls that a model makes at once", () => {
  it.effect("wait in the order of the model", () => {
    const cities = Array.from({ length: 12 }, (_, i) => `city ${i}`)
    return on(Testing.scripted([calls(...cities.map((city) => ["book", city] as const))]))(
      Effect.gen(function* () {
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book", { durable: { id: "run" } }))
        const pending = yield* Agent.waiting({ runId: "run" })
        assert.deepStrictEqual(
          pending.map(({ params }) => params),
          cities.map((city) => ({ city }))
        )
      })
    )
  })
})

describe("a decision about a call whose id another call of the run has had", () => {
  it.effect("is about the open one, and later about the last", () => {
    const look = (message: string) => Testing.calls([{ name: "scout", params: { message } }])
    const book = (city: string) => Testing.calls([{ id: "b", name: "book", params: { city } }])
    const model = Testing.scripted([
      look("Book Ulm"),
      book("Ulm"),
      "Booked.",
      look("Book Rom"),
      book("Rom"),
      "Not.",
      "Done."
    ])
    return on(model)(
      Effect.gen(function* () {
        const durable = { durable: { id: "run" } }
        yield* Effect.flip(Agent.say(lead, yield* Thought.make("trip"), "Go", durable))
        yield* Agent.approve("run", "b", "yes", { by: "ann" })
        yield* Effect.flip(Pipeline.resume(lead, "run"))
        const [pending, ...more] = yield* Agent.waiting({ runId: "run" })
        assert.deepStrictEqual([pending?.callId, pending?.params, more], ["b", { city: "Rom" }, []])
        yield* Agent.approve("run", "b", { no: "too far" }, { by: "bob" })
        const again = yield* Effect.flip(Agent.approve("run", "b", "yes", { by: "eve" }))
        assert.deepInclude(again, { _tag: "AlreadyAnswered", by: "bob" })
        assert.strictEqual((yield* Pipeline.resume(lead, "run")).get("answer"), "Done.")
      }).pipe(Effect.provide(scout.layer))
    )
  })
})

describe("a call of an agent within an agent whose results may be discarded", () => {
  it.effect("is listed by its question, beside the calls of other runs, and can be approved", () => {
    const careful = Agent.make("reader", {
      instructions: "You read.",
      toolkit: Toolkit.make(page),
      triage: false,
      policy: () => "ask"
    })
    const read = Agent.asTool("read", careful, {
      description: "Reads",
      parameters: Schema.Struct({ message: Schema.String })
    })
    const asks = Agent.make("asks", { instructions: "You ask.", toolkit: Toolkit.make(read.tool), triage: false })
    const model = Testing.scripted([
      calls(["page", "Rom"]),
      Testing.calls([{ name: "read", params: { message: "Read Ulm" } }]),
      calls(["page", "Ulm"]),
      "Ulm has a minster.",
      "It has a minster."
    ])
    return on(model)(
      Effect.gen(function* () {
        yield* Effect.flip(Agent.say(careful, yield* Thought.make("trip"), "Read Rom", { durable: { id: "other" } }))
        const start = yield* Thought.make("trip", { message: "What is in Ulm?" })
        const step = Step.enrich(asks)
        const error = yield* Effect.flip(Pipeline.run(step, start, { durable: { id: "run" } }))
        assert.strictEqual(error._tag, "Suspended")
        const [other, pending, ...more] = yield* Agent.waiting()
        assert.deepInclude(other, { runId: "other", name: "page", params: { city: "Rom" } })
        const prompt = 'May the agent «reader» call page with «{"city":"Ulm"}»?'
        assert.deepInclude(pending, { runId: "run", name: "page", params: undefined, prompt })
        assert.deepStrictEqual(more, [])
        yield* Agent.approve("run", pending?.callId ?? "", "yes")
        assert.strictEqual((yield* Pipeline.resume(step, "run")).get("answer"), "It has a minster.")
      }).pipe(Effect.provide(read.layer))
    )
  })
})

describe("a call of an agent within an agent", () => {
  it.effect("waits with the thought of the run, and with its own parameters", () => {
    const look = ["Book Ulm", "Book Rom"].map((message) => ({ name: "scout", params: { message } }))
    const model = Testing.scripted((request) => {
      const text = request.messages.map((one) => one.text).join("\n")
      if (/You lead/.test(text)) return Testing.calls(look)
      return calls(["book", /Book Ulm/.test(text) ? "Ulm" : "Rom"])
    })
    return on(model)(
      Effect.gen(function* () {
        const thought = yield* Thought.make("trip")
        const suspended = yield* Effect.flip(Agent.say(lead, thought, "Go", { durable: { id: "run" } }))
        assert.deepInclude(suspended, { _tag: "Suspended", runId: "run", thoughtId: thought.id })
        const pending = yield* Agent.waiting({ thoughtId: thought.id })
        assert.sameDeepMembers(
          pending.map(({ name, params, prompt, runId, thoughtId }) => [runId, thoughtId, name, params, prompt]),
          ["Ulm", "Rom"].map((city) => [
            "run",
            thought.id,
            "book",
            { city },
            `May the agent «scout» call book with «{"city":"${city}"}»?`
          ])
        )
        // also when the run goes on, and waits for the other one
        yield* Agent.approve("run", pending[0]?.callId ?? "", "yes")
        const again = yield* Effect.flip(Pipeline.resume(lead, "run"))
        assert.deepInclude(again, { _tag: "Suspended", thoughtId: thought.id })
        const [run] = yield* Pipeline.runs()
        assert.strictEqual(run?.end?.thoughtId, thought.id)
      }).pipe(Effect.provide(scout.layer))
    )
  })

  it.effect("is decided about by its frame if another agent's call has the same id", () => {
    const look = ["Book Ulm", "Book Rom"].map((message) => ({ name: "scout", params: { message } }))
    const model = Testing.scripted(({ messages }) => {
      const text = messages.map((one) => one.text).join("\n")
      if (messages.some(({ role }) => role === "tool")) return "Done."
      if (/You lead/.test(text)) return Testing.calls(look)
      return Testing.calls([{ id: "same", name: "book", params: { city: /Book Ulm/.test(text) ? "Ulm" : "Rom" } }])
    })
    const done = new Done()
    return on(
      model,
      done
    )(
      Effect.gen(function* () {
        yield* Effect.flip(Agent.say(lead, yield* Thought.make("trip"), "Go", { durable: { id: "run" } }))
        const pending = yield* Agent.waiting()
        const of = (name: string) => pending.find(({ params }) => (params as { readonly city: string }).city === name)
        const [ulm, rom] = [of("Ulm"), of("Rom")]
        assert.deepStrictEqual([ulm?.callId, rom?.callId], ["same", "same"])
        // the first answer is later than both questions
        yield* TestClock.adjust("1 second")
        const refused = (...frames: ReadonlyArray<string | undefined>) =>
          Effect.gen(function* () {
            const { message } = yield* Effect.flip(Agent.approve("run", "same", "yes"))
            assert.strictEqual(
              message,
              'The run "run" has asked about several calls with the id "same". Give the frame of the one that is meant in place ' +
                `of the id: ${frames.map((frame) => `"${frame}"`).join(" or ")}.`
            )
          })
        yield* refused(...pending.map(({ frame }) => frame))
        yield* Agent.approve("run", rom?.frame ?? "", { no: "too far" })
        // a decision that is given twice
        yield* refused(ulm?.frame)
        yield* Agent.approve("run", ulm?.frame ?? "", "yes")
        assert.strictEqual((yield* Pipeline.resume(lead, "run")).get("answer"), "Done.")
        assert.deepStrictEqual(done.all, ["book Ulm"])
      }).pipe(Effect.provide(scout.layer))
    )
  })
})
