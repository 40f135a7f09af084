/** Checks that this user's transactions see the rows they must: upkeep all rows, tenants their own rows and vectors. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Handle } from "./database.ts"
import { attempt, corrupt, query } from "./failure.ts"

interface Sight {
  readonly me: string
  readonly database: string
  /** The owner of a table that this user does not own, or nothing. */
  readonly owner: string | null
  /** A table without the policy that lets its owner see it, or nothing. */
  readonly unguarded: string | null
  readonly role: boolean
  readonly member: boolean | null
  /** The schema of pgvector, and whether tenants may use it. */
  readonly home: string
  readonly reachable: boolean | null
}

const denial = "42501"

const lack = ({ database, home, me, member, owner, reachable, role, unguarded }: Sight): MemoryError | undefined => {
  if (!role) {
    return query(
      "The server has no role cogito_tenant, so a dump that was restored here lacks its rights: " +
        "create role cogito_tenant nologin; and restore it again, into an empty database.",
      "42704"
    )
  }
  if (owner !== null) {
    return query(
      `The memory in the database ${database} belongs to the user ${owner} (SQLSTATE ${denial}): ` +
        `connect as that user, not as ${me}.`,
      denial
    )
  }
  if (unguarded !== null) {
    return corrupt(
      `The table ${unguarded} has lost its policy upkeep, so that its owner would see no rows: restore the memory from a whole dump.`
    )
  }
  if (member === false) {
    return query(
      `The database user ${me} may not act as the role cogito_tenant (SQLSTATE ${denial}). ` +
        `An administrator runs: grant cogito_tenant to ${me};`,
      denial
    )
  }
  if (reachable === false) {
    return query(
      `The role cogito_tenant may not use pgvector (SQLSTATE ${denial}). ` +
        `An administrator runs, in the database ${database}: grant usage on schema ${home} to cogito_tenant;`,
      denial
    )
  }
  return undefined
}

/** Fails unless they do. No later statement would fail, as hidden rows just seem to be missing. */
export const requireSight = (db: Handle): Effect.Effect<void, MemoryError> =>
  attempt(() =>
    sql<Sight>`
      with tenant as (select oid from pg_roles where rolname = 'cogito_tenant'),
      hidden as (
        select c.oid::regclass::text as name, c.relowner, pg_has_role(c.relowner, 'USAGE') as owned
        from pg_class c
        where c.relnamespace = to_regnamespace('cogito') and c.relkind in ('r', 'p') and row_security_active(c.oid)
          and not (pg_has_role(c.relowner, 'USAGE')
            and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'upkeep'))),
      pgvector as (select extnamespace as oid from pg_extension where extname = 'vector')
      select quote_ident(current_user) as me, quote_ident(current_database()) as database,
        (select quote_ident(pg_get_userbyid(relowner)) from hidden where not owned limit 1) as owner,
        (select min(name) from hidden where owned) as unguarded,
        exists (select from tenant) as role,
        (select pg_has_role(oid, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)
          from tenant) as member,
        (select oid::regnamespace::text from pgvector) as home,
        (select has_schema_privilege(tenant.oid, pgvector.oid, 'USAGE') from tenant, pgvector) as reachable`.execute(db)
  ).pipe(
    Effect.map(({ rows }) => rows.map(lack).find((found) => found !== undefined)),
    Effect.flatMap((found) => (found === undefined ? Effect.void : Effect.fail(found)))
  )
