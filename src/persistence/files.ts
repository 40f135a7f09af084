import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { layerFileSystem } from "effect/persistence/KeyValueStore"
import { type BackingPersistence, layerBackingKvs } from "effect/persistence/Persistence"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"

const modes = { folder: 0o700, file: 0o600 } as const

/** The least time between two searches for expired answers. */
const sweepMillis = 3_600_000

/**
 * The same file system, but new files and folders are accessible only to the current user. Runs `stored` after each file, also after
 * one for which there was no room.
 */
const closed = (files: FileSystem.FileSystem, stored: () => Effect.Effect<void>): FileSystem.FileSystem => ({
  ...files,
  makeDirectory: (path, options) => files.makeDirectory(path, { ...options, mode: modes.folder }),
  writeFile: (path, data, options) =>
    Effect.ensuring(files.writeFile(path, data, { ...options, mode: modes.file }), Effect.suspend(stored)),
  writeFileString: (path, data, options) =>
    Effect.ensuring(files.writeFileString(path, data, { ...options, mode: modes.file }), Effect.suspend(stored))
})

/** The files in a directory, without links. */
const filesIn = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const paths = (yield* files.readDirectory(directory)).map((name) => join(directory, name))
  return yield* Effect.filter(paths, (path) =>
    Effect.flatMap(Effect.isSuccess(files.readLink(path)), (isLink) =>
      isLink
        ? Effect.succeed(false)
        : Effect.isSuccess(Effect.filterOrFail(files.stat(path), ({ type }) => type === "File"))
    )
  )
})

/** Removes the access of others to files from an earlier version or another program. */
const tighten = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(directory))) return
  yield* files.chmod(directory, modes.folder)
  for (const path of yield* filesIn(directory)) {
    // another process may have removed it meanwhile
    yield* Effect.catchIf(
      files.chmod(path, modes.file),
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.void
    )
  }
})

/** Whether the store may have given a file this name: a store's id and a key with a colon between them, encoded. */
const isNameOfEntry = (name: string): boolean => name.includes("%3A")

/** Whether this is an entry of the store, an object with the time at which it expires, and that time is over. */
const hasExpired = (text: string, now: number): boolean => {
  try {
    const entry: unknown = JSON.parse(text)
    const parts: ReadonlyArray<unknown> = Array.isArray(entry) ? entry : []
    const [value, expires] = parts
    return (
      parts.length === 2 && typeof value === "object" && value !== null && typeof expires === "number" && expires <= now
    )
  } catch {
    return false
  }
}

/** Removes expired answers. The store itself removes one only when it is asked for again. */
const sweep = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const { basename } = yield* Path.Path
  const now = yield* Clock.currentTimeMillis
  for (const path of yield* filesIn(directory)) {
    if (!isNameOfEntry(basename(path))) continue
    // what cannot be read or removed stays until the next time
    yield* Effect.ignore(
      Effect.flatMap(files.readFileString(path), (text) => (hasExpired(text, now) ? files.remove(path) : Effect.void))
    )
  }
})

/** Returns what starts a search for expired answers in the background, unless one has begun in the last hour. */
const sweeping = (
  directory: string
): Effect.Effect<() => Effect.Effect<void>, never, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    let last = -Infinity
    return () =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now - last < sweepMillis) return Effect.void
        last = now
        return Effect.asVoid(Effect.forkIn(Effect.provideContext(Effect.ignore(sweep(directory)), context), scope))
      })
  })

/**
 * Keeps answers in files that only the current user can access.
 *
 * **Details**
 *
 * The directory and its parents are created if they are missing. Folders get mode 0700 and files 0600, whatever the
 * umask is. An existing directory and its files are changed to these modes, so use a separate directory. Links are left
 * alone. Windows has no such modes. Building the layer fails with a `PlatformError` if the directory cannot be used.
 *
 * Expired answers are removed in the background: after the first answer that is stored or finds no room, and then at most once an
 * hour.
 *
 * **Example** (Answers that only this user can read)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { NodeServices } from "@effect/platform-node"
 * import { Effect, Layer } from "effect"
 * import { Synapse } from "cogito"
 * import { Persisted } from "cogito/persistence"
 * import { Testing } from "cogito/testing"
 *
 * const directory = join(mkdtempSync(join(tmpdir(), "answers-")), "kept")
 * const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }])
 * const cached = model.layer.pipe(
 *   Persisted.cache(),
 *   Layer.provide(Persisted.layerFiles(directory)),
 *   Layer.provide(NodeServices.layer)
 * )
 *
 * await Effect.runPromise(Synapse.binary({ question: "Is this urgent?" })("Now!").pipe(Effect.provide(cached)))
 * const [name = ""] = readdirSync(directory)
 * if (process.platform !== "win32") assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
 * rmSync(directory, { recursive: true })
 * ```
 *
 * @category layers
 */
export const layerFiles = (
  directory: string
): Layer.Layer<BackingPersistence, PlatformError, FileSystem.FileSystem | Path.Path> => {
  const files = Layer.effect(
    FileSystem.FileSystem,
    Effect.flatMap(FileSystem.FileSystem, (open) => Effect.map(sweeping(directory), (stored) => closed(open, stored)))
  )
  const store = Layer.unwrap(Effect.as(tighten(directory), layerFileSystem(directory).pipe(Layer.provide(files))))
  return layerBackingKvs.pipe(Layer.provide(store))
}
