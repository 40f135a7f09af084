/** The store: PGlite, started in a directory that is ours alone or in memory, with its operations. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Kysely, sql } from "kysely"
import { resolve } from "node:path"
import type { MemoryError } from "../Memory.ts"
import type { Store } from "../Store.ts"
import { readOnly, requireCurrent } from "../sql/migrations/asItIs.ts"
import { attempt, unusable } from "../sql/database/failure.ts"
import { migrate } from "../sql/migrations/migrate.ts"
import * as Sql from "../sql/store.ts"
import * as Database from "./database.ts"
import { dialectOf } from "./dialect.ts"
import * as Directory from "./directory/directory.ts"
import * as Lock from "./directory/lock.ts"
import { tighten } from "./directory/tree.ts"
import type { Connection } from "./engine/connection.ts"
import * as Engine from "./engine/start.ts"

export interface Options {
  /** Where to keep the rows. Default: in memory. */
  readonly dataDir?: string
  /** An archive of a fresh database, which saves making one. */
  readonly template?: Blob
  /** Whether to run it in a thread of its own, if one can be started. Default: true. */
  readonly thread?: boolean
}

const open = Effect.fnUntraced(function* <A, E>(
  directory: Directory.Directory | undefined,
  engine: Engine.Options,
  prepare: (db: Kysely<unknown>) => Effect.Effect<A, E>
): Effect.fn.Return<{ readonly database: Database.Database; readonly prepared: A }, MemoryError | E, Scope.Scope> {
  const opened = Effect.map(Engine.start(directory, engine), ({ connection, upkeep }) => {
    const db = new Kysely<unknown>({ dialect: dialectOf(connection) })
    const query: Connection["query"] = (statement, values) => connection.query(statement, values, { late: true })
    const late = new Kysely<unknown>({ dialect: dialectOf({ ...connection, query }) })
    return { connection, db, database: Database.make(db, { upkeep, late }) }
  })
  const { connection, database, db } = yield* Effect.acquireRelease(opened, ({ connection, database }) =>
    database.exclusive(Effect.ignore(Effect.tryPromise(() => connection.close())))
  )
  const prepared = yield* prepare(db)
  const { rows } = yield* attempt(() =>
    sql<{ readonly oid: number }>`select 'vector'::regtype::oid::int as oid`.execute(db)
  )
  for (const { oid } of rows) yield* attempt(() => connection.sendBytes(oid))
  if (directory !== undefined) yield* directory.complete
  return { database, prepared }
})

/** Opens the database until the scope closes, on a schema that is prepared first. */
const own = Effect.fnUntraced(function* <A, E>(
  { dataDir, template, thread = true }: Options,
  prepare: (db: Kysely<unknown>) => Effect.Effect<A, E>
) {
  if (dataDir !== undefined && (dataDir.trim() === "" || /^\w+:\/\//.test(dataDir))) {
    return yield* unusable(
      "The memory's dataDir must be the path of a directory; leave it out for a memory without files."
    )
  }
  const path = dataDir === undefined ? undefined : resolve(dataDir)
  if (path !== undefined) {
    if (yield* Directory.refuseForeign(path)) {
      yield* Lock.refuseHeld(path)
      yield* Directory.refuseTorn(path)
    }
    yield* Lock.own(path)
  }
  if (path !== undefined) yield* tighten(path)
  const directory = path === undefined ? undefined : yield* Directory.prepare(path)
  return yield* open(directory, { template, thread }, prepare)
})

/** Opens the store until the scope closes, its schema brought up to date. */
export const make = (options: Options): Effect.Effect<Store, MemoryError, Scope.Scope> =>
  Effect.map(own(options, migrate), ({ database }) => Sql.make(database))

/** Opens the store in the same way, and returns the names of the steps of the schema that it took. */
export const makeMigrated = (options: Options) =>
  Effect.map(own(options, migrate), ({ database, prepared }) => ({ store: Sql.make(database), prepared }))

/** Opens the store and leaves its schema as it is; `rows: "kept"` refuses every change. Fails unless the schema is current. */
export const makeAsItIs = (options: Options, { rows }: { readonly rows: "kept" | "changed" }) =>
  Effect.map(own(options, requireCurrent), ({ database }) => Sql.make(rows === "kept" ? readOnly(database) : database))
