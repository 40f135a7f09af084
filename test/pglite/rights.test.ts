/** Who may use a memory's files: the user who runs the program, and nobody else. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { commit, note, thought } from "../../src/testing/contract/rows.ts"
import { folder } from "./folder.ts"
import { makeStore } from "./template.ts"

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
