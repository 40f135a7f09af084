/**
 * A folder with everything in it: who may use it, and whether the disk has it.
 *
 * Windows has no rights of this kind, and flushes no folders: neither is tried there.
 */
import * as Effect from "effect/Effect"
import { chmodSync, closeSync, fsyncSync, lstatSync, openSync, readdirSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import type { MemoryError } from "../Memory.ts"
import { codeOf } from "../sql/database/failure.ts"
import { unusable } from "./files.ts"

/** Rights of a new folder and of a new file: those of the user who runs the program, and of nobody else. */
export const modes = { folder: 0o700, file: 0o600 } as const

/** Rights without those of others. */
export const privateMode = (mode: number): number => mode & ~0o077

const onWindows = process.platform === "win32"

/** What is in a folder, and the folder itself; links are left out, and not followed. */
const everything = function* (folder: string): Generator<{ readonly path: string; readonly found: Stats }> {
  yield { path: folder, found: statSync(folder) }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (found.isDirectory()) yield* everything(path)
    else if (found.isFile()) yield { path, found }
  }
}

const using = (run: () => void): Effect.Effect<void, MemoryError> =>
  Effect.try({ try: run, catch: (error) => unusable(codeOf(error)) })

/** Takes the rights of others away. What belongs to another user keeps its rights. */
export const tighten = (folder: string): Effect.Effect<void, MemoryError> =>
  using(() => {
    if (onWindows) return
    for (const { found, path } of everything(folder)) {
      if (privateMode(found.mode) === found.mode || found.uid !== process.geteuid?.()) continue
      chmodSync(path, privateMode(found.mode) & 0o7777)
    }
  })

const flushOne = (path: string, isFolder: boolean): void => {
  if (onWindows && isFolder) return
  const file = openSync(path, onWindows ? "r+" : "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Returns when the disk has everything. */
export const flush = (folder: string): Effect.Effect<void, MemoryError> =>
  using(() => {
    for (const { found, path } of everything(folder)) flushOne(path, found.isDirectory())
  })

/** Returns when the disk has the names in a folder. */
export const flushFolder = (folder: string): Effect.Effect<void, MemoryError> => using(() => flushOne(folder, true))
