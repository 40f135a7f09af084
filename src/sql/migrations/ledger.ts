/**
 * The tables of durable runs. What a run is, and where a row belongs, never changes: a tenant may update the other columns only,
 * and a trigger holds the owner of the tables to the same.
 */
import { type RawBuilder, sql } from "kysely"

const names = ["run", "step", "call", "wait"] as const

/** The columns that make a row what it is. */
const identity: Readonly<Record<(typeof names)[number], string>> = {
  run:
    "scope id seed pipeline fingerprint outline start_position::text start_hash fork parent_id parent_frame keep" +
    " created_at",
  step: "scope run_id frame",
  call: "scope run_id frame n",
  wait: "scope run_id frame key thought schema::text bound created_at due_at"
}

/** What else is refused. */
const more: Partial<typeof identity> = {
  run: "new.epoch < old.epoch",
  wait: "old.answer is not null"
}

const guarded = names.flatMap((name) => {
  const table = sql.table(`cogito.${name}`)
  const columns = identity[name].split(" ")
  const row = (which: string) => sql.raw(`(${columns.map((column) => `${which}.${column}`).join(", ")})`)
  const also = more[name] ?? "false"
  return [
    sql`create trigger ${sql.ref(`${name}_identity`)} before update on ${table} for each row
      when (${row("old")} is distinct from ${row("new")} or ${sql.raw(also)}) execute function cogito.refuse()`,
    sql`create trigger ${sql.ref(`${name}_delete`)} before delete on ${table} for each row
      execute function cogito.refuse()`,
    sql`create trigger ${sql.ref(`${name}_truncate`)} before truncate on ${table} execute function cogito.refuse()`,
    sql`call cogito.guard(${sql.lit(`cogito.${name}`)})`,
    sql`grant select, insert on ${table} to cogito_tenant`
  ]
})

/** A frame may be longer than a row of an index. */
const frame = sql`
    frame text not null,
    frame_hash uuid not null generated always as (md5(frame)::uuid) stored`

const ofRun = sql`foreign key (scope, run_id) references cogito.run(scope, id) on delete cascade`

export const ledger: ReadonlyArray<RawBuilder<unknown>> = [
  sql`create table cogito.run(
    scope text not null,
    id text not null,
    seed text not null,
    pipeline text not null,
    fingerprint text not null,
    outline text not null,
    start_position json not null,
    start_hash text not null,
    fork boolean not null,
    parent_id text,
    parent_frame text,
    keep text not null check (keep in ('answers', 'nothing')),
    status text not null check (status in ('pending', 'running', 'waiting', 'interrupted', 'failed', 'completed')),
    owner text,
    epoch int not null check (epoch >= 0),
    lease_until timestamptz,
    end_position json,
    error text,
    created_at timestamptz not null,
    ended_at timestamptz,
    muted boolean not null default false,
    thought_id uuid not null generated always as ((start_position ->> 'thoughtId')::uuid) stored,
    end_thought uuid generated always as ((end_position ->> 'thoughtId')::uuid) stored,
    primary key (scope, id),
    check ((parent_id is null) = (parent_frame is null)),
    foreign key (scope, thought_id) references cogito.thought(scope, id))`,
  sql`create index run_created on cogito.run(scope, created_at)`,
  sql`create index run_open on cogito.run(scope, created_at) where status not in ('failed', 'completed')`,
  sql`create index run_thought on cogito.run(scope, thought_id)`,
  sql`create index run_end on cogito.run(scope, end_thought) where end_thought is not null`,
  sql`create index run_parent on cogito.run(scope, parent_id) where parent_id is not null`,

  // The thought is not that of a foreign key: the step may have stored another one, which may be removed.
  sql`create table cogito.step(
    scope text not null,
    run_id text not null,
    ${frame},
    kind text not null,
    outcome text not null
      check (outcome in ('running', 'committed', 'completed', 'failed', 'interrupted', 'waiting')),
    position json,
    error text,
    started_at timestamptz not null,
    ended_at timestamptz,
    epoch int not null,
    place bigint generated always as identity,
    thought uuid generated always as ((position ->> 'thoughtId')::uuid) stored,
    primary key (scope, run_id, frame_hash),
    ${ofRun})`,
  sql`create index step_thought on cogito.step(scope, thought) where thought is not null`,

  sql`create table cogito.call(
    scope text not null,
    run_id text not null,
    ${frame},
    n int not null check (n >= 0),
    kind text not null check (kind in ('complete', 'decide', 'search', 'effect', 'decision', 'once')),
    attempt int not null check (attempt > 0),
    hash text not null,
    parts json not null,
    state text not null check (state in ('due', 'begun', 'answered', 'failed', 'interrupted')),
    request text,
    response text,
    provider text,
    model text,
    usage json,
    usd float8,
    started_at timestamptz not null,
    ended_at timestamptz,
    epoch int not null,
    place bigint generated always as identity,
    primary key (scope, run_id, frame_hash, n),
    ${ofRun})`,

  sql`create table cogito.wait(
    scope text not null,
    run_id text not null,
    ${frame},
    key text not null,
    thought uuid not null,
    prompt text not null,
    schema json not null,
    bound text not null,
    created_at timestamptz not null,
    due_at timestamptz,
    answer text,
    answered_by text,
    answered_at timestamptz,
    primary key (scope, run_id, frame_hash),
    check ((answer is null) = (answered_at is null)),
    ${ofRun})`,
  sql`create index wait_open on cogito.wait(scope, created_at) where answer is null`,

  ...guarded,
  sql`grant update (status, owner, epoch, lease_until, end_position, error, ended_at, muted) on cogito.run
    to cogito_tenant`,
  sql`grant update (kind, outcome, position, error, ended_at, epoch) on cogito.step to cogito_tenant`,
  sql`grant update (kind, attempt, hash, parts, state, request, response, provider, model, usage, usd, started_at,
    ended_at, epoch) on cogito.call to cogito_tenant`,
  sql`grant update (prompt, answer, answered_by, answered_at) on cogito.wait to cogito_tenant`
]
