/** The operations on durable runs. */
import * as Effect from "effect/Effect"
import { notStored } from "../../memory/model/error.ts"
import type { Store } from "../../Store.ts"
import type { Database } from "../database/database.ts"
import { hasCode } from "../database/refusal.ts"
import { answer } from "./answer.ts"
import { claim, renew } from "./claim.ts"
import { runs, waits } from "./list.ts"
import { load, sketches } from "./load.ts"
import { fenced, write } from "./record.ts"
import { remove } from "./remove.ts"

export const ledger = (database: Database): Store["ledger"] => {
  const { reading, transaction, unflushed } = database
  return {
    exclusive: database.alone,
    record: (scope, rows) => {
      // a run that cannot begin takes back those beside it
      const { begins = [], urgent = false } = rows
      const within = urgent || begins.length > 0 ? transaction : unflushed
      const change = Effect.mapError(
        within(scope, (trx) => write(trx, scope, rows)),
        (error) =>
          hasCode(error, "23503") && error.message.includes("run_scope_thought_id_fkey") ? notStored() : error
      )
      return fenced(database, scope, rows, change, () => Effect.void)
    },
    claim: (scope, runId, lease) => transaction(scope, (trx) => claim(trx, scope, runId, lease)),
    // a lease that a power failure takes back ends earlier
    renew: (scope, runId, epoch, lease) => unflushed(scope, (trx) => renew(trx, scope, runId, epoch, lease)),
    load: (scope, runId) => reading(scope, (trx) => load(trx, scope, runId)),
    sketches: (scope, runIds) => reading(scope, (trx) => sketches(trx, scope, runIds)),
    runs: (scope, query) => reading(scope, (trx) => runs(trx, scope, query)),
    waits: (scope, query) => reading(scope, (trx) => waits(trx, scope, query)),
    answer: (scope, wait, given) => transaction(scope, (trx) => answer(trx, scope, wait, given)),
    remove: (scope, runId) => transaction(scope, (trx) => remove(trx, scope, runId))
  }
}
