import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Memory, Note, Pipeline, Primitive, type Provider, Session, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, on, start, toolkit } from "./kit.ts"

const durable = { durable: { id: "run" } } as const
const runOn = (agent: typeof guide = guide) => Effect.flatMap(start, (thought) => Pipeline.run(agent, thought, durable))

/** The results that a request shows, as name, text and failure. */
const resultsIn = (request: Provider.Request | undefined) =>
  (request?.messages ?? []).flatMap(({ results = [] }) => results.map(({ isFailure, text }) => [text, isFailure]))

class Hidden {
  readonly #count = 1
  get count() {
    return this.#count
  }
}

describe("an agent", () => {
  it("says what it reads and writes, and what is not as by default", () => {
    const plan = Agent.make("plan", { instructions: "You plan.", toolkit: Toolkit.empty, key: "plan" })
    assert.deepStrictEqual(plan.node, {
      name: "plan",
      kind: "agent",
      reads: ["message"],
      writes: ["plan", "plan.unknown", "plan.triage"],
      surely: ["plan"],
      children: [],
      asks: "You plan.",
      settings: { tools: "" }
    })
    const who = Note.prompt`You plan trips of ${Note.handle("who", Schema.String)} to ${Note.handle("where", Schema.String)}.`
    const all = Agent.make("all", {
      instructions: who,
      toolkit,
      triage: false,
      documents: [Agent.Profile],
      effort: "fast",
      policy: () => "ask",
      limits: { rounds: 3 }
    })
    assert.deepStrictEqual(all.node, {
      name: "all",
      kind: "agent",
      reads: ["message", "who", "where"],
      writes: ["answer", ...[...Object.keys(toolkit.tools), "unknown"].map((tool) => `all.${tool}`), "profile"],
      surely: ["answer"],
      children: [],
      waits: true,
      settings: {
        tools: "weather, page, lost, returned, note, book",
        triage: false,
        effort: "fast",
        documents: "profile",
        "limits.rounds": 3
      }
    })
  })

  it.effect("carries out calls beside each other, shows the results in their order, and answers", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        Testing.calls(
          [
            { name: "weather", params: { city: "Porto" } },
            { name: "weather", params: { city: "Ulm" } }
          ],
          { text: "Let me look." }
        ),
        "Porto is warmer."
      ])
      const done = yield* on(model)(runOn())
      assert.strictEqual(done.get("answer"), "Porto is warmer.")
      const [first, second] = model.requests
      assert.deepStrictEqual(
        first?.messages.map(({ role }) => role),
        ["system", "user"]
      )
      assert.match(first?.messages[0]?.text ?? "", /^You plan trips\./)
      assert.deepStrictEqual(
        first?.tools?.map(({ name }) => name),
        Object.keys(toolkit.tools)
      )
      const [, user, assistant, tool] = second?.messages ?? []
      assert.strictEqual(user?.text, first?.messages[1]?.text.slice(0, first.messages[1].kept))
      assert.deepStrictEqual(assistant, {
        role: "assistant",
        text: "Let me look.",
        calls: [
          { id: "call_1", name: "weather", params: `{"city":"Porto"}` },
          { id: "call_2", name: "weather", params: `{"city":"Ulm"}` }
        ]
      })
      assert.deepStrictEqual(tool, {
        role: "tool",
        text: "",
        results: [
          { id: "call_1", name: "weather", text: `{"celsius":5}`, isFailure: false },
          { id: "call_2", name: "weather", text: `{"celsius":3}`, isFailure: false }
        ]
      })
      const trust = Thought.history(done, "guide.weather").map((note) => [note.content, note.trust])
      assert.deepStrictEqual(trust, [
        [`{"city":"Porto"}`, "untrusted"],
        [`{"city":"Ulm"}`, "untrusted"],
        [`{"celsius":5}`, "untrusted"],
        [`{"celsius":3}`, "untrusted"]
      ])
    })
  )

  it.effect("shows the model whatever goes wrong with a call, and carries out the others", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        calls(["weather"], ["nowhere"], ["weather", "{bad"], ["weather", { town: "Ulm" }], ["lost"], ["returned"]),
        "Well."
      ])
      const done = new Done()
      yield* on(model, done)(runOn())
      const results = resultsIn(model.requests[1])
      assert.deepStrictEqual(
        results.map(([, isFailure]) => isFailure),
        [false, true, true, true, true, true]
      )
      const texts = results.map(([text]) => String(text))
      assert.match(texts[1]!, /^There is no tool "nowhere"\. There are: weather, /)
      assert.match(texts[2]!, /not valid JSON/)
      assert.match(texts[3]!, /city/)
      assert.deepStrictEqual(texts.slice(4), ["Ulm is not there", "Ulm was returned"])
      assert.deepStrictEqual(done.all, ["weather Ulm", "lost Ulm", "returned Ulm"])
    })
  )

  it.effect("leaves out the middle of a long result, which its note has whole", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        limits: { resultTokens: 100 }
      })
      const model = Testing.scripted([calls(["page"]), "Long."])
      const done = new Done()
      done.page = `begin ${"x".repeat(1_000_000)} end`
      const thought = yield* on(model, done)(runOn(agent))
      const [[text]] = resultsIn(model.requests[1]) as [[string]]
      assert.match(text, /^begin x+\n\[… \d+ characters were left out …\]\nx+ end$/)
      const [first = "", mark, last = ""] = text.split("\n")
      const tokens = Session.estimateTokens(first + last)
      assert.isTrue(tokens > 90 && tokens <= 100, `${tokens} tokens`)
      const left = done.page.length - first.length - last.length
      assert.strictEqual(mark, `[… ${left} characters were left out …]`)
      assert.isBelow(JSON.stringify(model.requests[1]).length, 10_000)
      assert.include(Thought.history(thought, "guide.page").at(-1)?.content, "x".repeat(1_000_000))
    })
  )

  it.effect("goes on with the messages before, in one conversation", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"]), "It is cold.", "As I said."])
      const second = yield* on(model)(
        Effect.gen(function* () {
          const first = yield* Agent.say(guide, yield* Thought.make("trip"), "Is Ulm warm?")
          const loaded = yield* Memory.load(first.id)
          return yield* Agent.say(guide, loaded, "Really?")
        })
      )
      assert.strictEqual(second.get("answer"), "As I said.")
      assert.deepStrictEqual(
        model.requests[2]?.messages.map(({ role }) => role),
        ["system", "user", "assistant", "tool", "assistant", "user"]
      )
      assert.include(model.requests[2]?.messages.at(-1)?.text, "Really?")
      assert.notInclude(model.requests[2]?.messages.at(-1)?.text, "Is Ulm warm?")
    })
  )

  it.effect("is a step among others, which see what it did as text", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        calls(["weather"]),
        "It is cold.",
        { decision: true, confidence: 0.9, reasoning: ["so it is"] }
      ])
      const cold = Primitive.decide("cold", {
        question: Note.from(guide, (answer) => `Does "${answer}" say it is cold?`)
      })
      const done = yield* on(model)(
        Effect.flatMap(start, (thought) => Pipeline.run(Pipeline.sequence("all", [guide, cold]), thought, durable))
      )
      assert.isTrue(done.get("cold").decision)
      const { messages, tools } = model.requests[2]!
      assert.isUndefined(tools)
      assert.isTrue(
        messages.every(({ calls: made, results, text }) => made === undefined && results === undefined && text !== "")
      )
      assert.include(messages[2]?.text, `[calls weather with {"city":"Ulm"}]`)
      assert.include(messages[3]?.text, `{"celsius":3}`)
    })
  )

  it.effect("closes calls whose run has ended before their results", () =>
    Effect.gen(function* () {
      const { weather } = toolkit.tools
      const kit = Toolkit.make(weather)
      const reader = Agent.make("reader", { instructions: "You read.", triage: false, toolkit: kit })
      const model = Testing.scripted([calls(["weather"]), "Well."])
      const ends = kit.toLayer({ weather: () => Effect.interrupt })
      const thought = yield* on(model)(
        Effect.gen(function* () {
          const before = yield* start
          yield* Effect.exit(Effect.provide(Pipeline.run(reader, before), ends))
          return yield* Agent.say(reader, yield* Memory.load(before.id), "And now?")
        })
      )
      assert.strictEqual(thought.get("answer"), "Well.")
      const tool = model.requests[1]?.messages.find(({ role }) => role === "tool")
      assert.deepInclude(tool?.results?.[0], { id: "call_1", isFailure: true })
    })
  )
})

describe("what a model writes", () => {
  const seen = (model: Testing.Scripted, round: number) => {
    const assistant = model.requests[round]?.messages.find(({ role }) => role === "assistant")
    return { calls: assistant?.calls ?? [], results: resultsIn(model.requests[round]) }
  }

  it.effect("goes back in a form that every provider takes", () =>
    Effect.gen(function* () {
      const one = { name: "weather", params: { city: "Ulm" } }
      const model = Testing.scripted([
        Testing.calls([
          { ...one, id: "x" },
          { ...one, id: "x" },
          { ...one, id: "x" },
          { ...one, id: "" },
          { ...one, id: "a.b" },
          { ...one, id: "a_b" },
          { ...one, id: "z".repeat(200) },
          { name: "look.it ö", params: "{bad", id: "y" },
          { name: "", params: "[1]", id: "z" },
          { name: "n".repeat(100), params: "1", id: "n" }
        ]),
        Testing.calls([{ ...one, id: "x" }]),
        "Well."
      ])
      yield* on(model)(runOn())
      const { calls: sent, results } = seen(model, 1)
      assert.deepStrictEqual(
        sent.map(({ id, name, params }) => [id, name, params]),
        [
          ["x", "weather", `{"city":"Ulm"}`],
          ["x_2", "weather", `{"city":"Ulm"}`],
          ["x_3", "weather", `{"city":"Ulm"}`],
          ["call", "weather", `{"city":"Ulm"}`],
          ["a_b", "weather", `{"city":"Ulm"}`],
          ["a_b_2", "weather", `{"city":"Ulm"}`],
          ["z".repeat(56), "weather", `{"city":"Ulm"}`],
          ["y", "look_it__", `{"malformed":"{bad"}`],
          ["z", "unknown", `{"malformed":"[1]"}`],
          ["n", "n".repeat(64), `{"malformed":"1"}`]
        ]
      )
      assert.strictEqual(results.length, 10)
      const ids = (model.requests[2]?.messages ?? []).flatMap(({ calls: made = [] }) => made.map(({ id }) => id))
      assert.deepStrictEqual(ids, [...sent.map(({ id }) => id), "x_4"])
    })
  )

  const typed = Tool.make("day", {
    parameters: Schema.Struct({ of: Schema.Date }),
    success: Schema.Struct({ count: Schema.BigInt, at: Schema.Date })
  }).annotate(Tool.Readonly, true)
  const broken = Tool.make("broken", { parameters: Schema.Struct({}), success: Schema.Unknown }).annotate(
    Tool.Readonly,
    true
  )
  const kit = Toolkit.make(typed, broken)
  const reader = Agent.make("reader", { instructions: "You read.", triage: false, toolkit: kit })

  it.effect("is read by the JSON of its schema, and so is what a tool gives", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        Testing.calls([
          { name: "day", params: { of: "2026-01-02T00:00:00.000Z" } },
          { name: "day", params: { of: "soon" } },
          { name: "broken" }
        ]),
        "Well."
      ])
      const circular: { self?: unknown } = {}
      circular.self = circular
      const layer = kit.toLayer({
        day: ({ of }) => Effect.succeed({ count: 7n, at: of }),
        broken: () => Effect.succeed(circular)
      })
      yield* on(model)(
        Effect.provide(
          Effect.flatMap(start, (thought) => Pipeline.run(reader, thought)),
          layer
        )
      )
      const [[day], [soon, isFailure], [cyclic]] = resultsIn(model.requests[1]) as [
        [string],
        [string, boolean],
        [string]
      ]
      assert.strictEqual(day, `{"count":"7","at":"2026-01-02T00:00:00.000Z"}`)
      assert.isTrue(isFailure)
      assert.match(soon, /Date/)
      assert.match(cyclic, /cannot be written as JSON/)
    })
  )

  it.effect.each([
    new Map([["a", 1]]),
    { days: new Set([1]) },
    [new Error("down")],
    [new Hidden()],
    () => 1,
    Symbol("a")
  ])("is refused a result of which JSON would keep an empty object: %s", (result) =>
    Effect.gen(function* () {
      const model = Testing.scripted([Testing.calls([{ name: "broken" }]), "Well."])
      const layer = kit.toLayer({ day: () => Effect.never, broken: () => Effect.succeed(result) })
      yield* on(model)(
        Effect.provide(
          Effect.flatMap(start, (thought) => Pipeline.run(reader, thought)),
          layer
        )
      )
      assert.deepStrictEqual(resultsIn(model.requests[1]), [
        ["It was carried out, but its result cannot be written as JSON.", true]
      ])
    })
  )

  it.effect("meets a handler with a defect, which is a failed result", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([Testing.calls([{ name: "broken" }]), "Well."])
      const layer = kit.toLayer({ day: () => Effect.never, broken: () => Effect.die("it is down") })
      const done = yield* on(model)(
        Effect.provide(
          Effect.flatMap(start, (thought) => Pipeline.run(reader, thought)),
          layer
        )
      )
      assert.strictEqual(done.get("answer"), "Well.")
      assert.deepStrictEqual(resultsIn(model.requests[1]), [
        ["The tool has failed unexpectedly. It may have done something before.", true]
      ])
    })
  )
})

describe("an agent after steps that have shown the message", () => {
  it.effect("is given its task all the same", () =>
    Effect.gen(function* () {
      const { weather } = toolkit.tools
      const reader = Agent.make("reader", {
        instructions: "You read.",
        triage: false,
        toolkit: Toolkit.make(weather),
        key: "read"
      })
      const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["so"] }, "One.", "Two."])
      const asked = Primitive.decide("trip", { question: "Is this about a trip?" })
      yield* on(model)(
        Effect.flatMap(start, (thought) =>
          Pipeline.run(Pipeline.sequence("all", [asked, guide, reader]), thought, durable)
        )
      )
      for (const request of model.requests.slice(1)) {
        assert.strictEqual(request.messages.at(-1)?.role, "user")
        assert.include(request.messages.at(-1)?.text, `Do what the note "message" asks.`)
      }
    })
  )
})

describe("an answer with a schema", () => {
  const Plan = Schema.Struct({ city: Schema.String, cost: Schema.Finite })
  const planner = Agent.make("planner", {
    instructions: "You plan trips.",
    triage: false,
    toolkit,
    output: Plan,
    key: "plan"
  })
  const run = Effect.flatMap(start, (thought) => Pipeline.run(planner, thought, durable))
  const plan = { city: "Porto", cost: 12 }
  const answer = (params: unknown) => ({ name: "answer", params })

  it.effect("is given by a tool of its own", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"]), Testing.calls([answer(plan)])])
      const done = yield* on(model)(run)
      const cost: number = done.get("plan").cost
      assert.deepStrictEqual([done.get("plan"), cost], [plan, 12])
      assert.deepInclude(model.requests[0]?.tools?.at(-1), { name: "answer" })
    })
  )

  it.effect("is demanded after a text, and corrected after a wrong form, or beside other calls", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        "Porto, I think.",
        Testing.calls([answer({ city: "Porto" })]),
        Testing.calls([answer(plan), { name: "weather", params: { city: "Ulm" } }]),
        Testing.calls([answer(plan)])
      ])
      const done = yield* on(model)(run)
      assert.deepStrictEqual(done.get("plan"), plan)
      assert.deepStrictEqual(model.requests[1]?.toolChoice, { tool: "answer" })
      assert.deepInclude(model.requests[1]?.messages.at(-1), {
        role: "user",
        text: "Give the answer by a call of the tool answer."
      })
      const [[wrong, isFailure], [beside]] = resultsIn(model.requests[3]) as [[string, boolean], [string]]
      assert.isTrue(isFailure)
      assert.match(wrong, /cost/)
      assert.match(beside, /^Call answer alone/)
    })
  )

  it.effect("is demanded until the model has called something", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        "Porto, I think.",
        calls(["weather"]),
        calls(["weather", "Porto"]),
        Testing.calls([answer(plan)])
      ])
      const done = yield* on(model)(run)
      assert.deepStrictEqual(done.get("plan"), plan)
      assert.deepStrictEqual(
        model.requests.map(({ toolChoice }) => toolChoice),
        [undefined, { tool: "answer" }, undefined, undefined]
      )
      assert.strictEqual(model.requests[2]?.messages.at(-1)?.role, "tool")
    })
  )

  it.effect("may be any value", () =>
    Effect.gen(function* () {
      const counter = Agent.make("counter", {
        instructions: "You count.",
        triage: false,
        toolkit,
        output: Schema.Finite
      })
      const model = Testing.scripted([Testing.calls([answer({ value: 3 })])])
      const done = yield* on(model)(Effect.flatMap(start, (thought) => Pipeline.run(counter, thought, durable)))
      assert.strictEqual(done.get("answer"), 3)
    })
  )
})

describe("an agent that comes to no answer", () => {
  const stopped = (model: Testing.Scripted, agent: typeof guide = guide) =>
    on(model)(
      Effect.map(Effect.flip(runOn(agent)), (error) => {
        assert.strictEqual(error._tag, "PipelineError")
        return (error as Pipeline.PipelineError<Agent.AgentStopped>).cause
      })
    )

  it.effect("stops when a call has the same result three times", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => calls(["weather"]))
      assert.deepInclude(yield* stopped(model), { _tag: "AgentStopped", agent: "guide", reason: "stuck", rounds: 3 })
      assert.strictEqual(model.requests.length, 3)
    })
  )

  it.effect("stops when everything fails three times in a row", () =>
    Effect.gen(function* () {
      let count = 0
      const model = Testing.scripted(() => calls(["lost", `city ${++count}`]))
      const error = yield* stopped(model)
      assert.deepInclude(error, { reason: "failures", rounds: 3, detail: "city 3 is not there" })
    })
  )

  it.effect("fails if the model answers nothing", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"]), " "])
      const { cause } = (yield* on(model)(Effect.flip(runOn()))) as Pipeline.PipelineError<Provider.ProviderError>
      assert.deepInclude(cause.reason, { _tag: "EmptyAnswer" })
      assert.strictEqual(model.requests.length, 2)
    })
  )

  it.effect("counts equal calls of one reply once", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["weather"], ["weather"], ["weather"]), "It is cold."])
      assert.strictEqual((yield* on(model)(runOn())).get("answer"), "It is cold.")
    })
  )

  it.effect("must answer in its last round, in which it carries out nothing", () =>
    Effect.gen(function* () {
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        limits: { rounds: 2 }
      })
      let count = 0
      const done = new Done()
      const model = Testing.scripted(() => calls(["weather", "x".repeat(++count)]))
      const { cause } = (yield* on(
        model,
        done
      )(Effect.flip(runOn(agent)))) as Pipeline.PipelineError<Agent.AgentStopped>
      assert.deepInclude(cause, { reason: "rounds", rounds: 2, detail: "It would have called weather." })
      assert.deepStrictEqual(done.all, ["weather x"])
      assert.strictEqual(model.requests[1]?.toolChoice, "none")
      assert.match(model.requests[1]?.messages.at(-1)?.text ?? "", /last round/)
    })
  )

  it.effect("stop with the beginning of a long text in place of an answer", () =>
    Effect.gen(function* () {
      const output = Schema.String
      const agent = Agent.make("guide", { instructions: "Go.", triage: false, toolkit, output, limits: { rounds: 1 } })
      const model = Testing.scripted(["x".repeat(900)])
      const { cause } = (yield* on(model)(Effect.flip(runOn(agent)))) as Pipeline.PipelineError<Agent.AgentStopped>
      assert.deepInclude(cause, { reason: "rounds", rounds: 1, detail: "x".repeat(500) })
    })
  )

  it("rejects tool names that providers refuse, and invalid limits", () => {
    const odd = Toolkit.make(Tool.make("a b", { parameters: Schema.Struct({}), success: Schema.String }))
    assert.throws(
      () => Agent.make("guide", { instructions: "Go.", triage: false, toolkit: odd }),
      /The tool "a b" of the agent "guide"/
    )
    const taken = Toolkit.make(Tool.make("answer", { parameters: Schema.Struct({}), success: Schema.String }))
    assert.throws(
      () => Agent.make("guide", { instructions: "Go.", triage: false, toolkit: taken, output: Schema.String }),
      /rename that tool/
    )
    // without a form the answer is no tool
    Agent.make("guide", { instructions: "Go.", triage: false, toolkit: taken })
    assert.throws(
      () => Agent.make("guide", { instructions: "Go.", triage: false, toolkit, limits: { rounds: 0 } }),
      /limits\.rounds/
    )
    for (const key of ["message", "guide.weather"]) {
      assert.throws(() => Agent.make("guide", { instructions: "Go.", toolkit, key }), /give its answer another key/)
    }
    for (const name of ["approval", "triage", "unknown"]) {
      const own = Toolkit.make(Tool.make(name, { parameters: Schema.Struct({}), success: Schema.String }))
      assert.throws(() => Agent.make("guide", { instructions: "Go.", triage: false, toolkit: own }), /rename that tool/)
    }
  })
})
