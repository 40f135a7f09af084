/** What became of a run that a command has begun or gone on with. */
import * as Effect from "effect/Effect"
import { isBound } from "../../logs/rows.ts"
import { amountsOf, boundOf, costOf, withCommas } from "../../logs/text.ts"
import type { Ledger } from "../../Store.ts"
import { counted, plain, print, printJson } from "../console/output.ts"
import type { ScopedPlace } from "../memory/place.ts"
import { sinceTaken } from "./calls.ts"
import { commandOf } from "./command.ts"
import { openLines, questionJson } from "./questions.ts"
import { runJson, thoughtOf } from "./run.ts"

/** What a run waits for, and how to answer it. */
export const waitingLines = (place: ScopedPlace, { run, waits }: Ledger.StoredRun): ReadonlyArray<string> => {
  const open = waits.filter(({ answer }) => answer === undefined)
  return [
    `The run ${plain(run.id)} waits for ${counted(open.length, "answer")}:`,
    ...open.flatMap((wait) => ["", ...openLines(place, wait, waits)])
  ]
}

/** Prints what the run has done since `before`, if it was there, and what it waits for. */
export const printOutcome = Effect.fnUntraced(function* (
  place: ScopedPlace & { readonly json: boolean },
  before: Ledger.RunRow | undefined,
  after: Ledger.StoredRun
) {
  const { calls, run, waits } = after
  const { made, saved } = sinceTaken(calls, before?.epoch ?? 0)
  const amounts = amountsOf(made.filter((call) => !isBound(call)))
  if (place.json) {
    yield* printJson({
      run: runJson(run),
      saved,
      made: made.length,
      ...amounts,
      questions: waits.filter(({ answer }) => answer === undefined).map(questionJson)
    })
    return
  }
  const spared = before === undefined ? "" : ` The ledger has saved ${counted(saved, "model call")}.`
  if (before?.status === "completed") {
    yield* print(`The run ${plain(run.id)} was completed before.${spared}`)
  } else {
    yield* print(`Made ${withCommas([costOf(made.length, amounts), boundOf(made)])}.${spared}`)
    const lines = run.status === "waiting" ? waitingLines(place, after) : [`The run ${plain(run.id)} is completed.`]
    for (const line of lines) yield* print(line)
  }
  yield* print(`Its notes: ${commandOf(place, ["memory", "show", thoughtOf(run)])}`)
})
