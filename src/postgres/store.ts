/** The store: a pool of connections to a Postgres server, with its operations. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Kysely, PostgresDialect, sql } from "kysely"
import { Pool, type PoolConfig } from "pg"
import type { MemoryError, Store } from "../Memory.ts"
import { attempt, connection } from "../sql/failure.ts"
import { migrate } from "../sql/migrations.ts"
import type { Tables } from "../sql/schema.ts"
import * as Sql from "../sql/store.ts"
import * as Database from "./database.ts"

export interface Options {
  readonly url: string | Redacted.Redacted
  readonly connections?: number
  readonly waitTimeout?: Duration.Input
  readonly statementTimeout?: Duration.Input
}

const millisOf = (input: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(input))

/** Older ones lose matches or are unsafe. */
const leastPgvector = [0, 8]

const checkPgvector = (db: Kysely<Tables>): Effect.Effect<void, MemoryError> =>
  Effect.flatMap(
    attempt(() =>
      sql<{ readonly extversion: string }>`select extversion from pg_extension where extname = 'vector'`.execute(db)
    ),
    ({ rows }) => {
      const version = rows[0]?.extversion ?? "none"
      const [major = 0, minor = 0] = version.split(".").map(Number)
      const [leastMajor = 0, leastMinor = 0] = leastPgvector
      return major > leastMajor || (major === leastMajor && minor >= leastMinor)
        ? Effect.void
        : Effect.fail(
            connection(`The server has pgvector ${version}: version ${leastPgvector.join(".")} or newer is needed.`)
          )
    }
  )

/** Opens the store until the scope closes. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Store, MemoryError, Scope.Scope> {
  const { connections = 10, statementTimeout = "30 seconds", url, waitTimeout = "10 seconds" } = options
  const waitMillis = millisOf(waitTimeout)
  const statementMillis = millisOf(statementTimeout)
  const open = (limits: PoolConfig) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Pool({
          connectionString: typeof url === "string" ? url : Redacted.value(url),
          connectionTimeoutMillis: waitMillis,
          application_name: "cogito",
          ...limits
        })
        // A connection that breaks is replaced, and its user's statement fails; an event that nobody hears would end the process.
        made.on("error", () => {})
        made.on("connect", (client) => client.on("error", () => {}))
        return made
      }),
      (made) => Effect.ignore(Effect.tryPromise(() => made.end()))
    )
  const pool = yield* open({
    max: connections,
    statement_timeout: statementMillis,
    // where the server itself is gone, nobody is left to keep its timeout
    query_timeout: statementMillis + waitMillis
  })
  // connects only when it is used
  const slow = yield* open({ max: 1, statement_timeout: 0 })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  yield* migrate(db)
  yield* checkPgvector(db)
  const patient = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: slow }) })
  return Sql.make(Database.make(db, { connections, waitMillis }, patient))
})
