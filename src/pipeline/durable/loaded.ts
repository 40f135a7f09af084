/** Loads a run that must be there. */
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import { fail, type MemoryError } from "../../memory/model/error.ts"
import type { StoredRun } from "../../memory/model/Ledger.ts"
import { quoted } from "../../text/legible.ts"

export const unknownRun = (runId: string): Effect.Effect<never, MemoryError> =>
  fail({ _tag: "NotFound", message: `There is no run ${quoted(runId)} in this scope.` })

export const loaded = (ledger: Pick<LedgerShape, "load">, runId: string): Effect.Effect<StoredRun, MemoryError> =>
  Effect.flatMap(ledger.load(runId), (stored) => (stored === undefined ? unknownRun(runId) : Effect.succeed(stored)))
