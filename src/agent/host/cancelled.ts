/** What becomes of a turn that was interrupted: the session shows it, and takes the next message. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Memory, MemoryError } from "../../Memory.ts"
import { inOrder, message } from "../../thought/render.ts"
import * as Session from "../../thought/Session.ts"
import { unpublished, withSession } from "../../thought/Thought.ts"
import { withResults } from "../calls/givenUp.ts"
import { task } from "../rounds/round.ts"

/** What the conversation shows of an answer that was not written to its end. */
const mark = "(cancelled)"

/** How long the run is held while its end is written. */
const leaseMillis = 60_000

/**
 * Ends a run that was interrupted: the conversation gets the message, if it does not have it yet, what calls had given, and what the
 * model had written of its answer. Does nothing if the run was not interrupted.
 */
export const cancelled = Effect.fnUntraced(function* (
  { commit, ledger, load }: Memory["Service"],
  runId: string,
  written: string
): Effect.fn.Return<void, MemoryError> {
  const stored = yield* ledger.load(runId)
  if (stored?.run.status !== "interrupted") return
  const { end, start } = stored.run
  const thought = yield* withResults(yield* load((end ?? start).thoughtId), stored)
  const carried = unpublished(thought)
  const shown = inOrder(carried.filter(({ source }) => source !== "triage"))
  const asking =
    shown.length === 0
      ? []
      : [
          {
            role: "user" as const,
            text: message({ task, notes: shown }),
            carries: carried.map(({ id }) => id)
          }
        ]
  const text = written.trim() === "" ? mark : `${written.trim()}\n\n${mark}`
  const ending = yield* ledger.claim(runId, { owner: `cancelled ${runId}`, millis: leaseMillis, seize: false })
  if (ending?.claimed !== true) return
  const { epoch } = ending.run
  const endedMillis = yield* Clock.currentTimeMillis
  // the run ends with the same commit, so that the thought takes the next message
  yield* commit(withSession(thought, Session.append(thought.session, ...asking, { role: "assistant", text })), () => ({
    runId,
    epoch,
    ends: { status: "failed", end, error: "Cancelled", endedMillis }
  }))
})
