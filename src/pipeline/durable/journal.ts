/** The journal of a durable run: takes what an earlier execution has recorded, and records the rest. */
import * as Effect from "effect/Effect"
import { positionOf } from "../../memory/asOf.ts"
import type { Thought } from "../../thought/model.ts"
import type { StepRow } from "../../memory/model/Ledger.ts"
import { CommitFailed } from "../../run/failure.ts"
import type { Journal } from "../../run/journal.ts"
import { isStored, stateOf } from "../../thought/state.ts"
import { makeCalls } from "./calls.ts"
import { makeBackground, makeLater } from "./later.ts"
import { enter, frameOf, idIn, isWithin, nextKey } from "./frame.ts"
import type { Parts } from "./parts.ts"
import { isTypedSince } from "./resolver.ts"
import { asReplayed, isReplayed } from "./replayed.ts"

/** `reached` receives the thought of each skipped step. */
export const makeJournal = (
  parts: Parts,
  {
    ask,
    foreignIds,
    reached,
    settings
  }: Pick<Journal, "ask" | "foreignIds" | "settings"> & { readonly reached: (stored: Thought<any>) => void }
): Journal => {
  const { createdMillis, earlier, epoch, id: runId, keep, resolver, reuse, seed, states, writer } = parts
  /** Whether the notes of the step can be typed without executing it again. */
  const isTyped = (thought: Thought<any>, given: Thought<any>): boolean => isTypedSince(resolver, thought, given)

  return {
    runId,
    epoch,
    counted: new WeakSet(),
    root: frameOf(""),
    enter: (frame, name) => {
      const inner = enter(frame, name)
      reuse?.enter(inner.key.slice(1), name)
      return inner
    },
    isNextKnown: (frame, name) => earlier.isKnown(nextKey(frame, name)),
    isReplayed,
    foreignIds,
    nextId: (frame) => idIn(frame, seed, createdMillis),
    isKnown: (frame) => earlier.isKnown(frame),
    callsWithin: (frame) => earlier.all.filter((call) => isWithin(frame, call.frame)),
    done: (frame, given) => {
      const row = earlier.step(frame.key)
      if (row?.outcome !== "completed" || row.position === undefined || earlier.isDue(frame.key))
        return Effect.undefined
      return Effect.map(
        Effect.catch(states.at(row.position, given), (error) => Effect.die(new CommitFailed(error))),
        (thought) => {
          if (!isTyped(thought, given)) return undefined
          reuse?.passOver(frame.key, earlier.frames)
          reached(thought)
          return asReplayed(thought)
        }
      )
    },
    ...makeCalls(parts),
    answered: writer.answered,
    later: makeLater(parts),
    background: makeBackground(parts),
    settings,
    ended: (frame, within, step) => {
      const { given, thought } = step
      const result =
        thought !== undefined && isStored(thought) && stateOf(thought).deferred.length === 0 ? thought : undefined
      const isOver = result !== undefined && isTyped(result, given) && !earlier.isDue(frame.key)
      if (isOver && keep === "nothing") writer.drop([...frame.open, ...earlier.takeKept(frame.key)])
      else within.open.push(...frame.open)
      const row: StepRow = {
        frame: frame.key,
        kind: step.kind,
        outcome: step.outcome,
        position: result === undefined ? undefined : positionOf(result),
        error: step.error,
        startedMillis: step.startedMillis,
        endedMillis: step.endedMillis,
        epoch
      }
      writer.step(row)
    },
    ask
  }
}
