import { it } from "@effect/vitest"
import { Clock, Data, Duration, Effect, Fiber, Random, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Budget, CircuitBreaker, type Note, Pipeline, Primitive, RateLimiter, Step, WorkerPool } from "cogito"
import { observe } from "../observed.ts"
import { transcribe } from "../transcript.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly part: string; readonly isRetryable?: boolean }> {}
class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.Duration }> {}

const broken = (part: string) => new Broken({ part })
const busy = (time: Duration.Input) => new Busy({ retryAfter: Duration.fromInputUnsafe(time) })
const yes = { decision: true, confidence: 0.91, reasoning: ["It says so."] }
const write = (key: string) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })
const late = (key: string, time: Duration.Input) => Step.make(key, { run: Effect.sleep(time) })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

/** Fails with these errors, one a run, and then writes. */
const shaky = (key: string, ...errors: ReadonlyArray<unknown>) => {
  let runs = 0
  return Step.make(key, {
    schema: Schema.String,
    run: Effect.suspend(() => (runs < errors.length ? Effect.fail(errors[runs++]) : Effect.succeed(`${key} at last`)))
  })
}

type Seen = Readonly<Record<string, any>>

/** Of what can be observed, when and why something waits, fails or changes; and how and when it ends. */
const told = (step: Step.Any, options: Parameters<typeof observe>[1] = {}) =>
  Effect.gen(function* () {
    const { outline, result, signals }: Seen = yield* observe(step, { ticking: true, ...options })
    const kinds = /^(?:StepStarted|StepCompleted|NoteStored|NoteAdded|ThoughtCreated|NotesPublished|CallCompleted)/
    const notes: ReadonlyArray<Note.Note> = result.notes?.filter((note: unknown) => typeof note === "object")
    return {
      outline: outline.split("\n")[0],
      ended: `at ${yield* Clock.currentTimeMillis}`,
      ...(notes === undefined
        ? { result }
        : { wrote: notes.map(({ content, created, key }) => `${key}: ${content} at ${created.epochMilliseconds}`) }),
      signals: signals.filter((one: Seen) => !kinds.test(one["_tag"]))
    }
  })

const refused = (...makes: ReadonlyArray<() => unknown>) =>
  Effect.forEach(makes, (make) => Effect.exit(Effect.sync(() => String(make()))))

/** What several runs come to that begin together, and when. */
const together = (step: Step.Any, runs: number, later: Effect.Effect<unknown> = Effect.void) =>
  Effect.all([Effect.forEach(Array.from({ length: runs }), () => told(step), { concurrency: "unbounded" }), later], {
    concurrency: "unbounded"
  })

const scenario = <A>(run: Effect.Effect<A>) => run.pipe(Effect.provide(TestClock.layer()), Random.withSeed("limits"))
const all = (scenarios: Readonly<Record<string, Effect.Effect<unknown>>>) =>
  Object.fromEntries(Object.entries(scenarios).map(([name, one]) => [name, scenario(one)]))

const odd: any = { ...Pipeline, ...Step }

it.effect("what is retried, and when", () =>
  transcribe(
    "retries",
    all({
      "Tried again as often as is allowed, and one more failure": Effect.forEach([1, 2], (more) =>
        told(
          Step.retry(shaky("a", ...["one", "two", "three"].slice(0, more + 1).map(broken)), { times: 2, name: "again" })
        )
      ),
      "Never tried again": told(Step.retry(shaky("a", broken("one")), { times: 0, name: "again" })),
      "Tried again by default, piped, and not what says that it is in vain": Effect.all([
        told(shaky("a", broken("one"), broken("two"), broken("three")).pipe(Step.retry())),
        told(shaky("a", new Broken({ part: "one", isRetryable: false })).pipe(Step.retry({ times: 3 }))),
        told(Step.retry(shaky("a", broken("one"), "in vain"), { while: (error) => error !== "in vain" }))
      ]),
      "Longer waits, up to the cap, with every option": told(
        Step.backoff(shaky("a", broken("one"), broken("two"), broken("three"), broken("four"), "never"), {
          times: 5,
          base: "200 millis",
          factor: 2.5,
          cap: "1.1 seconds",
          jitter: false,
          while: (error) => error !== "never",
          name: "slowly"
        })
      ),
      "Waits by default, of random length": told(
        Step.backoff(shaky("a", broken("one"), broken("two"), broken("three"), broken("four"), broken("five")))
      ),
      "An error that says how long to wait at least: less, as much as the cap, more, and for ever": Effect.forEach(
        ["50 millis", "1 second", "1001 millis", Duration.infinity] as ReadonlyArray<Duration.Input>,
        (time) =>
          told(
            Step.backoff(shaky("a", busy(time)), { base: "80 millis", cap: "1 second", jitter: false, name: "slowly" })
          )
      ),
      "Without a cap": told(
        Step.backoff(shaky("a", busy("2 minutes"), broken("two")), {
          base: "1 second",
          factor: 1,
          cap: Duration.infinity,
          jitter: false,
          name: "slowly"
        })
      ),
      "By a schedule, which an error may make wait for longer": told(
        Step.backoff(shaky("a", broken("one"), busy("4 seconds"), broken("three"), broken("four")), {
          schedule: Schedule.max([Schedule.spaced("1500 millis"), Schedule.recurs(3)]),
          while: (error) => (error as Broken).part !== "four",
          name: "planned"
        })
      ),
      "By a schedule that ends": told(
        Step.backoff(shaky("a", broken("one"), broken("two")), { schedule: Schedule.recurs(1) })
      ),
      "A retry within a retry": told(
        Step.retry(Step.retry(shaky("a", broken("one"), broken("two"), broken("three")), { times: 1, name: "inner" }), {
          times: 1,
          name: "outer"
        })
      ),
      "Time limits kept, kept by a hair, and not kept": Effect.forEach(
        ["2 seconds", "3 seconds", "1.5 seconds"],
        (duration) => told(Step.timeout(late("a", "1999 millis"), duration as Duration.Input, { name: "short" }))
      ),
      "A time limit around attempts that have failed": told(
        Step.timeout(
          Step.backoff(shaky("a", broken("one"), broken("two"), broken("three")), {
            base: "2 seconds",
            jitter: false,
            name: "slowly"
          }),
          "5 seconds"
        )
      ),
      "A time limit tried again": told(
        Step.retry(Step.timeout(late("a", "1 minute"), "1 second"), { times: 1, name: "again" })
      ),
      "What cannot be": refused(
        () => odd.retry(write("a"), { times: -1, name: "again" }),
        () => odd.retry(write("a"), { times: 1.5, name: "again" }),
        () => odd.backoff(write("a"), { times: Number.NaN, name: "slowly" }),
        () => odd.backoff(write("a"), { factor: 0.99, name: "slowly" }),
        () => odd.backoff(write("a"), { factor: Infinity, name: "slowly" }),
        () => odd.backoff(write("a"), { base: 0, name: "slowly" }),
        () => odd.backoff(write("a"), { base: Duration.infinity, name: "slowly" }),
        () => odd.backoff(write("a"), { cap: "0 seconds", name: "slowly" }),
        () => odd.backoff(write("a"), { cap: "soon", name: "slowly" }),
        () => odd.timeout(write("a"), 0, { name: "short" }),
        () => odd.timeout(write("a"), "never", { name: "short" }),
        () => odd.timeout(write("a"), Duration.infinity, { name: "short" }),
        () => odd.timeout(write("a"), undefined, { name: "short" })
      )
    })
  )
)

it.effect("what waits, is refused or is cut off", () =>
  transcribe(
    "limits",
    all({
      "A rate that lets two through at once, and then one every half minute": together(
        Step.rateLimit(write("a"), { limit: 2, per: "1 minute", burst: 2, name: "seldom" }),
        5
      ),
      "A rate with the burst that it has by default, and refusals": together(
        Step.rateLimit(write("a"), { limit: 3, per: "10 seconds", onExceeded: "fail" }),
        5
      ),
      "A rate below one, and one of nothing": Effect.all([
        told(Step.rateLimit(write("a"), { limit: 0.5, per: "1 second", name: "seldom" }), { again: true }),
        told(Step.rateLimit(write("a"), { limit: 0, per: "1 second", onExceeded: "fail", name: "never" })),
        told(Step.rateLimit(write("a"), { limit: Infinity, per: "1 second", name: "free" }), { again: true })
      ]),
      "A shared rate that is changed while somebody waits": Effect.suspend(() => {
        const limiter = RateLimiter.make({ limit: 1, per: "1 hour", burst: 1 })
        const step = Step.rateLimit(write("a"), { limiter, name: "seldom" })
        return Effect.all([
          Effect.map(limiter.left, ({ limit }) => limit),
          together(step, 3, Effect.delay(limiter.configure({ limit: 30, per: "1 minute" }), "5 seconds")),
          Effect.map(limiter.left, ({ limit }) => limit),
          told(step)
        ])
      }),
      "Two places for four runs, one of which fails": Effect.suspend(() => {
        const pool = WorkerPool.make({ workers: 2 })
        let runs = 0
        const step = Step.workerLimit(
          Step.make("a", {
            run: Effect.suspend(() =>
              Effect.andThen(Effect.sleep("2 seconds"), ++runs === 2 ? Effect.fail(broken("a")) : Effect.void)
            )
          }),
          { pool, name: "few" }
        )
        return Effect.all([together(step, 4, Effect.delay(pool.active, "1 second")), pool.active])
      }),
      "One place for two runs, and one that is added for three": Effect.suspend(() => {
        const pool = WorkerPool.make({ workers: 1 })
        return Effect.all([
          together(Step.workerLimit(late("a", "4 seconds"), { workers: 1 }), 2),
          together(
            Step.workerLimit(late("b", "4 seconds"), { pool }),
            3,
            Effect.delay(pool.configure({ workers: 2 }), "1 second")
          )
        ])
      }),
      "A circuit that opens after two failures, is tried, opens again, is tried twice and closes": Effect.gen(
        function* () {
          const breaker = CircuitBreaker.make({ failures: 2, reset: "10 seconds", successes: 2 })
          const fuse = Step.circuitBreaker(shaky("a", broken("one"), broken("two"), broken("three")), {
            breaker,
            name: "fuse"
          })
          const runs: Array<unknown> = []
          for (const wait of [0, 0, 1, 9, 4, 6, 0, 0]) {
            yield* TestClock.adjust(Duration.seconds(wait))
            runs.push({
              before: yield* breaker.state,
              ...(yield* told(fuse, { ticking: false })),
              after: yield* breaker.state
            })
          }
          return runs
        }
      ),
      "A circuit for some errors only, one closed by hand, and one that is changed": Effect.gen(function* () {
        const fuse = Step.circuitBreaker(shaky("a", broken("one"), "not", broken("three")), {
          failures: 1,
          reset: "1 minute",
          counts: (error) => error !== "not"
        })
        const breaker = CircuitBreaker.make({ failures: 1 })
        const shared = Step.circuitBreaker(shaky("b", "first", "second"), { breaker })
        const now = (step: Step.Any) => told(step, { ticking: false })
        const own = [yield* now(fuse), yield* now(fuse)]
        const hand = [yield* now(shared), yield* breaker.state, yield* breaker.reset, yield* breaker.state]
        const again = [yield* now(shared), yield* breaker.configure({ reset: "1 milli" })]
        yield* TestClock.adjust(1)
        return { own, hand, again, changed: [yield* breaker.state, yield* now(shared)] }
      }),
      "A run that was let in before the circuit opened, and fails while another one tries": Effect.gen(function* () {
        const breaker = CircuitBreaker.make({ failures: 1, reset: "500 millis" })
        const run = (name: string, time: Duration.Input, end: Effect.Effect<void, string>) =>
          Effect.forkChild(
            told(Step.circuitBreaker(Step.make(name, { run: Effect.andThen(Effect.sleep(time), end) }), { breaker }), {
              ticking: false
            }),
            { startImmediately: true }
          )
        const states: Array<unknown> = []
        const pass = (time: Duration.Input) =>
          Effect.gen(function* () {
            for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
            yield* TestClock.adjust(time)
            states.push(yield* breaker.state)
          })
        const fibers = [
          yield* run("first", "1 second", Effect.fail("one")),
          yield* run("second", "2 seconds", Effect.fail("two"))
        ]
        yield* pass("1 second")
        yield* pass("600 millis")
        fibers.push(yield* run("third", "5 seconds", Effect.void))
        yield* pass("500 millis")
        yield* pass("5 seconds")
        return { states, ended: yield* Effect.forEach(fibers, Fiber.join) }
      }),
      "A failure that does not count between two that do, and a success": Effect.gen(function* () {
        const breaker = CircuitBreaker.make({ failures: 2 })
        const counts = (error: unknown) => error !== "not"
        const runs: Array<unknown> = []
        for (const error of ["one", undefined, "two", "not", "three"]) {
          const run = error === undefined ? Effect.void : Effect.fail(error)
          yield* told(Step.circuitBreaker(Step.make("a", { run }), { breaker, counts }), { ticking: false })
          runs.push(yield* breaker.state)
        }
        return runs
      }),
      "A defect and a time limit count, an interruption does not": Effect.gen(function* () {
        const states: Array<unknown> = []
        for (const run of [Effect.die("broken"), Effect.interrupt, Effect.fail("x")]) {
          const breaker = CircuitBreaker.make({ failures: 1 })
          yield* told(Step.circuitBreaker(Step.make("a", { run }), { breaker, name: "fuse" }), { ticking: false })
          states.push(yield* breaker.state)
        }
        return states
      }),
      "Budgets of calls, tokens, money and time, alone and shared": Effect.gen(function* () {
        const two = Pipeline.sequence("two", [ask("a"), ask("b")])
        const usage = { inputTokens: 40, outputTokens: 10 }
        const prices = { input: 1_000, output: 2_000 }
        const script = { usage, capabilities: { prices, maxOutputTokens: 15 } } as object
        const replies = [yes, yes, yes, yes]
        const spent = (step: Step.Any) => told(step, { replies, script, ticking: false })
        const shared = Budget.make({ name: "month", calls: 3 })
        return {
          calls: yield* spent(Step.budget(two, { calls: 1, onShort: "fail" })),
          none: yield* spent(Step.budget(two, { calls: 0 })),
          tokens: yield* spent(Step.budget(two, { tokens: 1_000, onShort: "fail", name: "small" })),
          money: yield* spent(Step.budget(two, { usd: 0.000_001, name: "cheap" })),
          time: yield* spent(Step.budget(two, { time: "1 milli", name: "quick" })),
          enough: yield* spent(Step.budget(two, { calls: 2, tokens: 1e6, usd: 9, time: "1 hour", name: "rich" })),
          shared: [
            yield* spent(Step.budget(two, { budget: shared, name: "first" })),
            yield* spent(Step.budget(two, { budget: shared, name: "second" }))
          ]
        }
      }),
      "What cannot be": refused(
        () => odd.rateLimit(write("a"), { limit: -1, per: "1 second", name: "seldom" }),
        () => odd.rateLimit(write("a"), { limit: Number.NaN, per: "1 second", name: "seldom" }),
        () => odd.rateLimit(write("a"), { limit: 1, per: 0, name: "seldom" }),
        () => odd.rateLimit(write("a"), { limit: 1, per: Duration.infinity, name: "seldom" }),
        () => (RateLimiter as any).make({ limit: 1, per: "1 second", burst: 0.5 }),
        () => odd.workerLimit(write("a"), { workers: 0, name: "few" }),
        () => (WorkerPool as any).make({ workers: 1.5 }),
        () => odd.circuitBreaker(write("a"), { failures: 0, name: "fuse" }),
        () => odd.circuitBreaker(write("a"), { reset: 0, name: "fuse" }),
        () => (CircuitBreaker as any).make({ successes: -1 }),
        () => odd.budget(write("a"), { name: "small" }),
        () => odd.budget(write("a"), { calls: -1, name: "small" }),
        () => odd.budget(write("a"), { tokens: 0.5, name: "small" }),
        () => odd.budget(write("a"), { usd: -0.01, name: "small" }),
        () => odd.budget(write("a"), { time: 0, name: "small" }),
        () => odd.budget(write("a"), { calls: 1, onShort: "never", name: "small" })
      )
    })
  )
)
