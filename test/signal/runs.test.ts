/** What signals say of where they come from: run, trace, thought and path. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Provider, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError } from "../pipeline/triage.ts"

const write = (name: string) => Step.make(name, { schema: Schema.Finite, run: Effect.as(Effect.yieldNow, 1) })
const two = Pipeline.sequence("all", [write("one"), write("two")])
const yes = { decision: true, confidence: 1, reasoning: ["so"] }

const heard = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const signals: Array<Signal.Signal> = []
    const exit = yield* Effect.exit(Signal.listen((signal) => signals.push(signal))(program))
    return { signals, exit }
  })

const idsOf = (signals: ReadonlyArray<Signal.Signal>) => [...new Set(signals.map(({ runId }) => runId))]

describe("the run of a signal", () => {
  it.effect("tells parallel runs on one listener apart", () =>
    Effect.gen(function* () {
      const one = Effect.flatMap(Thought.make("count"), (thought) => Pipeline.run(two, thought))
      const { signals } = yield* heard(Effect.all([one, one, one], { concurrency: "unbounded" }))
      const ids = idsOf(signals)
      assert.strictEqual(ids.length, 3)
      for (const id of ids) {
        const own = signals.filter(({ runId }) => runId === id)
        assert.deepStrictEqual(
          own.filter(({ _tag }) => _tag.startsWith("Step")).map(({ _tag, path }) => `${_tag} ${path.join("/")}`),
          [
            "StepStarted all",
            "StepStarted all/one",
            "StepCompleted all/one",
            "StepStarted all/two",
            "StepCompleted all/two",
            "StepCompleted all"
          ]
        )
        assert.strictEqual(new Set(own.map(({ thoughtId }) => thoughtId)).size, 1)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of another run of the same thought is another one", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("count")
      const { signals } = yield* heard(
        Effect.flatMap(Pipeline.run(two, thought), (done) => Pipeline.run(write("three"), done))
      )
      assert.strictEqual(idsOf(signals).length, 2)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is that of a durable run, also after it was resumed", () =>
    Effect.gen(function* () {
      let broken = true
      const fragile = Step.make("fragile", {
        schema: Schema.Finite,
        run: Effect.suspend(() => (broken ? Effect.interrupt : Effect.succeed(2)))
      })
      const step = Pipeline.sequence("all", [write("one"), fragile])
      const thought = yield* Thought.make("count")
      const first = yield* heard(Pipeline.run(step, thought, { durable: { id: "run-7" } }))
      assert.strictEqual(first.exit._tag, "Failure")
      broken = false
      const second = yield* heard(Pipeline.resume(step, "run-7"))
      assert.strictEqual(second.exit._tag, "Success")
      assert.deepStrictEqual(idsOf([...first.signals, ...second.signals]), ["run-7"])
      const steps = (signals: ReadonlyArray<Signal.Signal>) =>
        signals
          .filter(({ _tag }) => _tag.startsWith("Step"))
          .map((signal) => `${signal._tag} ${signal.path.join("/")}${"replayed" in signal ? " replayed" : ""}`)
      assert.deepStrictEqual(steps(first.signals), [
        "StepStarted all",
        "StepStarted all/one",
        "StepCompleted all/one",
        "StepStarted all/fragile",
        "StepFailed all/fragile",
        "StepFailed all"
      ])
      assert.deepStrictEqual(steps(second.signals), [
        "StepStarted all",
        "StepStarted all/one",
        "StepCompleted all/one replayed",
        "StepStarted all/fragile",
        "StepCompleted all/fragile",
        "StepCompleted all"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the call of a signal", () => {
  it.effect("is marked as replayed in a resumed run, whether it was answered or failed", () =>
    Effect.gen(function* () {
      let broken = true
      const draft = Note.handle("draft", Schema.String)
      const better = Primitive.amplify("better", { source: draft, refine: "Say it better", criteria: "It is short." })
      const step = Step.recover(Primitive.decide("go", { question: "?" }), better)
      const calls = (signals: ReadonlyArray<Signal.Signal>) =>
        signals.flatMap((signal) => {
          if (signal._tag !== "CallCompleted" && signal._tag !== "CallFailed") return []
          const how = signal._tag === "CallFailed" ? signal.error : "completed"
          return [`${signal.path.at(-1)}: ${how}${"replayed" in signal ? ", replayed" : ""}`]
        })
      const model = Testing.scripted([
        Effect.fail(providerError("Connection")),
        "Short",
        Effect.suspend(() => (broken ? Effect.interrupt : Effect.succeed(yes))),
        yes
      ])
      const thought = yield* Thought.make("count", { draft: "Too long" })
      const run = Pipeline.run(step, thought, { durable: { id: "run-8" } })
      const first = yield* heard(run.pipe(Effect.provide(model.layer)))
      assert.deepStrictEqual(calls(first.signals), ["go: Connection", "better: completed", "better: Interrupted"])
      broken = false
      const second = yield* heard(Pipeline.resume(step, "run-8").pipe(Effect.provide(model.layer)))
      assert.deepStrictEqual(calls(second.signals), [
        "go: Connection, replayed",
        "better: completed, replayed",
        "better: completed"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the thought of a signal", () => {
  it.effect("is the one that it tells of, also where a step goes on with another one", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("count", { message: "one" })
      const step = Pipeline.sequence("all", [Primitive.forget("anew", { drop: ["message"] })])
      const { exit, signals } = yield* heard(Pipeline.run(step, thought))
      assert.ok(exit._tag === "Success")
      const after = exit.value
      assert.notStrictEqual(after.id, thought.id)
      assert.deepStrictEqual(
        signals.map(({ _tag, path, thoughtId, traceId }) => [path.join("/"), _tag, thoughtId, traceId]),
        (
          [
            ["", "ThoughtCreated", thought],
            ["", "NoteStored", thought],
            ["all", "StepStarted", thought],
            ["all/anew", "StepStarted", thought],
            ["all/anew", "ThoughtCreated", after],
            ["all/anew", "StepCompleted", after],
            ["all", "StepCompleted", after]
          ] as const
        ).map(([path, tag, { id, traceId }]) => [path, tag, id, traceId])
      )
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the signals of layers around a provider", () => {
  it.live("name the run, the thought and the step that called", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError("Overloaded"), yes])
      const layer = model.layer.pipe(Provider.retry({ times: 1, base: 1 }))
      const ask = Pipeline.sequence("all", [Primitive.decide("go", { question: "Go on?" })])
      const thought = yield* Thought.make("decide", { message: "Now!" })
      const { signals } = yield* heard(Pipeline.run(ask, thought)).pipe(
        Effect.provide(Layer.merge(layer, Testing.memory))
      )
      const [id] = idsOf(signals)
      assert.isDefined(id)
      assert.deepInclude(
        signals.find(({ _tag }) => _tag === "AttemptFailed"),
        { runId: id, thoughtId: thought.id, traceId: thought.traceId, path: ["all", "go"] }
      )
      assert.strictEqual(idsOf(signals).length, 1)
    })
  )
})

describe("a step whose note cannot be stored", () => {
  it.effect("is reported as failed with the error of the memory", () => {
    let commits = 0
    const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
    const breaking = Layer.effect(
      Memory.Memory,
      Effect.map(Memory.Memory, (memory) => {
        const commit: typeof memory.commit = (thought, rows) =>
          ++commits > 2 ? Effect.fail(down) : memory.commit(thought, rows)
        return { ...memory, commit }
      })
    )
    return Effect.gen(function* () {
      const { signals } = yield* heard(Effect.flatMap(Thought.make("count"), (thought) => Pipeline.run(two, thought)))
      assert.deepStrictEqual(
        signals.flatMap((signal) => (signal._tag === "StepFailed" ? [[signal.path.join("/"), signal.error]] : [])),
        [
          ["all/two", "MemoryError"],
          ["all", "MemoryError"]
        ]
      )
    }).pipe(Effect.provide(Layer.provide(breaking, Testing.memory)))
  })
})
