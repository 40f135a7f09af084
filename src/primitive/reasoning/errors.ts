/** Errors of steps that go back to notes or checkpoints. */
import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

/**
 * A step had to summarise notes, but found no notes. `step` is its name, `thoughtId` the thought without notes to read.
 *
 * @category errors
 */
export class NoNotes extends Schema.TaggedError<NoNotes>()("NoNotes", {
  step: Schema.String,
  thoughtId: Schema.String,
  unpublishedOnly: Schema.Boolean
}) {
  override get message(): string {
    const what = this.unpublishedOnly ? "unpublished notes" : "notes"
    return `${this.step}: the thought ${this.thoughtId} has no ${what} to summarise. Write one first, or leave the step out.`
  }
}

/**
 * A step was to restore a checkpoint that the thought does not have.
 *
 * @category errors
 */
export class CheckpointNotFound extends Schema.TaggedError<CheckpointNotFound>()("CheckpointNotFound", {
  checkpoint: Schema.String,
  thoughtId: Schema.String
}) {
  override get message(): string {
    return `The thought ${this.thoughtId} has no checkpoint ${quoted(
      this.checkpoint
    )}. A Primitive.checkpoint of that name must run before it.`
  }
}
