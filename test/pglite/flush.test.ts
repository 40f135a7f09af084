/** What a power failure finds on the disk: everything that was acknowledged. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, fstatSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { answered, call, newRun } from "../../src/testing/contract/ledger/rows.ts"
import { commit, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { failing, replaced } from "./builtin.ts"
import { folder } from "./folder.ts"
import { makeStore, prefill } from "./prefilled.ts"

/** The numbers of the files that are flushed, in their order. */
const flushed = Effect.gen(function* () {
  const files: Array<number> = []
  yield* replaced("fsyncSync", (real) => (file) => {
    real(file)
    files.push(fstatSync(file).ino)
  })
  return files
})

const logOf = (dataDir: string): ReadonlyArray<number> => {
  const log = join(dataDir, "database", "pg_wal")
  return readdirSync(log).map((name) => statSync(join(log, name)).ino)
}

describe("a memory in a folder", { timeout: 120_000 }, () => {
  it.effect("has the log of a commit on the disk before the commit is acknowledged, and reads without flushing", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* folder, "memory")
      yield* Effect.promise(() => prefill(dataDir))
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      const files = yield* flushed
      for (let i = 0; i < 10; i++) {
        files.length = 0
        const row = thought()
        yield* store.commit("a", commit(row, { notes: [note(row.id, 1)] }))
        assert.isTrue(
          files.some((file) => logOf(dataDir).includes(file)),
          `commit ${i} flushed ${files.length} files`
        )
        files.length = 0
        assert.strictEqual((yield* store.load("a", { id: row.id }))?.notes.length, 1)
        assert.deepStrictEqual(files, [])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("does not flush rows of a run that are not urgent, and has them on the disk with the next commit", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* folder, "memory")
      yield* Effect.promise(() => prefill(dataDir))
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      const row = thought()
      const run = newRun(row.id)
      const rows = { runId: run.id, epoch: 1 }
      yield* store.commit("a", commit(row, { ledger: { ...rows, begins: [run] } }))
      const files = yield* flushed
      const isLogged = () => files.some((file) => logOf(dataDir).includes(file))
      for (let i = 1; i <= 30; i++) {
        files.length = 0
        yield* store.ledger.record("a", { ...rows, calls: [call("/a@0", i)] })
        yield* store.ledger.record("a", { ...rows, calls: [answered("/a@0", i)] })
        yield* store.ledger.renew("a", run.id, 1, { owner: "a", millis: 1000 })
        assert.deepStrictEqual(files, [], `record ${i}`)
        yield* i % 3 === 0
          ? store.commit("a", commit(row, { version: i / 3, ledger: rows }))
          : i % 3 === 1
            ? store.ledger.record("a", { ...rows, urgent: true })
            : store.ledger.load("a", run.id)
        assert.strictEqual(isLogged(), i % 3 !== 2, `after record ${i}`)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("has all files of its first start on the disk before it counts as made", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* folder, "memory")
      const before: Array<number> = []
      yield* replaced("fsyncSync", (real) => (file) => {
        real(file)
        if (!existsSync(join(dataDir, "ready"))) before.push(fstatSync(file).ino)
      })
      yield* Effect.scoped(makeStore({ dataDir }))
      for (const name of ["PG_VERSION", "global/pg_control", "base", "base/5", "base/5/1259", "postgresql.conf"]) {
        assert.include(before, statSync(join(dataDir, "database", name)).ino, name)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("flushes nothing when it has no files", () =>
    Effect.gen(function* () {
      const files = yield* flushed
      const store = yield* makeStore()
      yield* store.commit("a", commit(thought()))
      assert.deepStrictEqual(files, [])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "ends when a flush fails, acknowledges nothing more, and has what it acknowledged when it is opened again",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.promise(() => prefill(dataDir))
        const [kept, lost] = [thought(), thought()]
        yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
            yield* store.commit("a", commit(kept, { notes: [note(kept.id, 1)] }))
            yield* replaced("fsyncSync", () => () => {
              throw failing("EIO")
            })
            for (let i = 0; i < 2; i++) {
              const { isRetryable, message, reason } = yield* Effect.flip(store.commit("a", commit(lost)))
              assert.deepStrictEqual([reason._tag, isRetryable], ["Connection", false])
              assert.match(message, /has stopped: it broke off\. Close it and open the memory again/)
            }
            const reading = yield* Effect.flip(store.load("a", { id: kept.id }))
            assert.include(reading.message, "has stopped")
          })
        )
        const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
        assert.strictEqual((yield* store.load("a", { id: kept.id }))?.notes.length, 1)
        assert.strictEqual(yield* store.commit("a", commit(thought())), 1)
      }).pipe(Effect.scoped)
  )
})
