import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

/**
 * The configuration of an agent does not fit the schema of its definition. Nothing was made.
 *
 * @category errors
 */
export class InvalidConfig extends Schema.TaggedError<InvalidConfig>()("InvalidConfig", {
  definition: Schema.String,
  issue: Schema.String
}) {
  /** False: the same configuration would be refused again. */
  get isRetryable(): boolean {
    return false
  }
  override get message(): string {
    return `The configuration of ${quoted(this.definition)} does not fit its schema: ${this.issue}`
  }
}

/**
 * The running agent was destroyed, before or while it received a message.
 *
 * @category errors
 */
export class AgentDestroyed extends Schema.TaggedError<AgentDestroyed>()("AgentDestroyed", {
  id: Schema.String
}) {
  /** False: it does not come back. */
  get isRetryable(): boolean {
    return false
  }
  override get message(): string {
    return `The running agent ${quoted(this.id)} was destroyed. Its sessions are stored: another agent can go on with them.`
  }
}
