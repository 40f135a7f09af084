/** How the failures of a run become one error. */
import * as Cause from "effect/Cause"
import { CommitFailed, type Failure, failureOf, traceOf } from "../../run/failure.ts"
import { MemoryError } from "../../memory/model/error.ts"
import type * as Step from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import { PipelineError } from "./PipelineError.ts"

/**
 * A step's errors, with the `PipelineError`s of inner runs unwrapped: a run wraps its error once.
 *
 * @category errors
 */
export type Unwrapped<E> = E extends PipelineError<infer C> ? Unwrapped<C> : E

/**
 * Turns the typed failures of a cause into one error that has their paths. Interruptions and defects stay as they are.
 */
export const wrap = <E>(
  cause: Cause.Cause<E>,
  step: Step.Any,
  given: Thought<any>,
  thought: Thought | undefined,
  durationMillis: number
): Cause.Cause<PipelineError<Unwrapped<E> | MemoryError>> => {
  const failures: Array<Failure<Unwrapped<E> | MemoryError>> = []
  const others: Array<Cause.Reason<never>> = []
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") failures.push(unwrapped(failureOf(reason, [step.name])))
    else if (reason._tag === "Die" && reason.defect instanceof CommitFailed) {
      failures.push({ ...traceOf(reason, [step.name]), cause: reason.defect.error })
    } else others.push(reason)
  }
  const [first, ...beside] = failures
  if (first === undefined) return Cause.fromReasons(others)
  const own = new PipelineError({ ...first, beside: [...first.beside, ...beside], thought, durationMillis })
  const error = isPast(first.cause, given) ? asBefore(own, step, given) : own
  remember(error, step, given)
  return Cause.fromReasons([Cause.makeFailReason(error), ...others])
}

/** Unwraps a failure of inner runs, and those around it, as if there had been one run only. */
const unwrapped = <E>(failure: Failure<E>): Failure<Unwrapped<E>> => {
  const { cause, durationMillis, path } = failure
  const before = failure.before.map(unwrapped)
  const beside = failure.beside.map(unwrapped)
  if (!(cause instanceof PipelineError)) {
    // the type follows from the test above, which the checker cannot see through `Unwrapped`
    return { path, cause: cause as Unwrapped<E>, durationMillis, before, beside }
  }
  const inner = below(path)(unwrapped<unknown>(cause))
  return {
    ...inner,
    cause: inner.cause as Unwrapped<E>,
    before: [...before, ...inner.before],
    beside: [...inner.beside, ...beside]
  }
}

/** The failures of an inner run as those of the outer run, with the path from the outer run. */
export const fromWithin = (outer: ReadonlyArray<string>, failures: ReadonlyArray<Failure>): ReadonlyArray<Failure> =>
  failures.map((failure) => below(outer)(unwrapped(failure)))

/** A failure of an inner run, and those around it, with the path to that run in front. */
const below =
  (outer: ReadonlyArray<string>) =>
  ({ before, beside, cause, durationMillis, path }: Failure): Failure => ({
    path: [...outer, ...path],
    cause,
    durationMillis,
    before: before.map(below(outer)),
    beside: beside.map(below(outer))
  })

/** The error of a run, by its thought and step. */
const failed = new WeakMap<Thought<any>, WeakMap<Step.Any, PipelineError<any>>>()

const remember = (error: PipelineError<any>, step: Step.Any, given: Thought<any>): void => {
  const known = failed.get(given)
  if (known === undefined) failed.set(given, new WeakMap([[step, error]]))
  else known.set(step, error)
}

const isPast = (cause: unknown, { id }: Thought<any>): boolean =>
  cause instanceof MemoryError && cause.reason._tag === "ConcurrencyConflict" && cause.reason.thoughtId === id

/**
 * A retry of a run on the same value fails with a conflict, because the first run has stored something. Its error is
 * that of the first run, with the conflict beside it.
 */
const asBefore = <E>(conflict: PipelineError<E>, step: Step.Any, given: Thought<any>): PipelineError<E> => {
  const first = failed.get(given)?.get(step)
  if (first === undefined || isPast(first.cause, given)) return conflict
  const { beside, cause, durationMillis, path } = conflict
  const isKnown = first.beside.some((one) => isPast(one.cause, given))
  return new PipelineError({
    path: first.path,
    // the same step has failed with it
    cause: first.cause as E,
    before: first.before,
    beside: isKnown ? first.beside : [...first.beside, { path, cause, durationMillis, before: [], beside }],
    thought: first.thought,
    durationMillis: first.durationMillis
  })
}
