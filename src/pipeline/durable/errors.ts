/** How a durable run ends without a result of its step. */
import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

/** A question that a run waits for. */
const Waits = Schema.Array(
  Schema.Struct({
    frame: Schema.String,
    key: Schema.String,
    prompt: Schema.String,
    dueMillis: Schema.optionalKey(Schema.Finite)
  })
)

/**
 * The run waits for answers. Everything it has done is stored.
 *
 * **Details**
 *
 * - `waits`: the questions, each with its `frame`, its `key`, the `prompt`, and when the run goes on without an answer
 * - `thoughtId`: the thought as far as it is stored
 *
 * Answer with `Pipeline.answer`, then go on with `Pipeline.resume`. A connector never sees this error.
 *
 * @category errors
 */
export class Suspended extends Schema.TaggedError<Suspended>()("Suspended", {
  runId: Schema.String,
  thoughtId: Schema.String,
  waits: Waits
}) {
  override get message(): string {
    const { runId, waits } = this
    const keys = waits.map(({ key }) => quoted(key)).join(", ")
    return `The run ${quoted(runId)} waits for ${keys}. Answer with Pipeline.answer, then go on with Pipeline.resume.`
  }
}

/**
 * Another process has the run, or it runs in this process already.
 *
 * @category errors
 */
export class RunBusy extends Schema.TaggedError<RunBusy>()("RunBusy", {
  runId: Schema.String,
  leaseUntilMillis: Schema.optionalKey(Schema.Finite)
}) {
  get isRetryable(): true {
    return true
  }
  override get message(): string {
    const { leaseUntilMillis, runId } = this
    const until = leaseUntilMillis === undefined ? "" : ` until ${new Date(leaseUntilMillis).toISOString()} at least`
    return `The run ${quoted(runId)} is in progress elsewhere${until}. Wait for it, or resume it when its process has ended.`
  }
}

/**
 * The pipeline is not the one that the run began with. Nothing was asked.
 *
 * `frame` is the first step that differs; `before` and `now` are its lines in the outlines.
 *
 * @category errors
 */
export class PipelineChanged extends Schema.TaggedError<PipelineChanged>()("PipelineChanged", {
  runId: Schema.String,
  frame: Schema.String,
  before: Schema.String,
  now: Schema.String
}) {
  override get message(): string {
    const { before, frame, now, runId } = this
    return (
      `The pipeline has changed since the run ${quoted(runId)} began, at ${quoted(frame)}: it was ${quoted(before)} and is ` +
      `${quoted(now)}. Resume the run with the version that began it, or repeat it with Pipeline.rerun.`
    )
  }
}

/**
 * A resumed run has come to something else than what the ledger has at this place. Nothing was asked.
 *
 * `frame` is the step; `differs` names the parts that are not the same, such as the `message` of a request.
 *
 * @category errors
 */
export class ReplayMismatch extends Schema.TaggedError<ReplayMismatch>()("ReplayMismatch", {
  runId: Schema.String,
  frame: Schema.String,
  differs: Schema.Array(Schema.String),
  before: Schema.String,
  now: Schema.String
}) {
  override get message(): string {
    const { before, differs, frame, now, runId } = this
    const what = before === now ? `${now} with another ${differs.join(", ")}` : `${now} instead of ${before}`
    return (
      `The run ${quoted(runId)} does not repeat itself: the step ${quoted(frame)} comes to ${what}. The code, a setting or ` +
      `something it reads has changed. Resume the run with what it began with, or repeat it with Pipeline.rerun.`
    )
  }
}

/**
 * It is not known whether an effect was carried out, because its process ended during it, and the run is set not to repeat it.
 *
 * @category errors
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  runId: Schema.String,
  frame: Schema.String
}) {
  override get message(): string {
    return (
      `It is not known whether the effect of the step ${quoted(this.frame)} was carried out: its process ended during it. ` +
      `Find out, then resume the run ${quoted(this.runId)} with onInterrupted: "rerun".`
    )
  }
}

/**
 * Somebody has answered the question before. The first answer counts.
 *
 * @category errors
 */
export class AlreadyAnswered extends Schema.TaggedError<AlreadyAnswered>()("AlreadyAnswered", {
  runId: Schema.String,
  key: Schema.String,
  by: Schema.optionalKey(Schema.String),
  atMillis: Schema.Finite
}) {
  override get message(): string {
    const { atMillis, by, key, runId } = this
    const who = by === undefined ? "" : ` by ${quoted(by)}`
    return `The question ${quoted(key)} of the run ${quoted(runId)} was answered${who} at ${new Date(atMillis).toISOString()}.`
  }
}

/**
 * None of the given steps is the one that the run began with.
 *
 * @category errors
 */
export class StepUnknown extends Schema.TaggedError<StepUnknown>()("StepUnknown", {
  runId: Schema.String,
  pipeline: Schema.String
}) {
  override get message(): string {
    const { pipeline, runId } = this
    return `The run ${quoted(runId)} is one of the step ${quoted(pipeline)}, which is not among the given steps: add it.`
  }
}

/**
 * The run has not kept the answers of its models, so that it cannot be repeated or made a fixture.
 *
 * @category errors
 */
export class AnswersNotKept extends Schema.TaggedError<AnswersNotKept>()("AnswersNotKept", {
  runId: Schema.String
}) {
  override get message(): string {
    return (
      `The run ${quoted(this.runId)} has not kept its answers, or a redaction has taken them: start runs with ` +
      `{ durable: { keep: "answers" } } to repeat them or to make fixtures of them.`
    )
  }
}

/** What ends a durable run besides the failure of a step. */
export type RunError = Suspended | RunBusy | PipelineChanged | ReplayMismatch | OutcomeUnknown
