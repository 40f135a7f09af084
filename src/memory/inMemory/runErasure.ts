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
 * Takes the texts out of the rows that may repeat one of the notes: of runs that have to do with one of the thoughts, and of
 * calls that name one of the notes.
 */
export const redactRuns = ({ runs }: Tenant, thoughts: ReadonlySet<string>, notes: ReadonlySet<string>): void => {
  for (const state of runs.values()) {
    const concerns = positions(state).some(({ thoughtId }) => thoughts.has(thoughtId))
    for (const [key, call] of state.calls) {
      if (concerns || namedIn(textsOf(call)).some((id) => notes.has(id))) {
        state.calls.set(key, withoutTexts(call))
      }
    }
    if (!concerns) continue
    if (state.run.status === "running") state.muted = true
    for (const [frame, wait] of state.waits) state.waits.set(frame, { ...wait, ...unanswered, prompt: "" })
  }
}
