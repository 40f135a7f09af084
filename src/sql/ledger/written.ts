/** The parts of a statement that write the rows of a run, if it is held. */
import { type RawBuilder, sql } from "kysely"
import type { LedgerRows, StepRow } from "../../memory/model/Ledger.ts"
import { spent, spentHash } from "../../memory/model/spent.ts"
import { tableOf } from "../database/columns.ts"
import { encode } from "../database/text.ts"
import { callsPart } from "./calls.ts"
import { isHeld, isMuted, maybe } from "./parts.ts"
import { written } from "./runRow.ts"

/** One row for each place, as a statement changes each row only once. Each row is combined with the one before it. */
const onePerPlace = <A>(
  rows: ReadonlyArray<A>,
  placeOf: (row: A) => string,
  after: (before: A, row: A) => A
): ReadonlyArray<A> => {
  const places = new Map<string, A>()
  for (const row of rows) {
    const place = placeOf(row)
    const before = places.get(place)
    places.set(place, before === undefined ? row : after(before, row))
  }
  return [...places.values()]
}

const placeOf = ({ frame, n }: { readonly frame: string; readonly n: number }): string => JSON.stringify([frame, n])

const stepsPart = (scope: string, runId: string, rows: ReadonlyArray<StepRow>): RawBuilder<unknown> => {
  const steps = onePerPlace(
    rows,
    ({ frame }) => frame,
    ({ startedMillis }, step) => ({ ...step, startedMillis })
  )
  const given = tableOf(steps, {
    frame: ["text", ({ frame }) => encode(frame)],
    kind: ["text", ({ kind }) => encode(kind)],
    outcome: ["text", ({ outcome }) => outcome],
    position: ["text", ({ position }) => written(position)],
    error: ["text", ({ error }) => maybe(error)],
    started_millis: ["float8", ({ startedMillis }) => startedMillis],
    ended_millis: ["float8", ({ endedMillis }) => endedMillis ?? null],
    epoch: ["int", ({ epoch }) => epoch]
  })
  // the start time of a step stays
  return sql`stepped as (
    insert into cogito.step(scope, run_id, frame, kind, outcome, position, error, started_at, ended_at, epoch)
    select ${scope}, ${runId}, frame, kind, outcome, position::json, error, to_timestamp(started_millis / 1000),
      to_timestamp(ended_millis / 1000), epoch
    from ${given}
    where ${isHeld}
    on conflict (scope, run_id, frame_hash) do update set kind = excluded.kind, outcome = excluded.outcome,
      position = excluded.position, error = excluded.error, ended_at = excluded.ended_at, epoch = excluded.epoch)`
}

type Waits = NonNullable<LedgerRows["waits"]>

const waitsPart = (scope: string, runId: string, rows: Waits): RawBuilder<unknown> => {
  const waits = onePerPlace(
    rows,
    ({ frame }) => frame,
    (first) => first
  )
  const given = tableOf(waits, {
    frame: ["text", ({ frame }) => encode(frame)],
    key: ["text", ({ key }) => encode(key)],
    thought: ["uuid", ({ thoughtId }) => thoughtId],
    prompt: ["text", ({ prompt }) => encode(prompt)],
    schema: ["text", ({ schema }) => JSON.stringify(schema ?? null)],
    bound: ["text", ({ bound }) => encode(bound)],
    created_millis: ["float8", ({ createdMillis }) => createdMillis],
    due_millis: ["float8", ({ dueMillis }) => dueMillis ?? null]
  })
  return sql`waited as (
    insert into cogito.wait(scope, run_id, frame, key, thought, prompt, schema, bound, created_at, due_at)
    select ${scope}, ${runId}, frame, key, thought, case when ${isMuted} then '' else prompt end, schema::json, bound,
      to_timestamp(created_millis / 1000), to_timestamp(due_millis / 1000)
    from ${given}
    where ${isHeld}
    on conflict (scope, run_id, frame_hash) do update set key = excluded.key, thought = excluded.thought,
      prompt = excluded.prompt, schema = excluded.schema, bound = excluded.bound
      where wait.prompt = '' and wait.answer is null)`
}

type Drops = NonNullable<LedgerRows["drops"]>

const dropsPart = (scope: string, runId: string, drops: Drops): RawBuilder<unknown> => {
  const given = tableOf(drops, { frame: ["text", ({ frame }) => encode(frame)], n: ["int", ({ n }) => n] })
  // for the index: of a table that was never analyzed, a join reads all calls of the run
  const hashes = sql`array(select md5(frame)::uuid from unnest(${drops.map(({ frame }) => encode(frame))}::text[]) as f(frame))`
  return sql`dropped as (
    update cogito.call c set response = null, hash = case when c.hash = '' then '' else ${spentHash} end, parts = '{}' from ${given}
    where c.scope = ${scope} and c.run_id = ${runId} and c.frame_hash = any(${hashes}) and c.frame_hash = md5(given.frame)::uuid and c.n = given.n
      and (c.response is not null or c.hash not in ('', ${spentHash})) and ${isHeld})`
}

const passesPart = (scope: string, runId: string, passes: ReadonlyArray<string>): RawBuilder<unknown> =>
  sql`passed as (
    delete from cogito.step where scope = ${scope} and run_id = ${runId} and kind = 'commit' and ${isHeld}
      and frame_hash = any(array(select md5(frame)::uuid from unnest(${passes.map(encode)}::text[]) as f(frame))))`

const endsPart = (scope: string, runId: string, ends: NonNullable<LedgerRows["ends"]>): RawBuilder<unknown> =>
  sql`ended as (
    update cogito.run set status = ${ends.status}, lease_until = null, end_position = ${written(ends.end)},
      error = ${maybe(ends.error)}, ended_at = to_timestamp(${ends.endedMillis}::float8 / 1000)
    where scope = ${scope} and id = ${runId} and ${isHeld})`

/** The parts that write everything but the runs that begin. */
export const rowParts = (
  tenant: string,
  { calls = [], drops = [], ends, passes = [], runId: id, steps = [], waits = [] }: LedgerRows
): ReadonlyArray<RawBuilder<unknown>> => {
  const [scope, runId] = [encode(tenant), encode(id)]
  const dropped = new Set(drops.map(placeOf))
  const final = onePerPlace(calls, placeOf, (_, call) => call).map((call) =>
    dropped.has(placeOf(call)) ? spent(call) : call
  )
  const written = new Set(final.map(placeOf))
  const others = drops.filter((drop) => !written.has(placeOf(drop)))
  const stepped = new Set(steps.map(({ frame }) => frame))
  const passed = passes.filter((frame) => !stepped.has(frame))
  return [
    ...(steps.length > 0 ? [stepsPart(scope, runId, steps)] : []),
    ...(final.length > 0 ? [callsPart(scope, runId, final)] : []),
    ...(waits.length > 0 ? [waitsPart(scope, runId, waits)] : []),
    ...(others.length > 0 ? [dropsPart(scope, runId, others)] : []),
    ...(passed.length > 0 ? [passesPart(scope, runId, passed)] : []),
    ...(ends === undefined ? [] : [endsPart(scope, runId, ends)])
  ]
}
