import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

/**
 * A step took longer than its time limit.
 *
 * **Details**
 *
 * `step` is the name of the timeout, `limitMillis` its duration. Another attempt may help.
 *
 * @category errors
 */
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", {
  step: Schema.String,
  limitMillis: Schema.Finite
}) {
  override get message(): string {
    const { limitMillis, step } = this
    return `The step ${quoted(step)} did not finish within ${limitMillis} ms. Give it more time, or try again.`
  }
  get isRetryable(): boolean {
    return true
  }
}
