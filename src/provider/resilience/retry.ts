/** Retries of failed calls. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import type { Usage } from "../../thought/tokens.ts"
import { now } from "../../limits/now.ts"
import { by, failure, type Strategy, type Transformation } from "../calls.ts"
import { time, whole } from "../../arguments/checked.ts"
import { extend, transform } from "../Provider.ts"
import type { Shape } from "../Shape.ts"
import type { ProviderError } from "../ProviderError.ts"
import { answerAfter, errorAfter, isNothing } from "../spent.ts"

interface Policy {
  readonly times: number
  readonly while: (error: ProviderError) => boolean
  /** In milliseconds, like the following. */
  readonly base: number
  readonly cap: number
  readonly maxWait: number
  readonly deadline: number
}

const owner = "Provider.retry"

/**
 * Repeats failed calls, after random waits whose upper bound doubles with every attempt.
 *
 * **Details**
 *
 * A wait is at least the `retryAfter` of the error. The call fails at once if that is longer than `maxWait`, or if the
 * wait would pass the `deadline`. At the deadline a running attempt is interrupted, and the call fails as `Timeout`. An
 * empty answer is retried only once, and a stream only before its first piece.
 *
 * Answers and errors report the tokens of all attempts. Each attempt that is followed by another one emits an
 * `AttemptFailed` signal. An interruption ends a wait.
 *
 * Pipe it after `rateLimit` and `circuitBreaker`, so that every attempt waits for its turn and counts for the circuit.
 * Throws if an option is out of range.
 *
 * **Example** (A provider that is overloaded once)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 *
 * let calls = 0
 * const model = Provider.layer({
 *   name: "house",
 *   model: "busy-1",
 *   complete: () =>
 *     Effect.suspend(() =>
 *       ++calls < 2
 *         ? Effect.fail(
 *             new Provider.ProviderError({
 *               provider: "house",
 *               model: "busy-1",
 *               reason: { _tag: "Overloaded", message: "too busy" }
 *             })
 *           )
 *         : Effect.succeed({ text: `{"decision":true,"confidence":1,"reasoning":["It says so."]}`, usage: {} })
 *     )
 * }).pipe(Provider.retry({ times: 3, base: "10 millis" }))
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const answer = await Effect.runPromise(Effect.provide(isUrgent("Now!"), model))
 * assert.equal(answer.decision, true)
 * assert.equal(calls, 2)
 * ```
 *
 * @category resilience
 */
export const retry = taking("Provider.retry", {
  options: 0,
  optional: true,
  known: ["base", "cap", "deadline", "maxWait", "times", "while"]
})((
  options: {
    /** How many more attempts there are after the first one. Default: 2, so at most 3 attempts. */
    readonly times?: number
    /** Which errors are worth another attempt. Default: those with `isRetryable`. */
    readonly while?: (error: ProviderError) => boolean
    /** The upper bound of the first wait; it doubles with each further one. Default: 500 milliseconds. */
    readonly base?: Duration.Input
    /** The largest upper bound of a wait. Default: 30 seconds. */
    readonly cap?: Duration.Input
    /** The longest `retryAfter` that is waited for. Default: 60 seconds. */
    readonly maxWait?: Duration.Input
    /** The time limit for all attempts and waits; for a stream, until its first piece. Default: no limit. */
    readonly deadline?: Duration.Input
  } = {}
): Transformation => {
  const policy: Policy = {
    times: whole(owner, "times", 0, options.times ?? 2),
    while: options.while ?? ((error) => error.isRetryable),
    base: time(owner, "base", options.base ?? 500),
    cap: time(owner, "cap", options.cap ?? 30_000),
    maxWait: time(owner, "maxWait", options.maxWait ?? 60_000, { endless: true }),
    deadline: time(owner, "deadline", options.deadline ?? Infinity, { endless: true })
  }
  return transform((provider) =>
    Effect.succeed(extend(provider, by(repeating(provider, policy), provider.decide !== undefined)))
  )
})

const repeating =
  (provider: Shape, policy: Policy): Strategy =>
  (way, request) =>
    Effect.gen(function* () {
      const end = (yield* now) + policy.deadline
      let spent: Usage = {}
      let empty = 0
      for (let attempt = 1; ; attempt++) {
        const result = yield* Effect.result(until(end, provider, policy, way.call(provider, request)))
        const before = spent
        if (Result.isSuccess(result)) {
          if (isNothing(before)) return result.success
          return way.changed(result.success, {
            answer: (answer) => answerAfter(answer, before),
            error: (error) => errorAfter(error, before)
          })
        }
        const error = errorAfter(result.failure, before)
        if (error.reason._tag === "EmptyAnswer") empty++
        if (attempt > policy.times || empty > 1 || !policy.while(error)) return yield* error
        const wait = yield* waitAfter(error, attempt, policy, end)
        if (wait === undefined) return yield* error
        spent = error.usage ?? {}
        yield* emit(undefined, { _tag: "AttemptFailed", attempt, error: error.reason._tag, waitMillis: wait })
        yield* Effect.sleep(wait)
      }
    })

/** In milliseconds; `undefined` if the wait would be too long. */
const waitAfter = (
  error: ProviderError,
  attempt: number,
  { base, cap, maxWait }: Policy,
  end: number
): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    const least = error.retryAfter === undefined ? 0 : Duration.toMillis(error.retryAfter)
    const backoff = (yield* Random.next) * Math.min(cap, base * 2 ** (attempt - 1))
    const wait = Math.max(Math.ceil(least), Math.floor(backoff))
    return least > maxWait || (yield* now) + wait >= end ? undefined : wait
  })

const until = <A, R>(
  end: number,
  provider: Shape,
  { deadline }: Policy,
  call: Effect.Effect<A, ProviderError, R>
): Effect.Effect<A, ProviderError, R> =>
  end === Infinity
    ? call
    : Effect.flatMap(now, (at) =>
        Effect.timeoutOrElse(call, {
          duration: Math.max(0, end - at),
          orElse: () =>
            Effect.fail(
              failure(
                provider,
                "Timeout",
                `no answer within the deadline of ${Duration.format(Duration.millis(deadline))}: raise it`
              )
            )
        })
      )
