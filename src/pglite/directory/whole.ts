/**
 * Whether a database's folder has the files that a start needs. Without them Postgres does not start, or PGlite makes a new
 * database over the old one.
 *
 * Files of single tables are not checked: a missing one is noticed when the table is read.
 */
import * as Effect from "effect/Effect"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { MemoryError } from "../../Memory.ts"
import { corrupt } from "../../sql/database/failure.ts"
import { files, present, unusable } from "./files.ts"

const folders = (
  "base base/1 base/5 global pg_commit_ts pg_dynshmem pg_logical pg_logical/mappings pg_logical/snapshots pg_multixact " +
  "pg_multixact/members pg_multixact/offsets pg_notify pg_replslot pg_serial pg_snapshots pg_stat pg_stat_tmp pg_subtrans " +
  "pg_tblspc pg_twophase pg_wal pg_xact"
).split(" ")

const pgControl = "global/pg_control"

const required = (
  `PG_VERSION postgresql.conf global/pg_filenode.map ${pgControl} base/1/PG_VERSION base/1/pg_filenode.map ` +
  "base/5/PG_VERSION base/5/pg_filenode.map"
).split(" ")

const segmentSize = 16n * 1024n * 1024n

/** Offsets in `pg_control` of the last checkpoint, of the start of a recovery from it, and of the timeline. */
const places = { checkpoint: 32, redo: 40, timeline: 48, end: 52 }

const hex = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, "0")

/** The names of the log's files that the next start reads. */
const segmentsOf = (control: Buffer): ReadonlyArray<string> => {
  const last = control.readBigUInt64LE(places.checkpoint) / segmentSize
  const perLog = 0x1_0000_0000n / segmentSize
  const timeline = hex(BigInt(control.readUInt32LE(places.timeline)))
  const names: Array<string> = []
  for (let number = control.readBigUInt64LE(places.redo) / segmentSize; number <= last; number++) {
    names.push(`${timeline}${hex(number / perLog)}${hex(number % perLog)}`)
  }
  return names
}

const missing = (name: string): MemoryError =>
  corrupt(
    `The memory's directory is incomplete: ${join("database", name)} is missing or damaged. Nothing was changed; restore the ` +
      "directory from a backup."
  )

/** Fails with `Corrupt`, naming the first missing file, unless the database's folder looks whole. */
export const requireWhole = Effect.fnUntraced(function* (database: string): Effect.fn.Return<void, MemoryError> {
  const kindOf = (name: string) =>
    present(() => stat(join(database, name))).pipe(
      Effect.catchIf(
        (code) => code === "ENOTDIR",
        () => Effect.undefined
      ),
      Effect.mapError(unusable)
    )
  const requireFile = Effect.fnUntraced(function* (name: string, fits: (size: number) => boolean) {
    const found = yield* kindOf(name)
    yield* found?.isFile() === true && fits(found.size) ? Effect.void : missing(name)
  })
  for (const name of ["", ...folders]) {
    const found = yield* kindOf(name)
    yield* found?.isDirectory() === true ? Effect.void : missing(name)
  }
  for (const name of required) yield* requireFile(name, (size) => size > 0)
  const control = yield* files(() => readFile(join(database, pgControl)))
  const segments = control.length < places.end ? yield* missing(pgControl) : segmentsOf(control)
  for (const name of segments) yield* requireFile(`pg_wal/${name}`, (size) => BigInt(size) === segmentSize)
  const states = yield* files(() => readdir(join(database, "pg_xact")))
  yield* states.length > 0 ? Effect.void : missing("pg_xact/0000")
})
