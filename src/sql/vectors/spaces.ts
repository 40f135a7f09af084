/** The spaces of vectors: one active, others being built or retired. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { Space, StoredSpace, MemoryError } from "../../Memory.ts"
import { quoted } from "../../text/legible.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { query } from "../database/failure.ts"
import { decode } from "../database/text.ts"

/** The table of a space that is open. */
export type Table = RawBuilder<unknown>

export const tableOf = (id: number): Table => sql.table(`cogito.vector_${id}`)

/** Stands for a space's table if there is no space. It has no rows. */
export const noVectors: Table = sql`(
  select null::text as scope, null::uuid as note_id, 0 as chunk, null::vector as embedding where false)`

/** The failure for a space that nobody has opened. */
export const notOpen = (space: Space): MemoryError =>
  query(`The space of the embedder ${quoted(space.embedder)} is not open: call openSpace first.`)

/** Locks the spaces for a change, which only one transaction makes at a time. */
export const lock = (trx: Handle) => rowsOf(trx, sql`lock table cogito.space in share row exclusive mode`)

export const isSame = (a: Space, b: Space): boolean =>
  a.embedder === b.embedder && a.dimensions === b.dimensions && a.metric === b.metric

/** All spaces, the oldest first. */
export const all = (trx: Handle): Effect.Effect<ReadonlyArray<StoredSpace & { readonly id: number }>, MemoryError> =>
  Effect.map(rowsOf(trx, sql<StoredSpace & { readonly id: number }>`select * from cogito.space order by id`), (rows) =>
    rows.map((row) => ({ ...row, embedder: decode(row.embedder) }))
  )

/** Makes a space the active one and retires the one before. */
export const activate = Effect.fnUntraced(function* (trx: Handle, space: Space): Effect.fn.Return<void, MemoryError> {
  yield* lock(trx)
  const known = yield* all(trx)
  const chosen = known.find((one) => isSame(one, space)) ?? (yield* notOpen(space))
  const holds = (id: number) =>
    Effect.map(rowsOf(trx, sql`select from ${tableOf(id)} limit 1`), (rows) => rows.length > 0)
  const before = known.find(({ id, state }) => state === "active" && id !== chosen.id)
  const loses = before !== undefined && !(yield* holds(chosen.id)) && (yield* holds(before.id))
  yield* loses
    ? query(
        `The space of the embedder ${quoted(space.embedder)} has no vectors, ` +
          `and that of ${quoted(before.embedder)} has: embed the notes first.`
      )
    : Effect.void
  // in this order, as there may never be two active ones
  yield* rowsOf(trx, sql`update cogito.space set state = 'retired' where state = 'active' and id <> ${chosen.id}`)
  yield* rowsOf(trx, sql`update cogito.space set state = 'active' where id = ${chosen.id}`)
})

/** Drops a space with its vectors. */
export const drop = Effect.fnUntraced(function* (
  trx: Handle,
  space: Space,
  { force = false }: { readonly force?: boolean } = {}
): Effect.fn.Return<void, MemoryError> {
  yield* lock(trx)
  const chosen = (yield* all(trx)).find((one) => isSame(one, space))
  if (chosen === undefined) return
  const of = `The vectors of the embedder ${quoted(space.embedder)} are`
  yield* chosen.state === "active" ? query(`${of} in use: they cannot be dropped.`) : Effect.void
  yield* chosen.state === "building" && !force
    ? query(`${of} still being built. If no program is building them any more, drop them with { force: true }.`)
    : Effect.void
  yield* rowsOf(trx, sql`drop table ${tableOf(chosen.id)}`)
  yield* rowsOf(trx, sql`delete from cogito.space where id = ${chosen.id}`)
})
