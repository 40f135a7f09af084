import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

/**
 * The run cannot be cancelled: it is completed, and its answer is in the conversation.
 *
 * @category errors
 */
export class RunCompleted extends Schema.TaggedError<RunCompleted>()("RunCompleted", {
  runId: Schema.String
}) {
  /** False: a completed run stays completed. */
  get isRetryable(): boolean {
    return false
  }
  override get message(): string {
    return `The run ${quoted(this.runId)} is completed: there is nothing to cancel. Agent.resume gives its answer.`
  }
}
