/** The runs that a command works on. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SchemaNotCurrent } from "../../memory/model/schemaState.ts"
import type { MemoryError, Shape } from "../../Memory.ts"
import type { Ledger, Store } from "../../Store.ts"
import { quoted } from "../../text/legible.ts"
import { CommandError, type UsageError } from "../console/failure.ts"
import { wordsOnly } from "../memory/embedder.ts"
import { openStore, type ScopedPlace, scopeOf } from "../memory/place.ts"

/** Opens the memory of the runs. With `"kept"` the database refuses to change anything. */
export const openMemory = Effect.fnUntraced(function* (
  place: ScopedPlace,
  rows: "kept" | "changed" = "kept"
): Effect.fn.Return<Shape, UsageError | SchemaNotCurrent | MemoryError, Scope.Scope> {
  const scope = yield* scopeOf(place)
  return yield* wordsOnly(yield* openStore(place, rows), scope)
})

/** Loads a run with all its rows. Fails if the run does not exist. */
export const loadRun = (
  { ledger }: Pick<Shape, "ledger">,
  runId: string
): Effect.Effect<Ledger.StoredRun, CommandError | MemoryError> => required(ledger.load(runId), runId)

/** Loads it from a store that is open. */
export const loadFrom = (
  { ledger }: Store,
  scope: string,
  runId: string
): Effect.Effect<Ledger.StoredRun, CommandError | MemoryError> => required(ledger.load(scope, runId), runId)

const required = (loading: Effect.Effect<Ledger.StoredRun | undefined, MemoryError>, runId: string) =>
  Effect.filterOrElse(
    loading,
    (stored) => stored !== undefined,
    () =>
      new CommandError({
        message: `There is no run ${quoted(runId)} in this scope: npx cogito runs list shows those that there are.`
      })
  )
