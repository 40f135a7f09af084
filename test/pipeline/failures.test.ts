import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { type Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { same } from "../types/same.ts"

// What a PipelineError says when connectors are around the step that failed.

class Busy extends Data.TaggedError("Busy")<{ readonly at: string }> {
  override get message() {
    return `${this.at} is busy: try later`
  }
}
class Lost extends Data.TaggedError("Lost")<{}> {}

/** A step that fails after so many milliseconds. */
const busy = (name: string, millis: number) =>
  Step.make(name, { run: Effect.andThen(Effect.sleep(millis), Effect.fail(new Busy({ at: name }))) })
const number = (name: string, millis = 0) =>
  Step.make(name, { schema: Schema.Finite, run: Effect.as(Effect.sleep(millis), 1) })

/** The error of a run that ends on the test's clock. */
const errorOf = <E>(step: Step.Step<{}, unknown, E, Memory.Memory>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(Pipeline.run(step, yield* Thought.make("fail"))))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(Testing.memory))

/** Path, cause and duration, and what was before and beside it. */
interface Told {
  readonly at: string
  readonly cause: string
  readonly millis: number
  readonly before: ReadonlyArray<Told>
  readonly beside: ReadonlyArray<Told>
}
const told = ({ before, beside, cause, durationMillis, path }: Pipeline.Failure): Told => ({
  at: path.join("/"),
  cause: cause instanceof Error ? cause.name : String(cause),
  millis: durationMillis,
  before: before.map(told),
  beside: beside.map(told)
})
const busyAt = (at: string, millis: number, others: Partial<Told> = {}): Told => ({
  at,
  cause: "Busy",
  millis,
  before: [],
  beside: [],
  ...others
})

describe("the path of a failure", () => {
  const bad = () => busy("bad", 10)
  const draft = Note.handle("draft", Schema.String)
  const yes = { decision: true, confidence: 0.9, reasoning: ["So it is."] }
  const connectors: ReadonlyArray<readonly [string, Step.Step<{}, unknown, unknown, any>, ReadonlyArray<string>]> = [
    ["a sequence", Pipeline.sequence("all", [number("a"), bad()]), ["all", "bad"]],
    ["a chain, which has no place of its own", number("a").pipe(Step.andThen(bad())), ["bad"]],
    ["a conditional step", number("a").pipe(Step.when("now", () => true, bad())), ["now", "bad"]],
    ["a retry", Step.retry(bad(), { name: "again" }), ["again", "bad"]],
    ["a piped retry", bad().pipe(Step.retry({ times: 1 })), ["retry(bad)", "bad"]],
    ["a backoff", Step.backoff(bad(), { times: 1, name: "later" }), ["later", "bad"]],
    ["a timeout that is not reached", Step.timeout(bad(), "1 minute", { name: "soon" }), ["soon", "bad"]],
    ["a fallback", Pipeline.fallback("either", [busy("first", 1), bad()]), ["either", "bad"]],
    ["a filter", Pipeline.filter("only", { when: () => true, step: bad() }), ["only", "bad"]],
    [
      "a route of a filter",
      Pipeline.filter("only", { when: () => false, step: number("a"), otherwise: bad() }),
      ["only", "otherwise", "bad"]
    ],
    [
      "a route of a switch",
      Pipeline.switch("way", { on: () => "left" as const, branches: { left: bad() } }),
      ["way", "left", "bad"]
    ],
    ["a gate", Pipeline.gate("open", { check: () => "pass" as const, step: bad() }), ["open", "bad"]],
    ["a race", Pipeline.race("first", { a: bad() }), ["first", "a", "bad"]],
    ["a contest", Pipeline.contest("best", { a: bad() }, { accept: () => true }), ["best", "a", "bad"]],
    ["branches", Pipeline.concurrent("both", { a: bad() }, { minSuccesses: 1 }), ["both"]],
    ["a recovery", Step.recover(busy("first", 1), bad(), { name: "saved" }), ["saved", "with", "bad"]],
    ["an observer", Step.handle(bad(), () => Effect.void, { name: "seen" }), ["seen", "bad"]],
    ["a limit of workers", Step.workerLimit(bad(), { workers: 1, name: "few" }), ["few", "bad"]],
    [
      "a sift",
      Primitive.sift("worth", { question: "?", step: bad(), provider: Testing.scripted([yes]).provider }),
      ["worth", "bad"]
    ],
    [
      "a converge, whose failures are in the error",
      Primitive.converge("both", { branches: { a: bad() }, prompt: "?" }),
      ["both"]
    ],
    [
      "a step in five connectors",
      Pipeline.sequence("one", [
        Step.retry(
          Pipeline.race("three", {
            four: Pipeline.filter("five", { when: () => true, step: Pipeline.sequence("six", [bad()]) })
          }),
          { times: 0, name: "two" }
        )
      ]),
      ["one", "two", "three", "four", "five", "six", "bad"]
    ],
    [
      "a reader, which fails where the step is that reads",
      Step.make("read", { run: Note.from(draft, () => Effect.fail(new Busy({ at: "read" }))) }) as Step.Step<
        {},
        {},
        Busy
      >,
      ["read"]
    ]
  ]
  it.effect.each(connectors)("leads through %s [C794]", ([, step, path]) =>
    Effect.gen(function* () {
      const fiber = yield* Thought.make("fail", { draft: "text" }).pipe(
        Effect.flatMap((thought) => Pipeline.run(step as Step.Step<{}, unknown, unknown>, thought)),
        Effect.flip,
        Effect.provide(Layer.merge(Testing.memory, Testing.scripted([]).layer)),
        Effect.forkChild
      )
      yield* TestClock.adjust("1 hour")
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual(error.path, path)
    })
  )
})

describe("what failed before and beside", () => {
  it.effect("has the attempts of a retry, oldest first, each with how long it ran [C392]", () =>
    Effect.gen(function* () {
      let calls = 0
      const step = Step.make("bad", {
        run: Effect.suspend(() => Effect.andThen(Effect.sleep(++calls * 10), Effect.fail(new Busy({ at: `${calls}` }))))
      })
      const error = yield* errorOf(Step.retry(step, { times: 2, name: "again" }))
      assert.deepStrictEqual(told(error), {
        ...busyAt("again/bad", 60),
        before: [busyAt("again/bad", 10), busyAt("again/bad", 20)]
      })
      // one who only has the cause has the last attempt's
      assert.strictEqual(error.cause instanceof Busy && error.cause.at, "3")
    })
  )

  it.effect("has the branches of a race by declaration, not by time, with the attempts of each", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(
        Pipeline.race("first", {
          slow: busy("x", 50),
          quick: busy("y", 10).pipe(Step.retry({ times: 1 }))
        })
      )
      assert.deepStrictEqual(told(error), {
        ...busyAt("first/slow/x", 50),
        beside: [busyAt("first/quick/retry(y)/y", 10, { before: [busyAt("first/quick/retry(y)/y", 10)] })]
      })
    })
  )

  it.effect("is easy to understand: a retry in a race in a fallback", () =>
    Effect.gen(function* () {
      const race = Pipeline.race("fastest", { a: busy("x", 20).pipe(Step.retry({ times: 1 })), b: busy("y", 5) })
      const error = yield* errorOf(Pipeline.fallback("cascade", [race, busy("last", 7)]))
      assert.strictEqual(
        error.message,
        `
cascade/last failed after 47 ms: Busy: last is busy: try later
  before: cascade/fastest/a/retry(x)/x failed after 20 ms: Busy: x is busy: try later
    before: cascade/fastest/a/retry(x)/x failed after 20 ms: Busy: x is busy: try later
    beside: cascade/fastest/b/y failed after 5 ms: Busy: y is busy: try later
`.trim()
      )
      const printed = inspect(error)
      assert.include(printed, `PipelineError: ${error.message}\n`)
      assert.match(printed, /\n\[cause\]: Busy: last is busy: try later\n +at /)
      assert.include(error.stack, error.message)
    })
  )

  it.effect("has no sibling that was interrupted, only those that failed", () =>
    Effect.gen(function* () {
      const sides = { quick: busy("x", 1), slow: number("y", 1_000) }
      const error = yield* errorOf(Pipeline.concurrent("both", sides))
      assert.strictEqual(error.durationMillis, 1)
      assert.deepStrictEqual(told(error).beside, [])
      assert.notInclude(JSON.stringify(error), "slow")
    })
  )

  it.effect("has no failure that was recovered from", () =>
    Effect.gen(function* () {
      const saved = Pipeline.fallback("saved", [busy("first", 1), number("second")])
      const error = yield* errorOf(Pipeline.sequence("all", [saved, busy("bad", 1)]))
      assert.deepStrictEqual(told(error), busyAt("all/bad", 2))
    })
  )
})

describe("a defect", () => {
  const both = Step.make("both", {
    run: Effect.fail(new Busy({ at: "both" })).pipe(Effect.ensuring(Effect.die(new Error("a bug"))))
  })
  it.effect.each<readonly [string, Step.Step<{}, unknown, Busy>]>([
    ["a retry", Step.retry(both, { times: 3, name: "again" })],
    ["a race", Pipeline.race("first", { a: both, b: number("n", 1) })],
    ["a fallback", Pipeline.fallback("either", [both, number("n")]) as Step.Step<{}, unknown, Busy>]
  ])("takes precedence over the failure beside it, and nothing recovers from it: %s", ([, step]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Pipeline.run(step, yield* Thought.make("fail")))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
      assert.include(String(Exit.isFailure(exit) && exit.cause), "a bug")
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the cause of a failure", () => {
  it.effect("distinguishes a time limit from another failure, by its tag and in words [C393, C395, C396]", () =>
    Effect.gen(function* () {
      const slow = Step.timeout(busy("slow", 5_000), "2 seconds", { name: "soon" })
      const late = yield* errorOf(Pipeline.sequence("all", [slow]))
      assert.deepStrictEqual(
        [late.cause._tag, late.path.join("/"), late.durationMillis],
        ["TimeoutError", "all/soon", 2_000]
      )
      assert.match(late.message, /^all\/soon failed after 2000 ms: TimeoutError: .*soon/)
      const quick = Step.timeout(busy("quick", 1), "2 seconds", { name: "soon" })
      assert.strictEqual((yield* errorOf(quick)).cause._tag, "Busy")
    })
  )

  it.effect("is absent if a run is interrupted, whatever is around the step [C397]", () =>
    Effect.gen(function* () {
      const slow = Pipeline.race("first", { a: number("slow", 1_000) }).pipe(Step.retry({ times: 3 }))
      const fiber = yield* Effect.forkChild(Pipeline.run(slow, yield* Thought.make("x")))
      yield* TestClock.adjust("1 second")
      const other = yield* Effect.forkChild(Pipeline.run(Pipeline.sequence("all", [slow]), yield* Thought.make("y")))
      yield* TestClock.adjust("10 millis")
      yield* Fiber.interrupt(other)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
      const exit = yield* Fiber.await(other)
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Interrupt"))
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a run within a step", () => {
  /** A step that runs another pipeline, on a thought of its own. */
  const running = <E>(name: string, step: Step.Step<{}, unknown, E, Memory.Memory>) =>
    Step.make(name, { run: Effect.flatMap(Thought.make(name), (thought) => Pipeline.run(step, thought)) })

  it.effect("has one error however deep it is, in its type as well", () =>
    Effect.gen(function* () {
      const three = running("outer", running("middle", running("inner", busy("bad", 5))))
      const typed = (step: Step.Step<{}, {}, Pipeline.PipelineError<Pipeline.PipelineError<Busy> | Lost>>) =>
        Effect.flatMap(Thought.make("x"), (thought) => Pipeline.run(step, thought))
      type E = ReturnType<typeof typed> extends Effect.Effect<any, infer E, any> ? E : never
      same<E, Pipeline.PipelineError<Busy | Lost | Memory.MemoryError>>(true)
      const error = yield* errorOf(Step.retry(three, { times: 1, name: "again" }))
      const path = "again/outer/middle/inner/bad"
      same<typeof error, Pipeline.PipelineError<Busy | Memory.MemoryError>>(true)
      assert.instanceOf(error.cause, Busy)
      assert.strictEqual(error.path.join("/"), path)
      assert.deepStrictEqual(
        told(error).before.map(({ at, cause }) => [at, cause]),
        [[path, "Busy"]]
      )
    })
  )

  it.effect("includes what failed before and beside it inside", () =>
    Effect.gen(function* () {
      const inner = Pipeline.race("first", { a: busy("x", 1).pipe(Step.retry({ times: 1 })), b: busy("y", 1) })
      const error = yield* errorOf(running("outer", inner))
      assert.deepStrictEqual(told(error).before, [busyAt("outer/first/a/retry(x)/x", 1)])
      assert.deepStrictEqual(told(error).beside, [busyAt("outer/first/b/y", 1)])
    })
  )

  it.effect("lists earlier attempts around it before the attempts of the last run", () =>
    Effect.gen(function* () {
      const inner = busy("bad", 5).pipe(Step.retry({ times: 1 }))
      const error = yield* errorOf(Pipeline.fallback("either", [busy("early", 3), running("outer", inner)]))
      const at = "either/outer/retry(bad)/bad"
      assert.strictEqual(error.path.join("/"), at)
      assert.deepStrictEqual(told(error).before, [busyAt("either/early", 3), busyAt(at, 5)])
    })
  )
})

describe("a printed failure", () => {
  class Own extends Error {
    override get message(): string {
      throw new Error("not this one")
    }
  }
  const cyclic: Record<string, unknown> = { _tag: "Cyclic", big: 10n, call: () => 1, not: NaN }
  cyclic["self"] = cyclic
  const backward: Record<string, unknown> = { _tag: "Backward" }
  backward["one"] = { toJSON: () => backward }
  backward["two"] = { three: { toJSON: () => backward } }
  backward["own"] = { toJSON: () => [backward][0] }
  const huge = { _tag: "Huge", rows: Array.from({ length: 50_000 }, (_, i) => ({ i, text: "x".repeat(5_000) })) }
  let deep: unknown = "end"
  for (let i = 0; i < 20_000; i++) deep = { deep }
  const failing = {
    get _tag() {
      return "Failing"
    },
    get secret(): string {
      throw new Error("not readable")
    }
  }
  const hostile: ReadonlyArray<readonly [string, unknown, string, unknown]> = [
    [
      "a cause within itself",
      cyclic,
      "Cyclic",
      { _tag: "Cyclic", big: "10", call: "[function]", not: "NaN", self: "[cycle]" }
    ],
    [
      "JSON that refers back to its container",
      backward,
      "Backward",
      { _tag: "Backward", one: "[cycle]", two: { three: "[cycle]" }, own: "[cycle]" }
    ],
    ["a message that throws", new Own(), "Error: its message cannot be read", "[not readable]"],
    ["a getter that throws", failing, "Failing", { _tag: "Failing", secret: "[not readable]" }],
    ["a message of several lines", new Error("one\ntwo\r\nthree"), "Error: one\n  two\n  three", undefined],
    [
      "an Error, which JSON knows nothing of",
      new TypeError("no"),
      "TypeError: no",
      { name: "TypeError", message: "no" }
    ],
    ["nothing", null, "null", null],
    [
      "a hundred fields",
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, i])),
      "an error that is not an Error",
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, i]))
    ],
    [
      "more than a hundred fields",
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, i])),
      "an error that is not an Error",
      { ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, i])), "...": "..." }
    ],
    ["a symbol", Symbol("s"), "Symbol(s)", "Symbol(s)"],
    ["a long message", new Error("x".repeat(1_000_000)), `Error: ${"x".repeat(990)}...`, undefined],
    ["a huge cause", huge, "Huge", undefined],
    ["a deep cause", deep, "an error that is not an Error", undefined]
  ]
  it.effect.each(hostile)(
    "is short and can be printed, whatever the cause: %s [C399, C400]",
    ([, cause, words, json]) =>
      Effect.gen(function* () {
        const error = yield* errorOf(Step.make("print", { run: Effect.fail(cause) }))
        assert.strictEqual(error.cause, cause)
        assert.strictEqual(error.message, `print failed after 0 ms: ${words}`)
        assert.include(inspect(error).replaceAll("\n  ", " "), "print failed after 0 ms")
        const written = JSON.stringify(error)
        assert.isBelow(written.length, 300_000)
        if (json !== undefined) assert.deepStrictEqual(JSON.parse(written).cause, json)
      })
  )

  it.effect("has plain data for what was before and beside it, and no thought's notes", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("canary", { secret: "canary" })
      let calls = 0
      const step = Step.make("bad", { run: Effect.suspend(() => Effect.fail({ thought, call: ++calls })) })
      const error = yield* errorOf(Step.retry(step, { times: 1, name: "again" }))
      const written = JSON.stringify(error)
      assert.notInclude(written, "canary")
      const path = ["again", "bad"]
      assert.deepStrictEqual(JSON.parse(written).before, [
        { path, cause: { thought: { thoughtId: thought.id }, call: 1 }, durationMillis: 0, before: [], beside: [] }
      ])
    })
  )

  it.effect("has 1,000 values and 50,000 characters of its cause, and 100 and 2,000 of each before and beside it", () =>
    Effect.gen(function* () {
      const cause = {
        texts: Array.from({ length: 30 }, () => "x".repeat(2_000)),
        lists: Array.from({ length: 40 }, () => Array.from({ length: 30 }, () => 7))
      }
      const bad = (name: string, millis: number) =>
        Step.make(name, { run: Effect.andThen(Effect.sleep(millis), Effect.fail(cause)) })
      const sides = Pipeline.race("first", { a: bad("a", 1), b: bad("b", 2) })
      const error = yield* errorOf(Pipeline.fallback("either", [bad("early", 1), sides]))
      const countsOf = ({ cause, ...failure }: any): any => ({
        sevens: JSON.stringify(cause).split("7").length - 1,
        text: JSON.stringify(Object.values(cause)[0]).split("x").length - 1,
        before: failure.before.map(countsOf),
        beside: failure.beside.map(countsOf)
      })
      // the keys, texts and lists are values, and the keys and three dots are texts
      const other = { sevens: 100 - 72, text: 2_000 - 5 - 3, before: [], beside: [] }
      assert.deepStrictEqual(countsOf(JSON.parse(JSON.stringify(error))), {
        sevens: 1_000 - 72,
        text: 50_000 - 5 - 3,
        before: [other],
        beside: [other]
      })
      // where there are too many values in all, it says so as well
      const listsOf = (count: number) => [
        ...Array.from({ length: Math.floor(count / 30) }, () => Array.from({ length: 30 }, () => 7)),
        [...Array.from({ length: count % 30 }, () => 7), "..."],
        ...Array.from({ length: 39 - Math.floor(count / 30) }, () => "...")
      ]
      const written = JSON.parse(JSON.stringify(error))
      assert.deepStrictEqual(Object.values(written.cause)[1], listsOf(1_000 - 72))
      assert.deepStrictEqual(Object.values(written.before[0].cause)[1], listsOf(100 - 72))
    })
  )

  it.effect("names twenty failures before it, and how many more there were", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(Step.retry(busy("bad", 1), { times: 200, name: "again" }))
      const lines = error.message.split("\n")
      assert.strictEqual(lines.length, 22)
      assert.strictEqual(lines.at(-1), "  before: 180 more failures")
    })
  )

  it.effect("stays on its lines, whatever the name of a step", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(Step.make("a\nb\u202e", { run: Effect.fail("no") }))
      assert.strictEqual(error.message, "a\\u{a}b\\u{202e} failed after 0 ms: no")
    })
  )
})
