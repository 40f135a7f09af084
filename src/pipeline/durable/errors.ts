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
 * Answer with `Pipeline.answer`, then go on with `Pipeline.resume`. The connectors of a run that waits do not see this error. A
 * durable run inside an effect is another run: that it waits is a failure of the effect, and no connector tries it again.
 *
 * @category errors
 */
export class Suspended extends Schema.TaggedError<Suspended>()("Suspended", {
  runId: Schema.String,
  thoughtId: Schema.String,
  waits: Waits
}) {
  /** Trying again finds the same question. */
  get isRetryable(): boolean {
    return false
  }
  override get message(): string {
    const { runId, waits } = this
    const keys = waits.map(({ key }) => quoted(key)).join(", ")
    return `The run ${quoted(runId)} waits for ${keys}. Answer with Pipeline.answer, then go on with Pipeline.resume.`
  }
}

/**
 * The run is not over: it is being executed, by another process or by this one. `isOpen` says that nobody executes it: it waits for an
 * answer or was interrupted, so trying again does not help.
 *
 * @category errors
 */
export class RunBusy extends Schema.TaggedError<RunBusy>()("RunBusy", {
  runId: Schema.String,
  leaseUntilMillis: Schema.optionalKey(Schema.Finite),
  isOpen: Schema.optionalKey(Schema.Boolean)
}) {
  get isRetryable(): boolean {
    return this.isOpen !== true
  }
  override get message(): string {
    const { isOpen = false, leaseUntilMillis, runId } = this
    if (isOpen) {
      return (
        `The run ${quoted(runId)} is not over: resume it, after answering what Pipeline.waiting lists of it, or give it up ` +
        `with Agent.cancel.`
      )
    }
    const until = leaseUntilMillis === undefined ? "" : ` until ${new Date(leaseUntilMillis).toISOString()} at least`
    return `The run ${quoted(runId)} is in progress elsewhere${until}. Wait for it, or resume it when its process has ended.`
  }
}

/**
 * The pipeline differs from the one that the run started with. No call was made.
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
 * A resumed run differs from its ledger at this step. No call was made there.
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
    if (frame === "") {
      return `The run ${quoted(runId)} began with another intent, task id or notes. To run with these, use an id that no run has.`
    }
    const what = before === now ? `${now} with another ${differs.join(", ")}` : `${now} instead of ${before}`
    return (
      `The run ${quoted(runId)} does not repeat itself: the step ${quoted(frame)} comes to ${what}. The code, a setting or ` +
      `something it reads has changed. Resume the run with what it began with, or repeat it with Pipeline.rerun.`
    )
  }
}

/**
 * An effect has no known outcome, and `onInterrupted: "fail"` forbids repeating it. The process ended during it, or it was interrupted.
 * In a rerun, it may also have had a defect or given a value outside its schema.
 *
 * @category errors
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  runId: Schema.String,
  frame: Schema.String
}) {
  override get message(): string {
    return (
      `It is not known what the effect of the step ${quoted(this.frame)} has done: it was interrupted, or it ended without a result. ` +
      `Find out, then resume the run ${quoted(this.runId)} with onInterrupted: "rerun".`
    )
  }
}

/**
 * The question already has an answer. The first answer wins.
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
 * The run goes on without an answer to this question, or has done so, because nobody answered within the timeout of the step.
 *
 * @category errors
 */
export class AnswerTooLate extends Schema.TaggedError<AnswerTooLate>()("AnswerTooLate", {
  runId: Schema.String,
  key: Schema.String,
  dueMillis: Schema.Finite
}) {
  override get message(): string {
    const { dueMillis, key, runId } = this
    return (
      `The question ${quoted(key)} of the run ${quoted(runId)} could be answered until ${new Date(dueMillis).toISOString()}. ` +
      `The run goes on without an answer when it is resumed, if it has not done so.`
    )
  }
}

/**
 * None of the given steps is the pipeline of the run.
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
 * The run did not keep its answers, which reruns and fixtures need.
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

/**
 * The errors of a durable run other than the failure of a step.
 *
 * @category types
 */
export type RunError = Suspended | RunBusy | PipelineChanged | ReplayMismatch | OutcomeUnknown
