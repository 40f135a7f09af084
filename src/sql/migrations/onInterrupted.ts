/** Runs keep what a resumed run does with effects whose outcome is unknown. Like what a run is, it never changes. */
import { type RawBuilder, sql } from "kysely"

export const onInterrupted: ReadonlyArray<RawBuilder<unknown>> = [
  sql`alter table cogito.run add column on_interrupted text check (on_interrupted in ('rerun', 'fail'))`,
  sql`create trigger run_on_interrupted before update on cogito.run for each row
    when (old.on_interrupted is distinct from new.on_interrupted) execute function cogito.refuse()`
]
