/** The triggers of the schema: rows are append-only, and redacted content does not come back. */
import { type RawBuilder, sql } from "kysely"
import { repeats } from "../database/copies.ts"

export const triggers: ReadonlyArray<RawBuilder<unknown>> = [
  // A transaction may change and delete rows only while it states its purpose: purge moves and deletes, redact empties.
  // Row-level security keeps both within the scope.
  sql`create function cogito.refuse() returns trigger language plpgsql as $$
      declare guard text := coalesce(current_setting('cogito.guard', true), '');
      begin
        if tg_op = 'DELETE' and guard = 'purge' then return old; end if;
        if tg_op = 'UPDATE' and guard in ('purge', 'redact') then return new; end if;
        raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name
          using errcode = 'restrict_violation';
      end $$`,
  ...["note", "derivation"].map(
    (table) => sql`create trigger ${sql.ref(`${table}_rows`)} before update or delete on ${sql.table(`cogito.${table}`)}
    for each row execute function cogito.refuse()`
  ),
  ...["thought", "entry"].map(
    (table) => sql`create trigger ${sql.ref(`${table}_delete`)} before delete on ${sql.table(`cogito.${table}`)}
    for each row execute function cogito.refuse()`
  ),
  ...["thought", "note", "entry", "derivation"].map(
    (table) => sql`create trigger ${sql.ref(`${table}_truncate`)} before truncate on ${sql.table(`cogito.${table}`)}
    execute function cogito.refuse()`
  ),
  sql`create trigger thought_identity before update on cogito.thought for each row
    when ((old.scope, old.id, old.trace_id, old.task_id, old.intent, old.parent_id, old.fork_seq, old.hidden::text,
      old.checkpoints::text, old.created_at) is distinct from (new.scope, new.id, new.trace_id, new.task_id, new.intent, new.parent_id,
      new.fork_seq, new.hidden::text, new.checkpoints::text, new.created_at) or new.version <> old.version + 1 or new.last_seq < old.last_seq)
    execute function cogito.refuse()`,
  // A model has seen an entry's text: the entry may only cease to be live, once.
  sql`create trigger entry_rows before update on cogito.entry for each row
    when (not old.live or new.live or (old.scope, old.thought_id, old.index, old.kind, old.role, old.text, old.carries,
      old.covers) is distinct from (new.scope, new.thought_id, new.index, new.kind, new.role, new.text, new.carries,
      new.covers))
    execute function cogito.refuse()`,

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
  sql`create trigger entry_redacted before insert on cogito.entry for each row execute function cogito.refuse_redacted()`,
  // It must not bring it back in a note either. A redaction of a note of another thought waits until this transaction is
  // over, and then finds what it added; one of this thought's waits for the thought's row. What is restored was kept when
  // its source was redacted, unless it repeats it.
  sql`create function cogito.refuse_derived() returns trigger language plpgsql as $$
    declare
      made constant cogito.note := new;
      restores constant boolean := coalesce(current_setting('cogito.guard', true), '') = 'redact';
    begin
      perform from cogito.note n where n.scope = new.scope and n.id = any(new.derived_from)
        and n.thought_id <> new.thought_id order by n.id for share;
      if exists (select from cogito.note original where original.scope = new.scope and original.redacted_at is not null
        and original.id = any(new.derived_from) and (not restores or ${repeats}))
      then
        raise exception 'a note is derived from one that was redacted' using errcode = 'CG001';
      end if;
      return new;
    end $$`,
  sql`create trigger note_derived before insert on cogito.note for each row
    when (new.derived_from <> '{}' and new.redacted_at is null) execute function cogito.refuse_derived()`
]
