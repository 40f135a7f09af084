import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, type Provider, Session, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { message, providerError, start, withModel } from "../pipeline/triage.ts"

// A step that runs only on yes.

class Unpaid extends Data.TaggedError("Unpaid")<{ readonly amount: number }> {}

const yes = { decision: true, confidence: 0.9, reasoning: ["She was charged twice."] }
const no = { decision: false, confidence: 0.7, reasoning: ["She only asks."] }
const summary = Step.make("size", {
  schema: Schema.Finite,
  run: Note.from(Note.handle("message", Schema.String), (text) => text.length)
})
const refund = (options: Primitive.Options = {}) =>
  Primitive.sift("refund", { question: "Is a refund due?", step: summary, ...options })

const run = <Out, E>(
  step: Step.Step<{ readonly message: string }, Out, E, Provider.Provider | Memory.Memory>,
  model: Testing.Scripted
) =>
  Effect.gen(function* () {
    const done = yield* Pipeline.run(step, yield* start)
    return { done, stored: yield* Memory.load(done.id) }
  }).pipe(withModel(model))

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

describe("a sift", () => {
  it.effect("keeps the decision and runs its step on yes [C171]", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(refund(), Testing.scripted([yes]))
      assert.deepStrictEqual(done.get("refund"), { ...yes, confidenceFrom: "stated" })
      assert.strictEqual(done.get("size"), message.length)
      assert.deepStrictEqual(keys(stored), ["message", "refund", "size"])
      assert.strictEqual(stored.note("refund")?.source, "sift")
      assert.strictEqual(stored.note("refund")?.step, "refund")
      assert.strictEqual(stored.note("size")?.step, "refund/size")
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    })
  )

  it.effect("keeps the decision and omits its step on no [C172]", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(refund(), Testing.scripted([no]))
      assert.isFalse(done.get("refund").decision)
      assert.deepStrictEqual(keys(stored), ["message", "refund"])
    })
  )

  it.effect("signals whether its step runs", () =>
    Effect.gen(function* () {
      const routes: Array<unknown> = []
      const listened = Signal.listen((signal) => {
        if (signal._tag === "Routed") routes.push([signal.path, signal.route])
      })
      yield* listened(run(refund(), Testing.scripted([yes])))
      yield* listened(run(refund(), Testing.scripted([no])))
      assert.deepStrictEqual(routes, [
        [["refund"], "size"],
        [["refund"], undefined]
      ])
    })
  )

  it.effect("asks its question in one call, with the notes that the model has not seen [C174]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([yes])
      const { done } = yield* run(refund(), model)
      const [request, ...more] = model.requests
      assert.deepStrictEqual(more, [])
      assert.strictEqual(request?.task.kind, "sift")
      assert.deepStrictEqual(request?.task.questions, [
        { _tag: "Predicate", name: "decision", question: "Is a refund due?" }
      ])
      assert.include(request?.messages.at(-1)?.text, message)
      assert.include(request?.messages.at(-1)?.text, "\n\nIs a refund due?")
      // the decision is in the conversation; what the step wrote is not
      assert.deepStrictEqual(
        Session.entries(done.session).map(({ role }) => role),
        ["user", "assistant"]
      )
      assert.deepStrictEqual(
        Thought.unpublished(done).map(({ key }) => key),
        ["size"]
      )
    })
  )

  it.effect("looks back on its decision before the step runs [C173] [C175]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([yes, "A refund is due."])
      const { stored } = yield* run(refund({ introspect: true }), model)
      assert.strictEqual(model.requests.length, 2)
      assert.deepStrictEqual(keys(stored), ["message", "refund", "refund_summary", "size"])
      assert.strictEqual(stored.note("refund_summary")?.source, "sift-introspection")
      const other = yield* run(refund({ introspect: { summaryKey: "why" } }), Testing.scripted([yes, "Because."]))
      assert.deepStrictEqual(keys(other.stored), ["message", "refund", "why", "size"])
    })
  )

  it.effect("takes a provider, sampling, repairs and introspection together [C176]", () =>
    Effect.gen(function* () {
      const own = Testing.scripted(["no", yes, "Well."])
      const options = { sampling: { temperature: 0.3 }, repairs: 1, introspect: { sampling: { temperature: 0.9 } } }
      yield* run(refund({ ...options, provider: own.provider }), Testing.scripted([]))
      assert.deepStrictEqual(
        own.requests.map(({ sampling }) => sampling.temperature),
        [0.3, 0.3, 0.9]
      )
    })
  )

  it.effect("accepts a native answer with its measured confidence", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([], {
        decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.2 }]
      })
      const { done, stored } = yield* run(refund(), model)
      assert.strictEqual(done.get("refund").confidenceFrom, "measured")
      assert.deepStrictEqual(done.get("refund").distribution, { yes: 0.2, no: 0.8 })
      assert.deepStrictEqual(keys(stored), ["message", "refund"])
    })
  )

  it.effect("lets its step read the decision, and is the handle of it", () =>
    Effect.gen(function* () {
      const gate = Note.handle("refund", refund().schema)
      const why = Step.make("why", { schema: Schema.String, run: Note.from(gate, (d) => d.reasoning.join(" ")) })
      const { done, stored } = yield* run(
        Primitive.sift("refund", { question: "Is a refund due?", step: why }),
        Testing.scripted([yes])
      )
      assert.strictEqual(done.get("why"), "She was charged twice.")
      assert.isTrue((yield* Thought.read(stored, refund())).decision)
    })
  )

  it.effect("has the original error of its step, with the path through it, and keeps the decision [C787]", () =>
    Effect.gen(function* () {
      const pay = Step.make("pay", { schema: Schema.Finite, run: Effect.fail(new Unpaid({ amount: 3 })) })
      const model = Testing.scripted([yes])
      const ended: Array<unknown> = []
      yield* Effect.gen(function* () {
        const thought = yield* start
        const outer = Pipeline.sequence("all", [Primitive.sift("refund", { question: "?", step: pay })])
        const error = yield* Effect.flip(Pipeline.run(outer, thought)).pipe(
          Signal.listen((signal) => {
            if (signal._tag === "StepFailed") ended.push([signal.path.join("/"), signal.error])
          })
        )
        assert.strictEqual(error.cause._tag, "Unpaid")
        assert.deepStrictEqual(error.path, ["all", "refund", "pay"])
        assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message", "refund"])
        assert.strictEqual(error.thought?.length, 2)
      }).pipe(withModel(model))
      assert.deepStrictEqual(ended, [
        ["all/refund/pay", "Unpaid"],
        ["all/refund", "Unpaid"],
        ["all", "Unpaid"]
      ])
    })
  )

  it.effect("whose step dies is a defect, not a crash of its own [C787]", () =>
    Effect.gen(function* () {
      const broken = Step.make("broken", {
        run: () => {
          throw new Error("broken by hand")
        }
      })
      const exit = yield* Effect.exit(
        run(Primitive.sift("refund", { question: "?", step: broken }), Testing.scripted([yes]))
      )
      assert.include(String(exit), "broken by hand")
    })
  )

  it.effect("that cannot ask leaves nothing and does not run its step", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const error = yield* Effect.flip(Pipeline.run(refund(), thought))
      assert.strictEqual(error.cause._tag, "ProviderError")
      assert.deepStrictEqual(error.path, ["refund"])
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message"])
    }).pipe(withModel(Testing.scripted([providerError()])))
  )

  it("shows in its outline what it reads, may write and certainly writes [C178]", () => {
    const step = Primitive.sift("refund", {
      question: Note.from(Note.handle("policy", Schema.String), (text) => text),
      step: summary,
      introspect: true
    })
    assert.strictEqual(step.name, "refund")
    assert.deepStrictEqual(step.node, {
      name: "refund",
      kind: "sift",
      reads: ["policy", "message"],
      writes: ["refund", "refund_summary", "size"],
      surely: ["refund", "refund_summary"],
      settings: { introspect: true },
      children: [summary.node],
      layout: { _tag: "Choice", labels: ["yes"], past: "no" }
    })
  })

  it("is refused if its step writes the key of the decision or of its summary", () => {
    const taken = (key: string) => Step.make(key, { schema: Schema.Finite, run: () => 1 })
    assert.throws(
      () => Primitive.sift("refund", { question: "?", step: taken("refund") }),
      /the step "refund" write "refund"/
    )
    assert.throws(
      () => Primitive.sift("refund", { question: "?", introspect: true, step: taken("refund_summary") }),
      /the step "refund" write "refund_summary"/
    )
  })
})
