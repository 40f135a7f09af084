/** Durable runs, the newest first. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { millisOf, placesOf, totalsOf } from "../logs/totals.ts"
import { Memory, type MemoryError } from "../Memory.ts"
import { leftNow } from "../pipeline/durable/options.ts"
import type { Ledger } from "../Store.ts"
import type { After, RunItem, RunsPage } from "./model.ts"

const size = 25

const itemOf = (sketch: Ledger.RunSketch, now: number, isLeft: (run: Ledger.RunRow) => boolean): RunItem => {
  const { createdMillis, end, error, id, pipeline, start, status } = sketch.run
  return {
    id,
    status: isLeft(sketch.run) ? "left" : status,
    pipeline,
    thoughtId: (end ?? start).thoughtId,
    createdMillis,
    millis: millisOf(sketch.run, now),
    at: placesOf(sketch),
    ...(error === undefined ? {} : { error }),
    totals: totalsOf(sketch)
  }
}

export const runsPage = Effect.fnUntraced(function* (
  status: Ledger.RunStatus | undefined,
  after: After | undefined
): Effect.fn.Return<RunsPage, MemoryError, Memory> {
  const { ledger } = yield* Memory
  const now = yield* Clock.currentTimeMillis
  const isLeft = yield* leftNow(ledger)
  const found = yield* ledger.runs({
    limit: size + 1,
    ...(status === undefined ? {} : { status: [status] }),
    ...(after === undefined ? {} : { after })
  })
  const sketches = yield* ledger.sketches(found.slice(0, size).map(({ id }) => id))
  const runs = sketches.map((one) => itemOf(one, now, isLeft))
  const last = found[size - 1]
  return found.length > size && last !== undefined
    ? { runs, next: { id: last.id, createdMillis: last.createdMillis } }
    : { runs }
})
