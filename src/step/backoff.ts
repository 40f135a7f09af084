import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import { quoted } from "../text/legible.ts"
import { taking } from "../arguments/taking.ts"
import { wholeFrom } from "../arguments/wholeFrom.ts"
import { around, type Known, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { isRetryable } from "../run/tags.ts"
import type * as Step from "./runtime/model.ts"
import { repeat } from "./attempts.ts"
import { longerThanZero } from "../arguments/durations.ts"

/**
 * When a failed step is tried again, after which waits.
 *
 * @category models
 */
export interface BackoffOptions<in E> {
  /** How often it is tried again after the first attempt. Default: 4. */
  readonly times?: number
  /** The first wait. Default: 250 milliseconds. */
  readonly base?: Duration.Input
  /** How many times as long each wait is as the one before, from 1. Default: 2. */
  readonly factor?: number
  /** The longest wait, also one that an error asks for. Default: 30 seconds. */
  readonly cap?: Duration.Input
  /** Whether each wait is a random part of its length, from half of it to the whole. Default: true. */
  readonly jitter?: boolean
  /** Which errors are worth another attempt. Default: all but those that say of themselves `isRetryable: false`. */
  readonly while?: (error: E) => boolean
  readonly schedule?: never
}

/**
 * A schedule that says when a failed step is tried again. It is given the errors, and may fail and need services.
 *
 * @category models
 */
export interface ScheduledOptions<in E, out SE = never, out SR = never> {
  readonly schedule: Schedule.Schedule<unknown, E, SE, SR>
  /** Which errors are worth another attempt. Default: all but those that say of themselves `isRetryable: false`. */
  readonly while?: (error: E) => boolean
  readonly times?: never
  readonly base?: never
  readonly factor?: never
  readonly cap?: never
  readonly jitter?: never
}

/**
 * Runs a step again when it fails, after a wait that grows, and on the thought as it was before the first attempt.
 *
 * An error that says how long to wait, such as a `ProviderError` with `retryAfter`, is waited for at least that long;
 * when that is more than `cap`, or for ever, it fails at once. A `schedule` takes the place of the counts and
 * durations; with it a `retryAfter` has no cap, so put a timeout around it.
 *
 * A failed attempt leaves no note, no message and no thought behind, so the model is asked with the same bytes again. A
 * fork that it makes is another one each time. When no attempt is left, it fails as the last one did; the
 * `PipelineError` has those before it. Interruption and defects are never retried, and an interruption ends a wait.
 * Nothing that the step writes is stored before it has succeeded as a whole. Throws when `times` is no whole number
 * from 0, `factor` less than 1 or infinite, `base` or `cap` not longer than zero, or `base` infinite.
 *
 * **Example** (A second attempt after a wait)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Busy extends Data.TaggedError("Busy") {}
 *
 * let calls = 0
 * const stock = Step.make("stock", {
 *   schema: Schema.Finite,
 *   run: Effect.suspend(() => (++calls < 2 ? Effect.fail(new Busy()) : Effect.succeed(12)))
 * })
 * const patient = Pipeline.backoff("patient", { step: stock, base: "10 millis", cap: "1 second" })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(patient, yield* Thought.make("count"))
 *   assert.equal(done.get("stock"), 12)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const backoff = taking("Pipeline.backoff", {
  options: 1,
  known: ["step", "times", "base", "factor", "cap", "jitter", "schedule", "while"],
  steps: ["step"]
})(<S extends Step.Any, SE = never, SR = never>(
  name: string,
  options: { readonly step: S } & (BackoffOptions<Step.Err<S>> | ScheduledOptions<Step.Err<S>, SE, SR>)
): Wrapped<S, Step.Err<S> | SE, Step.Req<S> | SR> => {
  const { step } = options
  const again = options.while ?? isRetryable
  const { plan, settings } =
    options.schedule === undefined ? growing(name, options) : { plan: scheduled(options.schedule), settings: undefined }
  return wrap(step, around(step.node, name, kind, settings), (thought) =>
    Effect.flatMap(plan, (next) =>
      repeat<Step.Err<S>, Step.Req<S>, SE, SR>(thought, step, (error, attempt) =>
        again(error) ? next(error, attempt) : Effect.undefined
      )
    )
  )
})

const kind = "backoff"

/** The wait after a failed attempt, or that there is none. It is made anew for every run. */
type Plan<E, SE, SR> = Effect.Effect<
  (error: E, attempt: number) => Effect.Effect<Duration.Duration | undefined, SE, SR>,
  never,
  SR
>

const growing = (
  name: string,
  options: Omit<BackoffOptions<never>, "while">
): { readonly plan: Plan<unknown, never, never>; readonly settings: Step.Node["settings"] } => {
  const { factor = 2, jitter = true, times = 4 } = options
  wholeFrom(0, name, "times", times)
  if (!(factor >= 1 && factor < Infinity)) {
    throw new Error(`The step ${quoted(name)} needs a finite number from 1 as factor, not ${factor}.`)
  }
  const base = longerThanZero(name, "base", options.base ?? "250 millis")
  const cap = longerThanZero(name, "cap", options.cap ?? "30 seconds", { endless: true })
  const next = (error: unknown, attempt: number): Effect.Effect<Duration.Duration | undefined> => {
    const least = retryAfter(error)
    if (attempt > times || least === undefined || Duration.isGreaterThan(least, cap)) return Effect.undefined
    const whole = Duration.min(Duration.millis(Duration.toMillis(base) * factor ** (attempt - 1)), cap)
    const wait = jitter
      ? Effect.map(Random.next, (part) => Duration.millis(Duration.toMillis(whole) * (0.5 + part / 2)))
      : Effect.succeed(whole)
    return Effect.map(wait, (length) => Duration.max(length, least))
  }
  const settings = { times, base: Duration.format(base), factor, cap: Duration.format(cap), jitter }
  return { plan: Effect.succeed(next), settings }
}

const scheduled = <E, SE, SR>(schedule: Schedule.Schedule<unknown, E, SE, SR>): Plan<E, SE, SR> =>
  Effect.map(Schedule.toStep(schedule), (step) => (error) => {
    const least = retryAfter(error)
    if (least === undefined) return Effect.undefined
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      step(now, error).pipe(
        Effect.map(([, wait]): Duration.Duration | undefined => Duration.max(wait, least)),
        Pull.catchDone(() => Effect.undefined)
      )
    )
  })

/** How long an error asks to wait at least; nothing when that is for ever. */
const retryAfter = (error: unknown): Duration.Duration | undefined => {
  if (!hasProperty(error, "retryAfter") || !Duration.isDuration(error.retryAfter)) return Duration.zero
  return Duration.isFinite(error.retryAfter) ? error.retryAfter : undefined
}

/**
 * `Pipeline.backoff` around the step that it is piped onto, under the name `backoff(<name of the step>)`.
 *
 * **Example** (Up to five attempts, with waits between them)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.backoff({ base: "1 second" }))
 *
 * assert.equal(spam.name, "backoff(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const backing: {
  <S extends Step.Any = never, SE = never, SR = never>(
    options: (BackoffOptions<Step.Err<S>> | ScheduledOptions<Step.Err<S>, SE, SR>) & {
      readonly while: (error: Step.Err<S>) => boolean
    },
    ...known: Known<S>
  ): (self: S) => Wrapped<S, Step.Err<S> | SE, Step.Req<S> | SR>
  <E = any, SE = never, SR = never>(
    options?: BackoffOptions<E> | ScheduledOptions<E, SE, SR>
  ): <S extends Step.Step<any, any, E, any>>(self: S) => Wrapped<S, Step.Err<S> | SE, Step.Req<S> | SR>
  <S extends Step.Any, SE = never, SR = never>(
    self: S,
    options?: BackoffOptions<Step.Err<S>> | ScheduledOptions<Step.Err<S>, SE, SR>
  ): Wrapped<S, Step.Err<S> | SE, Step.Req<S> | SR>
} = piped("Step.backoff", (self: Step.Any, options: BackoffOptions<any> | ScheduledOptions<any, any, any> = {}) =>
  backoff(pipedName(kind, self), { ...options, step: self })
)
