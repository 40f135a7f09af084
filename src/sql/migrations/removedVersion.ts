/** Entries say at which version they were removed, where they only said whether they are live. */
import { type RawBuilder, sql } from "kysely"

export const removedVersion: ReadonlyArray<RawBuilder<unknown>> = [
  sql`alter table cogito.entry add column removed_version int check (removed_version > 0)`,
  // it reads the column that is replaced
  sql`drop trigger entry_rows on cogito.entry`,
  // without upkeep the tables' owner sees no rows
  sql`select set_config('cogito.upkeep', 'on', true)`,
  // nobody has kept the version: the one that the thought has now is the latest possible
  sql`update cogito.entry e set removed_version = t.version from cogito.thought t
    where t.scope = e.scope and t.id = e.thought_id and not e.live`,
  sql`select set_config('cogito.upkeep', 'off', true)`,
  sql`alter table cogito.entry drop column live`,
  // A model has seen an entry's text: the entry may only cease to be live, once.
  sql`create trigger entry_rows before update on cogito.entry for each row
    when (old.removed_version is not null or new.removed_version is null
      or (old.scope, old.thought_id, old.index, old.kind, old.role, old.text, old.carries, old.covers) is distinct from
        (new.scope, new.thought_id, new.index, new.kind, new.role, new.text, new.carries, new.covers))
    execute function cogito.refuse()`
]
