/** What is known of a failure on its way out: where it was, how long the step ran, what failed before and beside it. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type { MemoryError } from "../memory/model/error.ts"

/**
 * An error and where it was raised.
 *
 * `before` has what failed earlier and was tried again or passed over, such as the attempts of a retry, `beside` what
 * failed at the same time; both oldest first. Of more than a hundred attempts of one step the first 20 and the last 80 are
 * kept; between them an entry whose cause is `FailuresLeftOut` says how many there were.
 */
export interface Failure<out E = unknown> {
  /** Names from the pipeline to the step that raised it. */
  readonly path: ReadonlyArray<string>
  readonly cause: E
  /** How long that step ran. */
  readonly durationMillis: number
  readonly before: ReadonlyArray<Failure>
  readonly beside: ReadonlyArray<Failure>
}

type Trace = Omit<Failure, "cause">

/** Where a failure was, on the reasons of its cause. */
class Traced extends Context.Service<Traced, Trace>()("cogito/Failure") {}

/** Says where a cause was raised, on those of its reasons that do not say it yet. */
export const located = <E>(
  cause: Cause.Cause<E>,
  path: ReadonlyArray<string>,
  durationMillis: number
): Cause.Cause<E> => Cause.annotate(cause, Context.make(Traced, { path, durationMillis, before: [], beside: [] }))

/** What is known of a failure; `path` is for one that was raised outside any step. */
export const failureOf = <E>(reason: Cause.Fail<E>, path: ReadonlyArray<string> = []): Failure<E> => ({
  ...traceOf(reason, path),
  cause: reason.error
})

/** What is known of where a reason was raised. */
export const traceOf = (reason: Cause.Reason<unknown>, path: ReadonlyArray<string>): Trace =>
  Context.getOrUndefined(Cause.reasonAnnotations(reason), Traced) ?? {
    path,
    durationMillis: 0,
    before: [],
    beside: []
  }

/** The first failure of a cause, unless a defect outweighs it or there is none. */
export const failing = <E>(cause: Cause.Cause<E>): Cause.Fail<E> | undefined =>
  Cause.hasDies(cause) ? undefined : cause.reasons.find(Cause.isFailReason)

/** A cause without its failures: what is left when those are somebody else's. */
export const withoutFailures = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)))

/** The failure, with what else failed before and beside it. */
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

/** The store's failure on its way out, as a defect: no step's business, so none can take it for an error of its own. */
export class CommitFailed {
  readonly error: MemoryError
  constructor(error: MemoryError) {
    this.error = error
  }
}
