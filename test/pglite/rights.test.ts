/** Who may use a memory's files: the user who runs the program, and nobody else. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { commit, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { folder } from "./folder.ts"
import { makeStore, prefill } from "./prefilled.ts"

/** A folder and what is in it; links are not followed. */
const everything = (path: string): ReadonlyArray<string> =>
  lstatSync(path).isDirectory() ? [path, ...readdirSync(path).flatMap((name) => everything(join(path, name)))] : [path]

/** What of a folder is not 0700 or 0600. */
const open = (folder: string): ReadonlyArray<string> =>
  everything(folder).filter((path) => {
    const found = lstatSync(path)
    return (found.mode & 0o777) !== (found.isDirectory() ? 0o700 : 0o600) && !found.isSymbolicLink()
  })

// Windows has no rights of this kind
describe.runIf(process.platform !== "win32")("the files of a memory", { timeout: 120_000 }, () => {
  it.effect("are its user's alone, whatever the umask, from the first start on", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const before = yield* Effect.acquireRelease(
        Effect.sync(() => process.umask(0o022)),
        (mask) => Effect.sync(() => process.umask(mask))
      )
      assert.isNumber(before)
      const dataDir = join(parent, "deep", "memory")
      const store = yield* makeStore({ dataDir })
      const row = thought()
      yield* store.commit("a", commit(row, { notes: [note(row.id, 1)] }))
      assert.deepStrictEqual(open(join(parent, "deep")), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are made so when they were not, and what a link leads to is left alone", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const dataDir = join(parent, "memory")
      yield* Effect.scoped(makeStore({ dataDir }))
      const linked = join(parent, "linked")
      mkdirSync(linked)
      writeFileSync(join(linked, "file"), "", { mode: 0o644 })
      symlinkSync(linked, join(dataDir, ".link"))
      for (const path of everything(dataDir)) {
        const found = lstatSync(path)
        if (!found.isSymbolicLink()) chmodSync(path, found.isDirectory() ? 0o755 : 0o666)
      }
      assert.isNotEmpty(open(dataDir))
      yield* PgliteMemory.makeStore({ dataDir })
      assert.deepStrictEqual(open(dataDir), [])
      assert.strictEqual(lstatSync(join(linked, "file")).mode & 0o777, 0o644)
    }).pipe(Effect.scoped)
  )
})

const isRoot = process.geteuid?.() === 0

/** Rights bind every user but root. */
const asSomebodyElse = Effect.acquireRelease(
  Effect.sync(() => isRoot && process.seteuid?.(65_534)),
  () => Effect.sync(() => isRoot && process.seteuid?.(0))
)

/** That opening a memory fails for good, and with which message. */
const unusable = Effect.fnUntraced(function* (dataDir: string, code: string, advice: RegExp) {
  const error = yield* Effect.flip(Effect.scoped(PgliteMemory.makeStore({ dataDir })))
  assert.deepStrictEqual([error.reason._tag, error.isRetryable], ["Connection", false])
  assert.match(error.message, /^The memory's directory cannot be /)
  assert.include(error.message, `(${code}): `)
  assert.match(error.message, advice)
})

describe.runIf(process.platform !== "win32")("a folder that may not be used", { timeout: 120_000 }, () => {
  it.effect("is refused with what to do about its rights, whether or not the memory is there", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const [closed, visible] = [join(parent, "closed"), join(parent, "visible")]
      for (const path of [closed, visible]) mkdirSync(path)
      writeFileSync(join(visible, ".hidden"), "")
      chmodSync(closed, 0)
      chmodSync(visible, 0o555)
      chmodSync(parent, 0o555)
      const advice = /give the user who runs the program the right to read and write it, or choose another path\.$/
      yield* Effect.scoped(
        Effect.andThen(
          asSomebodyElse,
          Effect.forEach([join(parent, "new"), closed, join(closed, "new"), visible], (dataDir) =>
            unusable(dataDir, "EACCES", advice)
          )
        )
      )
      // so that it can be removed
      for (const path of [parent, closed, visible]) chmodSync(path, 0o755)
    }).pipe(Effect.scoped)
  )

  it.effect.runIf(process.platform === "linux" && isRoot)("is refused on a file system that is read-only", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const mount = (...args: ReadonlyArray<string>) => assert.strictEqual(spawnSync("/bin/mount", args).status, 0)
      yield* Effect.acquireRelease(
        Effect.sync(() => mount("-t", "tmpfs", "-o", "size=220m", "cogito-test", path)),
        () => Effect.sync(() => spawnSync("/bin/umount", [path]))
      )
      const memory = join(path, "memory")
      yield* Effect.promise(() => prefill(memory))
      mount("-o", "remount,ro", path)
      const advice = /its file system is read-only, make that writable or choose another path\.$/
      yield* unusable(memory, "EROFS", advice)
      yield* unusable(join(path, "new"), "EROFS", advice)
    }).pipe(Effect.scoped)
  )
})
