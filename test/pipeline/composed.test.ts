import { assert, describe, it } from "@effect/vitest"
import { Clock, Data, type Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { CircuitBreaker, Memory, Note, Pipeline, RateLimiter, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// What connectors are for: several of them around each other, as programs have them.

class Down extends Data.TaggedError("Down")<{ readonly service: string }> {}
class Invalid extends Data.TaggedError("Invalid")<{ readonly field: string }> {}

/** A service that fails so many times at first, and how often it was called. */
const service = <const K extends string>(key: K, failures = 0, takes: Duration.Input = 0) => {
  let calls = 0
  const run = Effect.suspend(() =>
    ++calls <= failures ? Effect.fail(new Down({ service: key })) : Effect.succeed(`from ${key}`)
  ).pipe(Effect.delay(takes))
  return { step: Step.make(key, { schema: Schema.String, run }), calls: () => calls }
}

/** The same answer from another place. */
const answer = <const K extends string>(source: { readonly step: Step.Keyed<K, string, {}, Down> }) =>
  Pipeline.sequence(source.step.name, [
    source.step,
    Step.make("answer", { schema: Schema.String, run: (thought) => thought.note(source.step.name)?.content ?? "none" })
  ])

const begun = <O, E, R>(step: Step.Step<{}, O, E, R>, notes: Record<string, string> = {}) =>
  Effect.flatMap(Thought.make("run", notes), (thought) => Pipeline.run(step, thought))

/** Runs a step while time passes, and says how long it took. */
const timed = <O, E, R>(step: Step.Step<{}, O, E, R>) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const running = yield* Effect.forkChild(Effect.all([begun(step), Clock.currentTimeMillis]))
    yield* TestClock.adjust("1 minute")
    const [done, end] = yield* Fiber.join(running)
    return { done, millis: end - start }
  })

const stored = (id: string) => Effect.map(Memory.load(id), (thought) => Thought.notes(thought).map(({ key }) => key))

describe("a pipeline of stages", () => {
  const names = ["validate", "price", "ship"] as const

  it.effect("names the stage that fails, whichever it is [C629]", () =>
    Effect.gen(function* () {
      for (const [at, name] of names.entries()) {
        const order = Pipeline.sequence(
          "order",
          names.map((key) => service(key, key === name ? 1 : 0).step)
        )
        const error = yield* Effect.flip(begun(order))
        assert.deepStrictEqual(error.path, ["order", name])
        assert.deepStrictEqual(yield* stored(error.thought?.id ?? ""), names.slice(0, at))
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("interrupted in the middle has stored the first and does not begin the last [C409] [C630]", () =>
    Effect.gen(function* () {
      const [first, second, third] = [service("first", 0, 10), service("second", 0, 10), service("third")]
      const thought = yield* Thought.make("run")
      const run = Pipeline.run(Pipeline.sequence("all", [first.step, second.step, third.step]), thought)
      const running = yield* Effect.forkChild(Effect.exit(Effect.timeout(run, 15)))
      yield* TestClock.adjust("1 minute")
      const exit = yield* Fiber.join(running)
      assert.isTrue(Exit.isFailure(exit) && Exit.hasFails(exit))
      assert.deepStrictEqual(yield* stored(thought.id), ["first"])
      assert.deepStrictEqual([first.calls(), second.calls(), third.calls()], [1, 0, 0])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs a thousand steps in a row, and three hundred inside each other [C403] [C417]", () =>
    Effect.gen(function* () {
      const step = (i: number) => Step.make(`n${i}`, { schema: Schema.Finite, run: () => i })
      const row = Pipeline.sequence(
        "row",
        Array.from({ length: 1000 }, (_, i) => step(i))
      )
      assert.strictEqual((yield* begun(row)).note("n999")?.content, "999")
      let nested: Step.Step<{}, any> = step(0)
      for (let i = 1; i < 300; i++) nested = Pipeline.sequence(`s${i}`, [nested, step(i)])
      const done = yield* begun(nested)
      assert.deepStrictEqual([done.length, done.note("n0")?.content, done.note("n299")?.content], [300, "0", "299"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("checks a registration field by field, and says which is wrong [C634]", () =>
    Effect.gen(function* () {
      const field = <const K extends string>(key: K, holds: (text: string) => boolean) => {
        const handle = Note.handle(key, Schema.String)
        return Step.make(`${key} is valid`, {
          run: Note.from(handle, (text) => (holds(text) ? Effect.void : Effect.fail(new Invalid({ field: key }))))
        })
      }
      const registration = Pipeline.sequence("registration", [
        field("name", (text) => text.trim() !== ""),
        field("mail", (text) => /^[^@\s]+@[^@\s]+$/.test(text)),
        field("age", (text) => Number.isInteger(Number(text)) && Number(text) >= 18)
      ])
      const outcome = (name: string, mail: string, age: string) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(
            Pipeline.run(registration, yield* Thought.make("sign up", { name, mail, age }))
          )
          if (Exit.isSuccess(exit)) return "valid"
          const [reason] = exit.cause.reasons
          return reason?._tag === "Fail" && reason.error.cause._tag === "Invalid" ? reason.error.cause.field : "other"
        })
      const table = [
        ["Jane", "jane@example.com", "30", "valid"],
        ["", "jane@example.com", "30", "name"],
        ["  ", "jane@example.com", "30", "name"],
        ["Jane", "jane", "30", "mail"],
        ["Jane", "@", "30", "mail"],
        ["Jane", "jane@example.com", "17", "age"],
        ["Jane", "jane@example.com", "old", "age"]
      ] as const
      for (const [name, mail, age, expected] of table) {
        assert.strictEqual(yield* outcome(name, mail, age), expected, `${name}, ${mail}, ${age}`)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("omits irrelevant events and adds to relevant ones [C633]", () =>
    Effect.gen(function* () {
      const kind = Note.handle("kind", Schema.String)
      const place = Step.make("place", {
        schema: Schema.String,
        run: Note.from(kind, (text) =>
          text === "sale" ? Effect.succeed("Oslo") : Effect.fail(new Down({ service: "geo" }))
        )
      })
      const events = Pipeline.filter("worth it", {
        when: Note.from(kind, (text) => text !== "ping"),
        step: Pipeline.sequence("event", [
          place.pipe(Step.enrich()),
          Step.make("processed", { schema: Schema.Boolean, run: () => true })
        ])
      })
      const done: Array<ReadonlyArray<unknown>> = []
      for (const text of ["sale", "ping", "sale", "refund"]) {
        const thought = yield* Pipeline.run(events, yield* Thought.make("event", { kind: text }))
        done.push([text, thought.get("processed"), thought.get("place")])
      }
      assert.deepStrictEqual(done, [
        ["sale", true, "Oslo"],
        ["ping", undefined, undefined],
        ["sale", true, "Oslo"],
        ["refund", true, undefined]
      ])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("connectors around each other", () => {
  it.effect("a client that fails twice makes three requests, and the other client none [C632]", () =>
    Effect.gen(function* () {
      const [near, far] = [service("near", 2), service("far")]
      const client = answer(near).pipe(Step.retry({ times: 2 }), Step.recover(answer(far)))
      assert.strictEqual((yield* begun(client)).get("answer"), "from near")
      assert.deepStrictEqual([near.calls(), far.calls()], [3, 0])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a fallback, a switch, an optional step and their results [C631]", () =>
    Effect.gen(function* () {
      const [primary, backup, news] = [service("primary", 1), service("backup"), service("news", 1)]
      const source = answer(primary).pipe(Step.recover(answer(backup)))
      const route = Pipeline.switch("size", {
        on: (thought) => (String(thought.note("answer")?.content).length > 5 ? ("long" as const) : ("short" as const)),
        branches: {
          long: Step.make("weight", { schema: Schema.Finite, run: () => 2 }),
          short: Step.make("weight", { schema: Schema.Finite, run: () => 1 })
        }
      })
      const all = Pipeline.sequence("all", [
        source,
        route,
        news.step.pipe(Step.enrich({ report: "missing" })),
        Step.make("sum", {
          schema: Schema.String,
          run: (thought) =>
            Thought.notes(thought)
              .map(({ key }) => key)
              .join(" + ")
        })
      ])
      assert.strictEqual((yield* begun(all)).get("sum"), "backup + answer + weight + missing")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a breaker counts a retry as one, and a fallback answers for both [C635]", () =>
    Effect.gen(function* () {
      const [shop, cache] = [service("shop", 5), service("cache")]
      const breaker = CircuitBreaker.make({ failures: 2, reset: "1 minute" })
      const patient = answer(shop).pipe(
        Step.retry({ times: 1 }),
        Step.circuitBreaker({ breaker }),
        Step.recover(answer(cache))
      )
      const seen: Array<ReadonlyArray<unknown>> = []
      const look = Effect.gen(function* () {
        const done = yield* begun(patient)
        seen.push([done.get("answer"), shop.calls(), yield* breaker.state])
      })
      yield* look
      yield* look
      yield* look
      yield* TestClock.adjust("1 minute")
      yield* look
      assert.deepStrictEqual(seen, [
        ["from cache", 2, "closed"],
        ["from cache", 4, "open"],
        ["from cache", 4, "open"],
        ["from shop", 6, "closed"]
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a backoff waits for the rate limit that refused it, and gives up where that is too long [C636]", () =>
    Effect.gen(function* () {
      const shop = service("shop")
      const limiter = RateLimiter.make({ limit: 2, per: "1 second", burst: 2 })
      const limited = shop.step.pipe(Step.rateLimit({ limiter, onExceeded: "fail" }))
      const patient = limited.pipe(Step.backoff({ times: 1, cap: "1 second", jitter: false }))
      const hasty = limited.pipe(Step.backoff({ times: 1, base: 1, cap: "100 millis", jitter: false }))
      yield* begun(patient)
      yield* begun(patient)
      assert.strictEqual((yield* Effect.flip(begun(hasty))).cause._tag, "RateLimited")
      assert.strictEqual(shop.calls(), 2)
      assert.strictEqual((yield* timed(patient)).millis, 500)
      assert.strictEqual(shop.calls(), 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a step that is too slow is replaced as soon as its time is up [C637]", () =>
    Effect.gen(function* () {
      const [slow, quick] = [service("slow", 0, "30 seconds"), service("quick")]
      const client = answer(slow).pipe(Step.timeout("50 millis"), Step.recover(answer(quick)))
      const { done, millis } = yield* timed(client)
      assert.deepStrictEqual([done.get("answer"), millis, slow.calls()], ["from quick", 50, 0])
      assert.isUndefined(done.note("slow"))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("each run inside a worker limit has its full time [C594]", () =>
    Effect.gen(function* () {
      const slow = service("slow", 0, 30)
      const one = slow.step.pipe(Step.timeout(40), Step.workerLimit({ workers: 1 }))
      const all = yield* Effect.forkChild(
        Effect.all([begun(one), begun(one), begun(one)], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(yield* Fiber.join(all), 3)
      const shared = slow.step.pipe(Step.workerLimit({ workers: 1 }), Step.timeout(40))
      const two = yield* Effect.forkChild(
        Effect.all([Effect.exit(begun(shared)), Effect.exit(begun(shared))], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* Fiber.join(two)).map(Exit.isSuccess), [true, false])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("seven around one step call it as often as necessary, and nothing else [C639]", () =>
    Effect.gen(function* () {
      const [api, database] = [service("api", 2, 5), service("database")]
      const failures: Array<string> = []
      const stack = answer(api).pipe(
        Step.timeout("1 second"),
        Step.rateLimit({ limit: 10, per: "1 second", burst: 3 }),
        Step.workerLimit({ workers: 2 }),
        Step.backoff({ times: 3, base: 10, jitter: false }),
        Step.circuitBreaker({ failures: 2 }),
        Step.handle(({ cause }) => Effect.sync(() => failures.push(cause._tag))),
        Step.recover(answer(database))
      )
      const { done, millis } = yield* timed(stack)
      assert.deepStrictEqual([done.get("answer"), api.calls(), database.calls()], ["from api", 3, 0])
      assert.strictEqual(millis, 5 + 10 + 5 + 20 + 5)
      assert.deepStrictEqual(failures, [])
      assert.deepStrictEqual(yield* stored(done.id), ["api", "answer"])
    }).pipe(Effect.provide(Testing.memory))
  )
})
