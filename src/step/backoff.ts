import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { stepNamed, time, whole } from "../arguments/checked.ts"
import { around, type Known, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { isRetryable } from "../run/failure.ts"
import type * as Step from "./runtime/model.ts"
import { repeat } from "./runtime/attempts.ts"

const kind = "backoff"

/**
 * When a failed step is tried again, and how long the waits are.
 *
 * @category models
 */
export interface BackoffOptions<in E> extends NameOption {
  /** How many more attempts there are after the first one. Default: 4. */
  readonly times?: number
  /** The first wait. Default: 250 milliseconds. */
  readonly base?: Duration.Input
  /** The ratio of each wait to the one before: at least 1. Default: 2. */
  readonly factor?: number
  /** The longest wait, also for a wait that an error requests. Default: 30 seconds. */
  readonly cap?: Duration.Input
  /** Whether each wait is random, between half of its length and its full length. Default: true. */
  readonly jitter?: boolean
  /** Which errors are worth another attempt. Default: all except those with `isRetryable: false`. */
  readonly while?: (error: E) => boolean
  readonly schedule?: never
}

/**
 * A schedule that determines when a failed step is tried again. Its input is the error; it may fail and need services.
 *
 * @category models
 */
export interface ScheduledOptions<in E, out SE = never, out SR = never> extends NameOption {
  readonly schedule: Schedule.Schedule<unknown, E, SE, SR>
  /** Which errors are worth another attempt. Default: all except those with `isRetryable: false`. */
  readonly while?: (error: E) => boolean
  readonly times?: never
  readonly base?: never
  readonly factor?: never
  readonly cap?: never
  readonly jitter?: never
}

/**
 * Runs a step again when it fails, after a wait that grows with every attempt.
 *
 * **Details**
 *
 * Attempts start and end as with `retry`. An error with `retryAfter`, such as a `ProviderError`, is never retried
 * before that time; if it is infinite or longer than `cap`, the step fails at once. An interruption ends a wait. A
 * `schedule` replaces counts and durations; it has no cap for `retryAfter`, so put a timeout around it.
 *
 * Throws if `times` is not a whole number from 0, if `factor` is less than 1 or infinite, if `base` or `cap` is zero or
 * negative, or if `base` is infinite.
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
 * const patient = stock.pipe(Step.backoff({ base: "10 millis", cap: "1 second" }))
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
export const backoff: {
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
} = piped(
  taking("Step.backoff", {
    args: [kinds.step],
    options: 1,
    optional: true,
    known: {
      name: forms.naming,
      times: forms.maybe("How often it is tried again.", forms.count(0), 4),
      base: forms.maybe("The first wait.", forms.duration, "250 millis"),
      factor: forms.maybe("How many times as long each wait is as the one before.", forms.number(1), 2),
      cap: forms.maybe("The longest wait.", forms.duration, "30 seconds"),
      jitter: forms.maybe("Whether waits are random in part.", forms.flag, true),
      schedule: forms.inCode,
      while: forms.maybe("A function of the error: whether another attempt is worth it.", forms.callable)
    }
  })((self: Step.Any, options: BackoffOptions<any> | ScheduledOptions<any, any, any> = {}) => {
    const { while: again = isRetryable } = options
    const name = nameOf(kind, self, options)
    const { plan, settings } =
      options.schedule === undefined
        ? growing(name, options)
        : { plan: scheduled(options.schedule), settings: undefined }
    return wrap(self, around(self.node, name, kind, settings), (thought) =>
      Effect.flatMap(plan, (next) =>
        repeat(thought, self, (error, attempt) => (again(error) ? next(error, attempt) : Effect.undefined))
      )
    )
  })
)

/** Returns the wait after a failed attempt, or `undefined` to stop. Each run makes its own. */
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
  const owner = stepNamed(name)
  whole(owner, "times", 0, times)
  if (!(factor >= 1 && factor < Infinity)) {
    throw new Error(`${owner} needs a finite number from 1 as factor, not ${factor}.`)
  }
  const base = time(owner, "base", options.base ?? "250 millis")
  const cap = Duration.millis(time(owner, "cap", options.cap ?? "30 seconds", { endless: true }))
  const next = (error: unknown, attempt: number): Effect.Effect<Duration.Duration | undefined> => {
    const least = retryAfter(error)
    if (attempt > times || least === undefined || Duration.isGreaterThan(least, cap)) return Effect.undefined
    const most = Duration.min(Duration.millis(base * factor ** (attempt - 1)), cap)
    const wait = jitter
      ? Effect.map(Random.next, (part) => Duration.millis(Duration.toMillis(most) * (0.5 + part / 2)))
      : Effect.succeed(most)
    return Effect.map(wait, (length) => Duration.max(length, least))
  }
  const settings = { times, base: Duration.format(Duration.millis(base)), factor, cap: Duration.format(cap), jitter }
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

/** The shortest wait that an error requests; `undefined` if it is infinite. */
const retryAfter = (error: unknown): Duration.Duration | undefined => {
  if (!hasProperty(error, "retryAfter") || !Duration.isDuration(error.retryAfter)) return Duration.zero
  return Duration.isFinite(error.retryAfter) ? error.retryAfter : undefined
}
