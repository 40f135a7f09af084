/** Whether a disk has room for a change. A database that fills its disk stops in the middle of a write. */
import * as Effect from "effect/Effect"
import { statfsSync } from "node:fs"
import type { MemoryError } from "../../Memory.ts"
import { unusable } from "../../sql/database/failure.ts"

const MiB = 1024 * 1024

/** Free bytes that are required to make a database, to start one, and to begin a change, which may need a new file of the log. */
export const needed = { first: 96 * MiB, start: 20 * MiB, change: 48 * MiB } as const

/** The room that a value takes in a table, its indexes and the log together, as a multiple of its length. */
const copies = 4

/** Free bytes for this user; infinite if the system does not report them. */
const freeOf = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Fails, before anything is written, if the disk of a folder has too few free bytes. Takes some microseconds. */
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

/** Free bytes that a statement with these values requires; 0 for small ones, which fit the reserve. */
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
