/** Writes rows of a run in one statement, and only for the process that has the run. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import { leaseLost } from "../../memory/model/error.ts"
import { type Known, refusalOf, type Standing, standingOf } from "../../memory/model/standing.ts"
import type { MemoryError } from "../../Memory.ts"
import type { LedgerRows } from "../../memory/model/Ledger.ts"
import { type Database, type Handle, rowsOf } from "../database/database.ts"
import { query } from "../database/failure.ts"
import { kept } from "../database/kept.ts"
import { isId, millisOf } from "../database/values.ts"
import { decode, encode } from "../database/text.ts"
import { allWritten, heldParts } from "./begun.ts"
import { namedPart } from "./calls.ts"
import { rowParts } from "./written.ts"

const always = sql`true`

/** The parts of a statement that write the rows where the condition holds and the run is held. */
export const ledgerParts = (
  scope: string,
  rows: LedgerRows,
  condition: RawBuilder<unknown> = always
): ReadonlyArray<RawBuilder<unknown>> => {
  const named = namedPart(scope, rows.calls ?? [])
  // a count, so that these are locked first
  const after = named === undefined ? condition : sql`${condition} and (select count(*) from named) >= 0`
  return [...(named === undefined ? [] : [named]), ...heldParts(scope, rows, after), ...rowParts(scope, rows)]
}

const idsOf = ({ begins = [], ends, steps = [], waits = [] }: LedgerRows): ReadonlyArray<string> => [
  ...begins.map(({ start }) => start.thoughtId),
  ...steps.flatMap(({ position }) => (position === undefined ? [] : [position.thoughtId])),
  ...waits.map(({ thoughtId }) => thoughtId),
  ...(ends?.end === undefined ? [] : [ends.end.thoughtId])
]

/** Fails if the rows name a thought by what is no id. */
export const checkIds = (rows: LedgerRows): Effect.Effect<void, MemoryError> =>
  idsOf(rows).every(isId)
    ? Effect.void
    : query("An id is not a UUID in lower case: thoughts need such ids to be stored.")

/** What the run is now to whoever writes the rows. */
const standing = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  rows: LedgerRows
): Effect.fn.Return<Standing, MemoryError> {
  const ids = [rows.runId, ...(rows.begins ?? []).map(({ id }) => id)]
  const known = yield* rowsOf(
    trx,
    sql<Stored>`select r.id, r.seed, r.status, r.owner, r.epoch, ${millisOf("r.ended_at")} as ended_ms
      from cogito.run r where r.scope = ${encode(scope)} and r.id = any(${ids.map(encode)}::text[])`
  )
  const runs = new Map<string, Known>(
    known.map(({ ended_ms, epoch, id, owner, seed, status }) => [
      decode(id),
      {
        seed: decode(seed),
        status,
        owner: owner === null ? undefined : decode(owner),
        epoch,
        endedMillis: ended_ms ?? undefined
      }
    ])
  )
  return standingOf(rows, (id) => runs.get(id))
})

interface Stored extends Pick<Known, "seed" | "status" | "epoch"> {
  readonly id: string
  readonly owner: string | null
  readonly ended_ms: number | null
}

interface Written {
  readonly all: boolean
}

/** Writes the rows. Fails with `LeaseLost` if the run is not held, and when a run that begins is there already. */
export const write = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  rows: LedgerRows
): Effect.fn.Return<void, MemoryError> {
  yield* checkIds(rows)
  const [written] = yield* rowsOf(
    trx,
    kept(sql<Written>`with ${sql.join(ledgerParts(scope, rows))} select ${allWritten(scope, rows)} as "all"`)
  )
  yield* written?.all === true ? Effect.void : Effect.fail(leaseLost(rows.runId))
})

/**
 * A change that writes rows of a run. If it is refused, this finds out why. `done` follows if its rows are stored already, as
 * after a lost answer.
 */
export const fenced = <A>(
  { reading }: Database,
  scope: string,
  rows: LedgerRows,
  change: Effect.Effect<A, MemoryError>,
  done: (error: MemoryError) => Effect.Effect<A, MemoryError>
): Effect.Effect<A, MemoryError> =>
  Effect.catch(change, (error) => {
    const { _tag } = error.reason
    if (_tag !== "LeaseLost" && _tag !== "ConcurrencyConflict" && _tag !== "Query") return Effect.fail(error)
    return Effect.flatMap(
      reading(scope, (trx) => standing(trx, scope, rows)),
      (own) => {
        if (own === "done") return done(error)
        if (own !== "held") return Effect.fail(refusalOf(own, rows))
        // The run has begun while this change waited for it.
        return _tag === "LeaseLost" ? change : Effect.fail(error)
      }
    )
  })
