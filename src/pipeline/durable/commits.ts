/** What a durable run stores: once, whatever it repeats. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { positionOf } from "../../memory/asOf.ts"
import { committed, pendingCommit } from "../../memory/commit.ts"
import type { CallRow, LedgerRows, Position, StepRow } from "../../memory/model/Ledger.ts"
import { commitFailed, Halt } from "../../run/failure.ts"
import type { Frame, Later } from "../../run/journal.ts"
import { Run } from "../../run/run.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf, withState } from "../../thought/state.ts"
import { Additions } from "./again.ts"
import { ReplayMismatch } from "./errors.ts"
import { commitAfter, nextCommit, passedIn } from "./frame.ts"
import { makeAgain, type Parts } from "./parts.ts"
import { isTypedSince } from "./resolver.ts"

/** The effects that wait for a thought, and for those stored with it. */
const laterOf = (stored: Thought<any>): ReadonlyArray<{ readonly later: Later; readonly stored: Thought<any> }> => {
  const { deferred, left } = stateOf(stored)
  const own = deferred.flatMap(({ later }) => (later === undefined ? [] : [{ later: later as Later, stored }]))
  return [...left.flatMap(laterOf), ...own]
}

/** Whether a step that ends with this thought need not be executed again. */
export const isResult = ({ earlier, resolver }: Parts, { key, step }: Frame, thought: Thought<any>): boolean =>
  step !== undefined && isTypedSince(resolver.within(step.step), thought, step.given) && !earlier.isDue(key)

/** How a step has ended, as the ledger has it. */
export const endedRow = (
  { epoch }: Pick<Parts, "epoch">,
  { key, step }: Frame,
  end: Pick<StepRow, "outcome" | "position" | "error" | "endedMillis">
): StepRow => ({ frame: key, kind: step?.kind ?? "", startedMillis: step?.startedMillis ?? 0, epoch, ...end })

/** Whether the store has something of the thought. */
const isStoredOnce = (thought: Thought<any>): boolean => stateOf(thought).stored.version > 0

/** Whether effects wait for the thought to be stored. */
const isAwaited = (stored: Thought<any>): boolean => {
  const { deferred, left } = stateOf(stored)
  return deferred.length > 0 || left.some(isAwaited)
}

/**
 * `begins` gives the rows of the run itself for the first commit that succeeds, and `reached` receives what is stored. `refuse` ends a
 * run that has not begun if another one has begun on its thought since.
 */
export const makeCommits = (
  parts: Parts,
  {
    begins,
    reached,
    refuse
  }: {
    readonly begins: (stored: Thought<any>) => LedgerRows["begins"]
    readonly reached: (stored: Thought<any>) => void
    readonly refuse: (given: Thought<any>) => Effect.Effect<void>
  }
): Run["commit"] => {
  const { earlier, epoch, id: runId, keep, passed, states, store, writer } = parts
  /** Whether an effect does not wait for an earlier commit. */
  const isNew = (row: CallRow): boolean => earlier.recorded(row) === undefined

  const fresh = Effect.fnUntraced(function* (frame: Frame, key: string, thought: Thought<any>, isLast: boolean) {
    const startedMillis = yield* Clock.currentTimeMillis
    let ends = false
    // retried if others have added notes in the meantime
    return yield* writer.writing((rows) => {
      const rowsOf = (stored: Thought<any>): LedgerRows => {
        const later = laterOf(stored)
        const background = later.flatMap((one) => one.later.begins?.(one.stored) ?? [])
        const first = [...(begins(stored) ?? []), ...background]
        const position = positionOf(stored)
        ends = isLast && !isAwaited(stored) && isResult(parts, frame, stored)
        const row: StepRow = ends
          ? endedRow(parts, frame, { outcome: "completed", position, error: undefined, endedMillis: startedMillis })
          : {
              frame: key,
              kind: "commit",
              outcome: "committed",
              position,
              error: undefined,
              startedMillis,
              endedMillis: undefined,
              epoch
            }
        // answers that nothing needs any more are not written at all
        const drops = ends && keep === "nothing" ? [...frame.open, ...earlier.keptIn(frame.key)] : []
        return {
          ...rows,
          steps: [...(rows.steps ?? []), row],
          calls: [...(rows.calls ?? []), ...later.map((one) => one.later.row).filter(isNew)],
          drops: [...(rows.drops ?? []), ...drops],
          ...(first.length === 0 ? {} : { begins: first })
        }
      }
      const known = Effect.tap(store(thought, rowsOf, refuse(thought)), (stored) =>
        Effect.sync(() => {
          reached(stored)
          if (!ends) return
          frame.isStored = true
          earlier.takeKept(frame.key)
          if (keep === "nothing") for (const place of passedIn(frame)) passed.add(place)
        })
      )
      // an interruption finds that it is stored
      return Effect.uninterruptible(known)
    })
  })

  /** Stores additions after all that is stored. */
  const onTop = Effect.fnUntraced(function* (frame: Frame, key: string, additions: Additions) {
    const newest = yield* Effect.catch(states.newest(additions.thought), commitFailed)
    additions.rename(additions.differing(newest).redacted)
    const again = yield* fresh(frame, key, additions.onTopOf(newest), false)
    states.reach(positionOf(again))
    return again
  })

  /**
   * The thought as an earlier execution has stored it, with the effects that wait for it. Notes that a redaction has emptied since
   * are stored again if they were made again.
   */
  const adopted = Effect.fnUntraced(function* (frame: Frame, key: string, thought: Thought<any>, first: Position) {
    const additions = new Additions(thought, states.besideOf)
    let [place, position] = [key, first]
    for (;;) {
      const stored = yield* Effect.catch(states.onwards(position, thought), commitFailed)
      const { changed, missing, redacted } = additions.differing(stored)
      const next = commitAfter(place)
      const after = earlier.step(next)?.position
      const isAgain = after !== undefined || earlier.isMadeAgain(frame.key)
      if (stored.id !== thought.id || (missing.length > 0 && place === key && !isAgain)) {
        const about = { runId, frame: key, differs: ["notes"], before: "notes", now: "notes" }
        return yield* Effect.die(new Halt(new ReplayMismatch(about)))
      }
      const lost = [...missing, ...(isAgain ? [...redacted, ...changed] : [])]
      if (lost.length === 0) {
        const { deferred } = stateOf(thought)
        const typed = additions.typing(states.typed(stored, thought))
        return withState(typed, { deferred, left: stateOf(committed(thought)).left })
      }
      additions.rename(lost)
      if (after === undefined) return yield* onTop(frame, next, additions)
      states.reach(after)
      // what comes after it in the frame was made again as well
      makeAgain(parts, frame.key)
      ;[place, position] = [next, after]
    }
  })

  return (thought, isLast) =>
    Effect.flatMap(Run, ({ frame }) => {
      const isDone = pendingCommit(thought) === undefined && laterOf(thought).length === 0
      // where a redaction has left nothing to store, it goes on from what was stored
      if (frame === undefined || (isDone && !earlier.isMadeAgain(frame.key))) return Effect.succeed(thought)
      const key = nextCommit(frame)
      const position = (earlier.step(key) ?? earlier.step(frame.key))?.position
      if (position !== undefined) return adopted(frame, key, thought, position)
      if (isDone) return Effect.succeed(thought)
      // what is made again may come before what was stored
      const isAgain = earlier.hasAgain && isStoredOnce(thought)
      return isAgain ? onTop(frame, key, new Additions(thought, states.besideOf)) : fresh(frame, key, thought, isLast)
    })
}
