/**
 * Tracks failures on their way out: where they occurred, how long the step ran, and what failed before and beside them.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import type { MemoryError } from "../memory/model/error.ts"

/**
 * An error and where it was raised.
 *
 * **Details**
 *
 * `before` has the failures that were retried or skipped earlier, such as the attempts of a retry. `beside` has the
 * failures at the same time. Both start with the oldest. If a step had more than a hundred attempts, the first 20 and
 * the last 80 are kept. Between them, an entry with the cause `FailuresLeftOut` has the number of the others.
 *
 * @category models
 */
export interface Failure<out E = unknown> {
  /** The names of the steps, from the pipeline to the step that raised it. */
  readonly path: ReadonlyArray<string>
  readonly cause: E
  /** How long that step ran. */
  readonly durationMillis: number
  readonly before: ReadonlyArray<Failure>
  readonly beside: ReadonlyArray<Failure>
}

type Trace = Omit<Failure, "cause">

/** Annotates the reasons of a cause with where they were raised. */
class Traced extends Context.Service<Traced, Trace>()("cogito/Failure") {}

/** Annotates those reasons of a cause that have no location yet. */
export const located = <E>(
  cause: Cause.Cause<E>,
  path: ReadonlyArray<string>,
  durationMillis: number
): Cause.Cause<E> => Cause.annotate(cause, Context.make(Traced, { path, durationMillis, before: [], beside: [] }))

/** The failure of a reason. `path` is the default for one that was raised outside any step. */
export const failureOf = <E>(reason: Cause.Fail<E>, path: ReadonlyArray<string> = []): Failure<E> => ({
  ...traceOf(reason, path),
  cause: reason.error
})

/** The location of a reason. */
export const traceOf = (reason: Cause.Reason<unknown>, path: ReadonlyArray<string>): Trace =>
  Context.getOrUndefined(Cause.reasonAnnotations(reason), Traced) ?? {
    path,
    durationMillis: 0,
    before: [],
    beside: []
  }

/** The first failure of a cause. Undefined if the cause has none or contains a defect. */
export const failing = <E>(cause: Cause.Cause<E>): Cause.Fail<E> | undefined =>
  Cause.hasDies(cause) ? undefined : cause.reasons.find(Cause.isFailReason)

/** The cause without its failures: only defects and interruptions remain. */
export const withoutFailures = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)))

/** The failure, with others that occurred before and beside it. */
export const withOthers = <E>(
  reason: Cause.Fail<E>,
  others: { readonly before?: ReadonlyArray<Failure>; readonly beside?: ReadonlyArray<Failure> }
): Cause.Cause<E> => {
  const { before = [], beside = [] } = others
  const trace = traceOf(reason, [])
  return Cause.annotate(
    Cause.fromReasons([reason]),
    Context.make(Traced, {
      ...trace,
      before: [...before, ...trace.before],
      beside: [...trace.beside, ...beside]
    }),
    { overwrite: true }
  )
}

/** A failure of the store, as a defect, so that no step can mistake it for its own error. */
export class CommitFailed {
  readonly error: MemoryError
  constructor(error: MemoryError) {
    this.error = error
  }
}

/** Ends the run with a failure of the store. */
export const commitFailed = (error: MemoryError): Effect.Effect<never> => Effect.die(new CommitFailed(error))

/** Ends a run for a reason that no step can recover from, as a defect. */
export class Halt {
  readonly error: { readonly _tag: string }
  constructor(error: { readonly _tag: string }) {
    this.error = error
  }
}

/** Marks an interruption by a step that waits for an answer. */
class Waiting extends Context.Service<Waiting, true>()("cogito/Waiting") {}

/** Ends the step as an interruption does, until the run is resumed. */
export const suspended: Effect.Effect<never> = Effect.withFiber((fiber) =>
  Effect.failCause(Cause.annotate(Cause.interrupt(fiber.id), Context.make(Waiting, true)))
)

/** Whether a step waits, rather than being interrupted from outside. */
export const isWaiting = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) => reason._tag === "Interrupt" && Context.getOrUndefined(Cause.reasonAnnotations(reason), Waiting) === true
  )

/** The tag of an error, otherwise its name. */
export const tagOf = (error: unknown): string => {
  if (hasProperty(error, "_tag") && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "Error"
}

/** Whether another attempt may help. True unless the error says otherwise. */
export const isRetryable = (error: unknown): boolean =>
  !(hasProperty(error, "isRetryable") && error.isRetryable === false)
