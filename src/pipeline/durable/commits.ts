/** What a durable run stores: once, whatever it repeats. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { positionOf } from "../../memory/asOf.ts"
import { committed, pendingCommit } from "../../memory/commit.ts"
import type { LedgerRows, Position, StepRow } from "../../memory/model/Ledger.ts"
import { CommitFailed, Halt } from "../../run/failure.ts"
import type { Later } from "../../run/journal.ts"
import { Run } from "../../run/run.ts"
import type { Thought } from "../../thought/model.ts"
import { noteOf, stateOf, withState } from "../../thought/state.ts"
import { ReplayMismatch } from "./errors.ts"
import { nextCommit } from "./frame.ts"
import type { Parts } from "./parts.ts"

/** The effects that wait for a thought, and for those stored with it. */
const laterOf = (stored: Thought<any>): ReadonlyArray<{ readonly later: Later; readonly stored: Thought<any> }> => {
  const { deferred, left } = stateOf(stored)
  const own = deferred.flatMap(({ later }) => (later === undefined ? [] : [{ later: later as Later, stored }]))
  return [...left.flatMap(laterOf), ...own]
}

/** `begins` gives the rows of the run itself for the first commit that succeeds. */
export const makeCommits = (
  { earlier, epoch, id: runId, states, store, writer }: Parts,
  begins: (stored: Thought<any>) => LedgerRows["begins"]
): Run["commit"] => {
  /** The thought as an earlier execution has stored it, with the effects that wait for it. */
  const adopted = (frame: string, thought: Thought<any>, position: Position) =>
    Effect.gen(function* () {
      const stored = yield* Effect.catch(states.at(position, thought), (error) => Effect.die(new CommitFailed(error)))
      const { deferred, log, stored: before } = stateOf(thought)
      const state = stateOf(stored)
      const own = Array.from(log).slice(before.seq)
      if (stored.id !== thought.id || own.some(({ id }) => noteOf(state, id) === undefined)) {
        const about = { runId, frame, differs: ["notes"], before: "notes", now: "notes" }
        return yield* Effect.die(new Halt(new ReplayMismatch(about)))
      }
      return withState(states.typed(stored, thought), { deferred, left: stateOf(committed(thought)).left })
    })

  const fresh = Effect.fnUntraced(function* (key: string, thought: Thought<any>) {
    const startedMillis = yield* Clock.currentTimeMillis
    // retried if others have added notes in the meantime
    return yield* writer.writing((rows) =>
      store(thought, (stored) => {
        const later = laterOf(stored)
        const background = later.flatMap((one) => one.later.begins?.(one.stored) ?? [])
        const first = [...(begins(stored) ?? []), ...background]
        const step: StepRow = {
          frame: key,
          kind: "commit",
          outcome: "committed",
          position: positionOf(stored),
          error: undefined,
          startedMillis,
          endedMillis: undefined,
          epoch
        }
        return {
          ...rows,
          steps: [...(rows.steps ?? []), step],
          calls: [...(rows.calls ?? []), ...later.map((one) => one.later.row)],
          ...(first.length === 0 ? {} : { begins: first })
        }
      })
    )
  })

  return (thought) =>
    Effect.flatMap(Run, ({ frame }) => {
      const isDone = pendingCommit(thought) === undefined && laterOf(thought).length === 0
      if (frame === undefined || isDone) return Effect.succeed(thought)
      const key = nextCommit(frame)
      const position = earlier.step(key)?.position
      return position === undefined ? fresh(key, thought) : adopted(key, thought, position)
    })
}
