/** How long steps and calls took, and what they used. */
import * as DateTime from "effect/DateTime"
import type { CallRow, StepRow, StoredRun } from "../memory/model/Ledger.ts"
import type { Signal } from "../signal/Signal.ts"
import { type Recorded, type Stretch, unknownWithout } from "./recorded.ts"
import { isBound, isModelCall, stepsOf } from "./rows.ts"
import { counted } from "../text/legible.ts"
import {
  type Amounts,
  amountsOf,
  atPath,
  boundOf,
  costOf,
  short,
  took,
  tookOf,
  used,
  usedBy,
  withCommas
} from "./text.ts"

export const performance = (stretches: ReadonlyArray<Stretch>, recorded: Recorded): ReadonlyArray<string> => {
  const { run, signals } = recorded
  // the rows of a run have what all of its processes did
  if (run !== undefined) return [...(signals ?? []).flatMap(waitOf), ...ofRun(run)]
  if (signals !== undefined) return ofSignals(signals)
  return [...spanOf(stretches), ...unknownWithout(recorded, "how long steps and calls took, nor what each call used")]
}

/** The time between the first and the last note. */
const spanOf = (stretches: ReadonlyArray<Stretch>): ReadonlyArray<string> => {
  const all = stretches.flatMap(({ notes }) => notes)
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined) return []
  const millis = DateTime.toEpochMillis(last.created) - DateTime.toEpochMillis(first.created)
  return [`${counted(all.length, "note")}, ${took(millis)} from the first to the last.`]
}

const ofRun = (run: StoredRun): ReadonlyArray<string> => {
  const steps = stepsOf(run)
  const models = run.calls.filter(isModelCall)
  const lines = [
    ...steps.map((step) => ({ at: step.startedMillis, depth: depthOf(step.frame), text: stepLine(step) })),
    ...run.calls.map((call) => ({ at: call.startedMillis, depth: depthOf(call.frame) + 0.5, text: callLine(call) }))
  ]
  return [
    ...lines.toSorted((a, b) => a.at - b.at || a.depth - b.depth).map(({ text }) => text),
    total(steps.length, models.length, amountsOf(models.filter((call) => !isBound(call))), boundOf(models))
  ]
}

const depthOf = (frame: string): number => frame.split("/").length

const stepLine = (step: StepRow): string =>
  `${short(step.frame)}: ${withCommas([short(step.kind), step.outcome, tookOf(step)])}`

const callLine = (call: CallRow): string => {
  const { frame, kind, model, n, provider, state } = call
  const who = [provider, model].filter((name) => name !== undefined).map(short)
  const parts = [kind, ...who, state, tookOf(call), usedBy(call), unknownUsage(call)]
  return `${short(frame)} #${n}: ${withCommas(parts)}`
}

const unknownUsage = ({ kind, state, usage }: CallRow): string =>
  usage === undefined && state === "answered" && isModelCall({ kind }) ? "tokens unknown" : ""

const ofSignals = (signals: ReadonlyArray<Signal>): ReadonlyArray<string> => {
  const made = signals.flatMap((signal) =>
    (signal._tag === "CallCompleted" || signal._tag === "CallFailed") && signal.replayed !== true ? [signal] : []
  )
  const ended = signals.filter(({ _tag }) => _tag === "StepCompleted" || _tag === "StepFailed")
  return [
    ...signals.flatMap((signal) => [...workOf(signal), ...waitOf(signal)]),
    total(ended.length, made.length, amountsOf(made))
  ]
}

/** A step or a call that has ended. */
const workOf = (signal: Signal): ReadonlyArray<string> => {
  const text = work(signal)
  return text === undefined ? [] : [atPath(signal.path, text)]
}

/** Time that was spent with waiting, which the rows of a run do not have. */
const waitOf = (signal: Signal): ReadonlyArray<string> => {
  if (signal._tag === "TimedOut") return [atPath(signal.path, `timed out after ${took(signal.limitMillis)}`)]
  if (signal._tag !== "Throttled") return []
  const time = signal.waitMillis === undefined ? "" : ` ${took(signal.waitMillis)}`
  return [atPath(signal.path, `waited${time} for a limit`)]
}

const work = (signal: Signal): string | undefined => {
  switch (signal._tag) {
    case "StepCompleted":
      return withCommas([short(signal.kind), took(signal.durationMillis), replayed(signal)])
    case "StepFailed":
      return withCommas([short(signal.kind), `failed with ${short(signal.error)}`, took(signal.durationMillis)])
    case "CallCompleted":
    case "CallFailed": {
      const { call, durationMillis, model, provider, usage } = signal
      const { sent, usd } = signal._tag === "CallCompleted" ? signal : {}
      const amounts = used({ usage, usd })
      const failed = signal._tag === "CallFailed" ? `failed with ${short(signal.error)}` : ""
      const wire = sent === undefined ? "" : `about ${sent.tokens} sent`
      const parts = [call, short(provider), short(model), failed, took(durationMillis), amounts || "tokens unknown"]
      return withCommas([...parts, wire, replayed(signal)])
    }
    default:
      return undefined
  }
}

const replayed = (signal: { readonly replayed?: true }): string => (signal.replayed === true ? "from the ledger" : "")

const total = (steps: number, calls: number, amounts: Amounts, bound = ""): string =>
  `Total: ${withCommas([counted(steps, "step"), costOf(calls, amounts), bound])}`
