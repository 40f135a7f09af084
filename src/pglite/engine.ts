/** PGlite as a memory needs it: it flushes, stops after a failed write, and never fills its disk. */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import * as Effect from "effect/Effect"
import type { MemoryError } from "../Memory.ts"
import { codeOf, unusable, unusableFiles } from "../sql/database/failure.ts"
import type { Upkeep } from "./database.ts"
import type { Directory } from "./directory.ts"
import { Disk } from "./disk.ts"
import { guard } from "./guard.ts"
import { needed, neededFor, requireFree } from "./space.ts"

/** PGlite starts without flushing. Of Postgres' methods of flushing its log it has only this one. */
const flushing = [...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"), "-c", "wal_sync_method=fsync"]

/** New files of the log after which a checkpoint is due. A Postgres server has a process of its own for this. */
const segments = 4

const upkeepOf = (disk: Disk): Upkeep => ({
  room: requireFree(disk.folder, needed.change, "a change"),
  roomToSave: requireFree(disk.folder, needed.start, "a change"),
  isDue: () => disk.segments >= segments,
  done: () => {
    disk.segments = 0
  }
})

const stopped = (disk: Disk | undefined): MemoryError =>
  unusable(
    `The embedded database has stopped: ${disk?.full === true ? "the disk is full. Free space" : "it broke off. Close it"} ` +
      "and open the memory again. Everything that was committed is still there."
  )

/** Makes the database refuse a statement whose values do not fit on the disk. */
const bound = (pglite: PGlite, { folder }: Disk): void => {
  const query = pglite.query.bind(pglite)
  pglite.query = async (statement, values, options) => {
    const bytes = neededFor(values ?? [])
    if (bytes > 0) await Effect.runPromise(requireFree(folder, bytes, "what is to be stored"))
    return query(statement, values, options)
  }
}

const create = (disk: Disk | undefined, template: Blob | undefined) =>
  Effect.tryPromise({
    try: () =>
      PGlite.create({
        extensions: { vector },
        ...(disk === undefined ? {} : { fs: disk, startParams: flushing }),
        ...(template === undefined ? {} : { loadDataDir: template })
      }),
    catch: (error) =>
      unusableFiles("The embedded database does not start", "open a copy of the directory from a backup", codeOf(error))
  })

/** Starts a database in a directory or in memory. A new one is made from the archive, if one is given. */
export const start = Effect.fnUntraced(function* (
  directory: Directory | undefined,
  template: Blob | undefined
): Effect.fn.Return<{ readonly pglite: PGlite; readonly upkeep: Upkeep | undefined }, MemoryError> {
  if (directory === undefined) {
    const pglite = yield* create(undefined, template)
    guard(pglite, () => stopped(undefined))
    return { pglite, upkeep: undefined }
  }
  const { database, fresh, path } = directory
  yield* requireFree(path, fresh ? needed.first : needed.start, fresh ? "a new memory" : "its start")
  const disk = new Disk(database)
  const pglite = yield* create(disk, fresh ? template : undefined)
  guard(pglite, () => stopped(disk))
  bound(pglite, disk)
  return { pglite, upkeep: upkeepOf(disk) }
})
