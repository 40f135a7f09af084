/** What somebody found who had only the documentation. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Budget, Memory, Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, on, start, toolkit } from "./kit.ts"

const durable = { durable: { id: "run" } } as const

/** The texts of the results in the last request. */
const results = (model: Testing.Scripted) =>
  (model.requests.at(-1)?.messages ?? []).flatMap(({ results: all = [] }) => all.map(({ text }) => text))

describe("an agent within an agent", () => {
  const of = { parameters: Schema.Struct({ of: Schema.String }), success: Schema.String }
  const done: Array<string> = []
  const inner = Toolkit.make(Tool.make("orders", of).annotate(Tool.Readonly, true))
  const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: inner, triage: false })
  const sub = Agent.asTool("clerk", clerk, {
    description: "Looks orders up",
    parameters: Schema.Struct({ message: Schema.String })
  })
  const outer = Toolkit.make(Tool.make("orders", of).annotate(Tool.Destructive, true), sub.tool)
  const lead = Agent.make("lead", { instructions: "You lead.", toolkit: outer, triage: false })
  const layer = Layer.mergeAll(
    sub.layer.pipe(Layer.provide(inner.toLayer({ orders: () => Effect.sync(() => (done.push("looked"), "a kite")) }))),
    Toolkit.make(outer.tools.orders).toLayer({ orders: () => Effect.sync(() => (done.push("deleted"), "gone")) })
  )
  const script = () =>
    Testing.scripted([
      Testing.calls([{ name: "clerk", params: { message: "17?" } }]),
      Testing.calls([{ name: "orders", params: { of: "17" } }]),
      "Inside.",
      "Outside."
    ])

  it.effect("has the handlers of its own layer, also where the outer one has a tool of the same name", () =>
    Effect.gen(function* () {
      done.length = 0
      const program = Effect.flatMap(Thought.make("orders"), (thought) => Agent.say(lead, thought, "Go", durable))
      yield* on(script())(Effect.provide(program, layer))
      assert.deepStrictEqual(done, ["looked"])
    })
  )

  it.effect("has no events in the stream of the outer one", () =>
    Effect.gen(function* () {
      const program = Effect.flatMap(Thought.make("orders"), (thought) =>
        Stream.runCollect(Agent.stream(lead, thought, "Go", durable))
      )
      const events = yield* on(script())(Effect.provide(program, layer))
      const texts = events.flatMap((event) => (event._tag === "Text" ? [event.delta] : []))
      const names = events.flatMap((event) => (event._tag === "Called" ? [event.name] : []))
      assert.deepStrictEqual([texts, names], [["Outside."], ["clerk"]])
    })
  )
})

describe("an agent", () => {
  it.effect("does nothing without its message, also if a redaction has taken it while it waited", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["book"]), "Booked."])
      const done = new Done()
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const thought = yield* Thought.make("trip")
          yield* Effect.flip(Agent.say(guide, thought, "Book Ulm", durable))
          const stored = yield* Memory.load(thought.id)
          yield* Memory.redact(stored.note("message") ?? "")
          const error = yield* Effect.flip(Pipeline.resume(guide, "run"))
          assert.ok(error._tag === "PipelineError" && error.cause._tag === "AgentStopped", error._tag)
          assert.strictEqual(error.cause.reason, "message")
        })
      )
      assert.deepStrictEqual([done.all, model.requests.length], [[], 1])
    })
  )

  it.effect("shows its message and the last results again after a compaction took them out", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(({ task, messages }) => {
        if (task.kind !== "agent") return "A summary."
        const round = messages.filter(({ role }) => role === "tool").length
        return round < 1 && !messages.some(({ text }) => text.includes("A summary.")) ? calls(["page"]) : "Well."
      })
      const done = new Done()
      done.page = `the page ${"x ".repeat(3000)}`
      const compacting = Pipeline.compact(guide, { tokens: 500 })
      yield* on(
        model,
        done
      )(
        Effect.flatMap(Thought.make("trip", { message: "Is Porto warm?" }), (thought) =>
          Pipeline.run(compacting, thought, durable)
        )
      )
      const shown =
        model.requests
          .at(-1)
          ?.messages.map(({ text }) => text)
          .join("\n") ?? ""
      assert.match(shown, /A summary\.[\s\S]*Is Porto warm\?[\s\S]*the page x/)
    })
  )

  it.effect("shows no more of a result after a compaction than before it", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(({ task, messages }) => {
        if (task.kind !== "agent") return "A summary."
        return messages.some(({ role, text }) => role === "tool" || text.includes("A summary."))
          ? "Well."
          : calls(["page"])
      })
      const done = new Done()
      done.page = `the page ${"x ".repeat(3000)}`
      const brief = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        limits: { resultTokens: 400 }
      })
      const compacting = Pipeline.compact(brief, { tokens: 200 })
      yield* on(model, done)(Effect.flatMap(start, (thought) => Pipeline.run(compacting, thought, durable)))
      const shown = (model.requests.at(-1)?.messages ?? []).map(({ text }) => text).join("\n")
      assert.match(shown, /A summary\.[\s\S]*the page x/)
      assert.isBelow(shown.length, 3000)
    })
  )

  it.effect("says that a budget ended it, also if that was the one of its triage", () =>
    Effect.gen(function* () {
      const careful = Agent.make("careful", { instructions: "You plan.", toolkit: Toolkit.empty })
      const model = Testing.scripted([{ safe: true, mode: "fast" }])
      const error = yield* Effect.flatMap(Thought.make("trip"), (thought) =>
        Effect.flip(Agent.say(careful, thought, "Go"))
      ).pipe(Provider.withBudget(Budget.make({ tokens: 1 })), Effect.provide(Layer.merge(model.layer, Testing.memory)))
      assert.ok(error._tag === "PipelineError" && error.cause._tag === "AgentStopped", error._tag)
      assert.strictEqual(error.cause.reason, "budget")
    })
  )
})

describe("a tool", () => {
  const fields = { parameters: Schema.Struct({}), failure: Schema.Struct({ code: Schema.Int, why: Schema.String }) }
  const dated = Tool.make("dated", {
    ...fields,
    success: Schema.Struct({ n: Schema.Finite.check(Schema.isGreaterThan(0)) })
  })
  const failing = Tool.make("failing", { ...fields, success: Schema.String })
  const kit = Toolkit.make(dated, failing)
  const agent = Agent.make("agent", { instructions: "You work.", toolkit: kit, triage: false, policy: () => "allow" })
  const tools = kit.toLayer({
    dated: () => Effect.succeed({ n: -1 }),
    failing: () => Effect.fail({ code: 404, why: "no such order" })
  })

  it.effect("that was carried out is reported as such, and a failure has all of its fields", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([calls(["dated", "{}"], ["failing", "{}"]), "Well."])
      const program = Effect.flatMap(Thought.make("work"), (thought) => Agent.say(agent, thought, "Go"))
      yield* on(model)(Effect.provide(program, tools))
      const [first, second] = results(model)
      assert.match(first ?? "", /^It was carried out, but its result does not fit: /)
      assert.strictEqual(second, `{"code":404,"why":"no such order"}`)
      assert.deepStrictEqual(model.requests[0]?.tools?.[0]?.parameters, {
        type: "object",
        properties: {},
        additionalProperties: false
      })
    })
  )

  it.effect("that fails with a reason of its own was not carried out, and an empty message says nothing", () =>
    Effect.gen(function* () {
      const Reason = Schema.Struct({ message: Schema.String, reason: Schema.Struct({ _tag: Schema.String }) })
      const full = Tool.make("full", { parameters: Schema.Struct({}), success: Schema.String, failure: Reason })
      const Bare = Schema.Struct({ message: Schema.Union([Schema.String, Schema.Int]), code: Schema.Int })
      const bare = Tool.make("bare", { parameters: Schema.Struct({}), success: Schema.String, failure: Bare })
      const numbered = Tool.make("numbered", { parameters: Schema.Struct({}), success: Schema.String, failure: Bare })
      const own = Toolkit.make(full, bare, numbered)
      const clerk = Agent.make("clerk", {
        instructions: "You work.",
        toolkit: own,
        triage: false,
        policy: () => "allow"
      })
      const handlers = own.toLayer({
        full: () => Effect.fail({ message: "The disk is full.", reason: { _tag: "Full" } }),
        bare: () => Effect.fail({ message: "", code: 7 }),
        numbered: () => Effect.fail({ message: 5, code: 8 })
      })
      const model = Testing.scripted([calls(["full", "{}"], ["bare", "{}"], ["numbered", "{}"]), "Well."])
      const program = Effect.flatMap(Thought.make("work"), (thought) => Agent.say(clerk, thought, "Go"))
      yield* on(model)(Effect.provide(program, handlers))
      assert.deepStrictEqual(results(model), ["The disk is full.", `{"message":"","code":7}`, `{"message":5,"code":8}`])
    })
  )
})

describe("instructions from notes", () => {
  const rules = Note.handle("rules", Schema.String)
  const agent = Agent.make("clerk", {
    instructions: Note.from(rules, (text) => `You follow the rules of the house: ${text}`),
    toolkit: Toolkit.empty,
    triage: false
  })
  const asked = (trust: "trusted" | "untrusted") =>
    Effect.gen(function* () {
      const model = Testing.scripted(["Yes."])
      const notes = { rules: { content: "Be brief.", trust } }
      yield* on(model)(Effect.flatMap(Thought.make("work", notes), (thought) => Agent.say(agent, thought, "May I?")))
      const texts = (model.requests[0]?.messages ?? []).map(({ role, text }) => [
        role,
        text.includes("the rules of the house")
      ])
      return texts.flatMap(([role, has]) => (has === true ? [role] : []))
    })

  it.effect("are the system's own if the notes are trusted, and stand with the task otherwise", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked("trusted"), ["system"])
      assert.deepStrictEqual(yield* asked("untrusted"), ["user"])
    })
  )

  it.effect.each(["trusted", "untrusted"] as const)("take the answers with them when they are redacted: %s", (trust) =>
    on(Testing.scripted(["Yes.", "No."]))(
      Effect.gen(function* () {
        const started = yield* Thought.make("work", { rules: { content: "Be brief.", trust } })
        const first = yield* Agent.say(agent, started, "May I?")
        // the rules are no longer in the conversation
        const anew = yield* Pipeline.run(Primitive.reset("anew", { release: false }), first)
        const second = yield* Agent.say(agent, anew, "And now?")
        const [rules, answer] = [second.note("rules"), second.note("answer")]
        assert.strictEqual(answer?.content, "No.")
        assert.include(answer?.derivedFrom ?? [], rules?.id)
        assert.include(yield* Memory.redact(rules ?? ""), answer?.id)
      })
    )
  )
})
