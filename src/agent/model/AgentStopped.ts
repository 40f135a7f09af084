import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

const reasons = {
  message: "its thought has no message, or none any more",
  refused: "its message asks for something unsafe",
  budget: "a budget has no room for another call",
  rounds: "it has used all its rounds without an answer",
  stuck: "it made the same call with the same result again and again",
  failures: "its calls failed again and again"
} as const

/**
 * An agent has stopped without an answer. What it has done is stored in the thought.
 *
 * **Details**
 *
 * - `reason`: `"message"` if the thought has no message, such as after a redaction, `"refused"` if triage found the message unsafe, `"rounds"` if the last round gave no answer, `"stuck"` if a call gave
 *   the same result `limits.repeats` times, `"failures"` if every call of `limits.failures` rounds in a row failed, `"budget"` if a
 *   budget has no room for another call
 * - `rounds`: how many rounds it took
 * - `detail`: what happened last. It may contain text of the model and of tools
 *
 * @category errors
 */
export class AgentStopped extends Schema.TaggedError<AgentStopped>()("AgentStopped", {
  agent: Schema.String,
  reason: Schema.Literals(["message", "refused", "rounds", "stuck", "failures", "budget"]),
  rounds: Schema.Finite,
  detail: Schema.String
}) {
  /** False: the same message would be refused again, and the same budget has no more room. */
  get isRetryable(): boolean {
    return !["message", "refused", "budget"].includes(this.reason)
  }
  override get message(): string {
    const { agent, detail, reason, rounds } = this
    const counted = rounds === 1 ? "1 round" : `${rounds} rounds`
    return `The agent ${quoted(agent)} has stopped after ${counted}: ${reasons[reason]}.${detail === "" ? "" : ` ${detail}`}`
  }
}
