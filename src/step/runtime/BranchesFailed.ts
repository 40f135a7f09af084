import * as Data from "effect/Data"
import { quoted } from "../../text/legible.ts"
import { isRetryable, tagOf } from "../../run/failure.ts"

/**
 * Why a branch failed, and where: `path` leads from the pipeline to the step.
 *
 * @category errors
 */
export interface BranchFailure<out E> {
  readonly branch: string
  readonly path: ReadonlyArray<string>
  readonly cause: E
}

/**
 * Too few branches of a step succeeded: `succeeded` where `needed` were.
 *
 * `failures` has the cause of each that failed, in the order of the branches; the `PipelineError` has them beside it, each
 * with what failed before it. `isRetryable` is true when one of the causes does not say that it is not.
 *
 * @category errors
 */
export class BranchesFailed<out E> extends Data.TaggedError("BranchesFailed")<{
  readonly step: string
  readonly succeeded: number
  readonly needed: number
  readonly failures: ReadonlyArray<BranchFailure<unknown>>
}> {
  declare readonly failures: ReadonlyArray<BranchFailure<E>>
  get isRetryable(): boolean {
    return this.failures.some(({ cause }) => isRetryable(cause))
  }
  override get message(): string {
    const { failures, needed, step, succeeded } = this
    const which =
      succeeded === 0
        ? `All branches of ${quoted(step)} failed`
        : `Of the branches of ${quoted(step)} ${needed} must succeed, and ${succeeded} did`
    const why = failures.map(({ branch, cause }) => `${quoted(branch)} with ${tagOf(cause)}`).join(", ")
    return `${which}: ${why}. See the failures for the causes.`
  }
}
