/** What failed, with the path of the step. */
import type { CallRow, StepRow, StoredRun } from "../memory/model/Ledger.ts"
import type { Note } from "../thought/Note.ts"
import type { Signal } from "../signal/Signal.ts"
import { isFailedResult, toolOf } from "../thought/toolMeta.ts"
import { type Recorded, type Stretch, unknownWithout } from "./recorded.ts"
import { stepsOf } from "./rows.ts"
import { counted } from "../text/legible.ts"
import { atPath, short, took } from "./text.ts"
import { valueOf } from "./value.ts"

export const failures = (stretches: ReadonlyArray<Stretch>, recorded: Recorded): ReadonlyArray<string> => {
  const { run, signals = [] } = recorded
  return [
    ...stretches.flatMap(({ notes }) => notes.flatMap(ofNote)),
    ...(run === undefined ? [] : ofRun(run)),
    ...signals.flatMap((signal) => ofSignal(signal, run)),
    ...unknownWithout(recorded, "the failures of steps and of calls of models")
  ]
}

/** A call of a tool that failed, or a message that was refused. */
const ofNote = (note: Note): ReadonlyArray<string> => {
  const path = short(note.step || note.key)
  if (isFailedResult(note)) return [`${path}: ${short(toolOf(note))} failed: ${short(note.content)}`]
  return note.source === "triage" && valueOf(note) === "not safe" ? [`${path}: the message was judged not safe`] : []
}

const ofRun = (stored: StoredRun): ReadonlyArray<string> => [
  ...stepsOf(stored).flatMap(stepFailure),
  ...stored.calls.flatMap(callFailure),
  ...(stored.run.error === undefined ? [] : [`The run ${short(stored.run.id)} failed with ${short(stored.run.error)}.`])
]

const stepFailure = ({ error, frame, kind, outcome }: StepRow): ReadonlyArray<string> =>
  error === undefined && outcome !== "failed"
    ? []
    : [`${short(frame)}: ${short(kind)} failed with ${short(error ?? "an unknown error")}`]

const callFailure = ({ attempt, frame, kind, model, n, provider, state }: CallRow): ReadonlyArray<string> => {
  const who = [provider, model].filter((name) => name !== undefined).map(short)
  const what = `${short(frame)} #${n}: ${[kind, ...who].join(", ")}`
  if (state === "failed") return [`${what} failed${attempt > 1 ? ` after ${counted(attempt, "attempt")}` : ""}`]
  return state === "interrupted" ? [`${what} was interrupted, and its outcome is not known`] : []
}

const ofSignal = (signal: Signal, run: StoredRun | undefined): ReadonlyArray<string> => {
  const text = eventOf(signal, run !== undefined)
  return text === undefined ? [] : [atPath(signal.path, text)]
}

/** What a signal says of a failure. The rows of a run have the steps and calls that failed. */
const eventOf = (signal: Signal, hasRun: boolean): string | undefined => {
  switch (signal._tag) {
    case "StepFailed":
      return hasRun ? undefined : `${short(signal.kind)} failed with ${short(signal.error)}`
    case "CallFailed":
      return hasRun
        ? undefined
        : `${signal.call}, ${short(signal.provider)}, ${short(signal.model)} failed with ${short(signal.error)}`
    case "AnswerRejected":
      return `an answer was rejected for ${counted(signal.issues, "issue")}, ${counted(signal.repairsLeft, "repair")} left`
    case "AttemptFailed":
      return `attempt ${signal.attempt} failed with ${short(signal.error)}`
    case "FailureIgnored":
      return `${short(signal.step)} failed with ${short(signal.error)}, which was ignored`
    case "TimedOut":
      return `timed out after ${took(signal.limitMillis)}`
    case "BudgetCrossed":
      return `the budget ${short(signal.budget)} (${signal.limit}) was reached: ${signal.how}`
    case "BackgroundEnded":
      return signal.error === undefined ? undefined : `the background step failed with ${short(signal.error)}`
    default:
      return undefined
  }
}
