/** Notes that repeat the text of others as it is. */
import { type RawBuilder, sql } from "kysely"

/**
 * Whether the note `made` repeats the note `original` that it is derived from: it is what `seek` or `survey` found, or the
 * copy that a fork keeps. A copy has the same moment, step and key; of a branch whose keys got its name, the end of the key.
 */
export const repeats: RawBuilder<boolean> = sql`(made.source in ('seek', 'survey') or (made.source = original.source
  and made.step = original.step and made.created_at = original.created_at
  and (made.key = original.key or right(original.key, length(made.key) + 1) = '.' || made.key)))`

/** The step of the schema that refuses to restore copies of redacted notes, as it refuses to restore what was found. */
export const copies: ReadonlyArray<RawBuilder<unknown>> = [
  sql`create or replace function cogito.refuse_derived() returns trigger language plpgsql as $$
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
  sql`drop trigger note_derived on cogito.note`,
  sql`create trigger note_derived before insert on cogito.note for each row
    when (new.derived_from <> '{}' and new.redacted_at is null) execute function cogito.refuse_derived()`
]
