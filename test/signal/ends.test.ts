/** The law of steps and calls: each that begins ends once, with the same path in the same run, however it ends. */
import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Exit, Fiber, Layer, Logger, Random, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

class Broken extends Data.TaggedError("Broken") {}

const starts: Partial<Record<Signal.Tag, string>> = { StepStarted: "step", CallStarted: "call" }
const ends: Partial<Record<Signal.Tag, string>> = {
  StepCompleted: "step",
  StepFailed: "step",
  CallCompleted: "call",
  CallFailed: "call"
}

/** Throws unless every start has one end after it. Steps with one path in one run, such as attempts, come one after the other. */
const checkEnds = (signals: ReadonlyArray<Signal.Signal>): number => {
  const open = new Map<string, number>()
  let begun = 0
  for (const { _tag, path, runId } of signals) {
    const what = starts[_tag] ?? ends[_tag]
    if (what === undefined) continue
    assert.isDefined(runId, `${_tag} of a run`)
    const place = `${what} ${path.join("/")} of ${runId}`
    const now = (open.get(place) ?? 0) + (_tag in starts ? 1 : -1)
    assert.include([0, 1], now, `${_tag}: ${place}`)
    open.set(place, now)
    if (_tag in starts) begun++
  }
  for (const [place, left] of open) assert.strictEqual(left, 0, `${place} has no end`)
  return begun
}

const yes = { decision: true, confidence: 0.9, reasoning: ["so"] }

/** A step of its own name that ends in one of many ways. */
const leaf = (name: string, way: number): Step.Any => {
  if (way === 0) return Step.make(name, { schema: Schema.Finite, run: () => 1 })
  if (way === 1) return Step.make(name, { run: Effect.fail(new Broken()) })
  if (way === 2) return Step.make(name, { run: Effect.die(new TypeError("no")) })
  if (way === 3) return Step.make(name, { schema: Schema.Finite, run: Effect.as(Effect.sleep(50), 1) })
  if (way === 4) return Step.make(name, { run: Effect.never })
  if (way === 5) return Step.make(name, { run: Effect.interrupt })
  return Primitive.decide(name, { question: "Is it so?" })
}

const tree = (name: string, depth: number): Effect.Effect<Step.Any> =>
  Effect.gen(function* () {
    if (depth === 0) {
      // most leaves go well, so that others come after them
      const way = yield* Random.nextIntBetween(0, 12)
      return leaf(name, way > 6 ? (way % 2) * 6 : way)
    }
    const [a, b] = [yield* tree(`${name}a`, depth - 1), yield* tree(`${name}b`, depth - 1)]
    const connectors: ReadonlyArray<() => Step.Any> = [
      () => Pipeline.sequence(name, [a, b]) as Step.Any,
      () => Pipeline.race(name, { a, b }) as Step.Any,
      () => Pipeline.concurrent(name, { a, b }, { conflicts: "namespace" }) as Step.Any,
      () => Pipeline.fallback(name, [a, b]) as Step.Any,
      () => Step.retry(a as Step.Step<any, any, any, any>, { times: 1, name }),
      () => Step.timeout(a as Step.Step<any, any, any, any>, 100, { name }),
      () => Pipeline.scaffold(name, { step: a }) as Step.Any
    ]
    const index = yield* Random.nextIntBetween(0, connectors.length - 1)
    return connectors[index]!()
  })

/** Runs a step to its end, while time goes on, and interrupts it at a signal, or at a time. */
const signalsOf = (step: Step.Any, cut: { readonly signal?: number; readonly millis?: number }) =>
  Effect.gen(function* () {
    const signals: Array<Signal.Signal> = []
    const cutting: { interrupt?: () => void } = {}
    const model = Testing.scripted(() => Effect.as(Effect.sleep(20), yes))
    const known = step as Step.Step<{}, {}, any, any>
    const run = Effect.flatMap(Thought.make("end"), (thought) => Pipeline.run(known, thought)).pipe(
      Effect.provide(Layer.mergeAll(model.layer, Testing.memory, Pipeline.supervisor({ grace: 1 }))),
      Signal.listen((signal) => {
        signals.push(signal)
        if (signals.length === cut.signal) cutting.interrupt?.()
      })
    ) as Effect.Effect<unknown, unknown>
    const running = yield* Effect.forkChild(Effect.exit(run))
    cutting.interrupt = () => running.interruptUnsafe()
    for (let time = 0; time < 400 && running.pollUnsafe() === undefined; time += 10) {
      for (let turn = 0; turn < 6; turn++) yield* Effect.promise(() => new Promise(setImmediate))
      if (time >= (cut.millis ?? 300)) running.interruptUnsafe()
      yield* TestClock.adjust(10)
    }
    yield* Fiber.await(running)
    return signals
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]))

const runs = Number(process.env["COGITO_SIGNAL_RUNS"] ?? 12)

describe("each step and call that begins", () => {
  it.live(
    "ends once in the same run, if it is interrupted at any signal or time",
    () =>
      Effect.gen(function* () {
        let begun = 0
        for (let seed = 1; seed <= runs; seed++) {
          yield* Effect.gen(function* () {
            const step = yield* tree("s", 2 + (seed % 2))
            const whole = yield* signalsOf(step, {})
            begun += checkEnds(whole)
            for (let signal = 1; signal <= whole.length; signal += 1 + (seed % 3)) {
              begun += checkEnds(yield* signalsOf(step, { signal }))
            }
            for (const millis of [0, 20, 60]) begun += checkEnds(yield* signalsOf(step, { millis }))
          }).pipe(Random.withSeed(`signals ${seed}`))
        }
        assert.isAbove(begun, runs * 10)
      }),
    60_000
  )

  it.effect("is checked by a law that finds a start without its end, and two ends", () =>
    Effect.sync(() => {
      const of = (_tag: "StepStarted" | "StepFailed") =>
        ({ _tag, path: ["a"], runId: "1", kind: "step" }) as unknown as Signal.Signal
      const [start, end] = [of("StepStarted"), of("StepFailed")]
      assert.strictEqual(checkEnds([start, end, start, end]), 2)
      assert.throws(() => checkEnds([start]), /no end/)
      assert.throws(() => checkEnds([start, end, end]))
      assert.throws(() => checkEnds([end, start]))
    })
  )

  it.live("ends once if the stream of the run is closed after any signal", () =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("all", [leaf("a", 0), leaf("b", 6), leaf("c", 3)]) as Step.Step<{}, {}, any, any>
      for (let count = 1; count < 14; count++) {
        const signals: Array<Signal.Signal> = []
        const program = Effect.flatMap(Thought.make("end"), (thought) => Pipeline.run(step, thought)).pipe(
          Effect.provide(Layer.merge(Testing.scripted([yes]).layer, Testing.memory)),
          Signal.listen((signal) => signals.push(signal))
        ) as Effect.Effect<unknown, unknown>
        const read = yield* Stream.runCollect(
          Stream.take(Signal.stream(program, { capacity: 1, whenFull: "wait" }), count)
        )
        assert.strictEqual(read.length, count)
        checkEnds(signals)
      }
    })
  )
})

describe("a step that ends with an interruption", () => {
  const hanging = Step.make("hang", { run: Effect.never })
  const failed = (step: Step.Step<{}, {}, any, any>) =>
    Effect.gen(function* () {
      const errors: Array<string> = []
      const run = Effect.flatMap(Thought.make("end"), (thought) => Pipeline.run(step, thought)).pipe(
        Signal.on("StepFailed", ({ error, path }) => errors.push(`${path.join("/")} ${error}`)),
        Effect.provide(Layer.merge(Testing.memory, Pipeline.supervisor({ grace: 1 }))),
        Effect.exit
      )
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust("1 minute")
      return { exit: yield* Fiber.join(fiber), errors }
    })

  it.effect("is signalled when it loses a race", () =>
    Effect.gen(function* () {
      const quick = Step.make("quick", { schema: Schema.Finite, run: Effect.as(Effect.sleep(1), 1) })
      const { errors, exit } = yield* failed(Pipeline.race("race", { hanging, quick }))
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual(errors, ["race/hanging/hang Interrupted", "race/hanging Interrupted"])
    })
  )

  it.effect("is signalled when its time is over", () =>
    Effect.gen(function* () {
      const { errors } = yield* failed(Step.timeout(hanging, 10, { name: "limited" }))
      assert.deepStrictEqual(errors, ["limited/hang Interrupted", "limited TimeoutError"])
    })
  )

  it.effect("is signalled in the background when the supervisor is released", () =>
    Effect.gen(function* () {
      const { errors, exit } = yield* failed(
        Pipeline.scaffold("later", { step: hanging }) as Step.Step<{}, {}, any, any>
      )
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual(errors, ["hang Interrupted"])
    })
  )
})
