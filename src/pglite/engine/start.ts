/** Starts the embedded database, which never fills its disk and stops after a failed write. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../Memory.ts"
import { codeOf, unusable, unusableFiles } from "../../sql/database/failure.ts"
import type { Directory } from "../directory/directory.ts"
import { type Connection, Stopped } from "./connection.ts"
import * as Here from "./here.ts"
import { needed, neededFor, requireFree } from "./space.ts"
import * as Threaded from "./threaded.ts"
import { type Upkeep, upkeepOf } from "./upkeep.ts"

const stopped = (connection: Connection): MemoryError =>
  unusable(
    `The embedded database has stopped: ${connection.disk().full ? "the disk is full. Free space" : "it broke off. Close it"} ` +
      "and open the memory again. Everything that was committed is still there."
  )

/** Makes a stopped database say so, and a database on a disk refuse a statement whose values do not fit there. */
const guarded = (connection: Connection, folder: string | undefined): Connection => ({
  ...connection,
  query: async (statement, values, options) => {
    const bytes = folder === undefined ? 0 : neededFor(values)
    if (folder !== undefined && bytes > 0) {
      await Effect.runPromise(requireFree(folder, bytes, "what is to be stored"))
    }
    try {
      return await connection.query(statement, values, options)
    } catch (error) {
      throw error instanceof Stopped ? stopped(connection) : error
    }
  }
})

const open = async (folder: string | undefined, { template, thread }: Options): Promise<Connection> => {
  const settings = { folder, template }
  const threaded = thread ? await Threaded.open(settings) : undefined
  return threaded ?? Here.open(settings)
}

export interface Options {
  /** An archive of a fresh database, which saves making one. */
  readonly template: Blob | undefined
  /** Whether to run it in a thread of its own, if one can be started. */
  readonly thread: boolean
}

/** Starts a database in a directory or in memory. */
export const start = Effect.fnUntraced(function* (
  directory: Directory | undefined,
  { template, thread }: Options
): Effect.fn.Return<{ readonly connection: Connection; readonly upkeep: Upkeep | undefined }, MemoryError> {
  if (directory !== undefined) {
    const { fresh, path } = directory
    yield* requireFree(path, fresh ? needed.first : needed.start, fresh ? "a new memory" : "its start")
  }
  const folder = directory?.database
  const connection = yield* Effect.tryPromise({
    try: () => open(folder, { template: directory?.fresh === false ? undefined : template, thread }),
    catch: (error) =>
      unusableFiles("The embedded database does not start", "open a copy of the directory from a backup", codeOf(error))
  })
  return {
    connection: guarded(connection, folder),
    upkeep: folder === undefined ? undefined : upkeepOf(folder, connection)
  }
})
