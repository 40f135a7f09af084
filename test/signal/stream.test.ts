import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const write = (name: string) => Step.make(name, { schema: Schema.Finite, run: () => 1 })
const steps = (count: number) =>
  Pipeline.sequence(
    "all",
    Array.from({ length: count }, (_, i) => write(`s${i}`))
  ) as Step.Any as Step.Step<{}, {}>
const running = (step: Step.Step<{}, {}, any>) =>
  Effect.flatMap(Thought.make("count"), (thought) => Pipeline.run(step, thought)).pipe(Effect.provide(Testing.memory))

/** Not of the memory's worker, which embeds notes beside the run. */
const isOfRun = ({ _tag }: Signal.Signal): boolean => !_tag.startsWith("Embedding")

const brief = (signal: Signal.Signal): string =>
  signal._tag === "SignalsDropped" ? `${signal.dropped} dropped` : `${signal._tag} ${signal.path.at(-1) ?? ""}`.trim()

/** Everything of a stream whose reader starts when the program has ended. */
const late = (options: { readonly capacity: number; readonly whenFull: "dropOldest" | "dropNewest" }) =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<void>()
    const all: Array<Signal.Signal> = []
    const program = running(steps(2)).pipe(
      Signal.listen((signal) => all.push(signal)),
      Effect.ensuring(Deferred.succeed(ended, undefined))
    )
    let first = true
    const read = yield* Stream.runCollect(
      Signal.stream(program, options).pipe(
        Stream.rechunk(1),
        Stream.tap(() => {
          if (!first) return Effect.void
          first = false
          return Deferred.await(ended)
        })
      )
    )
    return { all: all.map(brief), read: read.map(brief), gap: read.find(({ _tag }) => _tag === "SignalsDropped") }
  })

describe("a stream of signals", () => {
  it.effect("has those that listeners hear, and ends with the program", () =>
    Effect.gen(function* () {
      const heard: Array<Signal.Signal> = []
      const program = Signal.listen((signal) => heard.push(signal))(running(steps(3)))
      const read = yield* Stream.runCollect(Signal.stream(program))
      assert.strictEqual(read.filter(isOfRun).length, 15)
      assert.deepStrictEqual<ReadonlyArray<unknown>>(read, heard)
    })
  )

  it.effect("has only the tags that are wanted, typed", () =>
    Effect.gen(function* () {
      const stream = Signal.stream(running(steps(2)), { tags: ["StepCompleted", "NoteAdded"] })
      const read = yield* Stream.runCollect(
        Stream.map(stream, (signal) => (signal._tag === "NoteAdded" ? signal.key : brief(signal)))
      )
      assert.deepStrictEqual(read, ["s0", "StepCompleted s0", "s1", "StepCompleted s1", "StepCompleted all"])
    })
  )

  it.effect("has each signal once, also of a tag that is named twice", () =>
    Effect.gen(function* () {
      const tags = ["StepCompleted", "NoteAdded", "StepCompleted"] as const
      for (const whenFull of ["wait", "dropOldest", "dropNewest"] as const) {
        const read = yield* Stream.runCollect(Signal.stream(running(steps(1)), { tags, whenFull }))
        assert.deepStrictEqual(read.map(brief), ["NoteAdded s0", "StepCompleted s0", "StepCompleted all"])
      }
    })
  )

  it.effect("loses none with wait, however slow its reader is and however small the buffer", () =>
    Effect.gen(function* () {
      let ahead = 0
      let most = 0
      const program = Signal.listen((signal) => {
        if (isOfRun(signal)) most = Math.max(most, ++ahead)
      })(running(steps(20)))
      const read = yield* Stream.runCollect(
        Signal.stream(program, { capacity: 2, whenFull: "wait" }).pipe(
          Stream.rechunk(1),
          Stream.filter(isOfRun),
          Stream.mapEffect((signal) =>
            Effect.as(
              Effect.andThen(
                Effect.yieldNow,
                Effect.sync(() => ahead--)
              ),
              brief(signal)
            )
          )
        )
      )
      assert.strictEqual(read.length, 4 * 20 + 3)
      assert.isFalse(read.some((one) => one.includes("dropped")))
      // those in the buffer, those with the reader, and the one that waits
      assert.isAtMost(most, 6)
    })
  )

  it.effect("drops the oldest, and says how many are missing where they were", () =>
    Effect.gen(function* () {
      const { all, read } = yield* late({ capacity: 3, whenFull: "dropOldest" })
      const gap = read.findIndex((one) => one.endsWith("dropped"))
      assert.isAbove(gap, -1)
      const missing = Number.parseInt(read[gap] ?? "")
      assert.deepStrictEqual([...read.slice(0, gap), ...all.slice(gap, gap + missing), ...read.slice(gap + 1)], all)
      assert.strictEqual(read.length - gap - 1, 3)
    })
  )

  it.effect("says once how many are missing, also if it goes on without dropping any", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const read = yield* Deferred.make<void>()
      const program = running(steps(5)).pipe(
        Effect.andThen(Deferred.succeed(ended, undefined)),
        Effect.andThen(Deferred.await(read)),
        Effect.andThen(running(steps(1)))
      )
      let first = true
      const all = yield* Signal.stream(program, { capacity: 12, whenFull: "dropOldest" }).pipe(
        Stream.rechunk(1),
        Stream.tap((signal) => {
          if (signal._tag === "StepCompleted" && signal.path.length === 1) return Deferred.succeed(read, undefined)
          if (!first) return Effect.void
          first = false
          return Deferred.await(ended)
        }),
        Stream.map(brief),
        Stream.runCollect
      )
      assert.strictEqual(all.filter((one) => one.endsWith("dropped")).length, 1)
      assert.strictEqual(all.filter((one) => one === "StepCompleted all").length, 2)
    })
  )

  it.effect("drops the newest, and says how many are missing where they were", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(20)
      const { all, gap, read } = yield* late({ capacity: 3, whenFull: "dropNewest" })
      const at = read.findIndex((one) => one.endsWith("dropped"))
      assert.strictEqual(at, read.length - 1)
      assert.deepStrictEqual([...read.slice(0, at), ...all.slice(at)], all)
      const none = { runId: undefined, thoughtId: undefined, traceId: undefined, path: [] }
      assert.deepStrictEqual(gap, { _tag: "SignalsDropped", dropped: all.length - at, ...none, millis: 20 })
    })
  )

  it.effect("fails as the program does, after its last signal", () =>
    Effect.gen(function* () {
      const tags: Array<string> = []
      const fails = running(Step.make("pay", { run: Effect.fail("no money") }))
      const exit = yield* Signal.stream(fails).pipe(
        Stream.runForEach((signal) => Effect.sync(() => tags.push(signal._tag))),
        Effect.exit
      )
      assert.deepStrictEqual(tags, ["ThoughtCreated", "StepStarted", "StepFailed"])
      const failure = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason) : undefined
      assert.strictEqual(failure?.error._tag, "PipelineError")
    })
  )

  for (const whenFull of ["wait", "dropOldest", "dropNewest"] as const) {
    it.effect(`interrupts the program when it is closed early, full buffer or not: ${whenFull}`, () =>
      Effect.gen(function* () {
        const ends: Array<string> = []
        let fiber: Fiber.Fiber<unknown, unknown> | undefined
        const self = Effect.withFiber((own) => Effect.sync(() => (fiber = own)))
        const program = Effect.andThen(
          self,
          running(
            Pipeline.sequence("all", [steps(4), Step.make("hang", { run: Effect.never })]) as Step.Any as Step.Step<
              {},
              {}
            >
          )
        ).pipe(Signal.on("StepFailed", ({ error, path }) => ends.push(`${path.join("/")} ${error}`)))
        const read = yield* Stream.runCollect(Stream.take(Signal.stream(program, { capacity: 1, whenFull }), 1))
        assert.strictEqual(read.length, 1)
        assert.isDefined(fiber?.pollUnsafe(), "the program's fiber has ended")
        assert.strictEqual(ends.at(-1), "all Interrupted")
      })
    )
  }

  it.effect("interrupts the program when its reader is interrupted", () =>
    Effect.gen(function* () {
      const hangs = yield* Deferred.make<void>()
      let released = false
      const hang = Step.make("hang", {
        run: Deferred.succeed(hangs, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.ensuring(Effect.sync(() => (released = true)))
        )
      })
      const reader = yield* Effect.forkChild(Stream.runDrain(Signal.stream(running(hang))))
      yield* Deferred.await(hangs)
      yield* Fiber.interrupt(reader)
      assert.isTrue(released)
    })
  )

  it.effect("can be read twice: the program runs twice", () =>
    Effect.gen(function* () {
      const stream = Signal.stream(running(steps(1)), { tags: ["StepCompleted"] })
      const [first, second] = [yield* Stream.runCollect(stream), yield* Stream.runCollect(stream)]
      assert.deepStrictEqual(first.map(brief), second.map(brief))
      assert.notStrictEqual(first[0]?.runId, second[0]?.runId)
    })
  )

  it("refuses options that are out of range", () => {
    const stream = Signal.stream as (program: unknown, options: unknown) => unknown
    assert.throws(() => Signal.stream(Effect.void, { capacity: 0 }), /capacity/)
    assert.throws(() => stream(Effect.void, { whenFull: "drop" }), '"dropOldest", "dropNewest" or "wait"')
    assert.throws(() => stream(Effect.void, { tags: ["StepEnded"] }), '"StepEnded"')
    assert.throws(() => stream(Effect.void, { tags: "StepFailed" }), /array/)
    assert.throws(() => stream(Effect.void, { tags: ["StepFailed", 3] }), /array of tags/)
    assert.throws(() => stream(Effect.void, { capasity: 3 }), /capacity/)
    assert.throws(() => stream("run", {}), /an effect/)
  })
})
