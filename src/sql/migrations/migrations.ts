/** The database's schema, step by step. A step that was ever released is never changed. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Tables } from "../database/schema.ts"
import { isBlank } from "../database/blank.ts"
import { copies } from "../database/copies.ts"
import { derivation } from "./derivation.ts"
import { firstWordsOf, wordsOf } from "../database/words.ts"

/** One step. It runs in a transaction. */
interface Migration {
  readonly up: (db: Kysely<Tables>) => Promise<unknown>
}

const migration = (statements: ReadonlyArray<RawBuilder<unknown>>): Migration => ({
  up: (db) =>
    statements.reduce<Promise<unknown>>((done, statement) => done.then(() => statement.execute(db)), Promise.resolve())
})

/** Steps by name, in order. */
export type Steps = Readonly<Record<string, Migration>>

/** All steps there are, by name. */
export const migrations: Steps = {
  "0001_thoughts": migration([
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
    sql`create index thought_task on cogito.thought(scope, task_id) where task_id is not null`,
    sql`create index thought_parent on cogito.thought(scope, parent_id) where parent_id is not null`,

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
      created_at timestamptz not null,
      primary key (scope, id),
      unique (scope, thought_id, seq),
      foreign key (scope, thought_id) references cogito.thought(scope, id))`,

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
      unique (embedder, dimensions, metric))`,

    sql`create function cogito.refuse() returns trigger language plpgsql as $$
      begin
        raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name
          using errcode = 'restrict_violation';
      end $$`,
    sql`create trigger note_rows before update or delete on cogito.note
      for each row execute function cogito.refuse()`,
    sql`create trigger note_truncate before truncate on cogito.note execute function cogito.refuse()`,
    // An entry's text was sent: it may only cease to be live, once.
    sql`create trigger entry_rows before update on cogito.entry for each row
      when (not old.live or new.live or (old.scope, old.thought_id, old.index, old.kind, old.role, old.text, old.carries,
        old.covers) is distinct from (new.scope, new.thought_id, new.index, new.kind, new.role, new.text, new.carries,
        new.covers))
      execute function cogito.refuse()`,
    sql`create trigger entry_delete before delete on cogito.entry for each row execute function cogito.refuse()`,
    sql`create trigger entry_truncate before truncate on cogito.entry execute function cogito.refuse()`,
    sql`create trigger thought_identity before update on cogito.thought for each row
      when ((old.scope, old.id, old.trace_id, old.task_id, old.intent, old.parent_id, old.fork_seq, old.hidden::text,
        old.checkpoints::text, old.created_at) is distinct from (new.scope, new.id, new.trace_id, new.task_id, new.intent, new.parent_id,
        new.fork_seq, new.hidden::text, new.checkpoints::text, new.created_at) or new.version <> old.version + 1 or new.last_seq < old.last_seq)
      execute function cogito.refuse()`,
    sql`create trigger thought_delete before delete on cogito.thought for each row execute function cogito.refuse()`,
    sql`create trigger thought_truncate before truncate on cogito.thought execute function cogito.refuse()`
  ]),
  "0002_tenants": migration([
    // Roles belong to the whole server: another database may have made it, at this very moment.
    sql`do $$ begin
        if not exists (select from pg_roles where rolname = 'cogito_tenant') then create role cogito_tenant nologin; end if;
      exception when duplicate_object or unique_violation then null; end $$`,
    // Who may act as the role already need not be able to grant it. From Postgres 16 on a member may be without that right.
    sql`do $$ begin
        if not pg_has_role('cogito_tenant', case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)
        then execute format('grant cogito_tenant to %I', current_user); end if;
      end $$`,
    sql`grant usage on schema cogito to cogito_tenant`,
    sql`grant select, insert, update on cogito.thought, cogito.entry to cogito_tenant`,
    sql`grant select, insert on cogito.note to cogito_tenant`,
    // A table whose rows belong to scopes: a tenant sees its own rows, upkeep all, anybody else none.
    sql`create procedure cogito.guard(tab regclass) language plpgsql as $$ begin
        execute format('alter table %s enable row level security, force row level security', tab);
        execute format('create policy own on %s to cogito_tenant
          using (scope = (select current_setting(''cogito.scope'', true)))
          with check (scope = (select current_setting(''cogito.scope'', true)))', tab);
        execute format('create policy upkeep on %s to %I
          using ((select current_setting(''cogito.upkeep'', true)) = ''on'')', tab, current_user);
      end $$`,
    sql`call cogito.guard('cogito.thought')`,
    sql`call cogito.guard('cogito.note')`,
    sql`call cogito.guard('cogito.entry')`,
    // the tables of vectors that are there already
    sql`do $$ declare t record; begin
        for t in select id from cogito.space loop
          execute format('grant select, insert, update on cogito.vector_%s to cogito_tenant', t.id);
          execute format('call cogito.guard(%L)', 'cogito.vector_' || t.id);
        end loop;
      end $$`
  ]),
  // No index on the words: row-level security comes first, and what is not leakproof cannot be looked up before it.
  "0003_search": migration([
    sql`alter table cogito.note
      add column words tsvector generated always as (${firstWordsOf("content")}) stored,
      add column content_hash uuid generated always as (md5(content)::uuid) stored`,
    sql`create index note_hash on cogito.note(scope, content_hash)`
  ]),
  "0004_spaces": migration([
    sql`alter table cogito.space add column state text not null default 'building'
      check (state in ('building', 'active', 'retired'))`,
    sql`create unique index space_active on cogito.space(state) where state = 'active'`,
    // Of the spaces that are there already, the one that most notes are in is the one in use. Parts of a note may go.
    sql`do $$ declare t record; vectors bigint; most bigint := -1; chosen int; begin
        perform set_config('cogito.upkeep', 'on', true);
        for t in select id from cogito.space order by id loop
          execute format('grant delete on cogito.vector_%s to cogito_tenant', t.id);
          execute format('select count(*) from cogito.vector_%s', t.id) into vectors;
          if vectors >= most then most := vectors; chosen := t.id; end if;
        end loop;
        update cogito.space set state = case when id = chosen then 'active' else 'retired' end;
        perform set_config('cogito.upkeep', '', true);
      end $$`
  ]),
  "0005_lifecycle": migration([
    sql`alter table cogito.note add column redacted_at timestamptz`,
    sql`create index note_redacted on cogito.note(scope, id) where redacted_at is not null`,
    sql`create index thought_created on cogito.thought(scope, created_at)`,
    sql`drop index cogito.thought_task`,
    sql`create index thought_task on cogito.thought(scope, task_id, created_at) where task_id is not null`,
    // Rows are changed and deleted only by who says why, for the rest of a transaction: purge moves and deletes, redact
    // empties. Row-level security keeps both within the scope.
    sql`create or replace function cogito.refuse() returns trigger language plpgsql as $$
      declare guard text := coalesce(current_setting('cogito.guard', true), '');
      begin
        if tg_op = 'DELETE' and guard = 'purge' then return old; end if;
        if tg_op = 'UPDATE' and guard in ('purge', 'redact') then return new; end if;
        raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name
          using errcode = 'restrict_violation';
      end $$`,
    sql`grant delete on cogito.thought, cogito.note, cogito.entry to cogito_tenant`,
    sql`grant update (thought_id, content, metadata, redacted_at) on cogito.note to cogito_tenant`,
    sql`create or replace procedure cogito.guard(tab regclass) language plpgsql as $$ begin
        execute format('alter table %s enable row level security, force row level security', tab);
        execute format('create policy own on %s to cogito_tenant
          using (scope = (select current_setting(''cogito.scope'', true)))
          with check (scope = (select current_setting(''cogito.scope'', true)))', tab);
        execute format('create policy upkeep on %s to %I
          using ((select current_setting(''cogito.upkeep'', true)) = ''on'')', tab, current_user);
        execute format('grant delete on %s to cogito_tenant', tab);
      end $$`,
    sql`do $$ declare t record; begin
        for t in select oid::regclass as name from pg_class
          where relnamespace = 'cogito'::regnamespace and relkind in ('r', 'p') and relrowsecurity
        loop
          execute format('grant delete on %s to cogito_tenant', t.name);
        end loop;
      end $$`,
    // A run that still has the content must not bring it back in its conversation.
    sql`create function cogito.refuse_redacted() returns trigger language plpgsql as $$
      begin
        if exists (select from cogito.note n where n.scope = new.scope and n.redacted_at is not null
          and n.id = any(new.carries || new.covers))
        then
          raise exception 'an entry shows a note that was redacted' using errcode = 'CG001';
        end if;
        return new;
      end $$`,
    sql`create trigger entry_redacted before insert on cogito.entry for each row execute function cogito.refuse_redacted()`
  ]),
  "0006_upkeep": migration([
    // Upkeep is whoever owns the table now, and not a user by name: another one may come to own it, or restore it from a dump.
    // In a subquery it is looked up once, and the planner takes it for neither rare nor certain.
    sql`create or replace procedure cogito.guard(tab regclass) language plpgsql as $$ begin
        execute format('alter table %s enable row level security, force row level security', tab);
        execute format('drop policy if exists own on %s', tab);
        execute format('drop policy if exists upkeep on %s', tab);
        execute format('create policy own on %s to cogito_tenant
          using (scope = (select current_setting(''cogito.scope'', true)))
          with check (scope = (select current_setting(''cogito.scope'', true)))', tab);
        execute format('create policy upkeep on %s
          using ((select current_setting(''cogito.upkeep'', true) = ''on'' and current_user <> ''cogito_tenant''
            and pg_has_role(c.relowner, ''USAGE'') from pg_class c where c.oid = %L::regclass))', tab, tab);
        execute format('grant delete on %s to cogito_tenant', tab);
      end $$`,
    sql`do $$ declare t record; begin
        for t in select oid::regclass as name from pg_class
          where relnamespace = 'cogito'::regnamespace and relkind in ('r', 'p') and relrowsecurity
        loop
          execute format('call cogito.guard(%L)', t.name);
        end loop;
      end $$`,
    // Pages of what has no vector yet are in this order, over all scopes.
    sql`create index note_created on cogito.note(created_at, id, scope)`,
    // Who may not grant it is told at the start, if it is missing.
    sql`do $$ declare home text; begin
        select n.nspname into home from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';
        if not has_schema_privilege('cogito_tenant', home, 'USAGE') then
          execute format('grant usage on schema %I to cogito_tenant', home);
        end if;
      exception when insufficient_privilege then null; end $$`
  ]),
  // Only from Postgres 17 on can a column be made from something else; before, it takes another column.
  "0007_words": migration([
    sql`alter table cogito.note
      drop column words,
      add column words tsvector generated always as (${wordsOf("content")}) stored`
  ]),
  // Of few notes, so that each search can count them.
  "0008_blank": migration([sql`create index note_blank on cogito.note(scope, id) where ${isBlank("content")}`]),
  "0009_derivation": migration(derivation),
  "0010_copies": migration(copies)
}

/** The names of all steps. */
export const steps: ReadonlyArray<string> = Object.keys(migrations)
