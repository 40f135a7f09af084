/** How the failures of a run become its one error. */
import * as Cause from "effect/Cause"
import { CommitFailed, type Failure, failureOf, traceOf } from "../../run/failure.ts"
import { MemoryError } from "../../memory/model/error.ts"
import type * as Step from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import { PipelineError } from "./PipelineError.ts"

/**
 * A step's errors without the `PipelineError` of runs within it, and of those within them: a run wraps once.
 *
 * @category errors
 */
export type Unwrapped<E> = E extends PipelineError<infer C> ? Unwrapped<C> : E

/**
 * The typed failures of a cause as one error that says where each happened; interruptions and defects as they are.
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

/** A failure that runs within steps have wrapped already, as if there had been one run only; those around it likewise. */
const unwrapped = <E>(failure: Failure<E>): Failure<Unwrapped<E>> => {
  const { cause, durationMillis, path } = failure
  const before = failure.before.map(unwrapped)
  const beside = failure.beside.map(unwrapped)
  if (!(cause instanceof PipelineError)) {
    // what it is follows from the test, which the checker cannot see through `Unwrapped`
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

/** The failures of an inner run, as those of the run around it, from where the inner one was begun. */
export const fromWithin = (outer: ReadonlyArray<string>, failures: ReadonlyArray<Failure>): ReadonlyArray<Failure> =>
  failures.map((failure) => below(outer)(unwrapped(failure)))

/** A failure of an inner run, and those around it, with the way to that run. */
const below =
  (outer: ReadonlyArray<string>) =>
  ({ before, beside, cause, durationMillis, path }: Failure): Failure => ({
    path: [...outer, ...path],
    cause,
    durationMillis,
    before: before.map(below(outer)),
    beside: beside.map(below(outer))
  })

/** By the value that was run, and the step: how that run failed. */
const failed = new WeakMap<Thought<any>, WeakMap<Step.Any, PipelineError<any>>>()

const remember = (error: PipelineError<any>, step: Step.Any, given: Thought<any>): void => {
  const known = failed.get(given)
  if (known === undefined) failed.set(given, new WeakMap([[step, error]]))
  else known.set(step, error)
}

const isPast = (cause: unknown, { id }: Thought<any>): boolean =>
  cause instanceof MemoryError && cause.reason._tag === "ConcurrencyConflict" && cause.reason.thoughtId === id

/**
 * A run that is tried again on the same value fails because the run before it has stored something. What is wrong is what
 * that one failed of; the conflict is beside it.
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
