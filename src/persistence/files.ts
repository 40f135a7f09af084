import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { layerFileSystem } from "effect/persistence/KeyValueStore"
import { type BackingPersistence, layerBackingKvs } from "effect/persistence/Persistence"
import type { PlatformError } from "effect/PlatformError"

const modes = { folder: 0o700, file: 0o600 } as const

/** The same file system, but new files and folders are accessible only to the current user. */
const closed = (files: FileSystem.FileSystem): FileSystem.FileSystem => ({
  ...files,
  makeDirectory: (path, options) => files.makeDirectory(path, { ...options, mode: modes.folder }),
  writeFile: (path, data, options) => files.writeFile(path, data, { ...options, mode: modes.file }),
  writeFileString: (path, data, options) => files.writeFileString(path, data, { ...options, mode: modes.file })
})

/** Removes the access of others to files from an earlier version or another program. */
const tighten = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  if (!(yield* files.exists(directory))) return
  yield* files.chmod(directory, modes.folder)
  for (const name of yield* files.readDirectory(directory)) {
    const path = join(directory, name)
    const isLink = yield* Effect.isSuccess(files.readLink(path))
    if (!isLink && (yield* files.stat(path)).type === "File") yield* files.chmod(path, modes.file)
  }
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
  const files = Layer.effect(FileSystem.FileSystem, Effect.map(FileSystem.FileSystem, closed))
  const store = Layer.unwrap(Effect.as(tighten(directory), layerFileSystem(directory).pipe(Layer.provide(files))))
  return layerBackingKvs.pipe(Layer.provide(store))
}
