/** The runs that are worth watching: those in progress or waiting, and those that have just ended. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { millisOf, placesOf, type Totals, totalsOf } from "../../logs/totals.ts"
import type { MemoryError, Shape } from "../../Memory.ts"
import { leftNow } from "../../pipeline/durable/options.ts"
import type { Ledger } from "../../Store.ts"

export interface Watched {
  readonly run: Ledger.RunRow
  /** The frames that it is at. */
  readonly at: ReadonlyArray<string>
  readonly millis: number
  readonly totals: Totals
  /** Whether its process has ended, although it is stored as running. */
  readonly left: boolean
}

/** Most runs of each kind that are looked at. */
const most = 100

/** How long a run that has ended is shown. */
const justEndedMillis = 60_000

const live = ["running", "waiting", "pending"] as const
const over = ["completed", "failed", "interrupted"] as const

/**
 * Looks at the runs of the scope, the newest first. `before` are the runs that the last look found: one that has ended since then
 * is found even if many newer ones have.
 */
export const look = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  before: ReadonlyArray<Watched>
): Effect.fn.Return<ReadonlyArray<Watched>, MemoryError> {
  const now = yield* Clock.currentTimeMillis
  const isLeft = yield* leftNow(ledger)
  const current = yield* ledger.runs({ status: live, limit: most })
  const ended = yield* ledger.runs({ status: over, limit: most })
  const recent = ended.filter(({ endedMillis = 0 }) => now - endedMillis < justEndedMillis)
  const ids = new Set([...current, ...recent, ...before.map(({ run }) => run)].map(({ id }) => id))
  const all = yield* ledger.sketches([...ids])
  return all
    .map((sketch) => watchedOf(sketch, now, isLeft))
    .filter(({ run: { endedMillis = 0, status } }) => isLive(status) || now - endedMillis < justEndedMillis)
    .toSorted((a, b) => b.run.createdMillis - a.run.createdMillis)
})

const isLive = (status: Ledger.RunStatus): boolean => live.some((one) => one === status)

const watchedOf = (sketch: Ledger.RunSketch, now: number, isLeft: (run: Ledger.RunRow) => boolean): Watched => {
  const { run } = sketch
  return {
    run,
    at: placesOf(sketch),
    millis: millisOf(run, now),
    totals: totalsOf(sketch),
    left: isLeft(run)
  }
}
