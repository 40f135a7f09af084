/** The tables of the schema and their indexes. */
import { type RawBuilder, sql } from "kysely"
import { isBlank } from "../database/blank.ts"
import { wordsOf } from "../database/words.ts"

export const tables: ReadonlyArray<RawBuilder<unknown>> = [
  sql`create extension if not exists vector`,
  sql`create table cogito.thought(
    scope text not null check (scope <> ''),
    id uuid not null,
    trace_id text not null,
    task_id text,
    intent text not null,
    parent_id uuid,
    fork_seq int not null check (fork_seq >= 0 and (parent_id is not null or fork_seq = 0)),
    hidden json not null,
    checkpoints json not null,
    created_at timestamptz not null,
    version int not null check (version > 0),
    last_seq int not null check (last_seq >= fork_seq),
    next_index int not null check (next_index >= 0),
    usage json,
    primary key (scope, id),
    constraint thought_trace unique (scope, trace_id),
    foreign key (scope, parent_id) references cogito.thought(scope, id))`,
  sql`create index thought_task on cogito.thought(scope, task_id, created_at) where task_id is not null`,
  sql`create index thought_parent on cogito.thought(scope, parent_id) where parent_id is not null`,
  sql`create index thought_created on cogito.thought(scope, created_at)`,

  // There is no index on the words: row-level security comes first, and an operator that is not leakproof cannot use one.
  sql`create table cogito.note(
    scope text not null,
    id uuid not null,
    thought_id uuid not null,
    seq int not null check (seq > 0),
    key text not null,
    content text not null,
    metadata json not null,
    source text not null,
    step text not null,
    trust text not null check (trust in ('trusted', 'untrusted')),
    derived_from uuid[] not null default '{}',
    created_at timestamptz not null,
    redacted_at timestamptz,
    content_hash uuid generated always as (md5(content)::uuid) stored,
    words tsvector generated always as (${wordsOf("content")}) stored,
    primary key (scope, id),
    unique (scope, thought_id, seq),
    foreign key (scope, thought_id) references cogito.thought(scope, id))`,
  sql`create index note_hash on cogito.note(scope, content_hash)`,
  sql`create index note_redacted on cogito.note(scope, id) where redacted_at is not null`,
  // Notes without a vector are read in this order, over all scopes.
  sql`create index note_created on cogito.note(created_at, id, scope)`,
  // It holds few notes, so that each search can count them.
  sql`create index note_blank on cogito.note(scope, id) where ${isBlank("content")}`,
  // This is `note.derived_from` the other way round. Row-level security keeps an index of arrays from being used for it.
  sql`create table cogito.derivation(
    scope text not null,
    source_id uuid not null,
    note_id uuid not null,
    primary key (scope, source_id, note_id))`,

  sql`create table cogito.entry(
    scope text not null,
    thought_id uuid not null,
    index int not null check (index >= 0),
    kind text not null check (kind in ('message', 'summary', 'omission')),
    role text not null check (role in ('system', 'user', 'assistant')),
    text text not null,
    carries uuid[] not null,
    covers uuid[] not null,
    live boolean not null default true,
    primary key (scope, thought_id, index),
    foreign key (scope, thought_id) references cogito.thought(scope, id))`,

  sql`create table cogito.space(
    id int generated always as identity primary key,
    embedder text not null,
    dimensions int not null check (dimensions between 1 and 16000),
    metric text not null check (metric = 'cosine'),
    state text not null default 'building' check (state in ('building', 'active', 'retired')),
    unique (embedder, dimensions, metric))`,
  sql`create unique index space_active on cogito.space(state) where state = 'active'`
]
