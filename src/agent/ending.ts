/** Gives up a run that is not over: its conversation shows what it has done, and takes the next message. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Memory, MemoryError } from "../Memory.ts"
import { lastOf, loaded, unknownRun } from "../pipeline/durable/earlier.ts"
import { RunBusy } from "../pipeline/durable/errors.ts"
import { cancelled, givenUp } from "../pipeline/durable/frame.ts"
import { isUnended } from "../pipeline/durable/execution.ts"
import { Owner } from "../pipeline/durable/options.ts"
import { unused } from "../pipeline/durable/resume.ts"
import { kindsIn } from "../pipeline/durable/shape.ts"
import type { Ledger } from "../Store.ts"
import type { Thought } from "../thought/model.ts"
import { inOrder, message } from "../thought/render.ts"
import * as Session from "../thought/Session.ts"
import { unpublished, withSession } from "../thought/Thought.ts"
import { withResults } from "./givenUp.ts"
import { RunCompleted } from "./model/RunCompleted.ts"
import { task } from "./rounds/round.ts"
import { withUnanswered } from "./rounds/unanswered.ts"

/** What the conversation shows of an answer that was not written to its end. */
const mark = "(cancelled)"

/** How long the run is held while its end is written. */
const leaseMillis = 60_000

/**
 * Ends a run, unless a process has it: the conversation gets the message, if it does not have it yet, what calls had given, and what
 * the model had written of its answer. Gives the thought as it is stored then. A run that has failed is over: nothing is changed.
 */
export const ending = Effect.fnUntraced(function* (
  { commit, ledger, load }: Memory["Service"],
  runId: string,
  written: string
): Effect.fn.Return<Thought, MemoryError | RunBusy | RunCompleted> {
  const known = yield* loaded(ledger, runId)
  const { run } = known
  const { thoughtId } = lastOf(known)
  if (run.status === "completed") return yield* new RunCompleted({ runId })
  if (run.status === "failed") return yield* load(thoughtId)
  const isLost = isUnended(run)
  const name = yield* Owner
  // an owner of another name may take the run from this process
  const owner = isLost ? `${name} ${run.epoch}` : name
  const seize = ledger.exclusive || isLost
  return yield* Effect.uninterruptible(
    Effect.gen(function* () {
      const claim = yield* ledger.claim(runId, { owner, millis: leaseMillis, seize, epoch: run.epoch })
      if (claim === undefined) return yield* unknownRun(runId)
      const { epoch, leaseUntilMillis, status } = claim.run
      if (!claim.claimed) {
        if (status === "completed") return yield* new RunCompleted({ runId })
        // somebody else has ended it in the meantime
        if (status === "failed") return yield* load(thoughtId)
        return yield* new RunBusy({ runId, ...(leaseUntilMillis === undefined ? {} : { leaseUntilMillis }) })
      }
      const ended = Effect.gen(function* () {
        // with the answers that were given until now
        const stored = yield* loaded(ledger, runId)
        const thought = yield* load(thoughtId)
        const shown = isConversation(known) ? yield* withEnd(thought, stored, written) : thought
        const endedMillis = yield* Clock.currentTimeMillis
        // the run ends with the same commit, so that the thought takes the next message
        return yield* commit(shown, () => ({
          runId,
          epoch,
          steps: [...closed(stored, epoch, endedMillis), over(epoch, endedMillis)],
          ends: { status: "failed", end: lastOf(known), error: cancelled, endedMillis }
        }))
      })
      return yield* Effect.onError(ended, () => Effect.ignore(unused(ledger, claim.run, run)))
    })
  )
})

/** Whether an agent has answered in the run, or would have. */
const isConversation = ({ run, steps }: Ledger.StoredRun): boolean =>
  kindsIn(run).has("agent") || steps.some(({ kind }) => kind === "agent")

/** The conversation with the message, what calls had given, and what was written, unless its round is stored already. */
const withEnd = Effect.fnUntraced(function* (
  given: Thought,
  stored: Ledger.StoredRun,
  written: string
): Effect.fn.Return<Thought<any>> {
  const thought = yield* withResults(withUnanswered(given), stored)
  const carried = unpublished(thought)
  const shown = inOrder(carried.filter(({ source }) => source !== "triage"))
  const asking = {
    role: "user",
    text: message({ task, notes: shown }),
    carries: carried.map(({ id }) => id)
  } as const
  const last = Session.entries(thought.session).findLast(({ role }) => role === "assistant")
  const rest = last?.text.startsWith(written.trim()) === true ? "" : written.trim()
  const text = rest === "" ? mark : `${rest}\n\n${mark}`
  const entries = [...(shown.length === 0 ? [] : [asking]), { role: "assistant", text } as const]
  return withSession(thought, Session.append(thought.session, ...entries))
})

/** Says that nothing goes on with the run. */
const over = (epoch: number, millis: number): Ledger.StepRow => ({
  frame: givenUp,
  kind: "commit",
  outcome: "interrupted",
  position: undefined,
  error: undefined,
  startedMillis: millis,
  endedMillis: millis,
  epoch
})

/** The ends of the steps whose questions nobody can answer any more. */
const closed = ({ steps, waits }: Ledger.StoredRun, epoch: number, endedMillis: number) => {
  const byFrame = new Map(steps.map((step) => [step.frame, step]))
  const open = waits.filter(({ answer }) => answer === undefined)
  // a question that is asked again has the frame of its step and `^` for each time
  const asking = new Map(open.map((wait) => [wait.frame.replace(/\^+$/, ""), wait]))
  return Array.from(asking, ([frame, { createdMillis }]): Ledger.StepRow => {
    // that of a call within a round has no row of its own
    const known = byFrame.get(frame) ?? { frame, kind: "part", startedMillis: createdMillis }
    return { position: undefined, error: undefined, ...known, outcome: "interrupted", endedMillis, epoch }
  })
}
