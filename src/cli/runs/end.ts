/** Ends a run from outside. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { MemoryError, Shape } from "../../Memory.ts"
import { Owner } from "../../pipeline/durable/options.ts"
import type { Ledger } from "../../Store.ts"
import type { CommandError } from "../console/failure.ts"
import { busy } from "./failure.ts"

/** How long this process may take to end a run that has lost its own. */
const leaseMillis = 30_000

/** Ends a run that is not completed and that no process has. Fails if one has it. */
export const endRun = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  { end, id }: Ledger.RunRow,
  how: { readonly status: "interrupted" | "failed"; readonly error: string | undefined }
): Effect.fn.Return<undefined, CommandError | MemoryError> {
  const owner = yield* Owner
  const claim = yield* ledger.claim(id, { owner, millis: leaseMillis, seize: ledger.exclusive })
  if (claim === undefined) return undefined
  const { claimed, run } = claim
  if (!claimed && run.status !== "completed") return yield* busy(id, run.leaseUntilMillis)
  if (!claimed) return undefined
  const endedMillis = yield* Clock.currentTimeMillis
  yield* ledger.record({ runId: id, epoch: run.epoch, ends: { ...how, end, endedMillis } })
  return undefined
})
