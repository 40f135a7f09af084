import * as Data from "effect/Data"
import type { Failure } from "../../run/failure.ts"

/**
 * Stands in a list of failures for `failures` others that were too many to keep or to show.
 *
 * Its entry has the path of the connector that left them out, if one did, and the sum of their durations.
 *
 * @category errors
 */
export class FailuresLeftOut extends Data.TaggedError("FailuresLeftOut")<{ readonly failures: number }> {
  override get message(): string {
    return `${this.failures} more failure${this.failures === 1 ? "" : "s"}`
  }
}

/** The entry for failures that were left out, of which some may stand for others themselves. */
export const leftOut = (path: ReadonlyArray<string>, failures: ReadonlyArray<Failure>): Failure => ({
  path,
  cause: new FailuresLeftOut({ failures: failures.reduce((sum, one) => sum + standsFor(one), 0) }),
  durationMillis: failures.reduce((sum, { durationMillis }) => sum + durationMillis, 0),
  before: [],
  beside: []
})

/** Whether an entry stands for others. */
export const isLeftOut = ({ cause }: Failure): boolean => cause instanceof FailuresLeftOut

const standsFor = ({ cause }: Failure): number => (cause instanceof FailuresLeftOut ? cause.failures : 1)
