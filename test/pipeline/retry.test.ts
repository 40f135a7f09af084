import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { asked, failed, hanging, keysOf, plain, succeeded, tagged, watched } from "./attempts.ts"
import { category, mood, providerError, replies, start, ticket, withModel } from "./triage.ts"

const two = Pipeline.sequence("two", [ticket, category])
const after = (seconds: number, error: ReturnType<typeof providerError>) =>
  Effect.andThen(TestClock.adjust(`${seconds} seconds`), Effect.fail(error))

/** Every fork has a mark of its own around its notes. */
const withoutIds = (text: string): string => text.replace(/note [0-9a-f]{8}/g, "note")

describe("a retry", () => {
  it.effect("runs a step that succeeds once [C466]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket])
      const { done } = yield* succeeded(Step.retry(ticket, { name: "again" }), model)
      assert.deepStrictEqual(done.get("ticket"), replies.ticket)
      assert.strictEqual(model.requests.length, 1)
    })
  )

  it.effect(
    "asks the model with the same bytes until it succeeds, and keeps that attempt only [C349, C467, C786]",
    () =>
      Effect.gen(function* () {
        const model = Testing.scripted([providerError(), providerError("Connection"), replies.ticket])
        const { done, stored } = yield* succeeded(Step.retry(ticket, { times: 3, name: "again" }), model)
        assert.strictEqual(model.requests.length, 3)
        assert.strictEqual(new Set(asked(model)).size, 1)
        assert.deepStrictEqual(keysOf(done), ["message", "ticket"])
        assert.strictEqual(done.session.length, 2)
        assert.deepStrictEqual(plain(stored), plain(done))
      })
  )

  it.effect("of each of three steps keeps one request and answer of each [C358]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), replies.ticket, replies.category, providerError(), replies.mood])
      const step = Pipeline.sequence(
        "three",
        [ticket, category, mood].map((one) => one.pipe(Step.retry()))
      )
      const { done, stored } = yield* succeeded(step, model)
      assert.deepStrictEqual(
        Session.entries(done.session).map(({ role }) => role),
        ["user", "assistant", "user", "assistant", "user", "assistant"]
      )
      assert.deepStrictEqual(keysOf(done), ["message", "ticket", "category", "mood"])
      assert.deepStrictEqual(plain(stored), plain(done))
    })
  )

  it.effect("of several steps begins with the first step again, as if it had not run", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        { ...replies.ticket, customer: "canary" },
        providerError(),
        replies.ticket,
        replies.category
      ])
      const { done, stored } = yield* succeeded(Step.retry(two, { name: "again" }), model)
      const [first, second, third] = asked(model)
      assert.strictEqual(third, first)
      assert.include(second, "canary")
      assert.notInclude(asked(model)[3], "canary")
      assert.deepStrictEqual(keysOf(done), ["message", "ticket", "category"])
      assert.strictEqual(done.session.length, 4)
      assert.deepStrictEqual(plain(stored), plain(done))
      assert.notInclude(JSON.stringify(stored), "canary")
    })
  )

  it.effect("without attempts left fails like the last one, with the earlier ones before it [C350, C468]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        after(1, providerError()),
        after(2, providerError()),
        after(3, providerError("Connection"))
      ])
      const { error, stored, thought } = yield* failed(Step.retry(ticket, { name: "again" }), model)
      assert.strictEqual(model.requests.length, 3)
      assert.strictEqual(error.cause._tag === "ProviderError" && error.cause.reason._tag, "Connection")
      assert.deepStrictEqual(error.path, ["again", "ticket"])
      assert.strictEqual(error.durationMillis, 6_000)
      assert.deepStrictEqual(
        error.before.map(({ cause, durationMillis, path }) => [path, (cause as Error).name, durationMillis]),
        [
          [["again", "ticket"], "ProviderError", 1_000],
          [["again", "ticket"], "ProviderError", 2_000]
        ]
      )
      assert.deepStrictEqual(error.beside, [])
      assert.include(error.message, "\n  before: again/ticket failed after 1000 ms: ProviderError")
      assert.deepStrictEqual(keysOf(stored), ["message"])
      assert.strictEqual(stored.session.length, 0)
      assert.deepStrictEqual(plain(error.thought), plain(stored))
      assert.deepStrictEqual(plain(stored), plain(thought))
    })
  )

  it.effect("with zero retries fails at the first attempt [C471]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError()])
      const { error } = yield* failed(Step.retry(ticket, { times: 0, name: "again" }), model)
      assert.deepStrictEqual(error.before, [])
      assert.strictEqual(model.requests.length, 1)
    })
  )

  it.effect.each([undefined, null, "text", 0])("repeats an error that is no object: %s", (cause) =>
    Effect.gen(function* () {
      let calls = 0
      const failing = Step.make("failing", {
        run: Effect.suspend(() => (++calls < 3 ? Effect.fail(cause) : Effect.void))
      })
      for (const retried of [Step.retry(failing), Step.backoff(failing, { base: 1 })]) {
        calls = 0
        const fiber = yield* Effect.forkChild(Pipeline.run(retried, yield* start))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
        assert.strictEqual(calls, 3)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("says how many failures it has left out, and how long they took", () =>
    Effect.gen(function* () {
      const failing = Step.make("failing", { run: Effect.andThen(TestClock.adjust(5), Effect.fail("no")) })
      for (const [count, said] of [
        [1, "1 more failure"],
        [2, "2 more failures"]
      ] as const) {
        const error = yield* Effect.flip(Pipeline.run(Step.retry(failing, { times: 100 + count }), yield* start))
        const left = error.before.find(({ cause }: { readonly cause: unknown }) => cause instanceof Error)
        assert.deepInclude(left?.cause, { message: said })
        assert.deepInclude(left, { path: ["retry(failing)"], durationMillis: 5 * count })
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not repeat errors that are not retryable", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError("Authentication")])
      const { error } = yield* failed(Step.retry(ticket, { name: "again" }), model)
      assert.strictEqual(model.requests.length, 1)
      assert.deepStrictEqual(error.before, [])
    })
  )

  it.effect("repeats only the errors that `while` selects", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError("Authentication"), providerError("Overloaded")])
      const again = ticket.pipe(
        Step.retry({
          while: (error: Step.Err<typeof ticket>) =>
            error._tag === "ProviderError" && error.reason._tag === "Authentication"
        })
      )
      const { error } = yield* failed(again, model)
      assert.strictEqual(model.requests.length, 2)
      assert.strictEqual(error.before.length, 1)
    })
  )

  it.effect("does not repeat a defect [C473]", () =>
    Effect.gen(function* () {
      let runs = 0
      const broken = Step.make("broken", { run: Effect.suspend(() => (runs++, Effect.die(new Error("broken")))) })
      const { exit } = yield* watched(Step.retry(broken, { times: 5, name: "again" }), Testing.scripted([]))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
      assert.strictEqual(runs, 1)
    })
  )

  it.effect("does not repeat what was interrupted [C469]", () =>
    Effect.gen(function* () {
      const { called, released, reply } = yield* hanging
      const model = Testing.scripted([reply])
      const fiber = yield* Effect.forkChild(
        Effect.flatMap(start, (thought) => Pipeline.run(Step.retry(ticket, { name: "again" }), thought)).pipe(
          withModel(model)
        )
      )
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
      assert.strictEqual(model.requests.length, 1)
    })
  )

  it.effect("signals which attempts failed", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), providerError(), providerError()])
      const { signals } = yield* watched(Step.retry(ticket, { name: "again" }), model)
      assert.deepStrictEqual(
        tagged(signals, "AttemptFailed").map(({ attempt, error, path, waitMillis }) => [
          path,
          attempt,
          error,
          waitMillis
        ]),
        [
          [["again"], 1, "ProviderError", 0],
          [["again"], 2, "ProviderError", 0]
        ]
      )
    })
  )

  it.effect("within a retry has the failures of each where they belong", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(Array.from({ length: 4 }, () => providerError()))
      const step = ticket.pipe(Step.retry({ times: 1 }), Step.retry({ times: 1 }))
      const { error } = yield* failed(step, model)
      assert.strictEqual(model.requests.length, 4)
      assert.deepStrictEqual(error.path, ["retry(retry(ticket))", "retry(ticket)", "ticket"])
      // the first run of the inner one, with its own attempt before it, and then the second run's first attempt
      assert.deepStrictEqual(
        error.before.map(({ before }) => before.length),
        [1, 0]
      )
    })
  )

  it.effect("keeps no count from one run to the next", () =>
    Effect.gen(function* () {
      const again = Step.retry(ticket, { times: 1, name: "again" })
      for (const _ of [1, 2]) {
        const model = Testing.scripted([providerError(), replies.ticket])
        yield* succeeded(again, model)
        assert.strictEqual(model.requests.length, 2)
      }
    })
  )
})

describe("a retried step that switches to other thoughts", () => {
  it.effect("leaves no thought of the attempts that failed", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket, providerError(), replies.ticket, replies.category])
      const step = Pipeline.sequence("forked", [Primitive.checkpoint("before"), ticket, category])
      const { children, exit, signals, stored } = yield* watched(Step.retry(step, { name: "again" }), model)
      assert.isTrue(Exit.isSuccess(exit))
      const done = Exit.isSuccess(exit) ? exit.value : undefined
      // two attempts made a fork each, of which one is stored
      assert.strictEqual(tagged(signals, "ThoughtCreated").length, 2)
      assert.deepStrictEqual(
        children.map(({ id }) => id),
        [done?.id]
      )
      assert.deepStrictEqual(keysOf(stored), ["message"])
      assert.deepStrictEqual(keysOf(done!), ["message", "ticket", "category"])
    })
  )

  it.effect("leaves no thought at all if every attempt failed", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket, providerError(), replies.ticket, providerError()])
      const step = Pipeline.sequence("forked", [Primitive.checkpoint("before"), ticket, category])
      const { children, error } = yield* failed(Step.retry(step, { times: 1, name: "again" }), model)
      assert.deepStrictEqual(error.path, ["again", "forked", "category"])
      assert.deepStrictEqual(children, [])
      assert.deepStrictEqual(keysOf(error.thought!), ["message"])
    })
  )

  it.effect("keeps the conversation that it shortened before", () =>
    Effect.gen(function* () {
      const shortened = Pipeline.sequence("shortened", [
        Primitive.truncate("shorten", { first: 0, last: 0 }),
        Primitive.checkpoint("before"),
        category,
        Primitive.restore("back", { from: { checkpoint: "before" } })
      ])
      const other = Primitive.categorize("other", { question: "Which one?", categories: ["billing", "account"] })
      const twice = Pipeline.sequence("twice", [shortened, other])
      const whole = Pipeline.sequence("whole", [ticket, Step.retry(twice, { name: "again" })])
      const model = Testing.scripted([
        replies.ticket,
        replies.category,
        providerError(),
        replies.category,
        { ...replies.category, primary: "billing", secondary: "account" }
      ])
      const { done, stored } = yield* succeeded(whole, model)
      // the shortened conversation has nothing of the ticket's call: its notes are shown again
      const [, first, , second] = asked(model).map(withoutIds)
      assert.strictEqual(second, first)
      assert.strictEqual(model.requests[4]?.messages.length, 2)
      assert.strictEqual(done.session.length, 2)
      assert.deepStrictEqual(keysOf(done), ["message", "ticket", "other"])
      assert.deepStrictEqual(plain(stored), plain(done))
    })
  )
})

describe("a retry as a step", () => {
  it("is the handle of the note that it wraps, however it is made [C475]", () => {
    const named = Step.retry(ticket, { name: "again" })
    const piped = ticket.pipe(Step.retry())
    const first = Step.retry(ticket, { times: 1 })
    for (const step of [named, piped, first]) assert.strictEqual(step.key, "ticket")
    assert.deepStrictEqual([named.name, piped.name, first.name], ["again", "retry(ticket)", "retry(ticket)"])
    assert.deepStrictEqual(first.node, {
      name: "retry(ticket)",
      kind: "retry",
      reads: [],
      writes: ["ticket"],
      surely: ["ticket"],
      children: [ticket.node],
      settings: { times: 1 }
    })
    assert.isFalse("key" in Step.retry(Step.make("quiet", { run: () => {} }), { name: "again" }))
  })

  it.effect("is read like the step that it wraps", () =>
    Effect.gen(function* () {
      const spam = Step.make("size", { schema: Schema.Finite, run: () => 3 }).pipe(Step.retry())
      const done = yield* Pipeline.run(spam, yield* Thought.make("test"))
      assert.strictEqual(yield* Thought.read(yield* Memory.load(done.id), spam), 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("refuses invalid counts", () => {
    for (const times of [-1, 1.5, Number.NaN, Infinity]) {
      assert.throws(
        () => Step.retry(ticket, { times, name: "again" }),
        /^The step "again" needs a whole number from 0 as times/
      )
    }
  })

  it.effect("tries again after every error except one that is not retryable", () =>
    Effect.gen(function* () {
      const errors: ReadonlyArray<readonly [unknown, times: number]> = [
        ["down", 3],
        [null, 3],
        [undefined, 3],
        [new Error("down"), 3],
        [{ _tag: "Down" }, 3],
        [{ _tag: "Down", isRetryable: true }, 3],
        [{ _tag: "Down", isRetryable: undefined }, 3],
        [{ _tag: "Down", isRetryable: null }, 3],
        [{ _tag: "Down", isRetryable: 0 }, 3],
        [{ _tag: "Down", isRetryable: false }, 1]
      ]
      for (const [error, expected] of errors) {
        let times = 0
        const failing = Step.make("failing", { run: Effect.suspend(() => (times++, Effect.fail(error))) })
        const failure = yield* Effect.flip(Pipeline.run(Step.retry(failing), yield* Thought.make("test")))
        assert.strictEqual(failure.cause, error)
        assert.strictEqual(times, expected)
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})
