/** Upkeep of a database on a disk. */
import type * as Effect from "effect/Effect"
import type { MemoryError } from "../../Memory.ts"
import type { Connection } from "./connection.ts"
import { needed, requireFree } from "./space.ts"

export interface Upkeep {
  /** Fails if the disk has no room for a change. */
  readonly room: Effect.Effect<void, MemoryError>
  /** Fails if the disk has no room for a checkpoint. */
  readonly roomToSave: Effect.Effect<void, MemoryError>
  /** Whether the log has grown so far that a checkpoint is due. */
  readonly isDue: () => boolean
  /** Records a checkpoint. */
  readonly done: () => void
}

/** New files of the log after which a checkpoint is due. A Postgres server has a process of its own for this. */
const segments = 4

export const upkeepOf = (folder: string, { disk }: Connection): Upkeep => {
  let before = disk().segments
  return {
    room: requireFree(folder, needed.change, "a change"),
    roomToSave: requireFree(folder, needed.start, "a change"),
    isDue: () => disk().segments - before >= segments,
    done: () => {
      before = disk().segments
    }
  }
}
