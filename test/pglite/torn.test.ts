/** A memory's directory of which a part is gone or damaged: it is refused, and nothing in it changes. */
import { assert, beforeAll, afterAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { commit, note, plain, thought } from "../../src/testing/contract/stage/rows.ts"
import { cogito } from "../cli/cogito.ts"
import { prefill } from "./prefilled.ts"

/** Every name in a folder with what tells that it was changed, and on request its bytes. */
const stateOf = (folder: string, { bytes = false } = {}): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const found = statSync(path)
      const hash = bytes && found.isFile() ? createHash("sha1").update(readFileSync(path)).digest("hex") : ""
      return `${name} ${found.ino} ${found.mode} ${found.size} ${found.mtimeMs} ${found.ctimeMs} ${hash}`
    })

let parent = ""
let dataDir = ""
let before: unknown
const row = thought()

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "cogito-torn-"))
  dataDir = join(parent, "memory")
  await prefill(dataDir)
  const write = Effect.gen(function* () {
    const store = yield* PgliteMemory.makeStore({ dataDir })
    yield* store.commit("a", commit(row, { notes: [note(row.id, 1)] }))
    return plain(yield* store.load("a", { id: row.id }))
  })
  before = await Effect.runPromise(Effect.scoped(write))
})
afterAll(() => {
  rmSync(parent, { recursive: true, force: true, maxRetries: 5 })
})

const load = (directory: string) =>
  Effect.scoped(
    Effect.flatMap(PgliteMemory.makeStore({ dataDir: directory }), (store) => store.load("a", { id: row.id }))
  )

const refused = (what: string) =>
  Effect.gen(function* () {
    const state = stateOf(dataDir)
    const { message, reason } = yield* Effect.flip(load(dataDir))
    assert.strictEqual(reason._tag, "Corrupt", what)
    assert.deepStrictEqual(stateOf(dataDir), state, what)
    return message
  })

/** Takes a part away, or damages it, while something is done. */
const during = <A, E>(name: string, damage: (path: string) => void, run: Effect.Effect<A, E>) => {
  const [path, aside] = [join(dataDir, name), join(parent, "aside")]
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      renameSync(path, aside)
      damage(path)
    }),
    () => run,
    () =>
      Effect.sync(() => {
        rmSync(path, { recursive: true, force: true })
        renameSync(aside, path)
      })
  )
}

const gone = () => {}
const asFile = (path: string) => writeFileSync(path, "")
const asFolder = (path: string) => mkdirSync(path)

describe("a memory's directory that has lost a part", { timeout: 120_000 }, () => {
  it.effect("is refused and left as it is, whatever the database cannot start without", () =>
    Effect.gen(function* () {
      const parts = readdirSync(join(dataDir, "database")).filter(
        // what PGlite does not read, or makes anew
        (name) =>
          !["pg_hba.conf", "pg_ident.conf", "postgresql.auto.conf", "postmaster.pid", "postmaster.opts"].includes(name)
      )
      assert.includeMembers(parts, ["PG_VERSION", "base", "global", "pg_wal", "pg_xact", "postgresql.conf"])
      const segment = readdirSync(join(dataDir, "database", "pg_wal")).find((name) => /^[0-9A-F]{24}$/.test(name)) ?? ""
      const inside = ["global/pg_control", "global/pg_filenode.map", `pg_wal/${segment}`, "base/5", "base/5/PG_VERSION"]
      for (const name of [...parts, ...inside, "pg_xact/0000"]) {
        const message = yield* during(`database/${name}`, gone, refused(`${name} is gone`))
        assert.match(message, new RegExp(`database/${name}[^ ]* is missing or damaged\\. Nothing was changed; restore`))
      }
      for (const name of ["PG_VERSION", "global/pg_control", `pg_wal/${segment}`]) {
        yield* during(`database/${name}`, asFile, refused(`${name} is empty`))
        yield* during(`database/${name}`, asFolder, refused(`${name} is a folder`))
      }
      for (const name of ["base", "pg_wal", "global"]) {
        yield* during(`database/${name}`, asFile, refused(`${name} is a file`))
        yield* during(`database/${name}`, asFolder, refused(`${name} is empty`))
      }
      yield* during("database", asFolder, refused("the database's folder is empty"))
      yield* during("database", asFile, refused("the database's folder is a file"))
      yield* during("database", gone, refused("the database's folder is gone"))
      assert.match(yield* during("ready", gone, refused("the mark is gone")), /make an empty file of that name/)
      assert.deepStrictEqual(plain(yield* load(dataDir)), before)
    })
  )

  it.effect(
    "is refused without the log from which the start would recover, although that of the checkpoint is there",
    () =>
      Effect.gen(function* () {
        const control = readFileSync(join(dataDir, "database", "global", "pg_control"))
        const segment = 16n * 1024n * 1024n
        // the recovery begins one file of the log before the checkpoint
        const redo = 40
        const start = (control.readBigUInt64LE(redo) / segment - 1n) * segment
        control.writeBigUInt64LE(start, redo)
        const message = yield* during(
          "database/global/pg_control",
          (path) => writeFileSync(path, control),
          refused("the log's first file is gone")
        )
        const name = `00000001${"0".repeat(8)}${(start / segment).toString(16).toUpperCase().padStart(8, "0")}`
        assert.include(message, `database/pg_wal/${name} is missing or damaged. Nothing was changed; restore`)
      })
  )

  it("is not made anew by a command that only looks", async () => {
    await Effect.runPromise(
      during(
        "database/PG_VERSION",
        gone,
        Effect.promise(async () => {
          const state = stateOf(dataDir, { bytes: true })
          for (const command of ["verify", "migrate", "export"]) {
            const { code, stderr } = await cogito([command, "--data-dir", dataDir])
            assert.strictEqual(code, 1, command)
            assert.match(
              stderr,
              /^cogito: .*is incomplete: database\/PG_VERSION is missing or damaged\. Nothing was changed/
            )
          }
          assert.deepStrictEqual(stateOf(dataDir, { bytes: true }), state)
        })
      )
    )
  })

  it.effect("is Corrupt as soon as it is read when a copy of it has the mark and lacks files", () =>
    Effect.gen(function* () {
      // the mark comes first, as it does in an unlucky order of copying
      const rest = readdirSync(join(dataDir, "database"), { recursive: true, encoding: "utf8" }).toSorted()
      const isOurs = (name: string) => /^base.5.\d+$/.test(name) && Number(name.slice("base/5/".length)) >= 16384
      const copied = [rest.slice(0, 400), rest.filter((name) => !isOurs(name))]
      for (const names of copied) {
        const copy = join(parent, "copy")
        const wanted = new Set(names.map((name) => join("database", name)).concat("", "database", "ready"))
        cpSync(dataDir, copy, { recursive: true, filter: (from) => wanted.has(from.slice(dataDir.length + 1)) })
        const { message, reason } = yield* Effect.flip(load(copy))
        assert.strictEqual(reason._tag, "Corrupt", message)
        assert.include(message, "backup")
        rmSync(copy, { recursive: true })
      }
    })
  )
})
