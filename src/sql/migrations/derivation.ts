/** The step of the schema that has notes know what they were derived from. */
import { type RawBuilder, sql } from "kysely"

/** Notes that repeat the text of others as it is: what `seek` and `survey` find, and what they make of it. */
const copies = sql.raw("('seek', 'survey')")

const shownId = sql.raw(`'"noteId":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"'`)

export const derivation: ReadonlyArray<RawBuilder<unknown>> = [
  sql`alter table cogito.note add column derived_from uuid[] not null default '{}'`,
  // The same the other way round: row-level security comes first, and no index of arrays can be looked up before it.
  sql`create table cogito.derivation(
    scope text not null,
    source_id uuid not null,
    note_id uuid not null,
    primary key (scope, source_id, note_id))`,
  sql`create trigger derivation_rows before update or delete on cogito.derivation
    for each row execute function cogito.refuse()`,
  sql`create trigger derivation_truncate before truncate on cogito.derivation execute function cogito.refuse()`,
  sql`call cogito.guard('cogito.derivation')`,
  sql`grant select, insert, delete on cogito.derivation to cogito_tenant`,
  sql`grant update (derived_from) on cogito.note to cogito_tenant`,
  // Of the notes of before, those that say of which notes they repeat the text, and the summaries made of them.
  sql`do $$ begin
      perform set_config('cogito.upkeep', 'on', true), set_config('cogito.guard', 'redact', true);
      update cogito.note n set derived_from = found.ids
      from (select f.scope, f.id, array_agg(distinct shown.id[1]::uuid) as ids
        from cogito.note f cross join regexp_matches(f.content, ${shownId}, 'g') as shown(id)
        where f.source in ${copies} group by f.scope, f.id) found
      where n.scope = found.scope and n.id = found.id;
      update cogito.note n set derived_from = n.derived_from || f.id
      from cogito.note f
      where f.source in ${copies} and f.id <> all(n.derived_from) and n.scope = f.scope and n.thought_id = f.thought_id and n.seq = f.seq + 1 and n.source = f.source and n.step = f.step and n.key <> f.key;
      insert into cogito.derivation(scope, source_id, note_id)
        select n.scope, source.id, n.id from cogito.note n cross join unnest(n.derived_from) as source(id);
      perform set_config('cogito.upkeep', '', true), set_config('cogito.guard', '', true);
    end $$`,
  // A run that still has the content must not bring it back. A redaction of a note of another thought waits until this
  // transaction is over, and then finds what it added; one of this thought's waits for the thought's row.
  sql`create function cogito.refuse_derived() returns trigger language plpgsql as $$
    begin
      perform from cogito.note n where n.scope = new.scope and n.id = any(new.derived_from)
        and n.thought_id <> new.thought_id order by n.id for share;
      if exists (select from cogito.note n where n.scope = new.scope and n.redacted_at is not null
        and n.id = any(new.derived_from))
      then
        raise exception 'a note is derived from one that was redacted' using errcode = 'CG001';
      end if;
      return new;
    end $$`,
  // what is restored was kept when its source was redacted, unless it repeats it
  sql`create trigger note_derived before insert on cogito.note for each row
    when (new.derived_from <> '{}' and new.redacted_at is null
      and (coalesce(current_setting('cogito.guard', true), '') <> 'redact' or new.source in ${copies}))
    execute function cogito.refuse_derived()`
]
