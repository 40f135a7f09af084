/** The questions that a run waits for: asked here, or left to somebody else. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Agent } from "../../agent/index.ts"
import type { Memory, MemoryError } from "../../Memory.ts"
import * as Pipeline from "../../Pipeline.ts"
import { nameOf } from "../../pipeline/durable/waits.ts"
import type { Ledger } from "../../Store.ts"
import { hasExactNumbers } from "../../synapse/answer/marred/scan/exact.ts"
import { WaitsForAnswer } from "../console/failure.ts"
import { block, plain, toJson } from "../console/output.ts"
import type { ScopedPlace } from "../memory/place.ts"
import { commandOf } from "../runs/command.ts"
import { misfit } from "../../schema/misfit.ts"
import { exampleOf, formOf, isApproval, openLines, questionJson } from "../runs/questions.ts"
import type { Lines } from "./lines.ts"
import { isLeaving } from "./message.ts"
import type { Screen } from "./screen.ts"

export interface Asking {
  readonly lines: Lines
  readonly screen: Screen
  readonly place: ScopedPlace
  /** Whether somebody can be asked here. */
  readonly interactive: boolean
  /** Whether every call of a tool is approved without asking. Other questions of a run are asked all the same. */
  readonly yes: boolean
  /** The command that goes on with the session. */
  readonly goOn: string
}

/** Everything was answered, or the person did not want to answer now. */
type Answering = "answered" | "cancelled"

/** What a line says about an approval. `edit` if other parameters are to be given. */
const approvalIn = (text: string): { readonly approved: boolean; readonly reason?: string } | "edit" | undefined => {
  const line = text.trim()
  if (line === "") return undefined
  if (/^(?:y|yes)$/i.test(line)) return { approved: true }
  if (/^(?:e|edit)$/i.test(line)) return "edit"
  // whatever else it is, the call is not carried out. A `no` that goes on without a mark belongs to the reason, as in "no need to"
  const reason = line.replace(/^(?:no|n)(?:\s*[,:][\s,:]*|$)|^n\s+/i, "")
  return reason === "" ? { approved: false } : { approved: false, reason }
}

type Value = { readonly _tag: "Value"; readonly value: unknown } | { readonly _tag: "Again"; readonly why: string }

const jsonIn = (text: string): Value => {
  try {
    const value: unknown = JSON.parse(text)
    return hasExactNumbers(text)
      ? { _tag: "Value", value }
      : { _tag: "Again", why: "That has a number with more digits than can be kept." }
  } catch {
    return { _tag: "Again", why: "That is not JSON." }
  }
}

/** Who has answered, as the ledger keeps it. */
const by = "terminal"

const again = "Give the parameters again, or an empty line to go back to the question."

/** Asks until the answer fits the question. */
const ask = Effect.fnUntraced(function* (
  { lines, screen }: Asking,
  wait: Ledger.WaitRow,
  call: Agent.Pending | undefined
): Effect.fn.Return<Answering | "over", MemoryError, Memory> {
  if (yield* lines.dropTyped) yield* screen.notice("cogito: What was typed before this question is dropped.")
  yield* screen.notice(block(wait.prompt))
  const approval = isApproval(wait)
  const prompt = approval
    ? `Approve? (y, n, a reason not to${call === undefined ? "" : ", or e to edit the parameters"}) `
    : `Answer as JSON (${formOf(wait)}): `
  // the parameters that are being edited
  let params: string | undefined
  let problem: string | undefined
  while (true) {
    yield* screen.report(
      {
        event: "Question",
        runId: wait.runId,
        ...questionJson(wait),
        callId: call?.callId,
        reads: params === undefined ? "answer" : "params",
        problem
      },
      ""
    )
    problem = undefined
    const read = yield* params === undefined ? lines.next(prompt) : lines.next("Parameters: ", params)
    if (read._tag !== "Line") return read._tag === "End" ? "over" : "cancelled"
    if (isLeaving(read.text)) return "over"
    const verdict = approval && params === undefined ? approvalIn(read.text) : undefined
    const isEdit = verdict === "edit"
    if (isEdit || read.text.trim() === "") {
      params = isEdit && call !== undefined ? toJson(call.params) : undefined
      continue
    }
    const given: Value = verdict === undefined ? jsonIn(read.text) : { _tag: "Value", value: verdict }
    const outcome =
      given._tag === "Again"
        ? given
        : yield* answer(wait, params === undefined ? given.value : { approved: true, params: given.value }, by)
    if (outcome._tag !== "Again") {
      yield* reported(screen, wait, { outcome, callId: call?.callId, by, line: "" })
      return "answered"
    }
    if (params !== undefined) params = read.text
    problem = outcome.why
    yield* screen.notice(`cogito: ${outcome.why} ${params === undefined ? "Answer again." : again}`)
  }
})

/** The answer is stored, or the question is closed without it; otherwise it must be answered again. */
type Outcome =
  | { readonly _tag: "Stored" }
  | { readonly _tag: "Closed"; readonly why: string }
  | { readonly _tag: "Again"; readonly why: string }

/** Stores an answer. Somebody else may have been quicker. */
const answer = (
  { frame, runId }: Ledger.WaitRow,
  value: unknown,
  by: string
): Effect.Effect<Outcome, MemoryError, Memory> =>
  Pipeline.answer(runId, frame, value, { by }).pipe(
    Effect.as<Outcome>({ _tag: "Stored" }),
    Effect.catchTags({
      AlreadyAnswered: ({ message }) => Effect.succeed<Outcome>({ _tag: "Closed", why: message }),
      AnswerTooLate: ({ message }) => Effect.succeed<Outcome>({ _tag: "Closed", why: message }),
      SchemaError: (error: Schema.SchemaError) =>
        Effect.succeed<Outcome>({ _tag: "Again", why: `The answer does not fit: ${misfit(error)}.` })
    })
  )

interface Answered {
  readonly outcome: Outcome
  readonly callId: string | undefined
  readonly by: string
  /** The line that a person sees for a stored answer. */
  readonly line: string
}

/** Reports an answer that is stored, or why the question is closed without it. */
const reported = (
  screen: Screen,
  { frame, key, runId }: Ledger.WaitRow,
  { by, callId, line, outcome }: Answered
): Effect.Effect<void> =>
  outcome._tag === "Stored"
    ? screen.report({ event: "Answered", runId, key, frame, callId, by }, line)
    : screen.notice(`cogito: ${outcome.why}`)

/** Reports the questions of a run that nobody answers here, with the commands that do. */
const left = Effect.fnUntraced(function* (
  { goOn, place, screen }: Asking,
  runId: string,
  waits: ReadonlyArray<Ledger.WaitRow>
): Effect.fn.Return<never, WaitsForAnswer> {
  const questions = waits.map((wait) => ({
    ...questionJson(wait),
    command: commandOf(place, ["runs", "answer", runId, nameOf(wait, waits), exampleOf(wait)])
  }))
  const lines = waits.flatMap((wait) => openLines(place, wait, waits))
  yield* screen.report({ event: "Waiting", runId, questions }, lines.join("\n"))
  return yield* new WaitsForAnswer({
    message: `The run ${plain(runId)} waits for an answer. Answer with the command above, then go on with: ${goOn}`
  })
})

/** The questions in the order in which they were asked. Those about calls in the same millisecond are in the order of the calls. */
const inOrder = (
  waits: ReadonlyArray<Ledger.WaitRow>,
  calls: ReadonlyArray<Agent.Pending>
): ReadonlyArray<Ledger.WaitRow> => {
  const byFrame = new Map(waits.map((wait) => [wait.frame, wait]))
  const about = calls.flatMap(({ frame }) => byFrame.get(frame) ?? [])
  const isAbout = new Set(about)
  const rest = about[Symbol.iterator]()
  return waits.map((wait) => (isAbout.has(wait) ? (rest.next().value ?? wait) : wait))
}

/** Gets answers for all open questions of a run. Fails with the commands that answer later if nobody can be asked. */
export const answerAll = Effect.fnUntraced(function* (
  asking: Asking,
  runId: string
): Effect.fn.Return<Answering, WaitsForAnswer | MemoryError, Memory> {
  const { interactive, screen, yes } = asking
  const calls = yield* Agent.waiting({ runId })
  const waits = inOrder(yield* Pipeline.waiting({ runId }), calls)
  const callOf = (wait: Ledger.WaitRow) => calls.find(({ frame }) => frame === wait.frame)
  // approvals come first, as the person may leave at another question
  const approvals = yes ? waits.filter((wait) => callOf(wait) !== undefined) : []
  for (const wait of approvals) {
    const by = "--yes"
    const call = callOf(wait)
    const outcome = yield* answer(wait, { approved: true }, by)
    const line = `[approved] ${plain(call?.name ?? wait.key)}`
    yield* reported(screen, wait, { outcome, callId: call?.callId, by, line })
  }
  const questions = waits.filter((wait) => !approvals.includes(wait))
  for (const [i, wait] of questions.entries()) {
    const answered = interactive ? yield* ask(asking, wait, callOf(wait)) : "over"
    if (answered === "over") return yield* left(asking, runId, questions.slice(i))
    if (answered === "cancelled") return "cancelled"
  }
  return "answered"
})
