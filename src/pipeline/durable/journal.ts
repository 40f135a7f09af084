/** The journal of a durable run: takes what an earlier execution has recorded, and records the rest. */
import * as Effect from "effect/Effect"
import { positionOf } from "../../memory/asOf.ts"
import type { Thought } from "../../thought/model.ts"
import { commitFailed } from "../../run/failure.ts"
import type { Frame, Journal } from "../../run/journal.ts"
import { isStored, noteOf, stateOf } from "../../thought/state.ts"
import { makeCalls } from "./calls.ts"
import { endedRow, isResult } from "./commits.ts"
import { makeBackground, makeLater } from "./later.ts"
import { enter, frameOf, idIn, isWithin, nextCommit, nextKey } from "./frame.ts"
import { makeAgain, type Parts } from "./parts.ts"
import { handleOfStep, isTypedSince } from "./resolver.ts"
import { asReplayed, isReplayed } from "./earlier.ts"

/** Whether the note of a step is gone that is read at once: then the step makes it again. */
const lacksNote = ({ step }: Frame, thought: Thought<any>): boolean => {
  if (step?.step?.isRead !== true) return false
  const handle = handleOfStep(step.step)
  return handle !== undefined && thought.note(handle.key) === undefined
}

/**
 * `reached` receives the thought of each skipped step, `passedOver` its frame and what it was given, and `discard` the frame of each step
 * that does not wait any more.
 */
export const makeJournal = (
  parts: Parts,
  {
    apart,
    ask,
    discard,
    foreignIds,
    passedOver,
    reached,
    settings
  }: Pick<Journal, "apart" | "ask" | "foreignIds" | "settings"> & {
    readonly discard: (frame: string) => void
    readonly passedOver: (frame: Frame, given: Thought<any>) => Effect.Effect<void>
    readonly reached: (stored: Thought<any>) => void
  }
): Journal => {
  const { createdMillis, earlier, epoch, id: runId, isOver, keep, resolver, reuse, seed, states, writer } = parts
  return {
    runId,
    epoch,
    apart,
    counted: new WeakSet(),
    holders: new Set(),
    root: frameOf(""),
    enter: (frame, name, step) => {
      const inner = enter(frame, name, step)
      if (step.step !== undefined) resolver.learn(step.step)
      reuse?.enter(inner.key)
      return inner
    },
    isNextKnown: (frame, name) => earlier.isKnown(nextKey(frame, name)),
    isReplayed,
    foreignIds,
    nextId: (frame) => states.free(idIn(frame, seed, createdMillis)),
    isKnown: (frame) => earlier.isKnown(frame),
    // a run that is over makes no more calls
    callsWithin: (frame) => (isOver ? [] : earlier.all.filter((call) => isWithin(frame, call.frame))),
    done: (frame, given) => {
      const row = earlier.step(frame.key)
      if (row?.position !== undefined && row.outcome !== "completed") makeAgain(parts, frame.key)
      if (row?.outcome !== "completed" || row.position === undefined || earlier.isDue(frame.key))
        return Effect.undefined
      return Effect.flatMap(Effect.catch(states.onwards(row.position, given), commitFailed), (thought) => {
        if (!isTypedSince(resolver, thought, given)) return Effect.undefined
        if (!isOver && lacksNote(frame, thought)) {
          makeAgain(parts, frame.key)
          return Effect.undefined
        }
        reuse?.passOver(frame.key, earlier.frames)
        reached(thought)
        return Effect.as(passedOver(frame, given), asReplayed(thought))
      })
    },
    storedNote: (frame, id, thought) => {
      const position = (earlier.step(frame.key) ?? earlier.step(nextCommit({ ...frame })))?.position
      if (position === undefined) return Effect.undefined
      return Effect.map(Effect.catch(states.onwards(position, thought), commitFailed), (stored) => {
        const note = noteOf(stateOf(stored), id)
        return note?.redacted === undefined ? note : undefined
      })
    },
    originals: (note) => reuse?.originals(note) ?? [],
    ...makeCalls(parts),
    answered: writer.answered,
    later: makeLater(parts),
    background: makeBackground(parts),
    settings,
    ended: (frame, within, { endedMillis, error, outcome, thought }) => {
      if (outcome !== "waiting" && outcome !== "interrupted") discard(frame.key)
      if (frame.isStored) return
      const result =
        thought !== undefined && isStored(thought) && stateOf(thought).deferred.length === 0 ? thought : undefined
      const isOver = result !== undefined && isResult(parts, frame, result)
      if (isOver && keep === "nothing") writer.drop([...frame.open, ...earlier.takeKept(frame.key)])
      else within.open.push(...frame.open)
      // a step that was completed before, and is made again, keeps what it had stored
      const position = result === undefined ? earlier.step(frame.key)?.position : positionOf(result)
      writer.step(endedRow(parts, frame, { outcome, position, error, endedMillis }))
    },
    ask
  }
}
