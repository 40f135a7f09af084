/**
 * The rights of a folder and its contents, and flushing them to the disk.
 *
 * Windows has no such rights and cannot flush folders, so neither is tried there.
 */
import * as Effect from "effect/Effect"
import { chmodSync, closeSync, fsyncSync, lstatSync, openSync, readdirSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import type { MemoryError } from "../../Memory.ts"
import { codeOf } from "../../sql/database/failure.ts"
import { unusable } from "./files.ts"
import { privateMode } from "./modes.ts"

const onWindows = process.platform === "win32"

/** A folder and its contents; links are left out and not followed. */
const everything = function* (folder: string): Generator<{ readonly path: string; readonly found: Stats }> {
  yield { path: folder, found: statSync(folder) }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (found.isDirectory()) yield* everything(path)
    else if (found.isFile()) yield { path, found }
  }
}

const using = (run: () => Promise<void>): Effect.Effect<void, MemoryError> =>
  Effect.tryPromise({ try: run, catch: (error) => unusable(codeOf(error)) })

/** Files between two turns of the event loop: a database has a thousand. */
const inATurn = 16

const each = (folder: string, run: (one: { readonly path: string; readonly found: Stats }) => void) =>
  using(async () => {
    let done = 0
    for (const one of everything(folder)) {
      run(one)
      // oxlint-disable-next-line no-await-in-loop -- the pauses are what it waits for
      if (++done % inATurn === 0) await setImmediate()
    }
  })

/**
 * Removes the rights of group and other users from a folder and everything in it, except on Windows. Files that belong to
 * another user are left as they are.
 */
export const tighten = (folder: string): Effect.Effect<void, MemoryError> =>
  onWindows
    ? Effect.void
    : each(folder, ({ found, path }) => {
        if (privateMode(found.mode) === found.mode || found.uid !== process.geteuid?.()) return
        chmodSync(path, privateMode(found.mode) & 0o7777)
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

/** Flushes a folder and its contents to the disk. */
export const flush = (folder: string): Effect.Effect<void, MemoryError> =>
  each(folder, ({ found, path }) => flushOne(path, found.isDirectory()))

/** Flushes the names in a folder to the disk. */
export const flushFolder = (folder: string): Effect.Effect<void, MemoryError> =>
  using(async () => flushOne(folder, true))
