/** How runs fail, as lines that say what to do on the command line. */
import { MemoryError } from "../../Memory.ts"
import type {
  AnswersNotKept,
  OutcomeUnknown,
  PipelineChanged,
  PipelineError,
  ReplayMismatch,
  RunBusy
} from "../../Pipeline.ts"
import { quoted } from "../../text/legible.ts"
import { showOnScreen } from "../../text/invisible.ts"
import { CommandError } from "../console/failure.ts"
import { iso } from "./questions.ts"

type RunFailure = AnswersNotKept | OutcomeUnknown | PipelineChanged | PipelineError<unknown> | ReplayMismatch | RunBusy

/** A process has the run. */
export const busy = (runId: string, leaseUntilMillis: number | undefined): CommandError => {
  const until = leaseUntilMillis === undefined ? "" : ` until ${iso(leaseUntilMillis)} at least`
  return new CommandError({
    message: `The run ${quoted(runId)} is in progress in another process${until}: wait for it, or stop that process and try again then.`
  })
}

const other = "Name the code that began the run, or repeat it with the new code: cogito runs rerun."

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const sentenceOf = (name: string, error: Exclude<RunFailure, RunBusy>): string => {
  if (error._tag === "PipelineChanged") {
    const { before, frame, now } = error
    return `The pipeline has changed since ${name} began, at ${quoted(frame)}: it was ${quoted(before)} and is ${quoted(now)}. ${other}`
  }
  if (error._tag === "ReplayMismatch") {
    const { before, differs, frame, now } = error
    if (differs.includes("start")) {
      return `${capital(name)} began with another intent or other notes: start a run with another id, or repeat it with them: cogito runs rerun.`
    }
    const what =
      before === now ? `${now} with another ${differs.join(", ")} than before` : `${now} instead of ${before}`
    return `The step ${quoted(frame)} of ${name} comes to ${what}. The code, a setting, the model or something it reads has changed. ${other}`
  }
  if (error._tag === "OutcomeUnknown") {
    return (
      `It is not known whether the effect of the step ${quoted(error.frame)} was carried out: its process ended during it. ` +
      `Find out, then resume ${name} with --on-interrupted rerun to carry it out again.`
    )
  }
  if (error._tag === "AnswersNotKept") {
    return (
      `The answers of ${name} were not kept, or a redaction has taken them, so it cannot be repeated: ` +
      `start runs with durable: { keep: "answers" }.`
    )
  }
  const { cause, message } = error
  return `A step of ${name} has failed. ${cause instanceof MemoryError ? cause.message : showOnScreen(message)}`
}

/** The failure of a run as one sentence, with what to do. */
export const asLine = (runId: string, error: RunFailure, name = `the run ${quoted(runId)}`): CommandError =>
  error._tag === "RunBusy"
    ? busy(runId, error.leaseUntilMillis)
    : new CommandError({ message: sentenceOf(name, error) })
