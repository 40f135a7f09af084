import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { fail, hang, keys, start, told, write, yes } from "./branching.ts"
import { conversing } from "../primitive/conversation.ts"
import { soon } from "../soon.ts"

// Steps that go on in the background, on a thought of their own.

const text = Note.handle("text", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(text, (value) => value.length) })

/** The only child of a thought, as the store has it. */
const childOf = (thought: Thought.Thought<any>) =>
  Effect.gen(function* () {
    const [child, ...more] = yield* Memory.children(thought.id)
    assert.deepStrictEqual(more, [])
    return yield* Memory.load(child!.id)
  })

/** Its ids count up, so that what is made later comes later in a listing. */
const store = Layer.merge(Testing.memory, Testing.ids)

type Options = { readonly grace?: `${number} seconds`; readonly onFailure?: typeof ignore }
const ignore = (_error: Pipeline.PipelineError<unknown>): Effect.Effect<void> => Effect.void

/** Releases the supervisor at the end of a program, and so waits for what it has begun. */
const supervised =
  (options: Options = {}) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provide(self, Pipeline.supervisor(options))

const listening = () => {
  const signals: Array<Signal.Signal> = []
  return { signals, listen: Signal.listen((signal) => void signals.push(signal)) }
}

describe("a step in the background", () => {
  it.effect("is not waited for, and writes to a child of the thought [C600]", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const later = Step.make("later", { schema: Schema.String, run: Effect.as(Deferred.await(gate), "done") })
      const step = Pipeline.sequence("all", [
        write("before"),
        Pipeline.scaffold("audit", { step: Pipeline.sequence("both", [size, later]) }),
        write("after")
      ])
      const done = yield* Pipeline.run(step, yield* start)
      assert.deepStrictEqual(keys(done), ["text", "before", "after"])
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(0)
      const child = yield* childOf(done)
      assert.deepStrictEqual(child.parent, { id: done.id, seq: 2 })
      assert.deepStrictEqual(
        Thought.notes(child).map(({ key, seq, step }) => [key, seq, step]),
        [
          ["text", 1, ""],
          ["before", 2, "all/before"],
          ["size", 3, "both/size"],
          ["later", 4, "both/later"]
        ]
      )
      assert.notStrictEqual(child.traceId, done.traceId)
      const stored = yield* Memory.load(done.id)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    }).pipe(supervised(), Effect.provide(store))
  )

  it.effect("begins after the thought is returned", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const note = (name: string) => Effect.sync(() => void order.push(name))
      yield* Effect.gen(function* () {
        yield* Pipeline.run(
          Pipeline.scaffold("x", { step: Step.make("in", { run: note("background") }) }),
          yield* start
        )
        yield* note("given back")
      }).pipe(supervised())
      assert.deepStrictEqual(order, ["given back", "background"])
    }).pipe(Effect.provide(store))
  )

  it.effect("asks the model with the conversation of the thought, and keeps its own", () =>
    Effect.gen(function* () {
      const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
      const model = Testing.scripted(() => yes)
      const step = Pipeline.sequence("all", [ask("first"), Pipeline.scaffold("x", { step: ask("second") })])
      const done = yield* Pipeline.run(step, yield* start).pipe(supervised(), Effect.provide(model.layer))
      const child = yield* childOf(done)
      assert.deepStrictEqual([done.session.length, child.session.length], [2, 4])
      assert.deepStrictEqual(
        model.requests.map(({ messages }) => messages.length),
        [2, 4]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("compacts its conversation with the options of the pipeline around it", () =>
    Effect.gen(function* () {
      for (const [around, kinds] of [
        [Pipeline.compact, ["compress", "decide"]],
        [(step: Step.Step<{}, {}, never, any>) => step, ["decide"]]
      ] as const) {
        const model = Testing.scripted(({ task }) =>
          task.kind === "compress" ? "So far, so good." : { decision: true, confidence: 0.5, reasoning: ["So it is."] }
        )
        const asking = Pipeline.scaffold("audit", { step: Primitive.decide("go", { question: "Go on?" }) })
        const done = yield* Pipeline.run(around(asking), yield* conversing(41)).pipe(
          supervised(),
          Effect.provide(model.layer)
        )
        assert.deepStrictEqual<ReadonlyArray<string>>(
          model.requests.map(({ task }) => task.kind),
          kinds
        )
        assert.isUndefined(done.note("conversation_summary"))
        assert.isDefined((yield* childOf(done)).note("go"))
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("emits its signals to the listeners of the caller [C604] [C607]", () =>
    Effect.gen(function* () {
      const { listen, signals } = listening()
      const step = Pipeline.sequence("all", [
        Pipeline.scaffold("one", { step: size }),
        Pipeline.scaffold("two", { step: fail("bad") })
      ])
      const done = yield* Pipeline.run(step, yield* start).pipe(listen, supervised({ onFailure: ignore }))
      const ids = (yield* Memory.children(done.id)).map(({ id }) => id)
      assert.deepStrictEqual(told(signals, "Dispatched"), [
        { at: "all/one", backgroundId: ids[0] },
        { at: "all/two", backgroundId: ids[1] }
      ])
      assert.deepStrictEqual(told(signals, "BackgroundEnded"), [
        { at: "all/one", backgroundId: ids[0], error: undefined },
        { at: "all/two", backgroundId: ids[1], error: "Unread" }
      ])
      const inside = signals.filter(({ _tag, path }) => _tag === "NoteAdded" && path[0] === "size")
      assert.deepStrictEqual(
        inside.map(({ thoughtId }) => thoughtId),
        [ids[0]]
      )
      for (const one of signals.filter(({ _tag }) => _tag === "Dispatched" || _tag === "BackgroundEnded")) {
        assert.strictEqual(one.thoughtId, done.id)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("continues in the trace of the caller [C604]", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* Pipeline.run(Pipeline.scaffold("audit", { step: size }), yield* start).pipe(
        Effect.withSpan("request"),
        supervised(),
        Effect.withTracer(tracer)
      )
      const request = spans.find(({ name }) => name === "request")
      const inside = spans.find(({ attributes }) => attributes.get("cogito.step") === "size")
      assert.strictEqual(inside?.traceId, request?.traceId)
    }).pipe(Effect.provide(store))
  )

  it.effect("may itself leave effects for after the commit", () =>
    Effect.gen(function* () {
      const inner = Pipeline.scaffold("inner", { step: size })
      const step = Pipeline.scaffold("outer", { step: Pipeline.sequence("both", [write("a"), inner]) })
      const done = yield* Pipeline.run(step, yield* start).pipe(supervised())
      const child = yield* childOf(done)
      assert.deepStrictEqual(keys(child), ["text", "a"])
      assert.deepStrictEqual(keys(yield* childOf(child)), ["text", "a", "size"])
    }).pipe(Effect.provide(store))
  )
})

describe("a step that may still be discarded", () => {
  const audit = (name: string) =>
    Pipeline.sequence(name, [write(name), Pipeline.scaffold(`later ${name}`, { step: size })])

  it.effect("starts nothing before the outermost connector keeps it", () =>
    Effect.gen(function* () {
      const { listen, signals } = listening()
      const step = Step.retry(Pipeline.concurrent("both", [audit("a"), audit("b")]), { name: "patient" })
      const done = yield* Pipeline.run(step, yield* start).pipe(listen, supervised())
      assert.deepStrictEqual(keys(done), ["text", "a", "b"])
      const children = yield* Memory.children(done.id)
      assert.deepStrictEqual(
        children.map(({ parent }) => parent?.seq),
        [3, 3]
      )
      for (const { id } of children) assert.deepStrictEqual(keys(yield* Memory.load(id)), ["text", "a", "b", "size"])
      const dispatched = signals.findIndex(({ _tag }) => _tag === "Dispatched")
      const completed = signals.findIndex(({ _tag }) => _tag === "BranchesCompleted")
      assert.isAbove(dispatched, completed)
    }).pipe(Effect.provide(store))
  )

  const losing: ReadonlyArray<readonly [string, Step.Step<{ readonly text: string }, {}, unknown, any>]> = [
    ["a race", Pipeline.race("race", { won: write("won"), lost: audit("lost") })],
    [
      "a race that it would have won later",
      Pipeline.race("race", [
        Pipeline.sequence("lost", [audit("inner"), Step.make("wait", { run: Effect.never })]),
        Pipeline.sequence("won", [Step.make("slow", { run: Effect.yieldNow }), write("won")])
      ])
    ],
    [
      "a contest",
      Pipeline.contest("contest", [audit("lost"), write("won")], {
        accept: (thought) => thought.get("won") !== undefined
      })
    ],
    [
      "a concurrent that goes on without it",
      Pipeline.concurrent("some", [Pipeline.sequence("lost", [audit("inner"), fail("no")]), write("won")], {
        minSuccesses: 1
      })
    ]
  ]
  it.effect.each(losing)("never starts in a branch that loses: %s [C783]", ([, step]) =>
    Effect.gen(function* () {
      const { listen, signals } = listening()
      const done = yield* Pipeline.run(step, yield* start).pipe(listen, supervised())
      assert.deepStrictEqual(keys(done), ["text", "won"])
      assert.deepStrictEqual(yield* Memory.children(done.id), [])
      assert.deepStrictEqual(told(signals, "Dispatched"), [])
      assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
    }).pipe(Effect.provide(store))
  )

  it.effect("starts once for the attempt that succeeds", () =>
    Effect.gen(function* () {
      let attempts = 0
      const flaky = Step.make("flaky", {
        run: Effect.suspend(() => (++attempts < 3 ? Effect.fail("busy") : Effect.void))
      })
      const step = Step.retry(Pipeline.sequence("both", [audit("a"), flaky]), { name: "patient" })
      const done = yield* Pipeline.run(step, yield* start).pipe(supervised())
      assert.deepStrictEqual(keys(yield* childOf(done)), ["text", "a", "size"])
    }).pipe(Effect.provide(store))
  )

  it.effect("starts in a branch even if it switches to another thought, in the background", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("all", [
        Pipeline.scaffold("later", { step: Pipeline.sequence("away", [Primitive.checkpoint("point"), size]) }),
        write("a")
      ])
      const done = yield* Pipeline.run(step, yield* start).pipe(supervised())
      assert.deepStrictEqual(keys(done), ["text", "a"])
      assert.deepStrictEqual(keys(yield* childOf(yield* childOf(done))), ["text", "a", "size"])
    }).pipe(Effect.provide(store))
  )
})

describe("interrupting the caller", () => {
  it.effect("does not stop the background [C601]", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const ended: Array<string> = []
      const later = Step.make("later", { schema: Schema.String, run: Effect.as(Deferred.await(gate), "done") })
      const step = Pipeline.sequence("all", [Pipeline.scaffold("audit", { step: later }), hang("wait", begun, ended)])
      const thought = yield* start
      const fiber = yield* Effect.forkChild(Pipeline.run(step, thought))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(ended, ["wait"])
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(keys(yield* childOf(thought)), ["text", "later"])
    }).pipe(supervised(), Effect.provide(store))
  )
})

describe("a failure in the background", () => {
  it.effect("goes to the supervisor, and the caller does not see it [C605]", () =>
    Effect.gen(function* () {
      const errors: Array<Pipeline.PipelineError<unknown>> = []
      const done = yield* Pipeline.run(
        Pipeline.scaffold("audit", { step: Pipeline.sequence("both", [write("a"), fail("bad")]) }),
        yield* start
      ).pipe(supervised({ onFailure: (error) => Effect.sync(() => void errors.push(error)) }))
      assert.deepStrictEqual(keys(done), ["text"])
      assert.deepStrictEqual(
        errors.map(({ cause, path, thought }) => [path.join("/"), (cause as Error).name, keys(thought!)]),
        [["both/bad", "Unread", ["text", "a"]]]
      )
      const child = yield* childOf(done)
      assert.strictEqual(errors[0]?.thought?.id, child.id)
      assert.deepStrictEqual(keys(child), ["text", "a"])
    }).pipe(Effect.provide(store))
  )

  const logged: ReadonlyArray<readonly [string, Step.Step<{}, {}, unknown>, RegExp, string, Options]> = [
    ["a failure", fail("bad"), /A step in the background failed: bad failed after 0 ms: Unread/, "Unread", {}],
    [
      "a defect, whatever the supervisor does with failures",
      Step.make("broken", { run: Effect.die(new Error("broken by hand")) }),
      /A step in the background has a defect.*broken by hand/s,
      "Defect",
      { onFailure: ignore }
    ],
    [
      "a defect of what failures go to",
      fail("bad"),
      /A step in the background has a defect.*no paper/s,
      "Unread",
      { onFailure: () => Effect.die(new Error("no paper")) }
    ]
  ]
  it.effect.each(logged)("is logged as a warning, without notes: %s [C605]", ([, step, message, ended, options]) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, logLevel, message }) => {
        lines.push(`${logLevel} ${String(message)} ${Cause.pretty(cause)}`)
      })
      const { listen, signals } = listening()
      yield* Pipeline.run(Pipeline.scaffold("audit", { step }), yield* start).pipe(
        listen,
        supervised(options),
        Effect.provide(Logger.layer([logger]))
      )
      assert.strictEqual(lines.length, 1)
      assert.match(lines[0]!, /^Warn /)
      assert.match(lines[0]!, message)
      assert.notInclude(lines[0], "meet at noon")
      assert.notInclude(lines[0], "secret")
      assert.deepStrictEqual(
        signals.flatMap((one) => (one._tag === "BackgroundEnded" ? [one.error] : [])),
        [ended]
      )
    }).pipe(Effect.provide(store))
  )
})

describe("releasing the supervisor", () => {
  const slow = (name: string, millis: number) =>
    Pipeline.scaffold(name, {
      step: Step.make(`${name} done`, { schema: Schema.String, run: Effect.as(Effect.sleep(millis), "yes") })
    })

  it.effect("waits for what runs, and interrupts what runs longer than its grace", () =>
    Effect.gen(function* () {
      const { listen, signals } = listening()
      const thought = yield* start
      const step = Pipeline.sequence("all", [slow("quick", 9_000), slow("long", 11_000)])
      const fiber = yield* Effect.forkChild(
        Pipeline.run(step, thought).pipe(listen, supervised({ grace: "10 seconds" }))
      )
      yield* TestClock.adjust(9_999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      const children = yield* Memory.children(thought.id)
      const written = yield* Effect.forEach(children, ({ id }) => Effect.map(Memory.load(id), keys))
      assert.deepStrictEqual(written, [["text", "quick done"], ["text"]])
      assert.deepStrictEqual(
        signals.flatMap((one) => (one._tag === "BackgroundEnded" ? [one.error] : [])),
        [undefined, "Interrupted"]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("ends immediately if nothing runs, and waits half a minute by default", () =>
    Effect.gen(function* () {
      yield* Pipeline.run(write("a"), yield* start).pipe(supervised())
      const thought = yield* start
      const fiber = yield* Effect.forkChild(Pipeline.run(slow("long", 60_000), thought).pipe(supervised()))
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
    }).pipe(Effect.provide(store))
  )

  it.effect("does not wait longer than its grace for handlers of failures", () =>
    Effect.gen(function* () {
      const step = Pipeline.scaffold("x", { step: fail("bad") })
      const options = { grace: "5 seconds", onFailure: () => Effect.never } as const
      const fiber = yield* Effect.forkChild(Pipeline.run(step, yield* start).pipe(supervised(options)))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const done = yield* soon("the run ends at the end of the grace")(Fiber.join(fiber))
      assert.strictEqual(done.get("text"), (yield* start).get("text"))
    }).pipe(Effect.provide(store))
  )

  it.effect("starts nothing afterwards, and reports this", () =>
    Effect.gen(function* () {
      const { listen, signals } = listening()
      const released = yield* Effect.provide(Pipeline.Supervisor, Pipeline.supervisor())
      const done = yield* Pipeline.run(Pipeline.scaffold("late", { step: size }), yield* start).pipe(
        listen,
        Effect.provideService(Pipeline.Supervisor, released)
      )
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* Memory.children(done.id), [])
      assert.deepStrictEqual(
        signals.flatMap((one) => (one._tag === "BackgroundEnded" ? [one.error] : [])),
        ["Interrupted"]
      )
    }).pipe(Effect.provide(store))
  )
})

describe("the outline of a scaffold", () => {
  it("has its step and what that reads, and writes nothing [C608]", () => {
    assert.deepStrictEqual(Pipeline.scaffold("audit", { step: size }).node, {
      name: "audit",
      kind: "scaffold",
      reads: ["text"],
      writes: [],
      surely: [],
      children: [size.node],
      afterCommit: "reads",
      layout: "calls"
    })
  })
})
