/** Row-level security of the schema: a tenant sees its own rows, upkeep all, anybody else none. */
import { type RawBuilder, sql } from "kysely"

export const tenants: ReadonlyArray<RawBuilder<unknown>> = [
  // Roles belong to the whole server: another database may have made it, at this very moment.
  sql`do $$ begin
      if not exists (select from pg_roles where rolname = 'cogito_tenant') then create role cogito_tenant nologin; end if;
    exception when duplicate_object or unique_violation then null; end $$`,
  // A user who may act as the role need not be able to grant it. From Postgres 16 on a member may be without that right.
  sql`do $$ begin
      if not pg_has_role('cogito_tenant', case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)
      then execute format('grant cogito_tenant to %I', current_user); end if;
    end $$`,
  sql`grant usage on schema cogito to cogito_tenant`,
  sql`grant select, insert, update on cogito.thought, cogito.entry to cogito_tenant`,
  sql`grant select, insert, update (thought_id, content, metadata, redacted_at, derived_from) on cogito.note to cogito_tenant`,
  sql`grant select, insert on cogito.derivation to cogito_tenant`,
  // A user without the right to grant this reads about it at the start, if it is missing.
  sql`do $$ declare home text; begin
      select n.nspname into home from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';
      if not has_schema_privilege('cogito_tenant', home, 'USAGE') then
        execute format('grant usage on schema %I to cogito_tenant', home);
      end if;
    exception when insufficient_privilege then null; end $$`,
  // Guards a table whose rows belong to scopes. Upkeep is whoever owns the table now, and not a user by name: another one may
  // come to own it, or restore it from a dump. The server evaluates a subquery once, and its planner takes it for neither rare
  // nor certain.
  sql`create procedure cogito.guard(tab regclass) language plpgsql as $$ begin
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
  ...["thought", "note", "entry", "derivation"].map((table) => sql`call cogito.guard(${sql.lit(`cogito.${table}`)})`)
]
