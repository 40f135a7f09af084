/** Requirements of a server: its version, that of pgvector, and rights for the first start. Errors say what to do. */
import * as Effect from "effect/Effect"
import { type Kysely, sql } from "kysely"
import { MemoryError } from "../Memory.ts"
import { attempt, query } from "../sql/database/failure.ts"

const leastServer = 15

/** Older versions lose matches that pass a filter. Distributions often ship older ones. */
const leastPgvector = [0, 8] as const

/** The SQLSTATE "feature not supported", which the server itself reports for a missing extension. */
const unsupported = "0A000"

const isOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major < leastPgvector[0] || (major === leastPgvector[0] && minor < leastPgvector[1])
}

interface Server {
  /** As 150018 for 15.18. */
  readonly number: number
  readonly version: string
  /** The versions of pgvector: in the database, and on the server. */
  readonly installed: string | null
  readonly available: string | null
  /** The encoding of texts in the database. */
  readonly encoding: string
}

/** The requirement that the server does not meet, and what to do about it. */
const lack = ({ available, encoding, installed, number, version }: Server): string | undefined => {
  const major = Math.floor(number / 10_000)
  const needed = `pgvector ${leastPgvector.join(".")} or newer is needed`
  const install = `install it on the server (Debian: apt install postgresql-${major}-pgvector)`
  if (major < leastServer) return `The server is Postgres ${version}: version ${leastServer} or newer is needed.`
  if (encoding !== "UTF8") {
    return (
      `The database has the encoding ${encoding}, which cannot store every character: ` +
      "create one with create database … encoding 'UTF8' template template0."
    )
  }
  const found = installed ?? available
  if (found === null) return `The server does not have pgvector: ${needed}; ${install}.`
  if (!isOld(found)) return undefined
  const steps = [
    ...(available === null || isOld(available) ? [install] : []),
    ...(installed === null ? [] : ["run in the database, as its owner: alter extension vector update;"])
  ]
  return `The server has pgvector ${found}: ${needed}; ${steps.join(", then ")}`
}

/** Fails with `Query` and the code 0A000 unless the server and its pgvector are new enough, and the database is for all texts. */
export const requireServer = (db: Kysely<unknown>): Effect.Effect<void, MemoryError> =>
  attempt(() =>
    sql<Server>`select current_setting('server_version_num')::int as number,
      current_setting('server_version') as version,
      current_setting('server_encoding') as encoding,
      (select extversion from pg_extension where extname = 'vector') as installed,
      (select default_version from pg_available_extensions where name = 'vector') as available`.execute(db)
  ).pipe(
    Effect.map(({ rows }) => rows.map(lack).find((found) => found !== undefined)),
    Effect.flatMap((found) => (found === undefined ? Effect.void : Effect.fail(query(found, unsupported))))
  )

/**
 * The schema in which the types and functions of pgvector are, or will be: transactions find them there, whatever the
 * `search_path` of the user, the database or the url is.
 */
export const pgvectorSchema = (db: Kysely<unknown>): Effect.Effect<string, MemoryError> =>
  Effect.map(
    attempt(() =>
      sql<{ readonly schema: string | null }>`select quote_ident(coalesce(
        (select nspname from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'vector'),
        current_schema(), 'public')) as schema`.execute(db)
    ),
    ({ rows: [row] }) => row?.schema ?? "public"
  )

/** The rights of a user that the first start needs. */
interface Rights {
  readonly me: string
  readonly database: string
  /** Whether the schema exists, and an owner of it or its tables whose rights this user lacks. */
  readonly exists: boolean
  readonly owner: string | null
  readonly extension: boolean
  readonly create: boolean
  readonly tenant: boolean
  readonly member: boolean
}

const rightsOf = (db: Kysely<unknown>) =>
  attempt(() =>
    sql<Rights>`
      with me as (select *, current_setting('server_version_num')::int >= 160000 as newer from pg_roles where rolname = current_user),
      tenant as (select oid from pg_roles where rolname = 'cogito_tenant'),
      owners as (select nspowner as oid from pg_namespace where nspname = 'cogito'
        union select relowner from pg_class where relnamespace = to_regnamespace('cogito')),
      may as (select has_database_privilege(current_database(), 'CREATE') as create)
      select quote_ident(current_user) as me, quote_ident(current_database()) as database,
        exists (select from owners) as exists,
        (select min(quote_ident(pg_get_userbyid(oid))) from owners where not pg_has_role(oid, 'USAGE')) as owner,
        exists (select from pg_extension where extname = 'vector') or me.rolsuper
          or (may.create and exists (select from pg_available_extension_versions where name = 'vector' and trusted)) as extension,
        may.create,
        me.rolcreaterole or exists (select from tenant) as tenant,
        case when exists (select from tenant)
          then (me.rolcreaterole and not me.newer) or (select pg_has_role(oid, case when me.newer then 'SET' else 'MEMBER' end)
            or pg_has_role(oid, 'MEMBER WITH ADMIN OPTION') from tenant)
          else me.rolcreaterole end as member
      from me, may`.execute(db)
  )

/** The rights that are missing, each with the statement that gives it. */
const missing = (rights: Rights): ReadonlyArray<readonly [right: string, statement: string]> => [
  ...(rights.extension ? [] : [["to create the extension vector", "create extension vector;"] as const]),
  ...(rights.create || rights.exists
    ? []
    : [["to create a schema", `grant create on database ${rights.database} to ${rights.me};`] as const]),
  ...(rights.tenant ? [] : [["to create the role cogito_tenant", "create role cogito_tenant nologin;"] as const]),
  ...(rights.member ? [] : [["to act as the role cogito_tenant", `grant cogito_tenant to ${rights.me};`] as const])
]

const denial = "42501"

const denied = (rights: Rights): MemoryError | undefined => {
  const { database, me, owner } = rights
  if (owner !== null) {
    return query(
      `The memory in the database ${database} belongs to the user ${owner} (SQLSTATE ${denial}): ` +
        `connect as that user, not as ${me}.`,
      denial
    )
  }
  const all = missing(rights)
  if (all.length === 0) return undefined
  return query(
    `The database user ${me} lacks the right ${all.map(([right]) => right).join(", ")} (SQLSTATE ${denial}). ` +
      `An administrator runs, in the database ${database}: ${all.map(([, statement]) => statement).join(" ")}`,
    denial
  )
}

/** Adds to a start's failure for missing rights which they are and what an administrator must run. Passes on other failures. */
export const explainRights =
  (db: Kysely<unknown>) =>
  <E>(error: E): Effect.Effect<never, E | MemoryError> =>
    error instanceof MemoryError && error.reason._tag === "Query" && error.reason.code === denial
      ? rightsOf(db).pipe(
          // this query may be denied too
          Effect.mapError(() => error),
          Effect.flatMap(({ rows: [rights] }) => Effect.fail((rights && denied(rights)) ?? error))
        )
      : Effect.fail(error)
