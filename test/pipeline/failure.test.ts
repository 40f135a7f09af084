import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Exit, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { Memory, Pipeline, Primitive, Provider, Session, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { category, escalate, mood, providerError, replies, start, ticket, triage, withModel } from "./triage.ts"

class Unpaid extends Data.TaggedError("Unpaid")<{ readonly amount: number }> {
  override get message() {
    return `${this.amount} is not paid: pay it`
  }
}

const keysOf = (thought: Thought.Thought<any> | undefined) =>
  thought === undefined ? undefined : Thought.notes(thought).map(({ key }) => key)

/** What a failed run left: the error, and the thought as it is stored. */
const failed = <In, Out, E>(step: Step.Step<In, Out, E, Provider.Provider | Memory.Memory>, model: Testing.Scripted) =>
  Effect.gen(function* () {
    const thought = yield* start
    const error = yield* Effect.flip(
      Pipeline.run(step as Step.Step<{}, Out, E, Provider.Provider | Memory.Memory>, thought)
    )
    return { error, stored: yield* Memory.load(thought.id) }
  }).pipe(withModel(model))

describe("a step that fails", () => {
  it.effect("leaves nothing behind; the results of earlier steps stay stored", () =>
    Effect.gen(function* () {
      const { error, stored } = yield* failed(
        triage,
        Testing.scripted([replies.ticket, replies.category, providerError()])
      )
      assert.deepStrictEqual(keysOf(stored), ["message", "ticket", "history", "category"])
      assert.deepStrictEqual(stored.toJSON(), error.thought?.toJSON())
      assert.strictEqual(stored.session.length, 4)
      assert.deepStrictEqual(Thought.unpublished(stored), [])
    })
  )

  it.effect("leaves the thought it received unchanged", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const before = JSON.stringify(thought)
      yield* Effect.flip(Pipeline.run(ticket, thought))
      assert.strictEqual(JSON.stringify(thought), before)
      assert.strictEqual(thought.session.length, 0)
    }).pipe(withModel(Testing.scripted([providerError()])))
  )

  it.effect("leaves nothing of a repaired answer or of its correction in the conversation", () =>
    Effect.gen(function* () {
      const bad = { decision: "canary" }
      const model = Testing.scripted([replies.ticket, bad, replies.category])
      const thought = yield* start
      const done = yield* Pipeline.run(Pipeline.sequence("two", [ticket, category]), thought).pipe(withModel(model))
      assert.strictEqual(model.requests.length, 3)
      assert.include(model.requests[2]?.messages.at(-2)?.text, "canary")
      assert.strictEqual(done.session.length, 4)
      assert.notInclude(JSON.stringify(done), "canary")
      assert.notInclude(JSON.stringify(done), "does not have the form")
    })
  )

  it.effect("leaves neither note nor message if no answer is valid", () =>
    Effect.gen(function* () {
      const { error, stored } = yield* failed(
        Pipeline.sequence("two", [ticket, category]),
        Testing.scripted([replies.ticket, "no", "no"])
      )
      assert.strictEqual((error.cause as Error).name, "ResponseError")
      assert.deepStrictEqual(keysOf(stored), ["message", "ticket"])
      assert.strictEqual(stored.session.length, 2)
    })
  )

  it.effect("can be run again on the thought in its error, and repeats nothing", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket, providerError(), replies.category])
      const rest = Pipeline.sequence("rest", [category])
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(Pipeline.run(Pipeline.sequence("two", [ticket, category]), yield* start))
        const done = yield* Pipeline.run(rest, error.thought!)
        assert.deepStrictEqual(keysOf(done), ["message", "ticket", "category"])
        assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
      }).pipe(withModel(model))
      assert.deepStrictEqual(
        model.requests.map(({ task }) => task.kind),
        ["analyze", "categorize", "categorize"]
      )
      assert.deepStrictEqual(model.requests[2]?.messages, model.requests[1]?.messages)
    })
  )
})

describe("a PipelineError", () => {
  it.effect("has the path, the cause, the duration and the last stored thought", () =>
    Effect.gen(function* () {
      const cause = providerError("Overloaded", { inputTokens: 7 })
      const slow = Effect.andThen(TestClock.adjust("2 seconds"), Effect.fail(cause))
      const { error } = yield* failed(
        Pipeline.sequence("outer", [ticket, Pipeline.sequence("inner", [category])]),
        Testing.scripted([replies.ticket, slow])
      )
      assert.deepStrictEqual(error.path, ["outer", "inner", "category"])
      assert.instanceOf(error.cause, Provider.ProviderError)
      assert.deepStrictEqual(error.cause.usage, { inputTokens: 7 })
      assert.deepStrictEqual(keysOf(error.thought), ["message", "ticket"])
      assert.strictEqual(error.durationMillis, 2_000)
      assert.strictEqual(
        error.message,
        "outer/inner/category failed after 2000 ms: ProviderError: scripted (script): try again later"
      )
    })
  )

  it.effect("is a real Error that prints its message, its cause and both stacks", () =>
    Effect.gen(function* () {
      const pay = Step.make("pay", { run: Effect.fail(new Unpaid({ amount: 3 })) })
      const { error } = yield* failed(pay, Testing.scripted([]))
      assert.instanceOf(error, Error)
      assert.strictEqual(error.name, "PipelineError")
      assert.strictEqual(error._tag, "PipelineError")
      assert.strictEqual(error.message, "pay failed after 0 ms: Unpaid: 3 is not paid: pay it")
      assert.strictEqual(String(error), `PipelineError: ${error.message}`)
      const printed = inspect(error)
      assert.match(printed, /^PipelineError: pay failed after 0 ms: Unpaid: 3 is not paid: pay it\n +at /)
      assert.match(printed, /\n\[cause\]: Unpaid: 3 is not paid: pay it\n +at /)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(error)), {
        _tag: "PipelineError",
        message: error.message,
        path: ["pay"],
        cause: { _tag: "Unpaid", amount: 3 },
        before: [],
        beside: [],
        thoughtId: error.thought?.id,
        durationMillis: 0
      })
    })
  )

  it.effect("holds neither note texts nor prompts nor answers, however it is printed", () =>
    Effect.gen(function* () {
      const ask = Primitive.decide("ask", { question: "canary-question?", repairs: 1 })
      const model = Testing.scripted([{ decision: "canary-1", confidence: 0, reasoning: [] }, "canary-2"])
      const thought = yield* Thought.make("canary-intent", { message: "canary-note" })
      const error = yield* Pipeline.run(ask, thought).pipe(Effect.flip, withModel(model))
      assert.strictEqual(error.cause._tag, "ResponseError")
      // the thought itself has them all
      assert.include(JSON.stringify(error.thought), "canary-note")
      const forms = [error.message, String(error), error.stack, JSON.stringify(error), inspect(error, { depth: 20 })]
      forms.push(inspect(error, { depth: 20, customInspect: false }))
      for (const form of forms) assert.notInclude(form, "canary")
    })
  )

  const causes: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a text", "out of paper", "out of paper"],
    ["a tagged value", { _tag: "Unpaid", amount: 3 }, "Unpaid"],
    ["a bare object", Object.create(null), "an error that is not an Error"],
    ["nothing", undefined, "undefined"]
  ]
  it.effect.each(causes)("describes a cause that is not an Error: %s", ([, cause, words]) =>
    Effect.gen(function* () {
      const { error } = yield* failed(Step.make("print", { run: Effect.fail(cause) }), Testing.scripted([]))
      assert.strictEqual(error.cause, cause)
      assert.strictEqual(error.message, `print failed after 0 ms: ${words}`)
      assert.include(inspect(error), error.message)
    })
  )

  class Broken extends Data.TaggedError("Broken")<{
    readonly note?: string
    readonly line?: number
    readonly cause?: unknown
  }> {}
  const many = Object.assign(new Error(" "), { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 })
  const round = new Error("")
  round.cause = round
  const wordless: ReadonlyArray<readonly [string, Error, string]> = [
    ["no field", new Broken({}), "Broken: it has no message"],
    ["fields", new Broken({ note: "canary", line: 3 }), "Broken: it has no message; look at note, line in its fields"],
    ["many fields", many, "Error: it has no message; look at a, b, c, d, e and 1 more in its fields"],
    [
      "a cause",
      new Broken({ cause: new Broken({ cause: new Error("disk full") }) }),
      "Broken: it has no message; it was caused by Broken: it has no message; it was caused by Error: disk full"
    ],
    ["a cause that is no Error", new Broken({ cause: "canary" }), "Broken: it has no message"],
    [
      "a cause that refers back to the error",
      round,
      `Error: ${"it has no message; it was caused by Error: ".repeat(3)}it has no message`
    ]
  ]
  it.effect.each(wordless)("describes an error without a message by its fields: %s", ([, cause, words]) =>
    Effect.gen(function* () {
      const { error } = yield* failed(Step.make("print", { run: Effect.fail(cause) }), Testing.scripted([]))
      assert.strictEqual(error.message, `print failed after 0 ms: ${words}`)
    })
  )

  it.effect("wraps once, and has the error of a step as the step raised it", () =>
    Effect.gen(function* () {
      const raised = new Unpaid({ amount: 3 })
      const pay = Step.make("pay", { run: Effect.fail(raised) })
      const { error } = yield* failed(
        Pipeline.sequence("a", [Pipeline.sequence("b", [pay]).pipe(Step.andThen(mood))]),
        Testing.scripted([])
      )
      assert.strictEqual(error.cause, raised)
      assert.deepStrictEqual(error.path, ["a", "b", "pay"])
    })
  )

  it.effect("names the run's own step when the thought cannot be stored", () =>
    Effect.gen(function* () {
      const taken = yield* Thought.make("one", {}, { traceId: "trace" })
      const other = yield* Thought.make("two", {}, { traceId: "trace" })
      yield* Pipeline.run(Pipeline.sequence("first", []), taken)
      const error = yield* Effect.flip(Pipeline.run(Pipeline.sequence("second", []), other))
      assert.deepStrictEqual(error.path, ["second"])
      assert.instanceOf(error.cause, Memory.MemoryError)
      assert.isUndefined(error.thought)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("reports a conflict when somebody else has added to the thought meanwhile", () =>
    Effect.gen(function* () {
      const answer = Step.make("answer", { schema: Schema.Finite, run: () => 42 })
      const thought = yield* Thought.make("one")
      const begun = yield* Pipeline.run(Pipeline.sequence("begin", []), thought)
      yield* Pipeline.run(answer, begun)
      const error = yield* Effect.flip(Pipeline.run(answer, begun))
      assert.strictEqual(error.cause.reason._tag, "ConcurrencyConflict")
      assert.deepStrictEqual(error.path, ["answer"])
      const again = yield* Effect.flip(Pipeline.run(answer, begun))
      assert.deepStrictEqual(JSON.stringify(again), JSON.stringify(error))
      assert.deepStrictEqual([again.before, again.beside], [[], []])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["answer"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("can be caught by its tag, and its cause by its own", () =>
    Effect.gen(function* () {
      const pay = Step.make("pay", { run: Effect.fail(new Unpaid({ amount: 3 })) })
      const paid = Pipeline.run(pay, yield* start).pipe(
        Effect.as(0),
        Effect.catchTag("PipelineError", ({ cause }) =>
          cause._tag === "Unpaid" ? Effect.succeed(cause.amount) : Effect.fail(cause)
        )
      )
      assert.strictEqual(yield* paid, 3)
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a failure of the provider", () => {
  it.effect("passes through with the tokens of the attempts before it", () =>
    Effect.gen(function* () {
      const { error } = yield* failed(
        ticket,
        Testing.scripted(["no", providerError("Connection", { inputTokens: 1 })], {
          usage: { inputTokens: 10, outputTokens: 2 }
        })
      )
      const { cause } = error
      if (cause._tag !== "ProviderError") throw cause
      assert.strictEqual(cause.reason._tag, "Connection")
      assert.isTrue(cause.isRetryable)
      assert.deepStrictEqual(cause.usage, { inputTokens: 11, outputTokens: 2 })
    })
  )

  it.effect("is not retried by the step itself", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), replies.ticket])
      yield* failed(ticket, model)
      assert.strictEqual(model.requests.length, 1)
    })
  )
})

describe("a defect", () => {
  it.effect("stays a defect", () =>
    Effect.gen(function* () {
      const broken = Step.make("broken", {
        run: () => {
          throw new Error("a bug")
        }
      })
      const exit = yield* Effect.exit(Pipeline.run(broken, yield* start))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("results from reading a note whose type was widened away", () =>
    Effect.gen(function* () {
      const widened = escalate as unknown as Step.Step<{}, {}, Provider.ProviderError, Provider.Provider>
      const exit = yield* Effect.exit(Pipeline.run(widened, yield* start))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(String(Exit.isFailure(exit) && exit.cause), 'There is no note "ticket"')
    }).pipe(withModel(Testing.scripted([])))
  )
})

describe("a run without a store", () => {
  it.effect("fails before the first call", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket])
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
      const memory = Layer.succeed(Memory.Memory, {
        embedder: undefined,
        commit: () => Effect.fail(down),
        load: () => Effect.fail(down),
        search: () => Effect.fail(down),
        survey: () => Effect.fail(down),
        ancestors: () => Effect.fail(down),
        children: () => Effect.fail(down),
        thoughts: () => Effect.fail(down),
        append: () => Effect.fail(down),
        remove: () => Effect.fail(down),
        purge: Effect.fail(down),
        redact: () => Effect.fail(down),
        exportLines: () => Stream.fail(down),
        importLines: () => Effect.fail(down),
        ledger: {
          exclusive: true,
          record: () => Effect.fail(down),
          claim: () => Effect.fail(down),
          renew: () => Effect.fail(down),
          load: () => Effect.fail(down),
          sketches: () => Effect.fail(down),
          runs: () => Effect.fail(down),
          waits: () => Effect.fail(down),
          answer: () => Effect.fail(down),
          remove: () => Effect.fail(down),
          history: () => Effect.fail(down)
        },
        pending: Effect.fail(down),
        embedPending: Effect.fail(down),
        flush: Effect.void,
        spaces: Effect.fail(down),
        dropSpace: () => Effect.fail(down),
        optimize: () => Effect.fail(down)
      })
      const error = yield* Pipeline.run(ticket, yield* start).pipe(
        Effect.flip,
        Effect.provide(Layer.merge(model.layer, memory))
      )
      assert.strictEqual(error.cause, down)
      assert.deepStrictEqual(model.requests, [])
    })
  )
})

describe("ProviderError and ResponseError", () => {
  it.effect("pass unwrapped through steps, so that a caller of a synapse receives them unchanged", () =>
    Effect.gen(function* () {
      const raised = providerError()
      const error = yield* Synapse.binary({ question: "?" })("text").pipe(
        Effect.flip,
        Effect.provide(Testing.scripted([raised]).layer)
      )
      assert.strictEqual(error._tag, "ProviderError")
      assert.strictEqual(error.message, raised.message)
      assert.deepStrictEqual((error as Provider.ProviderError).reason, raised.reason)
    })
  )
})

describe("the conversation", () => {
  it.effect("stays unchanged when a later step fails", () =>
    Effect.gen(function* () {
      const { error } = yield* failed(
        Pipeline.sequence("two", [ticket, category]),
        Testing.scripted([replies.ticket, providerError()])
      )
      assert.deepStrictEqual(
        Session.entries(error.thought!.session).map(({ role }) => role),
        ["user", "assistant"]
      )
    })
  )
})
