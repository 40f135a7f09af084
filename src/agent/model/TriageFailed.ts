import * as Schema from "effect/Schema"
import { hasProperty } from "effect/Predicate"
import { isRetryable } from "../../run/failure.ts"
import { quoted } from "../../text/legible.ts"

/**
 * The message of an agent could not be judged, so nothing was done.
 *
 * **Details**
 *
 * `cause` is the `ProviderError` of the call, or the `ResponseError` of an answer that cannot be read. `isRetryable` is that of
 * the cause.
 *
 * @category errors
 */
export class TriageFailed extends Schema.TaggedError<TriageFailed>()("TriageFailed", {
  agent: Schema.String,
  cause: Schema.Defect()
}) {
  get isRetryable(): boolean {
    return isRetryable(this.cause)
  }
  override get message(): string {
    const why = hasProperty(this.cause, "message") ? ` ${String(this.cause.message)}` : ""
    return `The agent ${quoted(this.agent)} has not begun, as its message could not be judged.${why}`
  }
}
