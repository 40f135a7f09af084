/**
 * Stops a database for good after a failure that it cannot recover from.
 *
 * A Postgres server ends its process when it cannot write its log, as on a full disk. There is no process here: PGlite goes on
 * with a database whose locks nobody will release, and the next statement never returns. Acknowledged rows are in the log, and
 * the next start finds them there.
 */
import type { PGlite } from "@electric-sql/pglite"
import { Stopped } from "./connection.ts"

/** The exit status by which PGlite recognises a statement's error, which it handles. */
const handled = 100

const refuse = () => {
  throw new Stopped()
}

/** Guards a database that is open. Every statement fails with `Stopped` from then on. */
export const guard = (pglite: PGlite): void => {
  // the functions of the database, by their names; PGlite calls them as properties of this object
  const module = pglite.Module as unknown as Record<string, unknown>
  const end = () => {
    for (const name of Object.keys(module)) {
      // closing PGlite calls no function of the database
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
