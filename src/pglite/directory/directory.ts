/**
 * The database's files, in a directory that this process owns.
 *
 * During the first start the file `initialising` stands beside them; `ready` takes its place once that start is complete. Files
 * beside `initialising` belong to a first start that was cut off. Nothing was ever stored in them, so they are removed.
 */
import * as Effect from "effect/Effect"
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { MemoryError } from "../../Memory.ts"
import { corrupt } from "../../sql/database/failure.ts"
import { files, present, unusable } from "./files.ts"
import { modes } from "./modes.ts"
import { flush, flushFolder } from "./tree.ts"
import { requireWhole } from "./whole.ts"

export interface Directory {
  readonly path: string
  /** Path of the database's own folder. */
  readonly database: string
  /** Whether it is still to be made. */
  readonly fresh: boolean
  /** Records that the first start is complete. */
  readonly complete: Effect.Effect<void, MemoryError>
}

/** Names that an empty directory may hold: our lock, hidden files, and the folder of a fresh volume. */
const isOurs = (name: string) => name.startsWith("lock.") || name.startsWith(".") || name === "lost+found"

const exists = (path: string): Effect.Effect<boolean, MemoryError> =>
  present(() => stat(path)).pipe(
    Effect.map((found) => found !== undefined),
    Effect.mapError(unusable)
  )

const foreign = corrupt(
  "The directory is not empty and contains no memory: use the directory of a memory, an empty one, or one that does not exist yet."
)

/**
 * Whether a directory exists. Fails, leaving no trace, if it holds something else. One look at the names is enough: whoever
 * makes a memory takes its lock first, and a lock is never without a successor.
 */
export const refuseForeign = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<boolean, MemoryError> {
  if (!(yield* exists(directory))) return false
  const names = yield* files(() => readdir(directory))
  const ours = names.some((name) => name.startsWith("lock.") || name === "ready" || name === "initialising")
  return ours || names.every(isOurs) ? true : yield* foreign
})

const markless = corrupt(
  "The memory's directory has a database but no file `ready`, like an incomplete copy: restore it from a backup, or " +
    "make an empty file of that name in it if you know that the database is complete."
)

/**
 * Fails, changing nothing, if a memory's directory has lost a part. PGlite would make a new database over the old one. Files
 * without a mark beside them are not the remains of a first start.
 */
export const refuseTorn = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<void, MemoryError> {
  const database = join(directory, "database")
  // in the order in which another process makes them, which may be at its first start just now
  const isMade = yield* exists(database)
  const isBegun = yield* exists(join(directory, "initialising"))
  if (yield* exists(join(directory, "ready"))) return yield* requireWhole(database)
  return isMade && !isBegun ? yield* markless : undefined
})

/** Prepares an owned directory for the database to be opened. */
export const prepare = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<Directory, MemoryError> {
  const database = join(directory, "database")
  const initialising = join(directory, "initialising")
  const ready = join(directory, "ready")
  yield* refuseTorn(directory)
  if (yield* exists(ready)) return { path: directory, database, fresh: false, complete: Effect.void }
  if (!(yield* exists(initialising))) {
    const names = yield* files(() => readdir(directory))
    if (!names.every(isOurs)) return yield* foreign
    yield* files(() => writeFile(initialising, "", { mode: modes.file }))
  }
  yield* files(() => rm(database, { recursive: true, force: true }))
  yield* files(() => mkdir(database, { mode: modes.folder }))
  // the database flushes what it writes from now on, but not the files that it starts with
  const complete = Effect.andThen(
    flush(database),
    Effect.andThen(
      files(() => rename(initialising, ready)),
      flushFolder(directory)
    )
  )
  return { path: directory, database, fresh: true, complete }
})
