/** What a directory must and must not contain for a memory to be made or opened in it. No database is needed. */
import { assert, beforeAll, afterAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { prepare, refuseForeign, refuseTorn } from "../../src/pglite/directory/directory.ts"
import { tighten } from "../../src/pglite/directory/tree.ts"
import { requireWhole } from "../../src/pglite/directory/whole.ts"
import type { MemoryError } from "../../src/Memory.ts"
import { folder } from "./folder.ts"

const modeOf = (path: string) => statSync(path).mode & 0o777

/** The result of a check, or the reason of its failure with the beginning of the message. */
const said = <A>(check: Effect.Effect<A, MemoryError>) =>
  Effect.match(check, {
    onSuccess: (result) => result,
    onFailure: ({ message, reason }) => `${reason._tag}: ${message.split(/[:;,.]/)[0]}`
  })

const foreign = "Corrupt: The directory is not empty and contains no memory"
const markless = "Corrupt: The memory's directory has a database but no file `ready`"

describe("a directory for a new memory", () => {
  // the names of files, and those of folders with a slash
  const cases: ReadonlyArray<readonly [names: ReadonlyArray<string>, looked: unknown, prepared: unknown]> = [
    [[], true, "fresh"],
    [["lost+found/"], true, "fresh"],
    [[".hidden", "lost+found/", "lock.3/", "lock.draft-1/"], true, "fresh"],
    [["initialising"], true, "fresh"],
    [["initialising", "database/", "database/PG_VERSION"], true, "fresh"],
    [["lock.1/", "initialising", "database/"], true, "fresh"],
    [["notes.txt"], foreign, foreign],
    [["lost+found2/"], foreign, foreign],
    [["database/"], foreign, markless],
    [["lock.1/", "database/"], true, markless],
    [["lock.1/", "notes.txt"], true, foreign],
    [["ready"], true, "Corrupt: The memory's directory is incomplete"],
    [["ready", "database/"], true, "Corrupt: The memory's directory is incomplete"]
  ]

  it.effect.each(cases)("with %s is checked and prepared", ([names, looked, prepared]) =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const name of names) {
        if (name.endsWith("/")) mkdirSync(join(path, name))
        else writeFileSync(join(path, name), "")
      }
      const before = readdirSync(path, { recursive: true })
      assert.strictEqual(yield* said(refuseForeign(path)), looked)
      const torn = yield* said(refuseTorn(path))
      assert.strictEqual(torn, String(prepared).startsWith("Corrupt: The memory") ? prepared : undefined)
      assert.deepStrictEqual(readdirSync(path, { recursive: true }), before)
      const made = yield* said(Effect.map(prepare(path), ({ fresh }) => (fresh ? "fresh" : "known")))
      assert.strictEqual(made, prepared)
      // the remains of an interrupted start are gone
      if (made === "fresh") assert.deepStrictEqual(readdirSync(join(path, "database")), [])
      else assert.deepStrictEqual(readdirSync(path, { recursive: true }), before)
    }).pipe(Effect.scoped)
  )

  it.effect("has markers and folders that only its user can access, and is marked as ready at the end", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.acquireRelease(
        Effect.sync(() => process.umask(0o022)),
        (mask) => Effect.sync(() => process.umask(mask))
      )
      const { complete, ...made } = yield* prepare(path)
      assert.deepStrictEqual(made, { path, database: join(path, "database"), fresh: true })
      assert.deepStrictEqual(readdirSync(path), ["database", "initialising"])
      const isWindows = process.platform === "win32"
      const modes = () => readdirSync(path).map((name) => modeOf(join(path, name)))
      if (!isWindows) assert.deepStrictEqual(modes(), [0o700, 0o600])
      yield* complete
      assert.deepStrictEqual(readdirSync(path), ["database", "ready"])
      if (!isWindows) assert.deepStrictEqual(modes(), [0o700, 0o600])
    }).pipe(Effect.scoped)
  )

  it.effect("may not exist yet, and the checks do not create it", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "memory")
      assert.isFalse(yield* refuseForeign(path))
      assert.isUndefined(yield* refuseTorn(path))
      assert.isFalse(existsSync(path))
    }).pipe(Effect.scoped)
  )
})

// Windows has no permissions of this kind
describe.runIf(process.platform !== "win32")("the permissions of a memory's files", () => {
  it.effect("are removed for other users, without changes outside of the directory", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const path = join(parent, "memory")
      mkdirSync(join(path, "inner"), { recursive: true })
      mkdirSync(join(parent, "outer"))
      for (const name of ["file", "inner/file", "../outer/file"]) writeFileSync(join(path, name), "")
      symlinkSync(join(parent, "outer"), join(path, "folder"))
      symlinkSync(join(parent, "outer", "file"), join(path, "inner", "link"))
      symlinkSync(join(parent, "nothing"), join(path, "broken"))
      for (const name of [".", "inner", "../outer"]) chmodSync(join(path, name), 0o755)
      for (const name of ["file", "../outer/file"]) chmodSync(join(path, name), 0o644)
      chmodSync(join(path, "inner", "file"), 0o466)
      yield* tighten(path)
      const names = [".", "inner", "file", "inner/file", "../outer", "../outer/file"]
      assert.deepStrictEqual(
        names.map((name) => modeOf(join(path, name))),
        [0o700, 0o700, 0o600, 0o400, 0o755, 0o644]
      )
    }).pipe(Effect.scoped)
  )

  it.effect.runIf(process.geteuid?.() === 0)("stay as they are if a file belongs to another user", () =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const name of ["own", "other"]) writeFileSync(join(path, name), "", { mode: 0o644 })
      for (const name of ["own", "other"]) chmodSync(join(path, name), 0o644)
      chownSync(join(path, "other"), 12_345, 12_345)
      yield* tighten(path)
      assert.deepStrictEqual([modeOf(join(path, "own")), modeOf(join(path, "other"))], [0o600, 0o644])
    }).pipe(Effect.scoped)
  )
})

describe("the files that the database needs to start", () => {
  let parent = ""
  let path = ""
  const folders = [
    ..."base/1 base/5 global pg_commit_ts pg_dynshmem pg_logical/mappings pg_logical/snapshots".split(" "),
    ..."pg_multixact/members pg_multixact/offsets pg_notify pg_replslot pg_serial pg_snapshots".split(" "),
    ..."pg_stat pg_stat_tmp pg_subtrans pg_tblspc pg_twophase pg_wal pg_xact".split(" ")
  ]
  const texts =
    "PG_VERSION postgresql.conf global/pg_filenode.map base/1/PG_VERSION base/1/pg_filenode.map base/5/PG_VERSION base/5/pg_filenode.map pg_xact/0000".split(
      " "
    )
  const segmentSize = 16 * 1024 * 1024
  // the number of the segment overflows 32 bits where the recovery begins
  const segments = ["0000000200000000000000FF", "000000020000000100000000", "000000020000000100000001"]

  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), "cogito-whole-"))
    path = join(parent, "database")
    for (const name of folders) mkdirSync(join(path, name), { recursive: true })
    for (const name of texts) writeFileSync(join(path, name), "x")
    const control = Buffer.alloc(8192)
    control.writeBigUInt64LE(0x1_0100_0028n, 32)
    control.writeBigUInt64LE(0xff00_0028n, 40)
    control.writeUInt32LE(2, 48)
    writeFileSync(join(path, "global/pg_control"), control)
    for (const name of segments) {
      writeFileSync(join(path, "pg_wal", name), "")
      truncateSync(join(path, "pg_wal", name), segmentSize)
    }
  })
  afterAll(() => {
    rmSync(parent, { recursive: true, force: true, maxRetries: 5 })
  })

  const missing = (name: string) =>
    `The memory's directory is incomplete: ${join("database", name)} is missing or damaged. Nothing was changed; restore the ` +
    "directory from a backup."

  const log = segments.map((name) => `pg_wal/${name}`)

  it.effect("are sufficient if all exist", () => Effect.map(requireWhole(path), (found) => assert.isUndefined(found)))

  it.effect("are each named if missing or damaged", () =>
    Effect.gen(function* () {
      const aside = join(parent, "aside")
      const names = [...texts.filter((name) => name !== "pg_xact/0000"), "global/pg_control", ...log]
      for (const name of names) {
        if (!log.includes(name)) copyFileSync(join(path, name), aside)
        const cut = (size: number) => () => {
          writeFileSync(join(path, name), "x")
          truncateSync(join(path, name), size)
        }
        const damages = {
          gone: () => rmSync(join(path, name), { force: true }),
          empty: cut(0),
          folder: () => mkdirSync(join(path, name)),
          // a segment of the log always has the same size
          ...(log.includes(name) ? { short: cut(segmentSize - 1), long: cut(segmentSize + 1) } : {}),
          ...(name === "global/pg_control" ? { short: cut(51) } : {})
        }
        for (const [damage, make] of Object.entries(damages)) {
          rmSync(join(path, name), { recursive: true, force: true })
          make()
          const error = yield* Effect.flip(requireWhole(path))
          assert.deepStrictEqual([error.reason._tag, error.message], ["Corrupt", missing(name)], `${name} ${damage}`)
        }
        rmSync(join(path, name), { recursive: true, force: true })
        writeFileSync(join(path, name), "")
        if (log.includes(name)) truncateSync(join(path, name), segmentSize)
        else copyFileSync(aside, join(path, name))
      }
      rmSync(join(path, "pg_xact/0000"))
      assert.strictEqual((yield* Effect.flip(requireWhole(path))).message, missing("pg_xact/0000"))
      writeFileSync(join(path, "pg_xact/0000"), "x")
      yield* requireWhole(path)
    })
  )
})
