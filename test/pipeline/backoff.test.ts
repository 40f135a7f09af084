import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Data, Duration, Effect, Exit, Fiber, Random, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import type { BackoffOptions } from "cogito/types"
import { asked, failed, keysOf, limited, plain, succeeded, tagged, watched } from "./attempts.ts"
import { category, providerError, replies, start, ticket, withModel } from "./triage.ts"

const two = Pipeline.sequence("two", [ticket, category])
const failures = (count: number) => Array.from({ length: count }, () => providerError())

/** Lets a run wait as long as it wants to. */
const waiting = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run)
    yield* TestClock.adjust("10 days")
    return yield* Fiber.join(fiber)
  })

/** How long a step waited after each attempt. */
const waits = <In, Out, E>(step: Parameters<typeof watched<In, Out, E>>[0], model: Testing.Scripted) =>
  Effect.map(waiting(watched(step, model)), ({ signals }) =>
    tagged(signals, "AttemptFailed").map(({ waitMillis }) => waitMillis)
  )

describe("a backoff", () => {
  it.effect("does not wait for a step that succeeds [C476]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket])
      // without moving the clock
      const { done } = yield* succeeded(Step.backoff(ticket, { name: "later" }), model)
      assert.deepStrictEqual(done.get("ticket"), replies.ticket)
      assert.strictEqual(model.requests.length, 1)
    })
  )

  it.effect("asks the model with the same bytes, and keeps the attempt that succeeded only [C786]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        providerError(),
        { ...replies.ticket, customer: "canary" },
        providerError(),
        replies.ticket,
        replies.category
      ])
      const { done, stored } = yield* waiting(succeeded(Step.backoff(two, { name: "later" }), model))
      const [first, second, third, fourth] = asked(model)
      assert.deepStrictEqual([second, fourth], [first, first])
      assert.include(third, "canary")
      assert.deepStrictEqual(keysOf(done), ["message", "ticket", "category"])
      assert.strictEqual(done.session.length, 4)
      assert.notInclude(JSON.stringify(stored), "canary")
      assert.deepStrictEqual(plain(stored), plain(done))
    })
  )

  it.effect("waits twice as long each time, up to its cap [C477, C354]", () =>
    Effect.gen(function* () {
      const step = Step.backoff(ticket, { times: 6, cap: "3 seconds", jitter: false, name: "later" })
      assert.deepStrictEqual(yield* waits(step, Testing.scripted(failures(7))), [250, 500, 1_000, 2_000, 3_000, 3_000])
    })
  )

  it.effect("waits by the clock", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([...failures(2), replies.ticket])
      const step = Step.backoff(ticket, { base: "50 millis", jitter: false, name: "later" })
      const fiber = yield* Effect.forkChild(succeeded(step, model))
      yield* TestClock.adjust("49 millis")
      assert.strictEqual(model.requests.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(model.requests.length, 2)
      yield* TestClock.adjust("99 millis")
      assert.strictEqual(model.requests.length, 2)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(fiber)
      assert.strictEqual(model.requests.length, 3)
    })
  )

  it.effect("shows its base and factor in the outline", () =>
    Effect.gen(function* () {
      const step = Step.backoff(ticket, { times: 3, base: "1 second", factor: 10, jitter: false, name: "later" })
      assert.deepStrictEqual(yield* waits(step, Testing.scripted(failures(4))), [1_000, 10_000, 30_000])
      const steady = ticket.pipe(Step.backoff({ times: 3, base: "1 second", factor: 1, jitter: false }))
      assert.deepStrictEqual(yield* waits(steady, Testing.scripted(failures(4))), [1_000, 1_000, 1_000])
    })
  )

  it.effect("with jitter waits from half of that to the whole of it", () =>
    Effect.gen(function* () {
      const step = Step.backoff(ticket, { times: 60, base: "1 second", factor: 1, name: "later" })
      const all = yield* waits(step, Testing.scripted(failures(61)))
      assert.strictEqual(all.length, 60)
      assert.isTrue(all.every((wait) => wait >= 500 && wait <= 1_000))
      assert.isTrue(Math.min(...all) < 650 && Math.max(...all) > 850)
      assert.isAbove(new Set(all).size, 30)
    }).pipe(Random.withSeed("jitter"))
  )

  it.effect("waits at least as long as the error requests", () =>
    Effect.gen(function* () {
      const step = Step.backoff(ticket, { times: 3, jitter: false, name: "later" })
      const model = Testing.scripted([limited("7 seconds"), limited("1 millis"), providerError(), replies.ticket])
      assert.deepStrictEqual(yield* waits(step, model), [7_000, 500, 1_000])
      assert.strictEqual(model.remaining(), 0)
    })
  )

  it.effect("gives up at once if the error requests more than its cap", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), limited("11 seconds")])
      const step = Step.backoff(ticket, { cap: "10 seconds", jitter: false, name: "later" })
      const fiber = yield* Effect.forkChild(failed(step, model))
      yield* TestClock.adjust("250 millis")
      const { error } = yield* Fiber.join(fiber)
      assert.strictEqual(error.cause._tag === "ProviderError" && error.cause.reason._tag, "RateLimited")
      assert.strictEqual(error.before.length, 1)
      assert.strictEqual(error.durationMillis, 250)
    })
  )

  it.effect("waits if the error requests exactly its cap", () =>
    Effect.gen(function* () {
      const step = Step.backoff(ticket, { cap: "10 seconds", jitter: false, name: "later" })
      assert.deepStrictEqual(yield* waits(step, Testing.scripted([limited("10 seconds"), replies.ticket])), [10_000])
    })
  )

  it.effect("without a cap waits as long as the error requests", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([limited("2 hours"), replies.ticket])
      const step = Step.backoff(ticket, { cap: Duration.infinity, jitter: false, name: "later" })
      assert.deepStrictEqual(yield* waits(step, model), [7_200_000])
    })
  )

  it.effect("gives up at once if the error requests an infinite wait", () =>
    Effect.gen(function* () {
      const growing = ticket.pipe(Step.backoff({ cap: Duration.infinity }))
      const scheduled = ticket.pipe(Step.backoff({ schedule: Schedule.spaced("1 second") }))
      for (const step of [growing, scheduled]) {
        const { error } = yield* failed(step, Testing.scripted([limited(Duration.infinity)]))
        assert.strictEqual(error.durationMillis, 0)
      }
    })
  )

  it.effect("without attempts left fails as the last did, with those before it, and waits no more [C481]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([...failures(2), providerError("Connection")])
      const step = Step.backoff(ticket, { times: 2, jitter: false, name: "later" })
      const fiber = yield* Effect.forkChild(failed(step, model))
      yield* TestClock.adjust("750 millis")
      const { error, signals, stored, thought } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(error.path, ["later", "ticket"])
      assert.strictEqual(error.cause._tag === "ProviderError" && error.cause.reason._tag, "Connection")
      assert.deepStrictEqual(
        error.before.map(({ durationMillis, path }) => [path, durationMillis]),
        [
          [["later", "ticket"], 0],
          [["later", "ticket"], 0]
        ]
      )
      assert.strictEqual(tagged(signals, "AttemptFailed").length, 2)
      assert.deepStrictEqual(plain(stored), plain(thought))
    })
  )

  it.effect("emits for each wait which attempt failed, why, and how long it waits [C482]", () =>
    Effect.gen(function* () {
      const step = Step.backoff(ticket, { times: 2, jitter: false, name: "later" })
      const { signals } = yield* waiting(watched(step, Testing.scripted(failures(3))))
      assert.deepStrictEqual(
        tagged(signals, "AttemptFailed").map(({ attempt, error, path, waitMillis }) => [
          path,
          attempt,
          error,
          waitMillis
        ]),
        [
          [["later"], 1, "ProviderError", 250],
          [["later"], 2, "ProviderError", 500]
        ]
      )
    })
  )

  it.effect("tries four more times", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(failures(5))
      yield* waits(Step.backoff(ticket, { name: "later" }), model)
      assert.strictEqual(model.requests.length, 5)
    })
  )

  it.effect("does not retry errors that are not retryable or that `while` excludes", () =>
    Effect.gen(function* () {
      const refused = Testing.scripted([providerError("Authentication")])
      yield* failed(Step.backoff(ticket, { name: "later" }), refused)
      const excluded = Testing.scripted([providerError()])
      yield* failed(Step.backoff(ticket, { while: (error) => error._tag !== "ProviderError", name: "later" }), excluded)
      assert.deepStrictEqual([refused.requests.length, excluded.requests.length], [1, 1])
    })
  )

  it.effect("does not repeat a defect [C484]", () =>
    Effect.gen(function* () {
      let runs = 0
      const broken = Step.make("broken", { run: Effect.suspend(() => (runs++, Effect.die(new Error("broken")))) })
      const { exit } = yield* watched(broken.pipe(Step.backoff()), Testing.scripted([]))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(runs, 1)
    })
  )

  it.effect("can be interrupted while it waits, and makes no further attempt [C480]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), replies.ticket])
      const fiber = yield* Effect.flatMap(start, (thought) =>
        Pipeline.run(Step.backoff(ticket, { name: "later" }), thought)
      ).pipe(withModel(model), Effect.forkChild)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(model.requests.length, 1)
    })
  )
})

class Tempo extends Context.Service<Tempo, { readonly wait: Duration.Input }>()("test/Tempo") {}
class Closed extends Data.TaggedError("Closed")<{ readonly hour: number }> {}

describe("a backoff with a custom schedule", () => {
  it.effect("waits as the schedule determines, and ends with it", () =>
    Effect.gen(function* () {
      const schedule = Schedule.spaced("3 seconds").pipe(Schedule.upTo({ times: 2 }))
      const model = Testing.scripted(failures(3))
      assert.deepStrictEqual(yield* waits(Step.backoff(ticket, { schedule, name: "later" }), model), [3_000, 3_000])
      assert.strictEqual(model.requests.length, 3)
    })
  )

  it.effect("begins the schedule anew in every run", () =>
    Effect.gen(function* () {
      const step = ticket.pipe(Step.backoff({ schedule: Schedule.recurs(1) }))
      for (const _ of [1, 2]) {
        const model = Testing.scripted(failures(2))
        yield* failed(step, model)
        assert.strictEqual(model.requests.length, 2)
      }
    })
  )

  it.effect("waits at least as long as the error requests", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([limited("1 minute"), providerError(), replies.ticket])
      const step = Step.backoff(ticket, { schedule: Schedule.spaced("3 seconds"), name: "later" })
      assert.deepStrictEqual(yield* waits(step, model), [60_000, 3_000])
    })
  )

  it.effect("passes the errors and the required services to the schedule", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const schedule = Schedule.forever.pipe(
        Schedule.setInputType<Closed>(),
        Schedule.while(({ input }) => Effect.succeed(input.hour < 3)),
        Schedule.addDelay(() => Effect.map(Tempo, ({ wait }) => wait))
      )
      let hour = 0
      const open = Step.make("open", {
        run: Effect.suspend(() => (seen.push(++hour), Effect.fail(new Closed({ hour }))))
      })
      const step = Step.backoff(open, { schedule, name: "later" })
      const error = yield* Effect.gen(function* () {
        return yield* waiting(Effect.flip(Pipeline.run(step, yield* Thought.make("test"))))
      }).pipe(Effect.provideService(Tempo, { wait: "1 hour" }), Effect.provide(Testing.memory))
      assert.deepStrictEqual(seen, [1, 2, 3])
      assert.strictEqual(error.durationMillis, 7_200_000)
      assert.strictEqual(error.cause._tag === "Closed" && error.cause.hour, 3)
    })
  )

  it.effect("fails as the schedule does, with the attempts before it", () =>
    Effect.gen(function* () {
      const schedule = Schedule.recurs(5).pipe(
        Schedule.addDelay(({ attempt }) =>
          attempt === 1 ? Effect.succeed("1 second") : Effect.fail(new Closed({ hour: 1 }))
        )
      )
      const model = Testing.scripted(failures(2))
      const { error } = yield* waiting(failed(Step.backoff(ticket, { schedule, name: "later" }), model))
      assert.instanceOf(error.cause, Closed)
      assert.deepStrictEqual(error.path, ["later"])
      assert.deepStrictEqual(
        error.before.map(({ path }) => path),
        [
          ["later", "ticket"],
          ["later", "ticket"]
        ]
      )
    })
  )
})

describe("a backoff as a step", () => {
  it("is the handle of the note that it wraps, however it is made [C486]", () => {
    const named = Step.backoff(ticket, { name: "later" })
    const piped = ticket.pipe(Step.backoff())
    const first = Step.backoff(ticket, { times: 1, base: "1 second", cap: "1 minute", factor: 3, jitter: false })
    for (const step of [named, piped, first]) assert.strictEqual(step.key, "ticket")
    assert.deepStrictEqual([named.name, piped.name, first.name], ["later", "backoff(ticket)", "backoff(ticket)"])
    assert.deepStrictEqual(first.node, {
      name: "backoff(ticket)",
      kind: "backoff",
      reads: [],
      writes: ["ticket"],
      surely: ["ticket"],
      children: [ticket.node],
      settings: { times: 1, base: "1s", factor: 3, cap: "1m", jitter: false }
    })
    assert.deepStrictEqual(named.node.settings, { times: 4, base: "250ms", factor: 2, cap: "30s", jitter: true })
    assert.isUndefined(ticket.pipe(Step.backoff({ schedule: Schedule.recurs(1) })).node.settings)
  })

  it.effect("is read like the step that it wraps", () =>
    Effect.gen(function* () {
      const size = Step.make("size", { schema: Schema.Finite, run: () => 3 }).pipe(Step.backoff())
      const done = yield* Pipeline.run(size, yield* Thought.make("test"))
      assert.strictEqual(yield* Thought.read(yield* Memory.load(done.id), size), 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("refuses options that make no sense [C479]", () => {
    const later = (options: BackoffOptions<any>) => () => Step.backoff(ticket, { ...options, name: "later" })
    assert.throws(later({ times: -1 }), /^The step "later" needs a whole number from 0 as times/)
    assert.throws(later({ base: 0 }), /^The step "later" needs a finite time above 0, such as "5 seconds", as base/)
    assert.throws(later({ base: -5 }), /^The step "later" needs a finite time above 0, such as "5 seconds", as base/)
    assert.throws(later({ base: Duration.infinity }), /needs a finite time above 0, such as "5 seconds", as base\.$/)
    assert.throws(
      later({ base: "soon" as "1 second" }),
      /^The step "later" needs a finite time above 0, such as "5 seconds", as base/
    )
    assert.throws(later({ cap: 0 }), /^The step "later" needs a time above 0, such as "5 seconds", as cap/)
    for (const factor of [0.5, Number.NaN, Infinity]) {
      assert.throws(later({ factor }), /^The step "later" needs a finite number from 1 as factor/)
    }
  })
})
