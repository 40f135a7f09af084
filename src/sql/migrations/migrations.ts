/** The steps that make the database's schema. A step that was ever released is never changed. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import { resultOf } from "../database/results.ts"
import { ledger } from "./ledger.ts"
import { onInterrupted } from "./onInterrupted.ts"
import { removedVersion } from "./removedVersion.ts"
import { tables } from "./tables.ts"
import { tenants } from "./tenants.ts"
import { triggers } from "./triggers.ts"

/** One step. It runs in a transaction. */
interface Migration {
  readonly up: (db: Kysely<unknown>) => Promise<unknown>
}

/** Steps by name, in order. */
export type Steps = Readonly<Record<string, Migration>>

const inOrder = (db: Kysely<unknown>, statements: ReadonlyArray<RawBuilder<unknown>>): Promise<unknown> =>
  statements.reduce<Promise<unknown>>((done, statement) => done.then(() => statement.execute(db)), Promise.resolve())

/** All steps there are, by name. */
export const migrations: Steps = {
  "0001_schema": { up: (db) => inOrder(db, [...tables, ...triggers, ...tenants]) },
  // null: the text is that of the notes that the entry carries
  "0002_entry_text": {
    up: (db) => sql`alter table cogito.entry alter column text drop not null`.execute(db)
  },
  // results of searches, which each search takes out of the number of pending notes
  "0003_result_index": {
    up: (db) => sql`create index note_result on cogito.note(scope, id) where ${resultOf("source")}`.execute(db)
  },
  "0004_removed_version": { up: (db) => inOrder(db, removedVersion) },
  "0005_ledger": { up: (db) => inOrder(db, ledger) },
  "0006_on_interrupted": { up: (db) => inOrder(db, onInterrupted) },
  // the results of tools that the entry before them calls
  "0007_results": {
    up: (db) =>
      inOrder(db, [
        sql`alter table cogito.entry drop constraint entry_kind_check`,
        sql`alter table cogito.entry add constraint entry_kind_check
          check (kind in ('message', 'summary', 'omission', 'result'))`
      ])
  },
  // called: the text is followed by the calls that the carried notes are
  "0008_called": {
    up: (db) =>
      inOrder(db, [
        sql`alter table cogito.entry drop constraint entry_kind_check`,
        sql`alter table cogito.entry add constraint entry_kind_check
          check (kind in ('message', 'summary', 'omission', 'result', 'called'))`
      ])
  },
  // places of what an agent has stored on its way are deleted when the run is completed
  "0009_passed": {
    up: (db) =>
      inOrder(db, [
        sql`drop trigger step_delete on cogito.step`,
        sql`create trigger step_delete before delete on cogito.step for each row when (old.kind <> 'commit')
          execute function cogito.refuse()`
      ])
  },
  // a question whose text was redacted may be asked again as another one
  "0010_asked_again": {
    up: (db) =>
      inOrder(db, [
        sql`drop trigger wait_identity on cogito.wait`,
        sql`create trigger wait_identity before update on cogito.wait for each row
          when ((old.scope, old.run_id, old.frame, old.created_at, old.due_at)
              is distinct from (new.scope, new.run_id, new.frame, new.created_at, new.due_at)
            or (old.prompt <> '' and (old.key, old.thought, old.schema::text, old.bound)
              is distinct from (new.key, new.thought, new.schema::text, new.bound))
            or old.answer is not null)
          execute function cogito.refuse()`,
        sql`grant update (key, thought, schema, bound) on cogito.wait to cogito_tenant`
      ])
  }
}
