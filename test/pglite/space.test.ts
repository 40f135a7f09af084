/** A disk that is full, or nearly: changes are refused in time, nothing is lost, and what can be read is read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { MemoryError } from "../../src/Memory.ts"
import type { Store } from "../../src/Store.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { newRun } from "../../src/testing/contract/ledger/rows.ts"
import { commit, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { failing, replaced } from "./builtin.ts"
import { folder } from "./folder.ts"
import { prefill } from "./prefilled.ts"

const MiB = 1024 * 1024

/** The disks say that as much is free. */
const withFree = (bytes: () => number) =>
  replaced("statfsSync", (real) =>
    Object.assign(
      (...args: Parameters<typeof real>) => Object.assign(real(...args), { bsize: 1, bavail: bytes() }),
      real
    )
  )

const nearlyFull = Effect.fnUntraced(function* (effect: Effect.Effect<unknown, MemoryError>) {
  const error = yield* Effect.flip(effect)
  assert.deepStrictEqual([error.reason._tag, error.isRetryable], ["Connection", false])
  assert.match(
    error.message,
    /^The disk of the memory's directory is nearly full: it has \d+ MiB left, and .* needs \d+\. /
  )
  assert.match(error.message, /Nothing was changed; free space and try again\.$/)
})

const has = (store: Store, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) =>
    Effect.map(store.load("a", { id }), (stored) => assert.strictEqual(stored?.notes.length, 1, id))
  )

const prefilled = Effect.gen(function* () {
  const dataDir = join(yield* folder, "memory")
  yield* Effect.promise(() => prefill(dataDir))
  return dataDir
})

describe("a memory on a disk that is nearly full", { timeout: 120_000 }, () => {
  it.effect("refuses changes, reads, and goes on when there is space again", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      let free = 1000 * MiB
      yield* withFree(() => free)
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      const [first, second, large] = [thought(), thought(), thought()]
      yield* store.commit("a", commit(first, { notes: [note(first.id, 1)] }))
      free = 48 * MiB - 1
      yield* nearlyFull(store.commit("a", commit(second, { notes: [note(second.id, 1)] })))
      yield* nearlyFull(store.remove("a", { id: first.id }, { materialize: false }))
      yield* nearlyFull(store.optimize({ index: "auto" }))
      yield* has(store, [first.id])
      assert.isUndefined(yield* store.load("a", { id: second.id }))
      free = 48 * MiB
      yield* store.commit("a", commit(second, { notes: [note(second.id, 1)] }))
      // what is large needs more
      const change = commit(large, { notes: [note(large.id, 1, { content: "large ".repeat(40_000) })] })
      yield* nearlyFull(store.commit("a", change))
      assert.isUndefined(yield* store.load("a", { id: large.id }))
      // what counts are bytes: these are two for each character
      const wide = thought()
      free = 48 * MiB
      yield* nearlyFull(store.commit("a", commit(wide, { notes: [note(wide.id, 1, { content: "ä".repeat(40_000) })] })))
      // and those of all notes together, of which none is large
      const many = thought()
      const content = "small ".repeat(2000)
      const several = Array.from({ length: 8 }, (_, i) => note(many.id, i + 1, { content }))
      yield* nearlyFull(store.commit("a", commit(many, { notes: several })))
      assert.isUndefined(yield* store.load("a", { id: many.id }))
      free = 50 * MiB
      yield* store.commit("a", change)
      yield* has(store, [first.id, second.id, large.id])
    }).pipe(Effect.scoped)
  )

  it.effect("makes room by a checkpoint, which needs less room than a change", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      const control = join(dataDir, "database", "global", "pg_control")
      let least = Number.POSITIVE_INFINITY
      let before = ""
      const current = () => readFileSync(control, "hex")
      // once a checkpoint is on the disk, the log that it has made useless is gone
      yield* withFree(() => (current() === before ? least : 1000 * MiB))
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      const fill = (bytes: number) => {
        before = current()
        least = bytes
      }
      const [none, some, later] = [thought(), thought(), thought()]
      fill(20 * MiB - 1)
      yield* nearlyFull(store.commit("a", commit(none)))
      assert.strictEqual(current(), before)
      fill(20 * MiB)
      assert.strictEqual(yield* store.commit("a", commit(some)), 1)
      assert.notStrictEqual(current(), before)
      // rows that may wait for their flush need the same room
      const run = newRun(some.id)
      fill(20 * MiB - 1)
      yield* nearlyFull(store.ledger.record("a", { runId: run.id, epoch: 1, begins: [run] }))
      fill(20 * MiB)
      yield* store.ledger.record("a", { runId: run.id, epoch: 1, begins: [run] })
      assert.strictEqual(yield* store.commit("a", commit(later)), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("says so at its start, a first one or a later one, and starts when there is space", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      let free = 20 * MiB - 1
      yield* withFree(() => free)
      const start = (path: string) =>
        Effect.asVoid(Effect.scoped(PgliteMemory.makeStore({ dataDir: path, thread: false })))
      yield* nearlyFull(start(dataDir))
      free = 96 * MiB - 1
      yield* nearlyFull(start(join(dataDir, "..", "another")))
      free = 20 * MiB
      yield* start(dataDir)
    }).pipe(Effect.scoped)
  )

  it.effect("is not refused where the system does not tell how much is free", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      yield* replaced("statfsSync", (real) =>
        Object.assign(() => {
          throw failing("ENOSYS")
        }, real)
      )
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      assert.strictEqual(yield* store.commit("a", commit(thought())), 1)
    }).pipe(Effect.scoped)
  )
})

describe("a memory whose disk is filled by somebody else in the middle of a change", { timeout: 120_000 }, () => {
  it.effect("ends with an error that says so, and has what it acknowledged when it is opened again", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      const kept = thought()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
          yield* store.commit("a", commit(kept, { notes: [note(kept.id, 1)] }))
          yield* replaced("writeSync", (real) =>
            Object.assign(() => {
              throw failing("ENOSPC")
            }, real)
          )
          for (let i = 0; i < 2; i++) {
            const { isRetryable, message } = yield* Effect.flip(store.commit("a", commit(thought())))
            assert.isFalse(isRetryable)
            assert.match(message, /has stopped: the disk is full\. Free space and open the memory again/)
          }
        })
      )
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      yield* has(store, [kept.id])
      assert.strictEqual(yield* store.commit("a", commit(thought())), 1)
    }).pipe(Effect.scoped)
  )
})

/** A disk of its own, of a few megabytes, where the user may have one. */
const smallDisk = Effect.acquireRelease(
  Effect.gen(function* () {
    const path = yield* folder
    const { status } = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=220m", "cogito-test", path])
    return { path, mounted: status === 0 }
  }),
  ({ mounted, path }) => Effect.sync(() => mounted && spawnSync("/bin/umount", [path]))
)

/** Leaves as many bytes of a disk free. */
const fill = (path: string, leave: number) => {
  rmSync(join(path, "ballast"), { force: true })
  const { bavail, bsize } = statfsSync(path)
  if (bavail * bsize > leave) writeFileSync(join(path, "ballast"), Buffer.alloc(bavail * bsize - leave, 1))
}

const mountable = process.platform === "linux" && process.geteuid?.() === 0
if (!mountable) process.stderr.write("Only root may mount a small disk: a full disk is tested by simulation alone.\n")

describe.runIf(mountable)("a memory on a small disk", { timeout: 120_000 }, () => {
  it.effect("is never stopped by filling it, and loses nothing", () =>
    Effect.gen(function* () {
      const { mounted, path } = yield* smallDisk
      assert.isTrue(mounted)
      const dataDir = join(path, "memory")
      yield* Effect.promise(() => prefill(dataDir))
      writeFileSync(join(path, "ballast"), Buffer.alloc(70 * MiB, 1))
      const ids: Array<string> = []
      const content = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join(" ")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
          const add = Effect.gen(function* () {
            const row = thought()
            yield* store.commit("a", commit(row, { notes: [note(row.id, 1, { content })] }))
            ids.push(row.id)
          })
          yield* nearlyFull(Effect.forever(add))
          assert.isAbove(ids.length, 10)
          fill(path, 0)
          yield* nearlyFull(add)
          yield* has(store, ids)
          rmSync(join(path, "ballast"))
          yield* store.remove("a", { id: ids.shift() ?? "" }, { materialize: false }).pipe(Effect.ignore)
        })
      )
      const store = yield* PgliteMemory.makeStore({ dataDir, thread: false })
      yield* has(store, ids)
      assert.strictEqual(yield* store.commit("a", commit(thought())), 1)
    }).pipe(Effect.scoped)
  )
})
