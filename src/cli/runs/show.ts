/** `cogito runs show`: what a durable run has done, in the order of time. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { isBound, isModelCall, stepsOf } from "../../logs/rows.ts"
import { boundOf, costOf, tookOf, usedBy, withCommas } from "../../logs/text.ts"
import { totalsOf } from "../../logs/totals.ts"
import type { Note } from "../../Note.ts"
import type { Ledger } from "../../Store.ts"
import { described } from "../console/described.ts"
import { block, counted, fold, plain, print, printJson } from "../console/output.ts"
import { type ScopedPlace, scopedFlags } from "../memory/place.ts"
import { answerLine, answersJson, answersOf } from "./answers.ts"
import { commandOf } from "./command.ts"
import { loadRun, openMemory } from "./ledger.ts"
import { answeredBy, dueOf, iso, openLines, questionJson } from "./questions.ts"
import { heldOf, runJson, thoughtOf } from "./run.ts"

const stepLine = (step: Ledger.StepRow): string => {
  const failed = step.error === undefined ? "" : `failed with ${plain(step.error)}`
  return `step  ${plain(step.frame)}  ${withCommas([plain(step.kind), failed || step.outcome, tookOf(step)])}`
}

const callLine = (call: Ledger.CallRow): string => {
  const { attempt, frame, kind, model, n, provider, state } = call
  const who = provider === undefined ? "" : `${plain(provider)}${model === undefined ? "" : ` (${plain(model)})`}`
  const again = attempt === 1 ? "" : `attempt ${attempt}`
  return `call  ${plain(frame)} #${n}  ${withCommas([kind, state, again, tookOf(call), usedBy(call), who])}`
}

const waitLines = (wait: Ledger.WaitRow): string =>
  [
    fold(
      `${iso(wait.createdMillis)}  wait  ${plain(wait.frame)}  ${wait.answer === undefined ? "open" : "answered"}${dueOf(wait)}`
    ),
    block(wait.prompt),
    ...(wait.answer === undefined ? [] : [fold(`    ${answeredBy(wait)}`)])
  ].join("\n")

/** Everything in the order of time; of one moment, what is around something comes before it. */
const inOrder = (stored: Ledger.StoredRun): ReadonlyArray<string> => {
  const entries = [
    ...stepsOf(stored).map((step) => ({ at: step.startedMillis, depth: depthOf(step.frame), text: stepLine(step) })),
    ...stored.calls.map((call) => ({ at: call.startedMillis, depth: depthOf(call.frame) + 0.5, text: callLine(call) }))
  ].map(({ at, depth, text }) => ({ at, depth, text: fold(`${iso(at)}  ${text}`) }))
  const waits = stored.waits.map((wait) => ({
    at: wait.createdMillis,
    depth: depthOf(wait.frame) + 0.5,
    text: waitLines(wait)
  }))
  return [...entries, ...waits].toSorted((a, b) => a.at - b.at || a.depth - b.depth).map(({ text }) => text)
}

const depthOf = (frame: string): number => frame.split("/").length

/** When a run has ended, or stopped for now. */
const lastOf = ({ endedMillis, status }: Ledger.RunRow): string => {
  const isOver = status === "completed" || status === "failed"
  return endedMillis === undefined ? "" : `, ${isOver ? "ended" : "stopped"} ${iso(endedMillis)}`
}

const trail = (
  place: ScopedPlace,
  stored: Ledger.StoredRun,
  held: ReadonlyArray<string>,
  answers: ReadonlyArray<Note>
): string => {
  const { run, waits } = stored
  const { failedCalls, modelCalls, openQuestions, questions, steps, usage, usd } = totalsOf(stored)
  const open = run.status === "completed" ? [] : waits.filter(({ answer }) => answer === undefined)
  const failed = run.error === undefined ? "" : `, with ${plain(run.error)}`
  const bound = boundOf(stored.calls.filter(isModelCall))
  return [
    fold(`Run      ${plain(run.id)}`),
    fold(`Pipeline ${plain(run.pipeline)}`),
    `Status   ${run.status}${failed}`,
    ...held.map((text) => `Owner    ${text}`),
    `Thought  ${thoughtOf(run)}`,
    ...(run.parent === undefined ? [] : [fold(`Parent   ${plain(run.parent.runId)}`)]),
    `Created  ${iso(run.createdMillis)}${lastOf(run)}`,
    `Answers  ${run.keep === "answers" ? "kept, so that it can be repeated with runs rerun" : "not kept"}`,
    "",
    ...inOrder(stored),
    "",
    fold(
      `${counted(steps, "step")}; ${costOf(modelCalls, { usage, usd })}${failedCalls === 0 ? "" : `, ${failedCalls} failed`}${bound === "" ? "" : `, ${bound}`}; ` +
        `${counted(questions, "question")}${questions === 0 ? "" : `, ${openQuestions} open`}.`
    ),
    ...(answers.length === 0 ? [] : ["", ...answers.map((note) => fold(answerLine(note)))]),
    ...open.flatMap((wait) => ["", ...openLines(place, wait, waits)]),
    "",
    `As a page: ${commandOf(place, ["report", run.id], ["--out", "run.html"])}`
  ].join("\n")
}

const json = (stored: Ledger.StoredRun, answers: ReadonlyArray<Note>) => ({
  run: runJson(stored.run),
  steps: stepsOf(stored).map(({ endedMillis, epoch, error, frame, kind, outcome, startedMillis }) => ({
    frame,
    kind,
    outcome,
    ...(error === undefined ? {} : { error }),
    started: iso(startedMillis),
    ...(endedMillis === undefined ? {} : { ended: iso(endedMillis) }),
    epoch
  })),
  calls: stored.calls.map(
    ({ attempt, endedMillis, epoch, frame, kind, model, n, provider, startedMillis, state, ...call }) => ({
      frame,
      n,
      kind,
      state,
      attempt,
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(call.usage === undefined ? {} : { usage: call.usage }),
      ...(call.usd === undefined ? {} : { usd: call.usd }),
      ...(isBound({ state }) && (call.usage !== undefined || call.usd !== undefined) ? { isBound: true } : {}),
      started: iso(startedMillis),
      ...(endedMillis === undefined ? {} : { ended: iso(endedMillis) }),
      epoch
    })
  ),
  questions: stored.waits.map(questionJson),
  answers: answersJson(answers),
  totals: totalsOf(stored)
})

export const showCommand = Command.make(
  "show",
  {
    ...scopedFlags,
    run: Argument.String("run").pipe(Argument.withDescription("Its id"))
  },
  Effect.fnUntraced(function* ({ run, ...place }) {
    const memory = yield* openMemory(place)
    const stored = yield* loadRun(memory, run)
    const answers = yield* answersOf(memory, stored.run)
    const held = yield* heldOf(memory, stored.run)
    yield* place.json ? printJson(json(stored, answers)) : print(trail(place, stored, held, answers))
  }, Effect.scoped)
).pipe(
  Command.withShortDescription(
    "Print the steps, calls and questions of a run in order, with what they cost, and its answers"
  ),
  Command.withDescription(
    described(
      "Print the steps, calls and questions of a run in order, with what they cost, and its answers.",
      "It only reads. A frame says which entry into which step it is: /triage/urgent@2 is the second one into urgent.",
      "After them come the answers in short, the open questions, each with the command that answers it, and the command for a page.",
      "memory show prints the notes of its thought."
    )
  ),
  Command.withExamples([
    { command: "npx cogito runs show refund-17 --data-dir .cogito/memory", description: "By its id" }
  ])
)
