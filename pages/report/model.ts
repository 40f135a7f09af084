/** What the page shows of a report: the chosen run, and what is computed from its rows. */
import type {
  CallRecord,
  NoteReport,
  RunRecord,
  RunReport,
  StepRecord,
  ThoughtReport,
  WaitRecord
} from "../../src/report/model.ts"
import { counted, moment } from "./words.ts"

/** What is open in the panel at the side. */
export type Target = { readonly _tag: "note"; readonly id: string } | { readonly _tag: "step"; readonly frame: string }

/** A report with one of its runs, or a thought without a run, chosen. */
export interface View {
  readonly report: RunReport
  readonly run: RunRecord | undefined
  readonly thought: ThoughtReport
  /** The notes that the thought sees, in order. */
  readonly notes: ReadonlyArray<NoteReport>
  readonly byId: ReadonlyMap<string, NoteReport>
  /** The notes that each note was made into. */
  readonly usedBy: ReadonlyMap<string, ReadonlyArray<NoteReport>>
}

export const viewOf = (report: RunReport, runId: string | undefined): View => {
  const run = report.runs.find(({ id }) => id === runId)
  const id = run === undefined ? report.focus.thoughtId : (run.endThoughtId ?? run.startThoughtId)
  const [first] = report.thoughts
  const thought = report.thoughts.find((one) => one.id === id) ?? first
  if (thought === undefined) throw new Error("The report has no thought.")
  const usedBy = new Map<string, Array<NoteReport>>()
  for (const note of report.notes) {
    for (const source of note.derivedFrom) {
      const users = usedBy.get(source)
      if (users === undefined) usedBy.set(source, [note])
      else users.push(note)
    }
  }
  return {
    report,
    run,
    thought,
    notes: seenBy(report, thought),
    byId: new Map(report.notes.map((note) => [note.id, note])),
    usedBy
  }
}

/** The notes of a thought without those that it does not see. */
export const seenBy = (report: RunReport, { hidden, notes }: ThoughtReport): ReadonlyArray<NoteReport> =>
  notes.flatMap((at) => {
    const note = report.notes[at]
    return note === undefined || note.seq <= (hidden[note.key] ?? 0) ? [] : [note]
  })

export const isModelCall = ({ kind }: Pick<CallRecord, "kind">): boolean => kind === "complete" || kind === "decide"

const repairs = new WeakMap<RunRecord, ReadonlySet<CallRecord>>()

/**
 * Calls that show the answer of the call before as one that must be corrected. Known only if the run kept its requests. The rounds
 * of an agent show earlier answers too, but offer tools, or follow calls of them.
 */
export const repairsOf = ({ report, run }: View): ReadonlySet<CallRecord> => {
  if (run === undefined) return new Set()
  const known = repairs.get(run)
  if (known !== undefined) return known
  const calls = run.calls.filter(isModelCall)
  const found = calls.filter((call, at) => {
    const before = calls[at - 1]
    if (before?.answer === undefined || before.frame !== call.frame || before.task?.kind !== call.task?.kind)
      return false
    if (call.tools !== undefined || before.called !== undefined) return false
    const shown = report.messages[call.sent?.at(-2) ?? -1]
    return shown?.role === "assistant" && shown.text === before.answer
  })
  const set = new Set(found)
  repairs.set(run, set)
  return set
}

export const samePath = (path: ReadonlyArray<string>, step: string): boolean => path.join("/") === step

/** What calls used together. A figure that no call reports is undefined. */
export interface Amounts extends Used {
  readonly calls: number
  /** The most that calls without a known outcome can have used, beside that. */
  readonly atMost: (Used & { readonly calls: number }) | undefined
}

interface Used {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly usd: number | undefined
}

const sum = (values: ReadonlyArray<number | undefined>): number | undefined =>
  values.reduce<number | undefined>((all, one) => (one === undefined ? all : (all ?? 0) + one), undefined)

export const amountsOf = (calls: ReadonlyArray<CallRecord>): Amounts => {
  const models = calls.filter(isModelCall)
  const bound = models.filter((call) => call.isBound === true)
  return {
    calls: models.length,
    ...usedBy(models.filter((call) => call.isBound !== true)),
    atMost: bound.length === 0 ? undefined : { calls: bound.length, ...usedBy(bound) }
  }
}

const usedBy = (calls: ReadonlyArray<CallRecord>): Used => ({
  input: sum(calls.map(({ usage }) => usage?.inputTokens)),
  output: sum(calls.map(({ usage }) => usage?.outputTokens)),
  usd: sum(calls.map(({ usd }) => usd))
})

/** Whether a process executes the run, as far as the memory has it. */
export const isRunning = ({ isLeft, status }: Pick<RunRecord, "isLeft" | "status">): boolean =>
  status === "running" && isLeft !== true

/** When a run began, and its last moment that is known: that of the report for one that is running. */
export const spanOf = (run: RunRecord, { collectedMillis }: RunReport): readonly [from: number, until: number] => {
  if (isRunning(run)) return [run.createdMillis, Math.max(run.createdMillis, collectedMillis)]
  const ends = [...run.steps, ...run.calls].flatMap(({ endedMillis, startedMillis }) => [endedMillis ?? startedMillis])
  const waits = run.waits.map(({ answeredMillis, createdMillis }) => answeredMillis ?? createdMillis)
  return [run.createdMillis, Math.max(run.createdMillis, run.endedMillis ?? 0, ...ends, ...waits)]
}

// ----------------------------------------------------------------------------------------------------------- outcome

export interface Outcome {
  readonly tone: "good" | "bad" | "wait" | "plain"
  readonly word: string
  /** One sentence that says why. */
  readonly why: string
  /** The step that it is about. */
  readonly frame?: string
  /** More of it, such as the message of an error. */
  readonly detail?: string
}

const named = (path: ReadonlyArray<string>): string => path.at(-1) ?? "the pipeline"

const deepest = <A extends { readonly path: ReadonlyArray<string> }>(items: ReadonlyArray<A>): A | undefined =>
  items.reduce<A | undefined>(
    (best, one) => (best === undefined || one.path.length >= best.path.length ? one : best),
    undefined
  )

export const outcomeOf = (view: View): Outcome => {
  const { notes, report, run } = view
  if (run === undefined) {
    const last = notes.at(-1)
    const why =
      last === undefined
        ? "This thought has no notes."
        : `The memory has ${counted(notes.length, "note")}, the last one is “${last.key}”. It does not have how the runs ended.`
    return report.leftOut.runs
      ? { tone: "plain", word: "Without its runs", why: `${why} The report leaves out some runs.` }
      : { tone: "plain", word: "Not durable", why }
  }
  const failedSteps = run.steps.filter(({ outcome }) => outcome === "failed")
  if (run.status === "failed") {
    const step = deepest(failedSteps)
    const call = run.calls.findLast(
      ({ failure, frame }) => failure !== undefined && (step === undefined || frame === step.frame)
    )
    const error = step?.error ?? run.error ?? "an unknown error"
    return {
      tone: "bad",
      word: "Failed",
      why: `${step === undefined ? "The run" : `The step “${named(step.path)}”`} failed with ${error}.`,
      ...(step === undefined ? {} : { frame: step.frame }),
      ...(call?.failure === undefined ? {} : { detail: call.failure.replace(`${error}. `, "") })
    }
  }
  if (run.status === "waiting") {
    const open = run.waits.filter(({ answer }) => answer === undefined)
    const [wait] = open
    return {
      tone: "wait",
      word: "Waiting",
      why:
        wait === undefined
          ? "What it waited for was answered. The run goes on when its program resumes it."
          : `The step “${named(wait.path)}” has waited since ${moment(wait.createdMillis)} for an answer${open.length > 1 ? `, and ${counted(open.length - 1, "other question")} ${open.length === 2 ? "is" : "are"} open` : ""}.`,
      ...(wait === undefined ? {} : { frame: wait.frame, detail: wait.prompt })
    }
  }
  if (run.status === "completed") {
    const failed = failedSteps.length
    const corrected = repairsOf(view).size
    const why = [
      failed === 0
        ? `The run went through ${counted(run.steps.length, "step")}, and no step failed.`
        : `The run went through ${counted(run.steps.length, "step")}. ${counted(failed, "step")} failed, and the run went on.`,
      ...(corrected === 0 ? [] : [`The model corrected ${counted(corrected, "rejected answer")}.`])
    ].join(" ")
    return { tone: "good", word: "Completed", why }
  }
  if (run.isLeft === true) {
    const step = deepest(run.steps.filter(({ outcome }) => outcome === "interrupted"))
    const at = step === undefined ? "" : ` while the step “${named(step.path)}” was running`
    return {
      tone: "bad",
      word: "Left",
      why: `Its process has ended without a trace${at}. Resume the run to go on.`,
      ...(step === undefined ? {} : { frame: step.frame })
    }
  }
  const step = isRunning(run) ? deepest(run.steps.filter(({ outcome }) => outcome === "running")) : undefined
  const place =
    step === undefined ? "" : `The step “${named(step.path)}” has been running since ${moment(step.startedMillis)}. `
  const words = { pending: "Not started", running: "Running", interrupted: "Interrupted" } as const
  const whys = {
    pending: "The run is stored and has not started.",
    running: `${place}A process executes the run, or has ended within the last half minute.`,
    interrupted: "Its process was stopped. Resume the run to go on."
  } as const
  return {
    tone: "plain",
    word: words[run.status],
    why: whys[run.status],
    ...(step === undefined ? {} : { frame: step.frame })
  }
}

// ---------------------------------------------------------------------------------------------------------- timeline

/** A row of the timeline. Calls that have no row of their own are drawn in that of their step. */
export type Row =
  | {
      readonly _tag: "step"
      readonly step: StepRecord
      readonly depth: number
      readonly calls: ReadonlyArray<CallRecord>
      readonly amounts: Amounts
    }
  | { readonly _tag: "call"; readonly call: CallRecord; readonly depth: number }
  | { readonly _tag: "wait"; readonly wait: WaitRecord; readonly depth: number }

const isWithin = (outer: string, frame: string): boolean => frame === outer || frame.startsWith(`${outer}/`)

/** The steps in the order of time, each before those inside it, with their calls and questions. */
export const rowsOf = (run: RunRecord): ReadonlyArray<Row> => {
  const frames = new Set(run.steps.map(({ frame }) => frame))
  const inside = new Map<string, Array<StepRecord>>()
  for (const step of run.steps) {
    let above = step.frame
    do above = above.slice(0, Math.max(0, above.lastIndexOf("/")))
    while (above !== "" && !frames.has(above))
    inside.set(above, [...(inside.get(above) ?? []), step])
  }
  const rows: Array<Row> = []
  const add = (frame: string, depth: number): void => {
    const steps = [...(inside.get(frame) ?? [])].toSorted((a, b) => a.startedMillis - b.startedMillis)
    for (const step of steps) {
      const own = run.calls.filter((call) => call.frame === step.frame && call.kind !== "decision")
      const waits = run.waits.filter((wait) => wait.frame.replace(/\^.*$/, "") === step.frame)
      const amounts = amountsOf(run.calls.filter((call) => isWithin(step.frame, call.frame)))
      rows.push({ _tag: "step", step, depth, calls: own, amounts })
      if (own.length > 1) for (const call of own) rows.push({ _tag: "call", call, depth: depth + 1 })
      for (const wait of waits) rows.push({ _tag: "wait", wait, depth: depth + 1 })
      add(step.frame, depth + 1)
    }
  }
  add("", 0)
  return rows
}

/** Maps times to the share of the width. Long times in which the run only waits are shortened. */
export interface Scale {
  readonly at: (millis: number) => number
  readonly breaks: ReadonlyArray<{ readonly at: number; readonly millis: number }>
  readonly ticks: ReadonlyArray<{ readonly at: number; readonly millis: number }>
}

const shortened = 0.06

export const scaleOf = (run: RunRecord, report: RunReport): Scale => {
  const [from, until] = spanOf(run, report)
  const points = [
    ...run.steps.flatMap(({ endedMillis, startedMillis }) => [startedMillis, endedMillis ?? startedMillis]),
    ...run.calls.flatMap(({ endedMillis, startedMillis }) => [startedMillis, endedMillis ?? startedMillis]),
    ...run.waits.flatMap(({ answeredMillis, createdMillis }) => [createdMillis, answeredMillis ?? createdMillis])
  ]
  const times = [...new Set([from, ...points, until])].toSorted((a, b) => a - b)
  const total = Math.max(1, until - from)
  const gaps = times.slice(1).map((end, i) => ({ start: times[i] ?? from, end }))
  const isIdle = ({ end, start }: { readonly start: number; readonly end: number }): boolean =>
    end - start > total * 0.2 &&
    end - start > 5000 &&
    run.waits.some((wait) => wait.createdMillis <= start + 1000 && (wait.answeredMillis ?? until) >= end)
  const idle = gaps.filter(isIdle)
  const busy = Math.max(1, total - idle.reduce((all, { end, start }) => all + end - start, 0))
  const room = 1 - shortened * idle.length
  const at = (millis: number): number => {
    let share = ((Math.min(Math.max(millis, from), until) - from) / busy) * room
    for (const { end, start } of idle) {
      if (millis >= end) share += shortened - ((end - start) / busy) * room
      else if (millis > start)
        share += shortened * ((millis - start) / (end - start)) - ((millis - start) / busy) * room
    }
    return Math.min(1, Math.max(0, share))
  }
  return {
    at,
    breaks: idle.map(({ end, start }) => ({ at: (at(start) + at(end)) / 2, millis: end - start })),
    ticks: idle.length > 0 ? [] : ticksOf(total).map((millis) => ({ at: millis / total, millis }))
  }
}

const ticksOf = (total: number): ReadonlyArray<number> => {
  const raw = total / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10) * power)
  return Array.from({ length: Math.floor(total / step) + 1 }, (_, i) => i * step)
}
