/**
 * Takes the content of a note away wherever it went.
 *
 * A summary was made of the notes that it covers, so its own note goes too, and so do findings that repeat it. Entries that show one of them lose their text and
 * are no longer live, which releases what else they showed.
 */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../Memory.ts"
import { afterId, beforeId, findingSources } from "../internal/memoryFindings.ts"
import type { Handle } from "./database.ts"
import { attempt } from "./failure.ts"
import { guarded, ownedTables } from "./lifecycle.ts"
import { isId, moment } from "./schema.ts"
import { encode } from "./text.ts"

type Ids = ReadonlyArray<string>

const idsOf = (trx: Handle, statement: RawBuilder<{ readonly id: string }>) =>
  Effect.map(
    attempt(() => statement.execute(trx)),
    ({ rows }) => rows.map(({ id }) => id)
  )

/** The entries `e` that show or stand for one of the notes. */
const touches = (notes: Ids) => sql`(e.carries && ${notes}::uuid[] or e.covers && ${notes}::uuid[])`

/** The notes, those of the summaries that cover them, and the findings that repeat them, with what was made of these. */
const withCopies = (trx: Handle, scope: string, notes: Ids) =>
  idsOf(
    trx,
    sql`select n.id from cogito.note n where n.scope = ${scope} and (n.id = any(${notes}::uuid[]) or n.id in (
        select unnest(e.carries) from cogito.entry e
        where e.scope = ${scope} and e.kind = 'summary' and e.covers && ${notes}::uuid[])
      or n.source = any(${findingSources}::text[]) and (
        exists (select from unnest(${notes}::uuid[]) as shown(id)
          where strpos(n.content, ${beforeId}::text || shown.id::text || ${afterId}::text) > 0)
        or exists (select from cogito.note f where f.scope = ${scope} and f.thought_id = n.thought_id
          and f.seq = n.seq - 1 and f.id = any(${notes}::uuid[])
          and f.source = n.source and f.step = n.step and f.key <> n.key)))
      order by n.id for update`
  )

/** Thoughts that see one of the notes, or whose conversation does. */
const lockSeers = (trx: Handle, scope: string, notes: Ids) =>
  idsOf(
    trx,
    sql`with recursive seen(id, seq) as (
        select n.thought_id, n.seq from cogito.note n where n.scope = ${scope} and n.id = any(${notes}::uuid[])
        union
        select t.id, seen.seq from seen
        join cogito.thought t on t.scope = ${scope} and t.parent_id = seen.id and t.fork_seq >= seen.seq)
      select t.id from cogito.thought t where t.scope = ${scope} and t.id in (
        select seen.id from seen union select e.thought_id from cogito.entry e where e.scope = ${scope} and ${touches(notes)})
      order by t.id for update`
  )

/** All that is to be redacted and all who see it, until locked rows let no more of either come about. */
const reach = (
  trx: Handle,
  scope: string,
  notes: Ids,
  seers: Ids
): Effect.Effect<{ readonly notes: Ids; readonly seers: Ids }, MemoryError> =>
  Effect.gen(function* () {
    const locked = yield* lockSeers(trx, scope, notes)
    const more = yield* withCopies(trx, scope, notes)
    return more.length === notes.length && locked.length === seers.length
      ? { notes, seers }
      : yield* reach(trx, scope, more, locked)
  })

/** The ids of the notes that are redacted now, or nothing when there is no such note. */
export const redact = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  noteId: string,
  millis: number
): Effect.fn.Return<Ids | undefined, MemoryError> {
  const scope = encode(tenant)
  if (!isId(noteId)) return undefined
  const known = yield* idsOf(trx, sql`select id from cogito.note where scope = ${scope} and id = ${noteId}`)
  if (known.length === 0) return undefined
  const { notes, seers } = yield* reach(trx, scope, known, [])
  const tables = yield* ownedTables(trx)
  const statements = [
    sql`update cogito.entry e set text = '', live = false where e.scope = ${scope} and ${touches(notes)}`,
    sql`update cogito.note set content = '', metadata = '{}', redacted_at = ${moment(millis)}
      where scope = ${scope} and id = any(${notes}::uuid[]) and redacted_at is null`,
    ...tables
      .filter(({ ofNote }) => ofNote)
      .map(({ table }) => sql`delete from ${table} where scope = ${scope} and note_id = any(${notes}::uuid[])`),
    sql`update cogito.thought set version = version + 1 where scope = ${scope} and id = any(${seers}::uuid[])`
  ]
  const pending = yield* idsOf(
    trx,
    sql`select id from cogito.note where scope = ${scope} and id = any(${notes}::uuid[]) and redacted_at is null`
  )
  if (pending.length > 0) {
    yield* guarded(
      trx,
      "redact",
      Effect.forEach(statements, (statement) => attempt(() => statement.execute(trx)), { discard: true })
    )
  }
  return notes
})
