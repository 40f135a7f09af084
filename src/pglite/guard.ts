/**
 * Ends a database for good when it has broken off in the middle.
 *
 * Postgres ends its process when it cannot write its log, and so when the disk is full. There is no process here: PGlite
 * goes on with a database whose locks nobody will release, and the next statement never returns. What was acknowledged is
 * in the log all the same, and the next start finds it there.
 */
import type { PGlite } from "@electric-sql/pglite"
import type { MemoryError } from "../Memory.ts"

/** How an error of a statement comes out, which PGlite then handles. */
const handled = 100

/** Guards a database that is open; `failure` makes the error of every statement from then on. */
export const guard = (pglite: PGlite, failure: () => MemoryError): void => {
  // the functions of the database, by their names; PGlite calls them as properties of this object
  const module = pglite.Module as unknown as Record<string, unknown>
  const refuse = () => {
    throw failure()
  }
  const end = () => {
    for (const name of Object.keys(module)) {
      // what PGlite closes with needs no database
      const ofDatabase = name.startsWith("_") || name === "stackRestore" || name === "stackSave"
      if (ofDatabase && typeof module[name] === "function") module[name] = refuse
    }
  }
  for (const name of ["_PostgresMainLoopOnce", "_PostgresMainLongJmp", "_PostgresSendReadyForQueryIfNecessary"]) {
    const run = module[name] as () => unknown
    module[name] = () => {
      try {
        return run()
      } catch (error) {
        if ((error as { readonly status?: number }).status !== handled) end()
        throw error
      }
    }
  }
}
