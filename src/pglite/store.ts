/** The store: PGlite, started in a directory that is ours alone or in memory, with its operations. */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Kysely, PGliteDialect, sql } from "kysely"
import { resolve } from "node:path"
import type { MemoryError, Space, Store } from "../Memory.ts"
import { write } from "./commit.ts"
import * as Database from "./database.ts"
import * as Directory from "./directory.ts"
import { attempt, codeOf, connection } from "./failure.ts"
import { read } from "./load.ts"
import { ancestors, children } from "./lineage.ts"
import * as Lock from "./lock.ts"
import { migrate } from "./migrations.ts"
import { nearest } from "./nearest.ts"
import type { Tables } from "./schema.ts"
import * as Spaces from "./space.ts"

export interface Options {
  /** Where to keep the rows; in memory when absent. */
  readonly dataDir?: string
  /** An archive of a fresh database, to start from instead of making one. */
  readonly template?: Blob
}

const start = (database: string | undefined, template: Blob | undefined) =>
  Effect.tryPromise({
    try: () =>
      PGlite.create({
        extensions: { vector },
        ...(database === undefined ? {} : { dataDir: database }),
        ...(template === undefined ? {} : { loadDataDir: template })
      }),
    catch: (error) => connection(`The embedded database does not start (${codeOf(error)}).`)
  })

/** Vectors go over in pgvector's binary form, ten times as fast as text: length, 0, then the numbers, big-endian. */
const vectorBytes = (values: Float32Array): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(4 + 4 * values.length))
  bytes.setInt16(0, values.length)
  for (const [i, value] of values.entries()) bytes.setFloat32(4 + 4 * i, value)
  return new Uint8Array(bytes.buffer)
}

const open = Effect.fnUntraced(function* (
  directory: Directory.Directory | undefined,
  template: Blob | undefined
): Effect.fn.Return<Database.Database, MemoryError, Scope.Scope> {
  const opened = Effect.map(start(directory?.database, directory?.fresh === false ? undefined : template), (pglite) => {
    const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
    return { pglite, db, database: Database.make(db) }
  })
  const { database, db, pglite } = yield* Effect.acquireRelease(opened, ({ database, pglite }) =>
    database.exclusive(Effect.ignore(Effect.tryPromise(() => pglite.close())))
  )
  yield* migrate(db)
  const { rows } = yield* attempt(() =>
    sql<{ readonly oid: number }>`select 'vector'::regtype::oid::int as oid`.execute(db)
  )
  // PGlite's type says text, but it sends bytes as they are, in binary.
  for (const { oid } of rows) pglite.serializers[oid] = vectorBytes as unknown as (values: Float32Array) => string
  if (directory !== undefined) yield* directory.complete
  return database
})

const keyOf = (space: Space): string => JSON.stringify([space.embedder, space.dimensions, space.metric])

/** Opens the store until the scope closes. */
export const make = Effect.fnUntraced(function* ({
  dataDir,
  template
}: Options): Effect.fn.Return<Store, MemoryError, Scope.Scope> {
  if (dataDir !== undefined && (dataDir.trim() === "" || /^\w+:\/\//.test(dataDir))) {
    return yield* connection(
      "The memory's dataDir must be the path of a directory; leave it out for a memory without files."
    )
  }
  const path = dataDir === undefined ? undefined : resolve(dataDir)
  if (path !== undefined) {
    yield* Directory.refuseForeign(path)
    yield* Lock.own(path)
  }
  const directory = path === undefined ? undefined : yield* Directory.prepare(path)
  const database = yield* open(directory, template)

  const spaces = new Map<string, Spaces.Table>()
  const within = <A>(space: Space, use: (table: Spaces.Table) => Effect.Effect<A, MemoryError>) =>
    Effect.suspend(() => {
      const table = spaces.get(keyOf(space))
      return table === undefined ? Effect.fail(Spaces.notOpen(space)) : use(table)
    })

  return {
    commit: (scope, commit) => database.transaction((trx) => write(trx, scope, commit)),
    load: (scope, ref) => database.transaction((trx) => read(trx, scope, ref)),
    ancestors: (scope, ref) => database.statement((db) => ancestors(db, scope, ref)),
    children: (scope, ref, page) => database.statement((db) => children(db, scope, ref, page)),
    openSpace: (space) =>
      Effect.suspend(() => {
        if (spaces.has(keyOf(space))) return Effect.void
        return Effect.map(
          database.transaction((trx) => Spaces.open(trx, space)),
          (table) => {
            spaces.set(keyOf(space), table)
          }
        )
      }),
    putVectors: (scope, space, vectors) =>
      within(space, (table) => database.transaction((trx) => Spaces.put(trx, table, scope, vectors))),
    pending: (space, options) =>
      within(space, (table) => database.statement((db) => Spaces.pending(db, table, options))),
    countPending: (scope, space) =>
      within(space, (table) => database.statement((db) => Spaces.countPending(db, table, scope))),
    nearest: (scope, space, vector, options) =>
      within(space, (table) => database.statement((db) => nearest(db, table, scope, vector, options)))
  }
})
