import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, type Provider, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { message, providerError, start, withModel } from "../pipeline/triage.ts"

// One of several steps, as the model answers.

class Unpaid extends Data.TaggedError("Unpaid")<{ readonly amount: number }> {}

const answer = <const P extends string>(primary: P, confidence = 0.9) => ({
  primary,
  confidence,
  reasoning: ["It is about a charge."]
})
const write = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })

const refund = write("refund")
const ticket = write("ticket")
const route = (options: Primitive.Options = {}) =>
  Primitive.discern("route", {
    question: "Who should answer?",
    routes: { billing: { when: "payments and refunds", step: refund }, technical: ticket },
    ...options
  })
const unsure = Primitive.discern("route", {
  question: "Who should answer?",
  routes: { billing: refund, technical: ticket },
  minConfidence: 0.6,
  default: write("person")
})

const run = <Out, E>(step: Step.Step<{}, Out, E, Provider.Provider | Memory.Memory>, model: Testing.Scripted) =>
  Effect.gen(function* () {
    const done = yield* Pipeline.run(step, yield* start)
    return { done, stored: yield* Memory.load(done.id) }
  }).pipe(withModel(model))

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

describe("a discern", () => {
  it.effect("runs only the step of the route that was answered [C69] [C72]", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(route(), Testing.scripted([{ ...answer("technical"), secondary: "billing" }]))
      assert.deepStrictEqual(done.get("route"), {
        ...answer("technical"),
        secondary: "billing",
        confidenceFrom: "stated"
      })
      assert.strictEqual(done.get("ticket"), "by ticket")
      assert.deepStrictEqual(keys(stored), ["message", "route", "ticket"])
      assert.strictEqual(stored.note("route")?.source, "discern")
      assert.strictEqual(stored.note("ticket")?.step, "route/technical/ticket")
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    })
  )

  it.effect("signals the route", () =>
    Effect.gen(function* () {
      const routes: Array<unknown> = []
      const listened = Signal.listen((signal) => {
        if (signal._tag === "Routed") routes.push([signal.path, signal.route, signal.confidence])
      })
      const open = Primitive.discern("route", {
        question: "Who should answer?",
        routes: { billing: { when: "payments" }, technical: ticket }
      })
      yield* listened(run(route(), Testing.scripted([answer("technical")])))
      yield* listened(run(unsure, Testing.scripted([answer("technical", 0.4)])))
      yield* listened(run(unsure, Testing.scripted([answer("billing", 0)])))
      yield* listened(run(open, Testing.scripted([answer("billing")])))
      assert.deepStrictEqual(routes, [
        [["route"], "technical", 0.9],
        [["route"], "default", 0.4],
        [["route"], "default", 0],
        [["route"], undefined, 0.9]
      ])
    })
  )

  it.effect("asks for a choice among the labels of its routes, with their descriptions, in one call [C73]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer("billing")])
      yield* run(route(), model)
      const [request, ...more] = model.requests
      assert.deepStrictEqual(more, [])
      assert.strictEqual(request?.task.kind, "discern")
      assert.deepStrictEqual(request?.task.questions, [
        {
          _tag: "Choice",
          name: "category",
          question: "Who should answer?",
          labels: [{ label: "billing", description: "payments and refunds" }, { label: "technical" }]
        }
      ])
      const text = request?.messages.at(-1)?.text
      assert.include(text, message)
      assert.include(text, "1. billing: payments and refunds\n2. technical")
    })
  )

  it.effect("uses its default below the minimum confidence, and the route at it [C70]", () =>
    Effect.gen(function* () {
      const below = yield* run(unsure, Testing.scripted([answer("billing", 0.59)]))
      assert.deepStrictEqual(keys(below.stored), ["message", "route", "person"])
      assert.strictEqual(below.done.get("route").primary, "billing")
      assert.strictEqual(below.stored.note("person")?.step, "route/default/person")
      const at = yield* run(unsure, Testing.scripted([answer("billing", 0.6)]))
      assert.deepStrictEqual(keys(at.stored), ["message", "route", "refund"])
    })
  )

  it.effect("compares a native answer with the minimum confidence", () =>
    Effect.gen(function* () {
      const distribution = { billing: 0.55, technical: 0.45 }
      const model = Testing.scripted([], {
        decide: () => [{ _tag: "Choice", name: "category", label: "billing", distribution }]
      })
      const { done, stored } = yield* run(unsure, model)
      assert.strictEqual(done.get("route").confidenceFrom, "measured")
      assert.deepStrictEqual(done.get("route").distribution, distribution)
      assert.deepStrictEqual(keys(stored), ["message", "route", "person"])
      assert.deepStrictEqual(model.requests, [])
    })
  )

  it.effect("uses its default for a route without a step, and passes if it has none [C70] [C71]", () =>
    Effect.gen(function* () {
      const routes = { billing: refund, chat: { when: "all else" } }
      const passing = yield* run(
        Primitive.discern("route", { question: "?", routes }),
        Testing.scripted([answer("chat")])
      )
      assert.deepStrictEqual(keys(passing.stored), ["message", "route"])
      assert.strictEqual(passing.done.get("route").primary, "chat")
      const caught = yield* run(
        Primitive.discern("route", { question: "?", routes, default: write("person") }),
        Testing.scripted([answer("chat", 0.1)])
      )
      assert.deepStrictEqual(keys(caught.stored), ["message", "route", "person"])
    })
  )

  it.effect("refuses an answer that is not a route, and follows a repaired one [C71]", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const thought = yield* start
        const error = yield* Effect.flip(Pipeline.run(route(), thought))
        assert.strictEqual(error.cause._tag, "ResponseError")
        assert.deepStrictEqual(error.path, ["route"])
        assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message"])
      }).pipe(withModel(Testing.scripted([answer("sales"), answer("Billing department")])))
      const { stored } = yield* run(route(), Testing.scripted([answer("sales"), answer("billing")]))
      assert.deepStrictEqual(keys(stored), ["message", "route", "refund"])
    })
  )

  it.effect("looks back on its answer before the route [C74] [C75]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([answer("billing"), "It is a charge."])
      const { stored } = yield* run(route({ introspect: true }), model)
      assert.deepStrictEqual(keys(stored), ["message", "route", "route_summary", "refund"])
      assert.strictEqual(model.requests.length, 2)
      const other = yield* run(
        route({ introspect: { summaryKey: "why" } }),
        Testing.scripted([answer("billing"), "Well."])
      )
      assert.deepStrictEqual(keys(other.stored), ["message", "route", "why", "refund"])
    })
  )

  const failing = Step.make("pay", { schema: Schema.Finite, run: Effect.fail(new Unpaid({ amount: 3 })) })
  const failures: ReadonlyArray<readonly [string, number, ReadonlyArray<string>]> = [
    ["of a route names it [C78]", 0.9, ["all", "route", "billing", "pay"]],
    ["of the default names it [C79]", 0.1, ["all", "route", "default", "pay"]]
  ]
  it.effect.each(failures)("the failure %s, is the real error, and the classification stays [C787]", ([, sure, path]) =>
    Effect.gen(function* () {
      const step = Primitive.discern("route", {
        question: "?",
        routes: { billing: failing, technical: ticket },
        minConfidence: 0.5,
        default: failing
      })
      const thought = yield* start
      const error = yield* Effect.flip(Pipeline.run(Pipeline.sequence("all", [step]), thought))
      assert.strictEqual(error.cause._tag, "Unpaid")
      assert.deepStrictEqual(error.path, path)
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message", "route"])
    }).pipe(withModel(Testing.scripted([answer("billing", sure)])))
  )

  it.effect("that cannot ask runs no route", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const error = yield* Effect.flip(Pipeline.run(unsure, thought))
      assert.strictEqual(error.cause._tag, "ProviderError")
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message"])
    }).pipe(withModel(Testing.scripted([providerError()])))
  )
})

describe("the outline of a discern", () => {
  it("has its routes by label, and what it certainly writes [C77]", () => {
    const both = Pipeline.sequence("both", [
      write("refund"),
      Step.make("size", {
        schema: Schema.Finite,
        run: Note.from(Note.handle("message", Schema.String), (t) => t.length)
      })
    ])
    const step = Primitive.discern("route", { question: "?", routes: { billing: both, refund } })
    assert.strictEqual(step.name, "route")
    assert.deepStrictEqual(step.node, {
      name: "route",
      kind: "discern",
      reads: ["message"],
      writes: ["route", "refund", "size"],
      surely: ["route", "refund"],
      introspects: "default",
      settings: { routes: "billing, refund" },
      asks: "?",
      children: [
        { ...both.node, name: "billing", kind: "route", children: [both.node], layout: "inline" },
        refund.node
      ],
      layout: { _tag: "Choice", past: undefined }
    })
    assert.deepStrictEqual(unsure.node.surely, ["route"])
    assert.deepStrictEqual(
      unsure.node.children.map(({ name }) => name),
      ["billing", "technical", "default"]
    )
  })

  it("certainly writes nothing of a route if the thought may pass", () => {
    const routes = { billing: refund, chat: { when: "all else" } }
    assert.deepStrictEqual(Primitive.discern("route", { question: "?", routes }).node.surely, ["route"])
    const caught = Primitive.discern("route", { question: "?", routes, default: refund })
    assert.deepStrictEqual(caught.node.surely, ["route", "refund"])
  })
})

describe("a discern is refused", () => {
  const question = "?"
  const refusals: ReadonlyArray<readonly [string, () => Step.Any, RegExp]> = [
    ["without routes", () => Primitive.discern("x", { question, routes: {} }), /"x" needs at least one route/],
    [
      "with an empty label",
      () => Primitive.discern("x", { question, routes: { " ": refund } }),
      /"x" .* without a label/
    ],
    [
      "with a floor over 1",
      () => Primitive.discern("x", { question, routes: { refund }, default: ticket, minConfidence: 1.1 }),
      /"x" needs a minConfidence from 0 to 1/
    ],
    [
      "with a floor that is no number",
      () => Primitive.discern("x", { question, routes: { refund }, default: ticket, minConfidence: Number.NaN }),
      /"x" needs a minConfidence from 0 to 1/
    ],
    [
      "with a floor and no default",
      // @ts-expect-error Property 'default' is missing
      () => Primitive.discern("x", { question, routes: { refund }, minConfidence: 0.5 }),
      /"x" needs a default/
    ],
    [
      "with a default that is never taken",
      () => Primitive.discern("x", { question, routes: { refund }, default: ticket }),
      /"x" can never use its default/
    ],
    [
      "when a route writes its key",
      () => Primitive.discern("x", { question, routes: { a: write("x") } }),
      /the step "x" write "x"/
    ],
    [
      "when the default writes its summary",
      () =>
        Primitive.discern("x", {
          question,
          routes: { refund },
          introspect: true,
          minConfidence: 0,
          default: write("x_summary")
        }),
      /the step "x" write "x_summary"/
    ]
  ]
  it.each(refusals)("%s", (_, make, expected) => {
    assert.throws(make, expected)
  })
})
