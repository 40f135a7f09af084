/** Whether a disk has room for what is to be written: a database that fills it breaks off in the middle. */
import * as Effect from "effect/Effect"
import { statfsSync } from "node:fs"
import type { MemoryError } from "../Memory.ts"
import { unusable } from "../sql/database/failure.ts"

const MiB = 1024 * 1024

/** Bytes that must be free: to make a database, to start one, and to begin a change, which may need a new file of the log. */
export const needed = { first: 96 * MiB, start: 20 * MiB, change: 48 * MiB } as const

/** How much of the disk a value takes in a table, its indexes and the log together, as a multiple of its length. */
const copies = 4

/** Free bytes for this user; as many as one likes where the system does not say. */
const freeOf = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Fails, before anything is written, when a folder's disk has fewer bytes free than are needed. Takes some microseconds. */
export const requireFree = (folder: string, bytes: number, purpose: string): Effect.Effect<void, MemoryError> =>
  Effect.suspend(() => {
    const free = freeOf(folder)
    if (free >= bytes) return Effect.void
    const [left, least] = [Math.floor(free / MiB), Math.ceil(bytes / MiB)]
    return Effect.fail(
      unusable(
        `The disk of the memory's directory is nearly full: it has ${left} MiB left, and ${purpose} needs ${least}. Nothing ` +
          "was changed; free space and try again."
      )
    )
  })

/** The bytes that must be free for a statement with these values: nothing for small ones, as the reserve has room for them. */
export const neededFor = (values: ReadonlyArray<unknown>): number => {
  let length = 0
  for (const value of values) length += lengthOf(value)
  return length < 64 * 1024 ? 0 : needed.change + copies * length
}

const lengthOf = (value: unknown): number => {
  if (typeof value === "string") return Buffer.byteLength(value)
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (Array.isArray(value)) return value.reduce((sum: number, inner: unknown) => sum + lengthOf(inner), 0)
  return 8
}
