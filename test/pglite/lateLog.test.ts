/** The order in which the embedded database's files are flushed and changed, where flushes of the log may wait. */
import { assert, describe, it } from "@effect/vitest"
import type { PGlite } from "@electric-sql/pglite"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { Disk } from "../../src/pglite/engine/disk.ts"
import { replaced } from "./builtin.ts"
import { folder } from "./folder.ts"

const page = (byte: number) => new Int8Array(8192).fill(byte)

/** A page that follows another one in the memory of the database. */
const beside = (other: number, byte: number) => new Int8Array([...page(other), ...page(byte)]).subarray(8192)

/** Files as Emscripten has them, with a note of all that is done to them. */
const opened = Effect.gen(function* () {
  const done: Array<string> = []
  yield* replaced("fsyncSync", () => (file) => void done.push(`flush ${file}`))
  const noted =
    (what: string) =>
    (...[first]: ReadonlyArray<unknown>): number =>
      done.push(`${what} ${(first as { readonly nfd?: number }).nfd ?? ""}`.trim())
  const [node_ops, stream_ops] = [
    ["mknod", "rename", "setattr", "unlink"],
    ["close", "setattr", "write"]
  ].map((names) => Object.fromEntries((names ?? []).map((name) => [name, noted(name)] as const))) as [
    Record<string, (...args: ReadonlyArray<unknown>) => unknown>,
    Record<string, (...args: ReadonlyArray<any>) => unknown>
  ]
  const disk = new Disk(join(yield* folder, "database"))
  const { emscriptenOpts } = yield* Effect.promise(() => disk.init({} as PGlite, {}))
  emscriptenOpts.preRun?.at(-1)?.({ FS: { filesystems: { NODEFS: { node_ops, stream_ops } } } } as never)
  const file = (nfd: number, path: string) => ({ nfd, path: `/data/${path}`, node: { mode: 0o100600 } })
  return {
    disk,
    done,
    node: node_ops,
    stream: stream_ops,
    log: file(1, "pg_wal/000000010000000000000001"),
    next: file(2, "pg_wal/000000010000000000000002"),
    table: file(3, "base/5/1259")
  }
})

type Opened = Effect.Success<typeof opened>

const cases: ReadonlyArray<readonly [what: string, run: (files: Opened) => unknown, then: ReadonlyArray<string>]> = [
  ["a page of a table", ({ stream, table }) => stream["write"]?.(table, page(1), 0, 8192, 0), ["flush 1", "write 3"]],
  [
    "the end of a page",
    ({ stream, table }) => stream["write"]?.(table, page(0).fill(1, 8191), 0, 8192, 0),
    ["flush 1", "write 3"]
  ],
  ["an empty page", ({ stream, table }) => stream["write"]?.(table, page(1).fill(0, 9), 9, 8183, 0), ["write 3"]],
  [
    "an empty page beside one that is not",
    ({ stream, table }) => stream["write"]?.(table, beside(1, 0), 0, 8192, 0),
    ["write 3"]
  ],
  [
    "a page beside an empty one",
    ({ stream, table }) => stream["write"]?.(table, beside(0, 1), 0, 8192, 0),
    ["flush 1", "write 3"]
  ],
  [
    "the second of two pages that are written at once",
    ({ stream, table }) => stream["write"]?.(table, new Int8Array([...page(0), ...page(1)]), 0, 16_384, 0),
    ["flush 1", "write 3"]
  ],
  ["the log", ({ log, stream }) => stream["write"]?.(log, page(1), 0, 8192, 0), ["write 1"]],
  ["the length of a table", ({ stream, table }) => stream["setattr"]?.(table, { size: 0 }), ["flush 1", "setattr 3"]],
  ["the length of a closed table", ({ node }) => node["setattr"]?.({}, { size: 0 }), ["flush 1", "setattr"]],
  ["the rights of a file", ({ node }) => node["setattr"]?.({}, { mode: 0o100600 }), ["setattr"]],
  ["a name", ({ node }) => node["rename"]?.({}, {}, "name"), ["flush 1", "rename"]],
  ["a file that is deleted", ({ node }) => node["unlink"]?.({}, "name"), ["flush 1", "unlink"]],
  ["the log that is closed", ({ log, stream }) => stream["close"]?.(log), ["flush 1", "close 1"]],
  ["another file that is closed", ({ stream, table }) => stream["close"]?.(table), ["close 3"]],
  ["a flush of a table", ({ stream, table }) => stream["fsync"]?.(table), ["flush 1", "flush 3"]]
]

describe("a flush of the log that waits", () => {
  for (const [what, run, then] of cases) {
    it.effect(`${then.includes("flush 1") ? "comes before" : "waits in spite of"} ${what}`, () =>
      Effect.gen(function* () {
        const files = yield* opened
        const { disk, done, log, stream } = files
        disk.log.mayWait = true
        stream["fsync"]?.(log)
        assert.deepStrictEqual(done, [])
        disk.log.mayWait = false
        run(files)
        assert.deepStrictEqual(done, then)
        // once is enough
        const before = done.length
        run(files)
        assert.notInclude(done.slice(before), "flush 1")
      }).pipe(Effect.scoped)
    )
  }

  it.effect("comes with the next one, also of another file of the log", () =>
    Effect.gen(function* () {
      const { disk, done, log, next, stream } = yield* opened
      disk.log.mayWait = true
      stream["fsync"]?.(log)
      stream["fsync"]?.(log)
      stream["fsync"]?.(next)
      disk.log.mayWait = false
      stream["fsync"]?.(next)
      assert.deepStrictEqual(done, ["flush 1", "flush 2"])
      stream["fsync"]?.(log)
      assert.deepStrictEqual(done.slice(2), ["flush 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("is still due if it fails", () =>
    Effect.gen(function* () {
      const { disk, done, log, stream, table } = yield* opened
      disk.log.mayWait = true
      stream["fsync"]?.(log)
      disk.log.mayWait = false
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* replaced("fsyncSync", () => () => {
            throw new Error("EIO")
          })
          assert.throws(() => stream["write"]?.(table, page(1), 0, 8192, 0), "EIO")
        })
      )
      assert.deepStrictEqual(done, [])
      stream["write"]?.(table, page(1), 0, 8192, 0)
      assert.deepStrictEqual(done, ["flush 1", "write 3"])
    }).pipe(Effect.scoped)
  )
})
