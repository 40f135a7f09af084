import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, type Provider, Signal, Thought } from "cogito"
import { Testing } from "cogito/testing"

// Reasoning primitives of one's own run as the built-in ones do.

const Range = Schema.Struct({ low: Schema.Finite, high: Schema.Finite })
const question = "How many days will the repair take?"
const instructions = "Give a low and a high value."
const days = Primitive.make("days", { kind: "estimate", schema: Range, question, instructions })

const start = Thought.make("plan", { report: "The pump leaks." })
const withModel = (model: Testing.Scripted) => Effect.provide(Layer.merge(model.layer, Testing.memory))
const lastText = (request: Provider.Request | undefined) => request?.messages.at(-1)?.text ?? ""

describe("a custom primitive", () => {
  it.effect("asks its question in its words, of its kind, with its schema, and shows the notes", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ low: 2, high: 5 }])
      yield* Pipeline.run(days, yield* start).pipe(withModel(model))
      const [request] = model.requests
      assert.strictEqual(request?.task.kind, "estimate")
      assert.strictEqual(request?.task.instruction, question)
      assert.deepStrictEqual(request?.task.questions, [])
      assert.hasAllKeys(request?.task.output?.jsonSchema["properties"], ["low", "high"])
      const text = lastText(request)
      assert.include(text, "The pump leaks.")
      assert.isTrue(text.endsWith(`>\n\n${question}\n\n${instructions}`), text)
    })
  )

  it.effect("asks the question alone when it has no instructions", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ low: 2, high: 5 }])
      const plain = Primitive.make("days", { kind: "estimate", schema: Range, question })
      yield* Pipeline.run(plain, yield* start).pipe(withModel(model))
      const text = lastText(model.requests[0])
      assert.isTrue(text.endsWith(`>\n\n${question}`), text)
    })
  )

  it.effect("writes a typed note of its kind, which the conversation has and the store keeps", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(days, yield* start)
      const high: number = done.get("days").high
      assert.strictEqual(high, 5)
      assert.strictEqual(done.note("days")?.source, "estimate")
      assert.strictEqual(done.note("days")?.trust, "untrusted")
      assert.deepStrictEqual(Thought.unpublished(done), [])
      assert.deepStrictEqual(yield* Thought.read(yield* Memory.load(done.id), days), { low: 2, high: 5 })
    }).pipe(withModel(Testing.scripted([{ low: 2, high: 5 }])))
  )

  it.effect("declares notes that its question does not quote", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ low: 2, high: 5 }])
      const report = Note.handle("report", Schema.String)
      const step = Primitive.make("days", { kind: "estimate", schema: Range, question, reads: [report, report] })
      assert.deepStrictEqual(step.node.reads, ["report"])
      const done = yield* Pipeline.run(step, yield* start).pipe(withModel(model))
      assert.strictEqual(model.requests[0]?.task.instruction, question)
      assert.strictEqual(lastText(model.requests[0]).split("The pump leaks.").length, 2)
      assert.deepStrictEqual(done.note("days")?.derivedFrom, [done.note("report")?.id ?? ""])
    })
  )

  it.effect("ends with NoteNotFound before any call if a declared note is missing at run time", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ low: 2, high: 5 }])
      const step = Primitive.make("days", {
        kind: "estimate",
        schema: Range,
        question: Note.from(Note.handle("report", Schema.String), (text) => `How long is ${text}?`),
        reads: [Note.handle("budget", Schema.Finite)]
      })
      assert.deepStrictEqual(step.node.reads, ["report", "budget"])
      const untyped: Thought.Thought<any> = yield* start
      const exit = yield* Effect.exit(Pipeline.run(step, untyped).pipe(withModel(model)))
      assert.include(String(exit), 'NoteNotFound: There is no note "budget"')
      assert.deepStrictEqual(model.requests, [])
    })
  )

  it("refuses what is no list of handles", () => {
    const definition = { kind: "estimate", schema: Range, question }
    const entry: any = "report"
    assert.throws(
      () => Primitive.make("days", { ...definition, reads: [entry] }),
      'The step "days" needs a list of handles as the option reads, but it has a string.'
    )
    assert.throws(
      () => Primitive.make("days", { ...definition, reads: entry }),
      'The step "days" needs a list of handles as the option reads.'
    )
  })

  it.effect("is a step: it reads notes, looks back, repairs, and signals its kind", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ low: 2 }, { low: 2, high: 5 }, "It rests on the report."])
      const report = Note.handle("report", Schema.String)
      const step = Primitive.make("days", {
        kind: "estimate",
        schema: Range,
        question: Note.from(report, (text) => `How long, given ${text.length} characters?`),
        introspect: true
      })
      const kinds: Array<string> = []
      const done = yield* Pipeline.run(step, yield* start).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "StepStarted") kinds.push(signal.kind)
        }),
        withModel(model)
      )
      assert.deepStrictEqual(kinds, ["estimate"])
      assert.strictEqual(model.requests.length, 3)
      assert.include(lastText(model.requests[0]), "How long, given 15 characters?")
      assert.strictEqual(done.note("days_summary")?.source, "estimate-introspection")
      assert.deepStrictEqual(step.node.reads, ["report"])
      assert.deepStrictEqual(step.node.writes, ["days", "days_summary"])
    })
  )

  it.effect("fails like the built-in ones if no answer fits", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ low: "few", high: 5 }])
      const strict = Primitive.make("days", { kind: "estimate", schema: Range, question, repairs: 0 })
      const failure = yield* Effect.flip(Pipeline.run(strict, yield* start)).pipe(withModel(model))
      assert.deepStrictEqual(failure.path, ["days"])
      assert.strictEqual(failure.cause._tag, "ResponseError")
      assert.strictEqual(failure.cause._tag === "ResponseError" && failure.cause.kind, "estimate")
    })
  )

  it("needs a kind", () => {
    assert.throws(
      () => Primitive.make("days", { kind: " ", schema: Range, question }),
      /^Primitive.make needs a non-empty string as the option kind\.$/
    )
  })
})

describe("a custom primitive with closed questions", () => {
  const risk = Primitive.make("risk", {
    kind: "risk",
    schema: Schema.Struct({ probability: Schema.Finite }),
    question: "Will it break again?",
    native: {
      questions: (question) => [{ _tag: "Predicate", name: "again", question }],
      value: (answers) => {
        const answer = answers.get("again")
        return { probability: answer?._tag === "Predicate" ? answer.probability : 0 }
      }
    }
  })

  it.effect("is answered natively if the provider can", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([], { decide: () => [{ _tag: "Predicate", name: "again", probability: 0.3 }] })
      const done = yield* Pipeline.run(risk, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(done.get("risk"), { probability: 0.3 })
      assert.deepStrictEqual(model.decisions[0]?.task.questions, [
        { _tag: "Predicate", name: "again", question: "Will it break again?" }
      ])
      assert.strictEqual(done.note("risk")?.metadata["via"], "native")
    })
  )

  it.effect("is asked in text elsewhere", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ probability: 0.4 }])
      const done = yield* Pipeline.run(risk, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(done.get("risk"), { probability: 0.4 })
    })
  )

  it.effect("has no native answer when its question is open", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([], { decide: () => [] })
      const open = Primitive.make("days", { kind: "estimate", schema: Range, question, via: "native" })
      const failure = yield* Effect.flip(Pipeline.run(open, yield* start)).pipe(withModel(model))
      assert.strictEqual(failure.cause._tag === "ProviderError" && failure.cause.reason._tag, "Unsupported")
    })
  )
})
