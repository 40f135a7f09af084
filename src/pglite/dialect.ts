/** The embedded database as Kysely uses it: one connection for all. */
import {
  type DatabaseConnection,
  type Dialect,
  PGliteAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler
} from "kysely"
import type { Connection } from "./engine/connection.ts"

export const dialectOf = ({ close, query }: Connection): Dialect => {
  const only: DatabaseConnection = {
    executeQuery: async ({ parameters, sql }) => {
      const { affectedRows, rows } = await query(sql, parameters)
      // the caller knows the type of the rows
      const typed = rows as Array<never>
      return affectedRows === undefined ? { rows: typed } : { rows: typed, numAffectedRows: BigInt(affectedRows) }
    },
    streamQuery: () => {
      throw new Error("The embedded database does not stream rows.")
    }
  }
  const run = async (statement: string) => {
    await query(statement, [])
  }
  return {
    createAdapter: () => new PGliteAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: () => Promise.resolve(),
      acquireConnection: () => Promise.resolve(only),
      beginTransaction: (_, { isolationLevel = "read committed" }) => run(`begin isolation level ${isolationLevel}`),
      commitTransaction: () => run("commit"),
      rollbackTransaction: () => run("rollback"),
      releaseConnection: () => Promise.resolve(),
      destroy: close
    })
  }
}
