/** What a schema is made of, as lines that can be compared. */
import { Effect } from "effect"
import { sql } from "kysely"
import type { Db } from "./states.ts"

const ours = "relnamespace = 'cogito'::regnamespace"

const granted = (acl: string, kind: string, owner: string) =>
  `(select string_agg(format('%s%s:%s', g.privilege_type, case when g.is_grantable then '*' else '' end,
      coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'public')), ' ' order by g.privilege_type, g.grantee::regrole::text)
    from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) g)`

/** One query a kind of thing, each giving the column `line`. */
const queries: Readonly<Record<string, string>> = {
  table: `select concat_ws(' ', relname, relkind, 'security', relrowsecurity, relforcerowsecurity, relpersistence,
      reloptions, ${granted("relacl", "r", "relowner")}) as line
    from pg_class where ${ours} and relkind <> 'i'`,
  column: `select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), 'not null', a.attnotnull,
      'generated', a.attgenerated, 'identity', a.attidentity, 'storage', a.attstorage, pg_get_expr(d.adbin, d.adrelid),
      case when a.attacl is null then '' else ${granted("a.attacl", "c", "c.relowner")} end) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.${ours} and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
  constraint: `select concat_ws(' ', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid)) as line
    from pg_constraint where connamespace = 'cogito'::regnamespace and conrelid <> 0`,
  index: `select concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid) as line
    from pg_index i join pg_class c on c.oid = i.indexrelid where c.${ours}`,
  policy: `select concat_ws(' ', tablename, policyname, permissive, roles, cmd, qual, 'check', with_check) as line
    from pg_policies where schemaname = 'cogito'`,
  trigger: `select concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled) as line
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.${ours} and not t.tgisinternal`,
  function: `select concat_ws(' ', pg_get_functiondef(oid), ${granted("proacl", "f", "proowner")}) as line
    from pg_proc where pronamespace = 'cogito'::regnamespace`,
  schema: `select concat_ws(' ', nspname, ${granted("nspacl", "n", "nspowner")}) as line
    from pg_namespace where nspname = 'cogito'`,
  extension: `select concat_ws(' ', extname, extversion) as line from pg_extension`
}

/** Everything there is in the schema, sorted; the same for the same schema, however it came about and whoever owns it. */
export const catalog = (db: Db): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const lines: Array<string> = []
    const { rows: users } = await sql<{ readonly name: string }>`select current_user::text as name`.execute(db)
    const owner = users[0]!.name
    for (const [kind, text] of Object.entries(queries)) {
      const { rows } = await sql.raw<{ readonly line: string }>(text).execute(db)
      lines.push(...rows.map(({ line }) => `${kind} ${line.replaceAll(owner, "owner")}`))
    }
    return lines.toSorted()
  })

/** The steps that were taken, each with when. */
export const taken = (db: Db): Effect.Effect<ReadonlyArray<{ readonly name: string; readonly timestamp: string }>> =>
  Effect.promise(async () => {
    const found = await sql<{ readonly name: string; readonly timestamp: string }>`
      select name, timestamp from cogito.migration order by name`.execute(db)
    return found.rows
  })
