/** Erasure in durable runs after a removal or redaction. */
import { namedIn } from "../model/named.ts"
import type { Tenant } from "./Row.ts"
import { positions } from "./runLists.ts"
import { textsOf, unanswered, withoutTexts } from "./runRows.ts"

/** Deletes the runs that began on a thought. */
export const removeRuns = ({ runs }: Tenant, thoughtId: string): void => {
  for (const [id, { run }] of runs) if (run.start.thoughtId === thoughtId) runs.delete(id)
}

/**
 * Takes the texts out of the rows that may repeat one of the notes: of runs that have to do with one of the thoughts, and, of
 * runs that name one of the notes in a call, out of these calls and of the questions.
 */
export const redactRuns = ({ runs }: Tenant, thoughts: ReadonlySet<string>, notes: ReadonlySet<string>): void => {
  for (const state of runs.values()) {
    const sees = positions(state).some(({ thoughtId }) => thoughts.has(thoughtId))
    const erased = Array.from(state.calls).filter(
      ([, call]) => sees || namedIn(textsOf(call)).some((id) => notes.has(id))
    )
    for (const [key, call] of erased) state.calls.set(key, withoutTexts(call))
    if (!sees && erased.length === 0) continue
    if (state.run.status === "running") state.muted = true
    for (const [frame, wait] of state.waits) state.waits.set(frame, { ...wait, ...unanswered, prompt: "" })
  }
}
