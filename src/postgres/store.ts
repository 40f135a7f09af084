/** The store: a pool of connections to a Postgres server, with its operations. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Kysely, PostgresDialect, sql } from "kysely"
import { type ClientBase, Pool, type PoolConfig } from "pg"
import { countUpTo } from "../memory/model/error.ts"
import type { MemoryError } from "../Memory.ts"
import type { Store } from "../Store.ts"
import { isCurrent, readOnly, requireCurrent } from "../sql/migrations/asItIs.ts"
import type * as Shared from "../sql/database/database.ts"
import { attempt, query } from "../sql/database/failure.ts"
import { migrate } from "../sql/migrations/migrate.ts"
import * as Sql from "../sql/store.ts"
import { type Settings, settingsOf } from "../sql/database/tenant.ts"
import { requireSight } from "../sql/database/upkeep.ts"
import * as Database from "./database.ts"
import { explainRights, pgvectorSchema, requireServer } from "./readiness.ts"

export interface Options {
  readonly url: string | Redacted.Redacted
  readonly connections?: number
  readonly waitTimeout?: Duration.Input
  readonly statementTimeout?: Duration.Input
}

const mostConnections = 10_000

/** Additional connections at a time, for operations that may take minutes. */
const mostSlow = 2

/** The longest time that timers of the driver and of the server can count. */
const mostMillis = 2 ** 31 - 1

const millisOf = (option: string, input: Duration.Input): Effect.Effect<number, MemoryError> => {
  const millis = Option.match(Duration.fromInput(input), { onNone: () => 0, onSome: Duration.toMillis })
  return millis >= 1 && millis <= mostMillis
    ? Effect.succeed(Math.round(millis))
    : Effect.fail(query(`${option} must be a duration from 1 millisecond to 24 days, such as "10 seconds".`))
}

/** The driver would take an empty url for the server on this machine, and any scheme for its own. */
const addressOf = (url: string | Redacted.Redacted): Effect.Effect<string, MemoryError> => {
  const address = typeof url === "string" ? url : Redacted.value(url)
  const form = "a url such as postgres://user:password@host:5432/database"
  if (address.trim() === "")
    return Effect.fail(query(`The url is empty: set the variable that it comes from to ${form}.`))
  if (!/^(?:postgres|postgresql|socket):|^\//i.test(address))
    return Effect.fail(query(`The url does not begin with postgres:// : write ${form}.`))
  const mode = /[?&]sslmode=([^&#]*)/.exec(address)?.[1]
  return mode === undefined || sslModes.includes(mode)
    ? Effect.succeed(address)
    : Effect.fail(query(`The url has no valid sslmode: write one of ${sslModes.join(", ")}.`))
}

/** The driver would take any other for one that needs encryption. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"]

/** Whether a query was given up before its answer came. The driver's types lack this property. */
const awaitsAnswer = (client: ClientBase): boolean => Reflect.get(client, "readyForQuery") === false

/** Settings on which the statements rely: a user or a database may have others. */
const needed: Settings = {
  row_security: "on",
  standard_conforming_strings: "on",
  array_nulls: "on",
  // with less than 0 a number is rounded on its way
  extra_float_digits: "1"
}

/** How long a transaction that may take minutes waits for a lock. */
const patience = "300s"

/**
 * Settings of transactions that may take minutes. Where its system can, the server checks whether the client is still connected,
 * so that such a transaction ends with the program.
 */
const patientSettings = (db: Kysely<unknown>, own: Settings): Effect.Effect<Settings> => {
  const limits = { ...own, statement_timeout: "0", lock_timeout: patience }
  const watched = { client_connection_check_interval: "1s" }
  // a statement by itself is a transaction: what is set there is gone after it
  return attempt(() => sql`select ${settingsOf(watched)}`.execute(db)).pipe(
    Effect.map(() => ({ ...limits, ...watched })),
    Effect.orElseSucceed(() => limits)
  )
}

/** Reads the schema, or changes it on connections for what takes long, in transactions that begin with `limits`. */
type Prepare<A, E> = (
  db: Kysely<unknown>,
  patient: Kysely<unknown>,
  limits: (trx: Kysely<unknown>) => Promise<unknown>
) => Effect.Effect<A, E>

/** Opens the store until the scope closes, on a schema that is prepared first. */
const open = Effect.fnUntraced(function* <A, E>(
  options: Options,
  prepare: Prepare<A, E>,
  limit: (database: Shared.Database) => Shared.Database = (database) => database
): Effect.fn.Return<{ readonly store: Store; readonly prepared: A }, MemoryError | E, Scope.Scope> {
  const { connections = 10, statementTimeout = "30 seconds", url, waitTimeout = "10 seconds" } = options
  yield* countUpTo("The number of connections", mostConnections, connections)
  const address = yield* addressOf(url)
  const waitMillis = yield* millisOf("waitTimeout", waitTimeout)
  const statementMillis = yield* millisOf("statementTimeout", statementTimeout)
  const connect = (limits: PoolConfig) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Pool({
          connectionString: address,
          connectionTimeoutMillis: waitMillis,
          application_name: "cogito",
          // a connection that a firewall has cut off is noticed before it is needed
          keepAlive: true,
          ...limits
        })
        // A broken connection is replaced, and its user's statement fails. An `error` event without a listener would end the process.
        made.on("error", () => {})
        made.on("connect", (client) => client.on("error", () => {}))
        // Whoever got a connection next on which an answer is overdue would wait for it too.
        made.on("release", (_error, client) => {
          if (awaitsAnswer(client)) client.end().catch(() => {})
        })
        return made
      }),
      (made) => Effect.ignore(Effect.tryPromise(() => made.end()))
    )
  // Limits are set in each transaction: a pooler refuses limits of a connection, or leaves them to other programs.
  const pool = yield* connect({
    max: connections,
    // where the server itself is gone, nobody is left to keep its timeout
    query_timeout: statementMillis + waitMillis
  })
  // It connects when it is used. Its statements may take minutes, but the wait for a lock has a limit.
  const slow = yield* connect({ max: mostSlow })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const patient = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: slow }) })
  yield* requireServer(db)
  const own = { ...needed, search_path: yield* pgvectorSchema(db) }
  const minutes = yield* patientSettings(db, own)
  // steps of the schema may take minutes where there are many rows
  const unhurried = (trx: Kysely<unknown>) => sql`select ${settingsOf(minutes)}`.execute(trx)
  const prepared = yield* Effect.catch(prepare(db, patient, unhurried), explainRights(db))
  yield* requireSight(db)
  const settings = {
    ...own,
    statement_timeout: `${statementMillis}ms`,
    // a process that is frozen in a transaction gives back what it has locked, before those who wait for that give up
    idle_in_transaction_session_timeout: `${Math.ceil(statementMillis / 2)}ms`
  }
  const slowly = { db: patient, connections: mostSlow, settings: minutes }
  const database = yield* Database.make(db, { connections, waitMillis, settings }, slowly)
  return { store: Sql.make(limit(database)), prepared }
})

const upToDate: Prepare<ReadonlyArray<string>, MemoryError> = (db, patient, limits) =>
  Effect.flatMap(isCurrent(db), (current) =>
    // a user may have no second connection
    current ? Effect.succeed([]) : migrate(patient, undefined, limits)
  )

/** Opens the store, its schema brought up to date. */
export const make = (options: Options): Effect.Effect<Store, MemoryError, Scope.Scope> =>
  Effect.map(open(options, upToDate), ({ store }) => store)

/** Opens the store in the same way, and returns the names of the steps of the schema that it took. */
export const makeMigrated = (options: Options) => open(options, upToDate)

/** Opens the store and leaves its schema as it is; `rows: "kept"` refuses every change. Fails unless the schema is current. */
export const makeAsItIs = (options: Options, { rows }: { readonly rows: "kept" | "changed" }) =>
  Effect.map(open(options, requireCurrent, rows === "kept" ? readOnly : undefined), ({ store }) => store)
