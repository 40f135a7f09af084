/** What is left after a failure of the power, at its worst: of the log what was flushed, of every other file all that was written. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fs from "node:fs"
import { join } from "node:path"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { answered, call, newRun, step } from "../../src/testing/contract/ledger/rows.ts"
import { commit, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { random } from "../../src/testing/contract/stage/random.ts"
import { replaced } from "./builtin.ts"
import { folder } from "./folder.ts"
import { prefill } from "./prefilled.ts"

/** A text that cannot be compressed. */
const noise = (rng: ReturnType<typeof random>, length: number): string =>
  Array.from({ length }, () => String.fromCharCode(0x4e00 + rng.below(0x5000))).join("")

/** Copies a memory as the power's failure would leave it now, and calls `onPage` when a page of a table was written. */
const power = Effect.fnUntraced(function* (dataDir: string) {
  const log = join(dataDir, "database", "pg_wal")
  const isLog = (file: number) => fs.readlinkSync(`/proc/self/fd/${file}`).startsWith(log)
  /** What was flushed of the files of the log, by their numbers. */
  const flushed = new Map<number, Buffer>()
  const keep = (path: string) => flushed.set(fs.statSync(path).ino, fs.readFileSync(path))
  for (const name of fs.readdirSync(log)) if (fs.statSync(join(log, name)).isFile()) keep(join(log, name))
  let onPage = () => {}
  yield* replaced("fsyncSync", (real) => (file) => {
    real(file)
    const path = fs.readlinkSync(`/proc/self/fd/${file}`)
    if (path.startsWith(`${log}/`)) keep(path)
  })
  yield* replaced("writeSync", (real) => {
    const write = (...args: ReadonlyArray<unknown>): number => {
      const written = Reflect.apply(real, fs, args) as number
      const [file, buffer, offset, length] = args as readonly [number, Int8Array, number, number]
      if (!isLog(file) && buffer.subarray(offset, offset + length).some((byte) => byte !== 0)) onPage()
      return written
    }
    return write
  })
  const fail = (copy: string) => {
    fs.cpSync(dataDir, copy, { recursive: true, filter: (path) => !/lock\./.test(path) })
    for (const name of fs.readdirSync(log)) {
      const content = flushed.get(fs.statSync(join(log, name)).ino)
      if (content !== undefined) fs.writeFileSync(join(copy, "database", "pg_wal", name), content)
    }
  }
  return {
    fail,
    /** Fails at the first page of a table that is written from now on. */
    failAtPage: (copy: string) => {
      onPage = () => {
        onPage = () => {}
        fail(copy)
      }
    }
  }
})

describe.skipIf(process.platform !== "linux")("after a failure of the power", { timeout: 120_000 }, () => {
  it.effect("a memory has all commits and urgent rows, and of the others those before the last flush", () =>
    Effect.gen(function* () {
      const parent = yield* folder
      const dataDir = join(parent, "memory")
      yield* Effect.promise(() => prefill(dataDir))
      const [row, rng] = [thought(), random(5)]
      const run = newRun(row.id)
      const rows = { runId: run.id, epoch: 1 }
      const late = (n: number, response?: string) => ({
        calls: [answered("/late@0", n, response === undefined ? {} : { response })]
      })
      let written = 0
      yield* Effect.gen(function* () {
        const { fail, failAtPage } = yield* power(dataDir)
        const { commit: write, ledger } = yield* PgliteMemory.makeStore({ dataDir, thread: false })
        yield* write("a", commit(row, { ledger: { ...rows, begins: [run] } }))
        yield* ledger.record("a", { ...rows, ...late(written++) })
        yield* ledger.record("a", { ...rows, urgent: true, steps: [step("/urgent@0")] })
        yield* ledger.record("a", { ...rows, ...late(written++) })
        fail(join(parent, "before"))
        yield* write(
          "a",
          commit(row, { version: 1, notes: [note(row.id, 1)], ledger: { ...rows, calls: [call("/commit@0", 0)] } })
        )
        yield* ledger.record("a", { ...rows, ...late(written++) })
        fail(join(parent, "after"))
        // the log grows until its rows are written to their tables
        failAtPage(join(parent, "saving"))
        while (!fs.existsSync(join(parent, "saving"))) {
          yield* ledger.record("a", { ...rows, ...late(written++, noise(rng, 500_000)) })
        }
      }).pipe(Effect.scoped)
      const left = Effect.fnUntraced(function* (copy: string) {
        const store = yield* PgliteMemory.makeStore({ dataDir: join(parent, copy), thread: false })
        const stored = yield* store.ledger.load("a", run.id)
        const version = (yield* store.load("a", { id: row.id }))?.version ?? 0
        yield* store.ledger.record("a", { ...rows, ...late(1000) })
        assert.strictEqual(
          yield* store.commit("a", commit(row, { version, notes: [note(row.id, version)] })),
          version + 1
        )
        const numbers = stored?.calls.filter(({ frame }) => frame === "/late@0").map(({ n }) => n)
        return { version, steps: stored?.steps.length, late: numbers }
      }, Effect.scoped)
      assert.deepStrictEqual(yield* left("before"), { version: 1, steps: 1, late: [0] })
      assert.deepStrictEqual(yield* left("after"), { version: 2, steps: 1, late: [0, 1] })
      // all that is described by the log was flushed before a page was written
      assert.deepStrictEqual(yield* left("saving"), {
        version: 2,
        steps: 1,
        late: Array.from({ length: written }, (_, n) => n)
      })
    }).pipe(Effect.scoped)
  )
})
