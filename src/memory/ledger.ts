/** The ledger of a store in the scope of the program: checked, and repeated after a lost answer. */
import * as Effect from "effect/Effect"
import { isUnsure, onceMore } from "./model/again.ts"
import type { MemoryError } from "./model/error.ts"
import type { LedgerShape } from "./model/LedgerShape.ts"
import { checkAnswer, checkRows, checkRunId } from "./model/ledgerLimits.ts"
import type { Store } from "./model/Store.ts"

export const makeLedger = (store: Store, currentScope: Effect.Effect<string, MemoryError>): LedgerShape => {
  const { ledger } = store
  /** Runs an uninterruptible operation on a run of the scope. After an interruption, its outcome would be unknown. */
  const onRun = <A>(runId: string, use: (scope: string) => Effect.Effect<A, MemoryError>) =>
    Effect.andThen(
      checkRunId(runId),
      Effect.flatMap(currentScope, (scope) => Effect.uninterruptible(use(scope)))
    )
  return {
    exclusive: ledger.exclusive,
    record: (rows) =>
      Effect.andThen(
        checkRows(rows),
        onRun(rows.runId, (scope) => onceMore(ledger.record(scope, rows)))
      ),
    // a claim with a lost response cannot be recognised: the run can be claimed once its lease expires
    claim: (runId, lease) => onRun(runId, (scope) => onceMore(ledger.claim(scope, runId, lease))),
    renew: (runId, epoch, lease) => onRun(runId, (scope) => onceMore(ledger.renew(scope, runId, epoch, lease))),
    load: (runId) => Effect.flatMap(currentScope, (scope) => ledger.load(scope, runId)),
    sketches: (runIds) => Effect.flatMap(currentScope, (scope) => ledger.sketches(scope, runIds)),
    runs: (query) => Effect.flatMap(currentScope, (scope) => ledger.runs(scope, query)),
    waits: (query) => Effect.flatMap(currentScope, (scope) => ledger.waits(scope, query)),
    answer: (wait, given) =>
      Effect.andThen(
        checkAnswer(given.json, given.by),
        onRun(wait.runId, (scope) => {
          const once = ledger.answer(scope, wait, given)
          return Effect.catchIf(once, isUnsure, () =>
            Effect.map(once, (known) => known && { ...known, first: known.first || isSame(known.wait, given) })
          )
        })
      ),
    remove: (runId) =>
      onRun(runId, (scope) => {
        const once = ledger.remove(scope, runId)
        return Effect.catchIf(once, isUnsure, () =>
          Effect.flatMap(once, (removed) =>
            removed ? Effect.succeed(true) : Effect.map(ledger.load(scope, runId), (left) => left === undefined)
          )
        )
      }),
    history: (thoughtId) => Effect.flatMap(currentScope, (scope) => store.history(scope, thoughtId))
  }
}

type Answer = Parameters<LedgerShape["answer"]>[1]
type Answered = NonNullable<Effect.Success<ReturnType<LedgerShape["answer"]>>>["wait"]

/** Whether this answer is the stored one. */
const isSame = ({ answer, answeredBy, answeredMillis }: Answered, { by, json, millis }: Answer): boolean =>
  answer === json && answeredBy === by && answeredMillis === millis
