/** The operations on whole thoughts. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../Memory.ts"
import type { Store } from "../../Store.ts"
import type { Database } from "../database/database.ts"
import { attempt } from "../database/failure.ts"
import { append } from "./append.ts"
import { thoughts } from "./list.ts"
import { redact } from "./redact.ts"
import { purge, remove } from "./remove.ts"
import { restore } from "./restore.ts"
import { hasCode, refuseRedacted } from "../database/refusal.ts"

type Lifecycle = Pick<Store, "append" | "thoughts" | "remove" | "purge" | "redact" | "restore">

/** Repeats a deletion that failed because others added rows which refer to the deleted ones. */
const untilAlone = <A>(deletion: Effect.Effect<A, MemoryError>): Effect.Effect<A, MemoryError> =>
  Effect.retry(deletion, { times: 10, while: (error) => hasCode(error, "23503") })

export const lifecycle = ({ deleted, reading, transaction, unhurried }: Database): Lifecycle => ({
  append: (scope, ref, notes) => transaction(scope, (trx) => append(trx, scope, ref, notes)),
  thoughts: (scope, page) => reading(scope, (trx) => attempt(() => thoughts(trx, scope, page))),
  // they may delete so many rows that they take minutes
  remove: (scope, ref, options) =>
    Effect.tap(untilAlone(unhurried(scope, (trx) => remove(trx, scope, ref, options))), () => deleted),
  purge: (scope) => Effect.tap(untilAlone(unhurried(scope, (trx) => purge(trx, scope))), () => deleted),
  redact: (scope, noteId, millis, reach = "derived") =>
    Effect.tap(
      transaction(scope, (trx) => redact(trx, scope, noteId, millis, reach)),
      () => deleted
    ),
  restore: (scope, stored) =>
    refuseRedacted(
      stored.thought.id,
      transaction(scope, (trx) => restore(trx, scope, stored))
    )
})
