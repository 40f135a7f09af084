/** The parts of a statement that write calls, without texts that may repeat a redacted note. */
import { type RawBuilder, sql } from "kysely"
import type { CallRow } from "../../memory/model/Ledger.ts"
import { namedIn } from "../../memory/model/named.ts"
import { tableOf } from "../database/columns.ts"
import { encode, encodeMap } from "../database/text.ts"
import { isHeld, isMuted, isPlace, maybe } from "./parts.ts"

/** The ids of notes that a call names. */
const namesOf = ({ request = "", response = "" }: CallRow): ReadonlyArray<string> => namedIn(`${request} ${response}`)

/**
 * The notes that calls name, which cannot be redacted until this transaction is over. It locks them before the run, as a
 * redaction does.
 */
export const namedPart = (scope: string, calls: ReadonlyArray<CallRow>): RawBuilder<unknown> | undefined => {
  const names = [...new Set(calls.flatMap(namesOf))]
  return names.length === 0
    ? undefined
    : sql`named as materialized (
        select n.id, n.redacted_at from cogito.note n where n.scope = ${encode(scope)} and n.id = any(${names}::uuid[])
        order by n.id for share)`
}

/** What tells of a request or a response, unless that may repeat a note that was redacted. */
const kept = (
  calls: ReadonlyArray<CallRow>,
  field: "request" | "response" | "hash" | "parts",
  otherwise: RawBuilder<unknown> = sql`null`
): RawBuilder<unknown> => {
  const value = sql.ref(field)
  if (calls.every((call) => call[field] === undefined)) return value
  const names =
    calls.flatMap(namesOf).length === 0
      ? sql``
      : sql` or exists (select from named where redacted_at is not null and id = any(given.named::uuid[]))`
  const own = field === "response" ? sql` and not ${isPlace}` : sql``
  return sql`case when (${isMuted}${names})${own} then ${otherwise} else ${value} end`
}

export const callsPart = (scope: string, runId: string, calls: ReadonlyArray<CallRow>): RawBuilder<unknown> => {
  const given = tableOf(calls, {
    frame: ["text", ({ frame }) => encode(frame)],
    n: ["int", ({ n }) => n],
    kind: ["text", ({ kind }) => kind],
    attempt: ["int", ({ attempt }) => attempt],
    hash: ["text", ({ hash }) => encode(hash)],
    parts: ["text", ({ parts }) => encodeMap(parts)],
    state: ["text", ({ state }) => state],
    request: ["text", ({ request }) => maybe(request)],
    response: ["text", ({ response }) => maybe(response)],
    named: ["text", (call) => `{${namesOf(call).join()}}`],
    provider: ["text", ({ provider }) => maybe(provider)],
    model: ["text", ({ model }) => maybe(model)],
    usage: ["text", ({ usage }) => (usage === undefined ? null : JSON.stringify(usage))],
    usd: ["float8", ({ usd }) => usd ?? null],
    started_millis: ["float8", ({ startedMillis }) => startedMillis],
    ended_millis: ["float8", ({ endedMillis }) => endedMillis ?? null],
    epoch: ["int", ({ epoch }) => epoch]
  })
  return sql`called as (
    insert into cogito.call(scope, run_id, frame, n, kind, attempt, hash, parts, state, request, response, provider, model,
      usage, usd, started_at, ended_at, epoch)
    select ${scope}, ${runId}, frame, n, kind, attempt, ${kept(calls, "hash", sql`''`)},
      (${kept(calls, "parts", sql`'{}'`)})::json, state, ${kept(calls, "request")}, ${kept(calls, "response")}, provider, model, usage::json, usd, to_timestamp(started_millis / 1000),
      to_timestamp(ended_millis / 1000), epoch
    from ${given}
    where ${isHeld}
    on conflict (scope, run_id, frame_hash, n) do update set kind = excluded.kind, attempt = excluded.attempt,
      hash = excluded.hash, parts = excluded.parts, state = excluded.state, request = excluded.request,
      response = excluded.response, provider = excluded.provider, model = excluded.model, usage = excluded.usage,
      usd = excluded.usd, started_at = excluded.started_at, ended_at = excluded.ended_at, epoch = excluded.epoch)`
}
