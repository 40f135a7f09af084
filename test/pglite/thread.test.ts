/** The embedded database in a thread of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Worker } from "node:worker_threads"
import { Stopped } from "../../src/pglite/engine/connection.ts"
import { errorOf, failureOf } from "../../src/pglite/engine/messages.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { codeOf } from "../../src/sql/database/failure.ts"
import { commit, note, plain, thought } from "../../src/testing/contract/stage/rows.ts"
import { bundled, root, run } from "../bundled.ts"
import { databaseFlags, flags } from "../flags.ts"
import { folder } from "./folder.ts"
import { makeStore, prefill } from "./prefilled.ts"

const prefilled = Effect.gen(function* () {
  const dataDir = join(yield* folder, "memory")
  yield* Effect.promise(() => prefill(dataDir))
  return dataDir
})

/** The threads that are started until the scope closes. */
const threads = Effect.gen(function* () {
  const started: Array<Worker> = []
  const add = (thread: Worker) => void started.push(thread)
  process.on("worker", add)
  yield* Effect.addFinalizer(() => Effect.sync(() => process.off("worker", add)))
  return started
})

/** A disk of the threads that are started until the scope closes, and what fills it. */
const disk = Effect.gen(function* () {
  const path = yield* folder
  const [module, full] = [join(path, "disk.mjs"), join(path, "full")]
  writeFileSync(
    module,
    `import fs from "node:fs"
    import { syncBuiltinESMExports } from "node:module"
    const { existsSync, writeSync } = fs
    fs.writeSync = (...what) => {
      if (existsSync(${JSON.stringify(full)})) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
      return writeSync(...what)
    }
    syncBuiltinESMExports()`
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const { NODE_OPTIONS: before = "" } = process.env
      process.env["NODE_OPTIONS"] = `${before} --import=${pathToFileURL(module).href}`
      return before
    }),
    (before) => Effect.sync(() => (process.env["NODE_OPTIONS"] = before))
  )
  return { fill: Effect.sync(() => writeFileSync(full, "")) }
})

/** A program that commits a thought in a store, in the directory that it is given, and prints what it reads. */
const program = `
  import { Effect } from "effect"
  import { PgliteMemory } from ${JSON.stringify(join(root, "src/pglite/index.ts"))}
  const thought = {
    id: "01981f5e-0000-7000-8000-000000000001", traceId: "t", taskId: undefined, intent: "an intent", createdMillis: 0,
    parent: undefined, hidden: new Map(), checkpoints: new Map()
  }
  const change = { thought, version: 0, notes: [], entries: [], removed: [], nextIndex: 0, usage: undefined, parent: undefined }
  await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const store = yield* PgliteMemory.makeStore(process.argv[2] === undefined ? {} : { dataDir: process.argv[2] })
    yield* store.commit("a", change)
    const found = yield* store.load("a", { traceId: "t" })
    console.log(found.thought.intent)
  })))`

describe("a database in a thread of its own", { timeout: 120_000 }, () => {
  it.effect("leaves the event loop free while it opens and while a statement runs", () =>
    Effect.gen(function* () {
      let turns = 0
      const turn = (): void => {
        turns++
        timer = setImmediate(turn)
      }
      let timer = setImmediate(turn)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(timer)))
      const duringOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const before = turns
          return Effect.map(effect, (result) => ({ result, turns: turns - before }))
        })
      const opening = yield* duringOf(makeStore({ thread: true }))
      assert.isAbove(opening.turns, 1000)
      const row = thought()
      const change = commit(row, { notes: [note(row.id, 1, { content: "a word and another one ".repeat(40_000) })] })
      const stored = yield* duringOf(opening.result.commit("a", change))
      assert.isAbove(stored.turns, 100)
    }).pipe(Effect.scoped)
  )

  it.effect("reads what a database in the calling thread has written, and the other way round", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      const rows = [thought(), thought()]
      const read: Array<unknown> = []
      for (const thread of [true, false, true]) {
        const use = Effect.gen(function* () {
          const store = yield* PgliteMemory.makeStore({ dataDir, thread })
          const row = rows[read.length]
          if (row !== undefined) yield* store.commit("a", commit(row, { notes: [note(row.id, 1)] }))
          read.push(yield* Effect.forEach(rows, ({ id }) => Effect.map(store.load("a", { id }), plain)))
        })
        yield* Effect.scoped(use)
      }
      assert.deepStrictEqual(read[2], read[1])
    }).pipe(Effect.scoped)
  )

  it.effect("ends every statement with an error that says what to do if its thread ends, and loses nothing", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      const [kept, lost] = [thought(), thought()]
      const started = yield* threads
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PgliteMemory.makeStore({ dataDir })
          yield* store.commit("a", commit(kept, { notes: [note(kept.id, 1)] }))
          assert.strictEqual(started.length, 1)
          for (const thread of started) void thread.terminate()
          for (let i = 0; i < 2; i++) {
            const { isRetryable, message } = yield* Effect.flip(store.commit("a", commit(lost)))
            assert.isFalse(isRetryable)
            assert.match(message, /has stopped: it broke off\. Close it and open the memory again/)
          }
        })
      )
      const store = yield* PgliteMemory.makeStore({ dataDir })
      assert.strictEqual((yield* store.load("a", { id: kept.id }))?.notes.length, 1)
      assert.isUndefined(yield* store.load("a", { id: lost.id }))
    }).pipe(Effect.scoped)
  )

  it.effect("ends every statement with an error that says that the disk is full, if that has stopped it", () =>
    Effect.gen(function* () {
      const dataDir = yield* prefilled
      const kept = thought()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { fill } = yield* disk
          const store = yield* PgliteMemory.makeStore({ dataDir })
          yield* store.commit("a", commit(kept, { notes: [note(kept.id, 1)] }))
          yield* fill
          for (let i = 0; i < 2; i++) {
            const { isRetryable, message } = yield* Effect.flip(store.commit("a", commit(thought())))
            assert.isFalse(isRetryable)
            assert.match(message, /has stopped: the disk is full\. Free space and open the memory again/)
          }
        })
      )
      const store = yield* PgliteMemory.makeStore({ dataDir })
      assert.strictEqual((yield* store.load("a", { id: kept.id }))?.notes.length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("ends with its scope", () =>
    Effect.gen(function* () {
      const started = yield* threads
      yield* Effect.scoped(Effect.flatMap(makeStore({ thread: true }), (store) => store.commit("a", commit(thought()))))
      assert.deepStrictEqual(
        started.map(({ threadId }) => threadId),
        [-1]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("keeps its process for as long as somebody waits for an answer, and no longer", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "open.ts")
      // the scope stays open, and nothing else happens in the process
      const open = `
        import { Effect, Scope } from ${JSON.stringify(pathToFileURL(join(root, "node_modules/effect/dist/index.js")).href)}
        import { PgliteMemory } from ${JSON.stringify(join(root, "src/pglite/index.ts"))}
        // ends a process that would stay; one that has nothing to do does not wait for this
        setTimeout(() => process.exit(3), 60_000).unref()
        const store = await Effect.runPromise(Scope.provide(PgliteMemory.makeStore(), Scope.makeUnsafe()))
        console.log("open")
        const found = await Effect.runPromise(store.load("a", { traceId: "t" }))
        console.log(found)`
      writeFileSync(file, open)
      const { stderr, stdout } = yield* run(...flags, file)
      assert.deepStrictEqual([stdout, stderr], ["open\nundefined\n", ""])
    }).pipe(Effect.scoped)
  )

  it.effect("runs in the calling thread where no thread can start", () =>
    Effect.gen(function* () {
      const external = ["@electric-sql/pglite", "@electric-sql/pglite-pgvector"]
      const file = yield* bundled(program, external)
      const stored = yield* run(...databaseFlags, file, yield* prefilled)
      assert.strictEqual(stored.stdout, "an intent\n")
      const { stdout } = yield* run(...databaseFlags, "--permission", "--allow-fs-read=*", file)
      assert.strictEqual(stdout, "an intent\n")
    }).pipe(Effect.scoped)
  )
})

describe("a failure in the thread of a database", () => {
  it("is the same outside, with all its texts", () => {
    const refused = Object.assign(new Error("refused"), {
      code: "23505",
      constraint: "note_pkey",
      position: 3,
      cause: {}
    })
    // what the file system of the database throws is no error
    const full = { name: "ErrnoError", code: "ENOSPC", errno: 51 }
    for (const [thrown, name, code, fields] of [
      [refused, "Error", "23505", { code: "23505", constraint: "note_pkey" }],
      [full, "ErrnoError", "ENOSPC", { name: "ErrnoError", code: "ENOSPC" }],
      [new TypeError("not a function"), "TypeError", "TypeError", {}],
      [new RangeError("too long"), "RangeError", "RangeError", {}],
      [new ReferenceError("not defined"), "ReferenceError", "ReferenceError", {}],
      [new Stopped("it broke off"), "Stopped", "Stopped", { name: "Stopped" }],
      [new SyntaxError("other"), "SyntaxError", "Error", {}]
    ] as const) {
      const failure = failureOf(thrown)
      const error = errorOf(structuredClone(failure))
      assert.deepStrictEqual([failure.name, failure.fields, codeOf(error)], [name, fields, code])
      if (thrown instanceof Error && !(thrown instanceof SyntaxError)) {
        assert.strictEqual(error.constructor, thrown.constructor)
        assert.strictEqual(error.message, thrown.message)
      }
    }
  })
})
