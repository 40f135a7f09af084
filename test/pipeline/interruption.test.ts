import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, ManagedRuntime, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { category, replies, start, ticket, withModel } from "./triage.ts"

/** A model that answers once and then never again, and what happens to its second call. */
const hanging = Effect.gen(function* () {
  const called = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  const model = Testing.scripted([
    replies.ticket,
    Deferred.succeed(called, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(released, undefined))
    )
  ])
  return { model, called, released }
})

const two = Pipeline.sequence("two", [ticket, category])

describe("interrupting a run", () => {
  it.effect("is interruption, reaches the call, and stores nothing of the step", () =>
    Effect.gen(function* () {
      const { called, model, released } = yield* hanging
      yield* Effect.gen(function* () {
        const thought = yield* start
        const fiber = yield* Effect.forkChild(Pipeline.run(two, thought))
        yield* Deferred.await(called)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.isTrue(yield* Deferred.isDone(released))
        const stored = yield* Memory.load(thought.id)
        assert.deepStrictEqual(
          Thought.notes(stored).map(({ key }) => key),
          ["message", "ticket"]
        )
        assert.strictEqual(stored.session.length, 2)
      }).pipe(withModel(model))
      assert.strictEqual(model.requests.length, 2)
    })
  )

  it.effect("is not turned into an error that a handler would catch", () =>
    Effect.gen(function* () {
      const { called, model } = yield* hanging
      let caught = false
      const run = Effect.flatMap(start, (thought) => Pipeline.run(two, thought)).pipe(
        Effect.catch(() => Effect.sync(() => void (caught = true))),
        withModel(model)
      )
      const fiber = yield* Effect.forkChild(run)
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      assert.isFalse(caught)
    })
  )

  it.effect("from inside a step is interruption too", () =>
    Effect.gen(function* () {
      const quit = Step.make("quit", { run: Effect.interrupt })
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.sequence("all", [quit]), yield* start))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is signalled as an interruption", () =>
    Effect.gen(function* () {
      const { called, model } = yield* hanging
      const ends: Array<string> = []
      const run = Effect.flatMap(start, (thought) => Pipeline.run(two, thought)).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "StepFailed") ends.push(`${signal.path.join("/")} ${signal.error}`)
          if (signal._tag === "CallFailed") ends.push(`call ${signal.error}`)
        }),
        withModel(model)
      )
      const fiber = yield* Effect.forkChild(run)
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(ends, ["call Interrupted", "two/category Interrupted", "two Interrupted"])
    })
  )

  it.effect("by a timeout around it is a failure of the timeout", () =>
    Effect.gen(function* () {
      const { model, released } = yield* hanging
      const exit = yield* Effect.flatMap(start, (thought) => Pipeline.run(two, thought)).pipe(
        Effect.timeout("10 millis"),
        Effect.flip,
        withModel(model),
        Effect.forkChild
      )
      yield* TestClock.adjust("10 millis")
      assert.strictEqual((yield* Fiber.join(exit))._tag, "TimeoutError")
      assert.isTrue(yield* Deferred.isDone(released))
    })
  )
})

describe("runPromise", () => {
  const answer = Step.make("answer", { schema: Schema.Finite, run: () => 42 })

  it("resolves to the thought with its notes", async () => {
    const done = await Pipeline.runPromise(
      answer,
      {
        intent: "compute",
        notes: { question: "6 x 7", unit: { content: "apples", trust: "trusted", metadata: { language: "en" } } },
        traceId: "trace-1",
        taskId: "task-1",
        trust: "trusted"
      },
      { layer: Testing.memory }
    )
    assert.strictEqual(done.get("answer"), 42)
    assert.strictEqual(done.get("question"), "6 x 7")
    assert.strictEqual(done.intent, "compute")
    assert.strictEqual(done.traceId, "trace-1")
    assert.strictEqual(done.taskId, "task-1")
    assert.strictEqual(done.note("question")?.trust, "trusted")
    assert.deepStrictEqual(done.note("unit")?.metadata, { language: "en" })
  })

  it("rejects if an argument is invalid, and never throws", async () => {
    const layer = Testing.memory
    const wrong: ReadonlyArray<readonly [args: ReadonlyArray<unknown>, says: RegExp]> = [
      [[], /Pipeline\.runPromise needs a step as its first argument/],
      [[{}, { intent: "compute" }, { layer }], /needs a step as its first argument/],
      [[answer, undefined, { layer }], /needs an object with the intent \(a string\) as its second argument/],
      [[answer, { intent: "compute" }, 42], /needs an object of options as its third argument/],
      [[answer, { intent: "compute" }, { layers: layer }], /has no option "layers"\. Did you mean "layer"\?/],
      [[answer, { intent: "compute" }, {}], /needs a `layer`, or a `runtime`/]
    ]
    for (const [args, says] of wrong) {
      const promise: unknown = (Pipeline.runPromise as (...args: ReadonlyArray<unknown>) => unknown)(...args)
      assert.instanceOf(promise, Promise)
      const error: unknown = await promise.then(
        () => undefined,
        (reason: unknown) => reason
      )
      assert.instanceOf(error, Error)
      assert.match(error.message, says)
    }
  })

  it("rejects when its signal is aborted, and the call is interrupted", async () => {
    const { called, model, released } = await Effect.runPromise(hanging)
    const controller = new AbortController()
    const running = Pipeline.runPromise(
      two,
      { intent: "triage", notes: { message: "Hello" } },
      { layer: Layer.merge(model.layer, Testing.memory), signal: controller.signal }
    )
    const outcome = running.then(
      () => "resolved",
      (error: unknown) => error
    )
    await Effect.runPromise(Deferred.await(called))
    controller.abort()
    const error = await outcome
    assert.instanceOf(error, Error)
    assert.notInstanceOf(error, Pipeline.PipelineError)
    await Effect.runPromise(Deferred.await(released))
  })

  it("rejects with the error of a cleanup that breaks when its signal is aborted", async () => {
    const controller = new AbortController()
    const bug = new TypeError("a bug")
    const waiting = Step.make("waiting", {
      run: Effect.sync(() => controller.abort(new Error("enough"))).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Effect.die(bug))
      )
    })
    const error = await Pipeline.runPromise(
      waiting,
      { intent: "wait" },
      { layer: Testing.memory, signal: controller.signal }
    ).then(
      () => "resolved",
      (error: unknown) => error
    )
    assert.strictEqual(error, bug)
  })

  it("rejects with an interruption that comes from inside, whatever its signal", async () => {
    const stopping = Step.make("stopping", { run: Effect.interrupt })
    for (const options of [{}, { signal: new AbortController().signal }]) {
      const error: unknown = await Pipeline.runPromise(
        stopping,
        { intent: "stop" },
        { layer: Testing.memory, ...options }
      ).then(
        () => "resolved",
        (error: unknown) => error
      )
      assert.instanceOf(error, Error)
      assert.match(error.message, /interrupted/)
    }
  })

  it("notifies its listeners and stops at its abort signal, with a layer and with a runtime", async () => {
    const model = Testing.scripted(() => replies.ticket, { usage: { inputTokens: 7, outputTokens: 2 } })
    const layer = Layer.merge(model.layer, Testing.memory)
    const runtime = ManagedRuntime.make(layer)
    for (const services of [{ layer }, { runtime }]) {
      const told: Array<string> = []
      const used: Array<unknown> = []
      await Pipeline.runPromise(
        ticket,
        { intent: "extract", notes: { message: "Ada here" } },
        {
          ...services,
          // notes may be embedded at any time
          onSignal: ({ _tag }) => void (_tag.startsWith("Embedding") || told.push(_tag)),
          onUsage: ({ calls, inputTokens }) => void used.push([calls, inputTokens])
        }
      )
      assert.deepStrictEqual(told, [
        "ThoughtCreated",
        "NoteStored",
        "StepStarted",
        "CallStarted",
        "CallCompleted",
        "NoteAdded",
        "NotesPublished",
        "NoteStored",
        "StepCompleted"
      ])
      assert.deepStrictEqual(used, [[1, 7]])
      const controller = new AbortController()
      const never = Step.make("never", { run: Effect.never })
      const running = Pipeline.runPromise(never, { intent: "wait" }, { ...services, signal: controller.signal })
      controller.abort(new Error("no longer needed"))
      const reason = await running.then(
        () => "resolved",
        (error: unknown) => String(error)
      )
      assert.strictEqual(reason, "Error: no longer needed")
    }
    await runtime.dispose()
  })

  it("runs durably if that is wanted", async () => {
    const runtime = ManagedRuntime.make(Testing.memory)
    for (const durable of [{ id: "run" }, false, true]) {
      await Pipeline.runPromise(answer, { intent: "compute" }, { runtime, durable })
    }
    const runs = await runtime.runPromise(Pipeline.runs())
    assert.strictEqual(runs.length, 2)
    assert.include(
      runs.map(({ id }) => id),
      "run"
    )
    await runtime.dispose()
  })

  it("rejects at once when its signal is aborted already", async () => {
    const model = Testing.scripted([replies.ticket])
    const used: Array<unknown> = []
    const signal = AbortSignal.abort(new Error("enough"))
    const error = await Pipeline.runPromise(
      ticket,
      { intent: "triage" },
      { layer: Layer.merge(model.layer, Testing.memory), signal, onUsage: (usage) => used.push(usage) }
    ).then(
      () => "resolved",
      (error: unknown) => error
    )
    assert.strictEqual(error, signal.reason)
    assert.deepStrictEqual(model.requests, [])
    assert.deepStrictEqual(used, [{ calls: 0, failed: 0, unreported: 0, usd: 0 }])
  })

  it("rejects with the PipelineError itself", async () => {
    const model = Testing.scripted(["no", "no"])
    const error: unknown = await Pipeline.runPromise(
      ticket,
      { intent: "triage", notes: { message: "Hello" } },
      { layer: Layer.merge(model.layer, Testing.memory) }
    ).then(
      () => "resolved",
      (error: unknown) => error
    )
    if (!(error instanceof Pipeline.PipelineError)) throw new Error("no PipelineError")
    assert.instanceOf(error, Error)
    assert.deepStrictEqual(error.path, ["ticket"])
    assert.strictEqual((error.cause as Error).name, "ResponseError")
    assert.strictEqual(error.thought?.note("message")?.content, "Hello")
  })

  it("rejects with a defect's own error", async () => {
    const bug = new TypeError("a bug")
    const broken = Step.make("broken", {
      run: () => {
        throw bug
      }
    })
    const error = await Pipeline.runPromise(broken, { intent: "break" }, { layer: Testing.memory }).then(
      () => "resolved",
      (error: unknown) => error
    )
    assert.strictEqual(error, bug)
  })

  it("rejects when the layer cannot be built", async () => {
    const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
    const error = await Pipeline.runPromise(
      answer,
      { intent: "compute" },
      { layer: Layer.effect(Memory.Memory, Effect.fail(down)) }
    ).then(
      () => "resolved",
      (error: unknown) => error
    )
    assert.strictEqual(error, down)
  })

  it("releases the layer when it is done", async () => {
    const events: Array<string> = []
    const tracked = Layer.effectDiscard(
      Effect.acquireRelease(
        Effect.sync(() => events.push("built")),
        () => Effect.sync(() => events.push("released"))
      )
    )
    await Pipeline.runPromise(answer, { intent: "compute" }, { layer: Layer.merge(tracked, Testing.memory) })
    assert.deepStrictEqual(events, ["built", "released"])
  })
})
