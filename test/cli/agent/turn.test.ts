/** How a run of the agent ends, as the chat is given it. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { screenOf } from "../../../src/cli/agent/screen.ts"
import { turn, type Turned } from "../../../src/cli/agent/turn.ts"
import { pressed } from "../../../src/cli/console/interrupts.ts"
import { Memory, Pipeline, Provider, Thought } from "../../../src/index.ts"
import { writtenBy } from "./written.ts"

type Events = Parameters<typeof turn<never>>[2]

const ended = (events: Events) => turn<never>(screenOf(false), "r-1", events)

/** A run in which this is done, once it has begun. */
const begun = Effect.fnUntraced(function* (work: Effect.Effect<unknown>) {
  const began = yield* Deferred.make<void>()
  const event = { _tag: "Compacted" } as const
  const events = Stream.fromEffect(Effect.as(Effect.andThen(Deferred.succeed(began, undefined), work), event))
  const running = yield* Effect.forkChild(ended(events))
  yield* Deferred.await(began)
  yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  return running
})

const failing = (cause: unknown) =>
  ended(Stream.fail(new Pipeline.PipelineError({ path: ["desk"], cause, thought: undefined, durationMillis: 1 })))

const refused = (_tag: "Authentication" | "Overloaded", message: string) =>
  new Provider.ProviderError({ provider: "house", model: "m-1", reason: { _tag, message } })

describe("a run of the agent", () => {
  it.effect("is done with the thought of its last event", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      assert.deepStrictEqual(yield* ended(Stream.make({ _tag: "Done", thought, answer: "" } as never)), {
        _tag: "Done",
        thought
      })
    })
  )

  it.effect("ends with a defect that is a sentence", () =>
    Effect.gen(function* () {
      for (const [message, shown] of [
        ["It broke", "It broke."],
        ["It broke!", "It broke!"],
        ["Did it break?", "Did it break?"],
        ["It broke.", "It broke."]
      ] as const) {
        assert.deepStrictEqual(yield* ended(Stream.die(new Error(message))), {
          _tag: "Failed",
          message: `It ended with a defect: ${shown}`,
          isRetryable: true
        })
      }
    })
  )

  it.effect("fails with what its step has failed with, which may be worth another try", () =>
    Effect.gen(function* () {
      const failed = (message: string, isRetryable: boolean): Turned => ({ _tag: "Failed", message, isRetryable })
      assert.deepStrictEqual(
        yield* failing(refused("Overloaded", "red \u001b[31m")),
        failed("house (m-1): red [U+001B][31m", true)
      )
      assert.deepStrictEqual(yield* failing(refused("Authentication", "no")), failed("house (m-1): no", false))
      assert.deepStrictEqual(yield* failing(new Error("It is\tdown")), failed("It is\tdown", true))
      assert.deepStrictEqual(yield* failing({ message: 17 }), failed("17", true))
      const stored = new Memory.MemoryError({
        reason: { _tag: "Query", message: "two\nlines" } as never
      })
      assert.deepStrictEqual(yield* failing(stored), failed("two\nlines", stored.isRetryable))
    })
  )

  it.effect("fails with the failure of its pipeline where no step has failed", () =>
    Effect.gen(function* () {
      const other = yield* failing("closed")
      assert.deepInclude(other, { _tag: "Failed", isRetryable: true })
      assert.match(other._tag === "Failed" ? other.message : "", /desk/)
      const busy = yield* ended(Stream.fail(new Pipeline.RunBusy({ runId: "r-1", leaseUntilMillis: 0 })))
      assert.deepInclude(busy, { _tag: "Failed", isRetryable: true })
      assert.match(busy._tag === "Failed" ? busy.message : "", /^The run "r-1" is in progress in another process/)
    })
  )

  it.effect("waits if it is suspended, and passes an interruption on that nobody has typed", () =>
    Effect.gen(function* () {
      const waits = new Pipeline.Suspended({ runId: "r-1", thoughtId: "t-1", waits: [] as never })
      assert.deepStrictEqual(yield* ended(Stream.fail(waits)), { _tag: "Suspended" })
      const exit = yield* Effect.exit(ended(Stream.fromEffect(Effect.interrupt)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.effect("is cancelled by Ctrl-C, which also cancels its calls, and then leaves Ctrl-C to the code around it", () =>
    Effect.gen(function* () {
      let wasInterrupted = false
      const running = yield* begun(
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            wasInterrupted = true
          })
        )
      )
      assert.isTrue(pressed())
      assert.deepStrictEqual(yield* Fiber.join(running), { _tag: "Cancelled", asking: false })
      assert.isTrue(wasInterrupted)
      assert.isFalse(pressed())
    })
  )

  it.effect("that is not cancelled at once says so after a second, and how to end the program", () =>
    Effect.gen(function* () {
      const running = yield* begun(Effect.uninterruptible(Effect.sleep("5 seconds")))
      assert.isTrue(pressed())
      const { stderr } = yield* writtenBy(TestClock.adjust("999 millis"))
      assert.strictEqual(stderr, "")
      const later = yield* writtenBy(TestClock.adjust("1 millis"))
      assert.match(later.stderr, /^cogito: Cancelling: a call is still being ended\. Press Ctrl-C again [^\n]*\n$/)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(running), { _tag: "Cancelled", asking: false })
    })
  )
})
