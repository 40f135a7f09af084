/** Effects that wait for a commit: in the ledger from the commit on, so that a resumed run carries out those that are due. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { positionOf } from "../../memory/asOf.ts"
import type { CallRow } from "../../memory/model/Ledger.ts"
import { Halt } from "../../run/failure.ts"
import type { Frame, Journal, Later, Place } from "../../run/journal.ts"
import { OutcomeUnknown } from "./errors.ts"
import { idIn } from "./frame.ts"
import type { Parts } from "./parts.ts"

const rowOf = ({ createdMillis, epoch }: Parts, { frame, n }: Place): CallRow => ({
  frame,
  n,
  kind: "once",
  attempt: 1,
  hash: "",
  parts: {},
  state: "due",
  request: undefined,
  response: undefined,
  provider: undefined,
  model: undefined,
  usage: undefined,
  usd: undefined,
  startedMillis: createdMillis,
  endedMillis: undefined,
  epoch
})

/** A run in the background, which has an id of its own and rows of its own. */
export const makeBackground =
  (parts: Parts): Journal["background"] =>
  (frame, shape) => {
    const { createdMillis, id, keep, onInterrupted, seed } = parts
    const row = rowOf(parts, { frame: frame.key, n: frame.calls++ })
    const runId = idIn(frame, seed, createdMillis)
    const own = idIn(frame, seed, createdMillis)
    // a rerun starts no background runs
    if (parts.reuse !== undefined) return { row: { ...row, state: "answered" }, runId, run: () => Effect.void }
    return {
      row,
      runId,
      begins: (stored) => ({
        id: runId,
        seed: own,
        ...shape,
        start: positionOf(stored),
        startHash: "",
        fork: true,
        parent: { runId: id, frame: frame.key },
        keep,
        onInterrupted,
        status: "pending",
        createdMillis
      }),
      // starting it twice is safe: the ledger has one owner for each run
      run: (effect) =>
        Effect.gen(function* () {
          if (parts.earlier.call(row)?.state === "answered") return
          yield* effect
          parts.earlier.settle(row)
          parts.writer.call({ ...row, state: "answered", endedMillis: yield* Clock.currentTimeMillis })
        })
    }
  }

export const makeLater =
  (parts: Parts) =>
  (frame: Frame): Later => {
    const { earlier, id: runId, onInterrupted, reuse, writer } = parts
    const row = rowOf(parts, { frame: frame.key, n: frame.calls++ })
    return {
      row,
      run: (effect) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            // a rerun has no effects outside
            const state = reuse === undefined ? (earlier.call(row)?.state ?? "due") : "answered"
            earlier.settle(row)
            if (state === "answered" || state === "failed" || state === "interrupted") return undefined
            if (state === "begun" && onInterrupted === "fail") {
              return yield* Effect.die(new Halt(new OutcomeUnknown({ runId, frame: frame.key })))
            }
            const startedMillis = yield* Clock.currentTimeMillis
            // it runs at most once, unless the run says otherwise
            if (state === "begun" && onInterrupted !== "rerun") {
              writer.call({ ...row, state: "interrupted", startedMillis, endedMillis: startedMillis })
              return undefined
            }
            writer.call({ ...row, state: "begun", startedMillis })
            yield* writer.flush({ urgent: true })
            const exit = yield* Effect.exit(restore(effect))
            const endedMillis = yield* Clock.currentTimeMillis
            writer.call({ ...row, state: Exit.isSuccess(exit) ? "answered" : "failed", startedMillis, endedMillis })
            yield* writer.flush()
            return yield* exit
          })
        )
    }
  }
