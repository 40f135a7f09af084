import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

class Stop extends Data.TaggedError("Stop")<{}> {}

const message = Note.handle("message", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const none = Step.make("none", { schema: Schema.Boolean, run: () => true })
const stop = Step.make("stop", { run: Effect.fail(new Stop()) })
const long = Note.from(message, (text) => text.length > 5)

const start = (text = "Hello, world") => Thought.make("test", { message: text })

const signalsOf = <A, E, R>(self: Effect.Effect<A, E, R>) => {
  const signals: Array<Signal.Signal> = []
  return Effect.map(Signal.listen((signal) => void signals.push(signal))(Effect.exit(self)), (exit) => ({
    exit,
    signals
  }))
}

const keysOf = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

describe("filter", () => {
  it.effect("runs its step if the condition holds, and otherwise passes the thought on [C435]", () =>
    Effect.gen(function* () {
      const filtered = Pipeline.filter("filtered", { when: long, step: size })
      const done = yield* Pipeline.run(filtered, yield* start())
      assert.strictEqual(done.get("size"), 12)
      assert.strictEqual(done.note("size")?.step, "filtered/size")
      const thought = yield* start("Hi")
      const passed = yield* Pipeline.run(filtered, thought)
      assert.deepStrictEqual(keysOf(passed), ["message"])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("sends a request only if the condition holds, and then with the notes so far", () => {
    const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It is."] }])
    const asked = Pipeline.filter("asked", {
      when: long,
      step: Primitive.decide("spam", { question: "Is this spam?" })
    })
    return Effect.gen(function* () {
      yield* Pipeline.run(asked, yield* start("Hi"))
      assert.strictEqual(model.requests.length, 0)
      const done = yield* Pipeline.run(asked, yield* start())
      assert.isTrue(done.get("spam")?.decision)
      assert.strictEqual(model.requests.length, 1)
      assert.include(model.requests[0]?.messages.at(-1)?.text, "Hello, world")
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect("runs `otherwise` if the condition does not hold", () =>
    Effect.gen(function* () {
      const filtered = Pipeline.filter("filtered", { when: long, step: size, otherwise: none })
      const yes = yield* Pipeline.run(filtered, yield* start())
      assert.deepStrictEqual(keysOf(yes), ["message", "size"])
      const no = yield* Pipeline.run(filtered, yield* start("Hi"))
      assert.deepStrictEqual(keysOf(no), ["message", "none"])
      assert.deepStrictEqual(
        [yes.note("size")?.step, no.note("none")?.step],
        ["filtered/then/size", "filtered/otherwise/none"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  const conditions: ReadonlyArray<readonly [string, Step.Runnable<boolean>]> = [
    ["a reader", long],
    ["a reader that computes an effect", Note.from(message, (text) => Effect.succeed(text.length > 5))],
    ["a function of the thought", (thought: Thought.Thought<any>) => thought.note("message")?.content.length === 12],
    ["a function that gives an effect", (thought) => Effect.succeed(thought.length === 1)],
    ["an effect", Effect.succeed(true)]
  ]
  it.effect.each(conditions)("takes %s as its condition [C440]", ([, when]) =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(Pipeline.filter("filtered", { when, step: size }), yield* start())
      assert.strictEqual(done.get("size"), 12)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("evaluates its condition anew in each run, so that it can be switched while others run [C437] [C438]", () =>
    Effect.gen(function* () {
      let on = false
      const flagged = Pipeline.filter("flagged", { when: () => on, step: size })
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(flagged, yield* start())), ["message"])
      on = true
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(flagged, yield* start())), ["message", "size"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails with the path through it, or with its own name alone if the condition fails [C436]", () =>
    Effect.gen(function* () {
      const inside = Pipeline.filter("outer", { when: () => true, step: stop })
      const thought = yield* start()
      const error = yield* Effect.flip(Pipeline.run(inside, thought))
      assert.deepStrictEqual(error._tag === "PipelineError" && [error.path, error.cause], [
        ["outer", "stop"],
        new Stop()
      ])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message"])
      const asking = Pipeline.filter("asking", { when: Effect.fail(new Stop()), step: size })
      const unknown = yield* Effect.flip(Pipeline.run(asking, yield* start()))
      assert.deepStrictEqual(unknown._tag === "PipelineError" && unknown.path, ["asking"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a condition or a step that throws is a defect [C442]", () =>
    Effect.gen(function* () {
      const bug = () => {
        throw new Error("a bug")
      }
      const broken = [
        Pipeline.filter("broken", { when: bug, step: size }),
        Pipeline.filter("broken", { when: () => true, step: Step.make("size", { run: bug }) })
      ]
      for (const step of broken) {
        const exit = yield* Effect.exit(Pipeline.run(step as unknown as Step.Step<{}, {}>, yield* start()))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("passes interruption on to its step [C439]", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const wait = Deferred.succeed(called, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(released, undefined))
      )
      const waiting = Pipeline.filter("waiting", { when: () => true, step: Step.make("wait", { run: wait }) })
      const fiber = yield* Effect.forkChild(Pipeline.run(waiting, yield* start()))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("works in a sequence like any step [C441]", () =>
    Effect.gen(function* () {
      const filtered = Pipeline.filter("filtered", { when: Note.from(size, (n) => n > 5), step: none })
      const done = yield* Pipeline.run(Pipeline.sequence("all", [size, filtered]), yield* start())
      assert.deepStrictEqual([done.get("none"), done.note("none")?.step], [true, "all/filtered/none"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals which way it went [C444]", () =>
    Effect.gen(function* () {
      const routes = Effect.fnUntraced(function* (step: Step.Step<{ readonly message: string }, {}>, text: string) {
        const { signals } = yield* signalsOf(Pipeline.run(step, yield* start(text)))
        return signals.flatMap((signal) => (signal._tag === "Routed" ? [[signal.path, signal.route]] : []))
      })
      const filtered = Pipeline.filter("filtered", { when: long, step: size })
      assert.deepStrictEqual(yield* routes(filtered, "Hello, world"), [[["filtered"], "size"]])
      assert.deepStrictEqual(yield* routes(filtered, "Hi"), [[["filtered"], undefined]])
      const both = Pipeline.filter("filtered", { when: long, step: size, otherwise: none })
      assert.deepStrictEqual(yield* routes(both, "Hello, world"), [[["filtered"], "then"]])
      assert.deepStrictEqual(yield* routes(both, "Hi"), [[["filtered"], "otherwise"]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows both ways in its outline, and what both of them write [C434] [C445]", () => {
    const one = Pipeline.filter("one", { when: long, step: none })
    assert.deepStrictEqual(one.node, {
      name: "one",
      kind: "filter",
      reads: ["message"],
      writes: ["none"],
      surely: [],
      children: [none.node],
      layout: { _tag: "Choice", labels: ["yes"], past: "no" }
    })
    const both = Pipeline.filter("both", {
      when: Note.from(none, (yes) => yes),
      step: size,
      otherwise: Pipeline.sequence("more", [size, none])
    })
    assert.deepStrictEqual(
      [both.node.reads, both.node.writes, both.node.surely],
      [["none", "message"], ["size", "none"], ["size"]]
    )
    assert.deepStrictEqual(
      both.node.children.map(({ kind, name }) => [name, kind]),
      [
        ["then", "route"],
        ["otherwise", "route"]
      ]
    )
  })

  it("refuses an invalid condition, by name", () => {
    assert.throws(() => Pipeline.filter("filtered", { when: true as never, step: size }), /"filtered".*`when`/)
  })
})

describe("Step.when", () => {
  const more = Step.make("more", { schema: Schema.Boolean, run: () => true })
  const after = (predicate: Note.Reader<{ readonly size: number }, boolean>) =>
    size.pipe(Step.when("long", predicate, more))

  it.effect("takes a reader of an earlier note, an effect, or a function that returns one", () =>
    Effect.gen(function* () {
      const forms = [
        size.pipe(
          Step.when(
            "long",
            Note.from(size, (n) => n > 5),
            more
          )
        ),
        size.pipe(
          Step.when(
            "long",
            Note.from(size, (n) => Effect.succeed(n > 5)),
            more
          )
        ),
        size.pipe(Step.when("long", (thought) => Effect.succeed(thought.get("size") > 5), more)),
        size.pipe(Step.when("long", (thought) => thought.get("size") > 5, more))
      ]
      for (const form of forms) {
        const yes = yield* Pipeline.run(form, yield* start())
        assert.deepStrictEqual([keysOf(yes), yes.note("more")?.step], [["message", "size", "more"], "long/more"])
        assert.deepStrictEqual(keysOf(yield* Pipeline.run(form, yield* start("Hi"))), ["message", "size"])
      }
      const open = yield* Pipeline.run(size.pipe(Step.when("long", Effect.succeed(true), more)), yield* start("Hi"))
      assert.deepStrictEqual(keysOf(open), ["message", "size", "more"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails as its predicate fails, under its own name", () =>
    Effect.gen(function* () {
      const asking = size.pipe(Step.when("asking", () => Effect.fail(new Stop()), more))
      const error = yield* Effect.flip(Pipeline.run(asking, yield* start()))
      assert.deepStrictEqual(error._tag === "PipelineError" && [error.path, error.cause], [["asking"], new Stop()])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals which way it went", () =>
    Effect.gen(function* () {
      for (const [text, route] of [
        ["Hello, world", "more"],
        ["Hi", undefined]
      ] as const) {
        const step = after(Note.from(size, (n) => n > 5))
        const { signals } = yield* signalsOf(Pipeline.run(step, yield* start(text)))
        const routed = signals.flatMap((signal) => (signal._tag === "Routed" ? [[signal.path, signal.route]] : []))
        assert.deepStrictEqual(routed, [[["long"], route]])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows what its reader reads", () => {
    const conditional = after(Note.from(size, (n) => n > 5)).node.children[1]
    assert.deepStrictEqual([conditional?.kind, conditional?.reads, conditional?.surely], ["when", ["size"], []])
  })

  it("refuses an invalid predicate, by name", () => {
    assert.throws(() => Step.when("long", true as never, more), /"long".*`predicate`/)
  })
})
