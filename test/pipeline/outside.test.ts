import { assert, describe, it } from "@effect/vitest"
import { CircuitBreaker, Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime, Schema } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"

const number = Step.make("number", { schema: Schema.Finite, run: () => 1 })

/** A memory whose commits fail from the given one on. */
const failing = (from: number) => {
  let commits = 0
  return Layer.effect(
    Memory.Memory,
    Effect.map(Memory.Memory, (memory) => ({
      ...memory,
      commit: <N>(thought: Thought.Thought<N>) =>
        ++commits < from
          ? memory.commit(thought)
          : Effect.fail(new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is gone" } }))
    }))
  ).pipe(Layer.provide(Testing.memory))
}

describe("a store that fails", () => {
  it.effect("is reported by its own name, and opens no circuit", () =>
    Effect.gen(function* () {
      const breaker = CircuitBreaker.make({ failures: 1 })
      const told: Array<string> = []
      const error = yield* Pipeline.run(
        Step.circuitBreaker(number, { breaker, name: "guarded" }),
        yield* Thought.make("test")
      ).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "StepFailed") told.push(signal.error)
        }),
        Effect.flip
      )
      assert.strictEqual(error.cause._tag, "MemoryError")
      assert.deepStrictEqual(told, ["MemoryError", "MemoryError"])
      assert.strictEqual(yield* breaker.state, "closed")
    }).pipe(Effect.provide(failing(2)))
  )

  it.effect("ends the run as a failure with its path, which no step can mistake for its own", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const watching = Step.make("watching", { run: () => "unreached" })
      const thought = yield* Thought.make("test")
      const error = yield* Pipeline.run(Pipeline.sequence("all", [number, watching]), thought).pipe(
        Effect.tapDefect((defect) => Effect.sync(() => seen.push(defect))),
        Effect.flip
      )
      assert.strictEqual(error.cause._tag, "MemoryError")
      assert.deepStrictEqual(error.path, ["all", "number"])
      assert.strictEqual(error.thought?.length, 0)
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.provide(failing(2)))
  )

  it.effect("fails the run also when the thought itself cannot be stored", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Pipeline.run(number, yield* Thought.make("test")))
      assert.strictEqual(error.cause._tag, "MemoryError")
      assert.deepStrictEqual(error.path, ["number"])
      assert.isUndefined(error.thought)
    }).pipe(Effect.provide(failing(1)))
  )
})

describe("a store whose connection is lost during a commit", () => {
  const all = Pipeline.sequence("all", [number, Step.make("next", { schema: Schema.Finite, run: () => 2 })])
  const lost = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the connection was lost" } })

  /** A memory whose commit of this number gets no response, and stores everything, nothing or another note. */
  const losing = (number: number, has: "stored" | "not stored" | "another note") => {
    let commits = 0
    return Layer.effect(
      Memory.Memory,
      Effect.map(Memory.Memory, (memory) => ({
        ...memory,
        commit: <N>(thought: Thought.Thought<N>) =>
          ++commits !== number
            ? memory.commit(thought)
            : has === "stored"
              ? Effect.andThen(memory.commit(thought), Effect.fail(lost))
              : has === "another note"
                ? Effect.andThen(memory.append(thought.id, [{ key: "outside", content: "0" }]), Effect.fail(lost))
                : Effect.fail(lost)
      }))
    ).pipe(Layer.provide(Testing.memory))
  }

  /** The notes that the store has in the end, with the signals for what was stored, and how the run ended. */
  const ran = Effect.gen(function* () {
    const told: Array<string> = []
    const thought = yield* Thought.make("test", { given: "0" })
    const exit = yield* Effect.exit(
      Pipeline.run(all, thought).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "ThoughtCreated") told.push("created")
          if (signal._tag === "NoteStored") told.push(`${signal.seq} ${signal.key}`)
        })
      )
    )
    const stored = yield* Effect.match(Memory.load(thought.id), {
      onFailure: ({ reason }) => reason._tag,
      onSuccess: (there) => Thought.notes(there).map(({ key }) => key)
    })
    const end = Exit.isSuccess(exit)
      ? exit.value.length
      : (Cause.squash(exit.cause) as Pipeline.PipelineError<any>).cause
    return { told, stored, end }
  })

  it.effect("does not fail the run if everything was stored, and what was stored is signalled", () =>
    Effect.gen(function* () {
      for (const commit of [1, 2, 3]) {
        assert.deepStrictEqual(yield* ran.pipe(Effect.provide(losing(commit, "stored"))), {
          told: ["created", "1 given", "2 number", "3 next"],
          stored: ["given", "number", "next"],
          end: 3
        })
      }
    })
  )

  it.effect("fails the run if nothing was stored", () =>
    Effect.gen(function* () {
      const told = ["created", "1 given", "2 number"]
      const stored = ["given", "number"]
      const expected = [
        { told: [], stored: "NotFound", end: lost },
        { told: told.slice(0, 2), stored: stored.slice(0, 1), end: lost },
        { told, stored, end: lost }
      ]
      for (const [i, end] of expected.entries()) {
        assert.deepStrictEqual<unknown>(yield* ran.pipe(Effect.provide(losing(i + 1, "not stored"))), end)
      }
    })
  )

  it.effect("fails the run even if another note was added meanwhile", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* ran.pipe(Effect.provide(losing(3, "another note"))), {
        told: ["created", "1 given", "2 number"],
        stored: ["given", "number", "outside"],
        end: lost
      })
    })
  )
})

describe("a run within a step", () => {
  it.effect("on the step's own thought is a defect that names the alternatives, and stores nothing", () =>
    Effect.gen(function* () {
      const inner = Step.make("inner", { run: (thought) => Pipeline.run(number, thought) })
      const thought = yield* Thought.make("test")
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.sequence("all", [inner]).pipe(Step.retry()), thought))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      const told = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
      assert.include(told, "retry(all)/all/inner runs a pipeline on its own thought")
      assert.strictEqual((yield* Memory.load(thought.id)).length, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("on the thought of an outer step is the same defect", () =>
    Effect.gen(function* () {
      const outer = Step.make("outer", {
        run: (thought) => {
          const inner = Step.make("inner", { run: () => Pipeline.run(number, thought) })
          const middle = Step.make("middle", {
            run: Effect.flatMap(Thought.make("inmost"), (own) => Pipeline.run(inner, own))
          })
          return Effect.flatMap(Thought.make("middle"), (own) => Pipeline.run(middle, own))
        }
      })
      const thought = yield* Thought.make("test")
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.sequence("all", [outer]), thought))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      const told = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
      assert.include(told, "The step all/outer runs a pipeline on its own thought: make the pipeline a step beside it")
      assert.strictEqual((yield* Memory.load(thought.id)).length, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails once, with the whole path", () =>
    Effect.gen(function* () {
      class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}
      const inner = Step.make("inner", { run: Effect.fail(new Broken({})) })
      const outer = Step.make("outer", {
        run: Effect.flatMap(Thought.make("inner"), (own) => Pipeline.run(inner, own))
      })
      const error = yield* Effect.flip(Pipeline.run(outer, yield* Thought.make("outer")))
      const cause: Broken | Memory.MemoryError = error.cause
      assert.strictEqual(cause._tag, "Broken")
      assert.deepStrictEqual(error.path, ["outer", "inner"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("what failed before in a run within a step", () => {
  class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}
  const broken = Step.make("broken", { run: Effect.delay(Effect.fail(new Broken()), 10) })
  const within = <E>(step: Step.Step<{}, {}, E, Memory.Memory>) =>
    Step.make("within", { run: Effect.flatMap(Thought.make("inner"), (own) => Pipeline.run(step, own)) })
  const pathsOf = (failures: ReadonlyArray<Pipeline.Failure>): ReadonlyArray<string> =>
    failures.flatMap(({ before, path }) => [path.join("/"), ...pathsOf(before)])
  const failing = (step: Step.Step<{}, {}, unknown, Memory.Memory>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(Pipeline.run(step, yield* Thought.make("outer"))))
      yield* TestClock.adjust("1 minute")
      return yield* Fiber.join(fiber)
    })

  it.effect("has its whole path, when all attempts failed", () =>
    Effect.gen(function* () {
      const inner = Pipeline.sequence("inner", [Step.retry(broken, { times: 1, name: "again" })])
      const error = yield* failing(Step.retry(within(inner), { times: 1, name: "all" }))
      const path = "all/within/inner/again/broken"
      assert.deepStrictEqual([error.path.join("/"), pathsOf(error.before)], [path, [path, path, path]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("has its whole path, when a limit cut the attempts short", () =>
    Effect.gen(function* () {
      const inner = Pipeline.sequence("inner", [Step.retry(broken, { times: 100, name: "again" })])
      for (const [around, way] of [
        [within(inner), ""],
        [within(Pipeline.sequence("between", [within(inner)])), "between/within/"]
      ] as const) {
        const error = yield* failing(Step.timeout(around, 35, { name: "all" }))
        assert.strictEqual((error.cause as Step.TimeoutError)._tag, "TimeoutError")
        const path = `all/within/${way}inner/again/broken`
        assert.deepStrictEqual(pathsOf(error.before), [path, path, path])
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a promise of a run", () => {
  it("can share a runtime with others", async () => {
    const runtime = ManagedRuntime.make(Testing.memory)
    const first = await Pipeline.runPromise(number, { intent: "test" }, { runtime })
    const loaded = await runtime.runPromise(Memory.load(first.id))
    assert.strictEqual(loaded.note("number")?.content, "1")
    await runtime.dispose()
  })

  it("rejects with the signal's reason", async () => {
    const controller = new AbortController()
    const waiting = Step.make("waiting", {
      run: Effect.andThen(
        Effect.sync(() => controller.abort()),
        Effect.never
      )
    })
    const rejected = await Pipeline.runPromise(
      waiting,
      { intent: "test" },
      { layer: Testing.memory, signal: controller.signal }
    ).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.strictEqual(rejected, controller.signal.reason)
  })

  it("rejects with the missing service if nothing provides it", async () => {
    for (const options of [{}, undefined]) {
      const promise = Pipeline.runPromise(number, { intent: "test" }, options as never)
      const error: unknown = await promise.then(
        () => "no error",
        (reason: unknown) => reason
      )
      assert.match(error instanceof Error ? error.message : "", /needs a `layer`/)
    }
  })
})

describe("a custom step", () => {
  it.effect("is named if it returns a value outside its schema", () =>
    Effect.gen(function* () {
      const wrong = Step.make("wrong", { schema: Schema.Finite, run: (): number => Number.NaN })
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.sequence("all", [wrong]), yield* Thought.make("test")))
      const printed = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.match(printed, /The step all\/wrong gave a value outside its schema/)
      assert.match(printed, /\["wrong"\]/)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("is refused without something to run, or with an invalid schema", () => {
    assert.throws(() => Step.make("empty", {} as never), /The step "empty" needs a function/)
    assert.throws(() => Note.handle("key", undefined as never), /The note "key" needs a schema/)
  })
})

describe("steps in a row", () => {
  it("are refused if two have a name or a key in common, unless that is allowed", () => {
    const again = Step.make("number", { schema: Schema.Finite, run: () => 2 })
    assert.throws(() => number.pipe(Step.andThen(again)), /The chain has two steps named "number"/)
    assert.throws(() => Step.andThen(number, again), /The chain has two steps named "number"/)
    assert.deepStrictEqual(Step.andThen(number, again, { overwrite: true }).node.writes, ["number"])
    assert.deepStrictEqual(number.pipe(Step.andThen(again, { overwrite: true })).node.writes, ["number"])
  })

  it("may be named, with a name that is not blank", () => {
    assert.strictEqual(Step.named(number, "other").name, "other")
    assert.throws(() => Step.named(number, " "), "Step.named needs a non-empty string as the name.")
  })

  it("must be an array of steps", () => {
    assert.throws(() => Pipeline.sequence("all", number as never), /The sequence "all" needs an array of steps/)
    for (const [odd, kind] of [
      [undefined, "nothing"],
      [false, "a boolean"]
    ] as const) {
      const but = new RegExp(`needs .*steps.*, but got ${kind} at index 1\\.$`)
      assert.throws(() => Pipeline.sequence("all", [number, odd as never]), but)
      assert.throws(() => Pipeline.fallback("all", [number, odd as never]), but)
      assert.throws(() => Pipeline.concurrent("all", [number, odd as never]), but)
      assert.throws(() => Pipeline.gen("all", function* () {}, { steps: [number, odd as never] }), but)
    }
  })
})

describe("a reasoning step", () => {
  it("refuses an invalid option, by its name", () => {
    const refused = (options: object) => () => Primitive.decide("go", { question: "Go?", ...options })
    assert.throws(
      refused({ question: " " }),
      /The step "go" needs a non-empty string or a reader of notes as question or prompt/
    )
    assert.throws(refused({ question: undefined }), /Primitive.decide needs the option question/)
    assert.throws(refused({ view: { recent: -1 } }), /The step "go" needs a whole number from 0 as view/)
    assert.throws(refused({ view: { summaryAndRecent: 1.5 } }), /The step "go" needs a whole number from 0 as view/)
    assert.throws(
      refused({ sampling: { temperature: Number.NaN } }),
      /The step "go" needs a finite number from 0 as sampling.temperature, not NaN/
    )
  })

  it.effect("sends no request if the reader of its question returns no text", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([])
      const thought = yield* Thought.make("test", { message: " \n" })
      const message = Note.handle("message", Schema.String)
      for (const [text, got] of [
        [Note.from(message, (content) => content), "an empty string"],
        [Note.from(message, () => 5 as never), "a number"],
        [Note.prompt``, "an empty string"]
      ] as const) {
        const steps: ReadonlyArray<Step.Any> = [
          Primitive.decide("go", { question: text }),
          Primitive.prioritize("go", { criteria: text, items: ["a", "b"] }),
          Primitive.compress("go", { prompt: text }),
          Primitive.amplify("go", { source: message, refine: text, criteria: "Shorter?" })
        ]
        for (const go of steps) {
          const exit = yield* Effect.exit(
            Pipeline.run(Pipeline.sequence("all", [go]), thought).pipe(Effect.provide(model.layer))
          )
          assert.include(
            inspect(exit, { depth: 9 }),
            `The step all/go needs its question or prompt as a non-empty string, but its reader gave ${got}.`
          )
        }
      }
      assert.lengthOf(model.requests, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not write its summary over a note that something else wrote, and asks nothing", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([])
      const go = Primitive.decide("go", { question: "Go?", introspect: true })
      const thought = yield* Thought.make("test", { go_summary: "mine" })
      const exit = yield* Effect.exit(Pipeline.run(go, thought).pipe(Effect.provide(model.layer)))
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", /"go_summary", which is already in use/)
      assert.deepStrictEqual(model.requests, [])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a thought", () => {
  it.effect("prints what it is about and not its notes", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("find the culprit", { message: "canary" })
      for (const printed of [inspect(thought), String(thought)]) {
        assert.include(printed, "find the culprit")
        assert.notInclude(printed, "canary")
      }
      assert.include(inspect(thought), "message")
    })
  )

  it.effect("has nothing under a key that a skipped step would have written", () =>
    Effect.gen(function* () {
      const guarded = number.pipe(
        Step.when("never", () => false, Step.make("extra", { schema: Schema.Finite, run: () => 2 }))
      )
      const done = yield* Pipeline.run(guarded, yield* Thought.make("test"))
      const extra: number | undefined = done.get("extra")
      assert.isUndefined(extra)
      assert.strictEqual(done.get("number"), 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("forked from its past sees what is written after, whatever was hidden later", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { a: "1", b: "2", c: "3" })
      const hiding = yield* Thought.fork(yield* Thought.append(thought, "a", "4"), { hide: ["a"] })
      const past = yield* Thought.fork(Thought.at(hiding, 2))
      assert.isUndefined(past.note("a"))
      const written = yield* Thought.append(past, "a", "new")
      assert.strictEqual(written.note("a")?.content, "new")
    })
  )

  it.effect("reads an earlier value as it was written, though the key got another type since", () =>
    Effect.gen(function* () {
      const n = Note.handle("n", Schema.Finite)
      const thought = yield* Thought.write(yield* Thought.make("test", { n: "text" }), n, 5)
      assert.strictEqual(thought.get("n"), 5)
      assert.strictEqual((Thought.at(thought, 1) as Thought.Thought<{ n: string }>).get("n"), "text")
    })
  )
})
