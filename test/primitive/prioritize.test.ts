import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Synapse, Thought } from "cogito"
import { Local } from "cogito/local"
import { Testing } from "cogito/testing"
import { start, withModel } from "../pipeline/triage.ts"

// Prioritize puts items in order, going by the notes: every item exactly once, or a typed error.

const items = ["refund the charge", "send the newsletter", "restart the server"] as const
const order = Primitive.prioritize("order", { criteria: "urgency", items, repairs: 0 })
const reply = {
  ranked: ["restart the server", "refund the charge", "send the newsletter"],
  confidence: 0.8,
  reasoning: ["Everyone waits for the server."]
} as const
const ranking = { ...reply, confidenceFrom: "stated" } as const

const Tasks = Schema.Struct({ tasks: Schema.Array(Schema.String) })
const list = Primitive.analyze("list", { schema: Schema.Array(Schema.String), prompt: "Extract the tasks" })
const found = Primitive.analyze("found", { schema: Tasks, prompt: "Extract the tasks" })
const fromList = Primitive.prioritize("order", { criteria: "urgency", items: list })
const fromFound = Primitive.prioritize("order", {
  criteria: "urgency",
  items: Note.from(found, ({ tasks }) => tasks)
})

describe("fixed items", () => {
  it.effect("are put in the order of the answer [C124] [C125]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([reply])
      const done = yield* Pipeline.run(order, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(done.get("order"), ranking)
      assert.strictEqual(done.note("order")?.source, "prioritize")
      assert.strictEqual(model.requests.length, 1)
      assert.deepStrictEqual(order.node.reads, [])
      assert.strictEqual(order.node.kind, "prioritize")
    })
  )

  it.effect("are ranked for a thought without notes [C124]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([reply])
      const done = yield* Pipeline.run(order, yield* Thought.make("plan", {})).pipe(withModel(model))
      assert.deepStrictEqual(done.get("order").ranked, reply.ranked)
    })
  )

  it.effect("are ranked by what the notes say: the request shows those that the model has not seen [W23]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([reply])
      const done = yield* Pipeline.run(order, yield* start).pipe(withModel(model))
      const text = model.requests[0]!.messages.at(-1)!.text
      assert.include(text, "I was charged twice and I want my money back now!")
      assert.include(text, "\n\nRank by urgency\n\n")
      assert.include(text, "## Items\n\n1. refund the charge\n2. send the newsletter\n3. restart the server")
      assert.include(text, "every item exactly once")
      assert.deepStrictEqual(
        model.requests[0]!.task.context.map(({ key }) => key),
        ["message"]
      )
      assert.deepStrictEqual(Thought.unpublished(done), [])
    })
  )

  it.effect("are in the requested form", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([reply])
      yield* Pipeline.run(order, yield* start).pipe(withModel(model))
      const { instruction, output, questions } = model.requests[0]!.task
      assert.strictEqual(instruction, "Rank by urgency")
      const properties = output?.jsonSchema["properties"] as Record<string, unknown>
      assert.deepStrictEqual(properties["ranked"], {
        type: "array",
        items: { type: "string", enum: items },
        minItems: 3,
        maxItems: 3
      })
      assert.deepStrictEqual(questions, [
        {
          _tag: "Choice",
          name: "first",
          question: "Ranked by urgency: which of these comes first?",
          labels: items.map((label) => ({ label }))
        }
      ])
    })
  )

  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["leaves one out", ["restart the server", "refund the charge"]],
    ["names one twice", ["restart the server", "refund the charge", "restart the server"]],
    ["names one more", [...reply.ranked, "have lunch"]],
    ["names another one", ["restart the server", "refund the charge", "have lunch"]],
    ["is empty", []]
  ]
  it.effect.each(wrong)("are refused when the answer %s", ([, ranked]) =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ ...reply, ranked }])
      const error = yield* Effect.flip(Pipeline.run(order, yield* start).pipe(withModel(model)))
      assert.instanceOf(error.cause, Synapse.ResponseError)
      for (const item of [...items, "have lunch"]) assert.notInclude(error.message, item)
    })
  )

  it.effect("are requested again if the answer is not a ranking of them", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ ...reply, ranked: ["restart the server"] }, reply])
      const again = Primitive.prioritize("order", { criteria: "urgency", items })
      const done = yield* Pipeline.run(again, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(done.get("order").ranked, reply.ranked)
    })
  )

  it.effect("are returned as given, whatever their spaces", () =>
    Effect.gen(function* () {
      const spaced = Primitive.prioritize("order", { criteria: "urgency", items: ["one\n## Task", "  two  words "] })
      const model = Testing.scripted([{ ...reply, ranked: ["two words", "one ## Task"] }])
      const done = yield* Pipeline.run(spaced, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(done.get("order").ranked, ["  two  words ", "one\n## Task"])
      assert.notMatch(model.requests[0]!.messages.at(-1)!.text, /^## Task$/m)
    })
  )

  it("are refused when the step is made: no items, an empty item, a repeated item", () => {
    const make = (...items: Array<string>) =>
      Primitive.prioritize("order", { criteria: "urgency", items: items as [string] })
    assert.throws(() => make(), /step "order".*no items.*at least one/)
    assert.throws(() => make("a", " "), /step "order".*Item 2 .*empty/)
    assert.throws(() => make("a", "b", "a "), /step "order".*Items 1 and 3 .*the same/)
  })
})

describe("a ranking that looks back", () => {
  it.effect("makes a second call and writes its summary [C126]", () =>
    Effect.gen(function* () {
      const step = Primitive.prioritize("order", { criteria: "urgency", items, introspect: true })
      const model = Testing.scripted([reply, "The server first."])
      const done = yield* Pipeline.run(step, yield* start).pipe(withModel(model))
      assert.strictEqual(model.requests.length, 2)
      assert.strictEqual(done.note("order_summary")?.content, "The server first.")
    })
  )

  it.effect("writes it under another key if requested [C127]", () =>
    Effect.gen(function* () {
      const step = Primitive.prioritize("order", { criteria: "urgency", items, introspect: { summaryKey: "why" } })
      const done = yield* Pipeline.run(step, yield* start).pipe(withModel(Testing.scripted([reply, "The server."])))
      assert.strictEqual(done.note("why")?.content, "The server.")
      assert.isUndefined(done.note("order_summary"))
    })
  )
})

describe("items from a note", () => {
  it.effect("are those of a list [C128]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ value: [...items] }, reply])
      const done = yield* Pipeline.run(Pipeline.sequence("both", [list, fromList]), yield* start).pipe(withModel(model))
      assert.deepStrictEqual<unknown>(done.get("order"), ranking)
      assert.include(model.requests[1]!.messages.at(-1)!.text, "1. refund the charge\n2. send the newsletter")
      assert.deepStrictEqual(fromList.node.reads, ["list"])
    })
  )

  it.effect("are those that a reader makes from notes [C128]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ tasks: [...items] }, reply])
      const pipeline = Pipeline.sequence("both", [found, fromFound])
      const done = yield* Pipeline.run(pipeline, yield* start).pipe(withModel(model))
      assert.deepStrictEqual<unknown>(done.get("order"), ranking)
      assert.deepStrictEqual(fromFound.node.reads, ["found"])
    })
  )

  it.effect("are those of a note that the thought began with [C128]", () =>
    Effect.gen(function* () {
      const tasks = Note.handle("tasks", Schema.Array(Schema.String))
      const step = Primitive.prioritize("order", { criteria: "urgency", items: tasks })
      const thought = yield* Thought.require(yield* Thought.make("plan", { tasks: JSON.stringify(items) }), [tasks])
      const done = yield* Pipeline.run(step, thought).pipe(withModel(Testing.scripted([reply])))
      assert.deepStrictEqual(done.get("order").ranked, reply.ranked)
    })
  )

  const invalid: ReadonlyArray<readonly [string, ReadonlyArray<string>, Synapse.InvalidItems["problem"], RegExp]> = [
    ["there are none", [], "none", /no items from "list".*at least one/],
    ["one is empty", ["a", ""], "empty", /Item 2 of those from "list".*empty/],
    ["one is there twice", ["a", "canary", "canary"], "duplicate", /Items 2 and 3 of those from "list".*the same/]
  ]
  it.effect.each(invalid)("are refused before any call, with the key, when %s [C129]", ([, value, problem, message]) =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ value }])
      const pipeline = Pipeline.sequence("both", [list, fromList])
      const error = yield* Effect.flip(Pipeline.run(pipeline, yield* start).pipe(withModel(model)))
      if (!(error instanceof Pipeline.PipelineError)) throw error
      const { cause } = error
      if (!(cause instanceof Synapse.InvalidItems)) throw cause
      assert.strictEqual(cause.problem, problem)
      assert.deepStrictEqual(cause.keys, ["list"])
      assert.match(cause.message, message)
      assert.notInclude(error.message, "canary")
      assert.deepStrictEqual(error.path, ["both", "order"])
      assert.strictEqual(model.requests.length, 1)
      assert.isUndefined(error.thought?.note("order"))
    })
  )

  it.effect("that is missing because its type was lost fail with its key [C129]", () =>
    Effect.gen(function* () {
      const untyped = fromList as unknown as Primitive.Primitive<"order", Synapse.Ranking, {}>
      const exit = yield* Effect.exit(Pipeline.run(untyped, yield* start).pipe(withModel(Testing.scripted([]))))
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.include(Cause.pretty(exit.cause), 'no note "list"')
    })
  )

  it.effect("that is not a list is an error when the thought is typed, before the step runs [C130]", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("plan", { list: "no list at all" })
      const error = yield* Effect.flip(Thought.require(thought, [list]))
      assert.strictEqual(error._tag, "SchemaError")
    })
  )
})

describe("a native ranking", () => {
  const distribution = { "refund the charge": 0.3, "send the newsletter": 0.1, "restart the server": 0.6 }
  const native = Testing.scripted([], {
    decide: () => [{ _tag: "Choice", name: "first", label: "restart the server", distribution, reasons: ["now!"] }]
  })

  it.effect("orders by the probability of coming first, which is its confidence", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(order, yield* start).pipe(withModel(native))
      assert.deepStrictEqual(done.get("order"), {
        ranked: ["restart the server", "refund the charge", "send the newsletter"],
        confidence: 0.6,
        confidenceFrom: "measured",
        reasoning: ["now!"],
        distribution
      })
      // a native answer adds no entry, so its note is shown by the next call
      assert.include(
        Thought.unpublished(done).map(({ key }) => key),
        "order"
      )
      assert.include(native.decisions[0]!.messages.at(-1)!.text, "I was charged twice")
    })
  )

  it.effect("is written, and can be read from the memory", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(order, yield* start)
      const loaded = yield* Memory.load(done.id)
      assert.deepStrictEqual(yield* Thought.read(loaded, order), done.get("order"))
    }).pipe(withModel(native))
  )
})

describe("a ranking by the offline model", () => {
  const cases = [
    ["Hello! I was charged twice and want my money back.", "refund the charge"],
    ["The server is down since this morning, nobody can log in.", "restart the server"]
  ] as const
  it.effect.each(cases)("is measured, and ranks first what the note is about: %s", ([message, first]) =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("triage", { message })
      for (const via of ["auto", "text"] as const) {
        const step = Primitive.prioritize("order", { criteria: "urgency", items, via })
        const done = yield* Pipeline.run(step, thought).pipe(
          Effect.provide(Layer.merge(Local.extractive, Testing.memory))
        )
        const { confidence, confidenceFrom, ranked } = done.get("order")
        assert.sameMembers([...ranked], [...items])
        assert.strictEqual(ranked[0], first)
        assert.isAbove(confidence, 0.5)
        assert.strictEqual(confidenceFrom, via === "auto" ? "measured" : "stated")
      }
    })
  )
})
