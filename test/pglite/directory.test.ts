import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { existsSync, readdirSync } from "node:fs"
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Embedder } from "../../src/Embedder.ts"
import { Memory } from "../../src/Memory.ts"
import * as Thought from "../../src/Thought.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { migrations } from "../../src/sql/migrations/migrations.ts"
import { nearby } from "../../src/testing/contract/stage/query.ts"
import { commit, entry, note, plain, thought } from "../../src/testing/contract/stage/rows.ts"
import { folder } from "./folder.ts"
import { makeStore, prefill } from "./prefilled.ts"
import { spawnChild } from "./process.ts"

const reasonOf = <A, R>(
  effect: Effect.Effect<A, { readonly reason: { readonly _tag: string; readonly pid?: number } }, R>
) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

/** The database of a directory that no store has open, with nothing of ours in between. */
const raw = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(() => PGlite.create({ dataDir: join(directory, "database"), extensions: { vector } })),
    (database) => Effect.promise(() => database.close())
  )

const embedder = Layer.succeed(Embedder, {
  id: "lengths",
  dimensions: 2,
  maxTokens: 1000,
  metric: "cosine",
  embedMany: (texts) =>
    Effect.succeed(texts.map((text) => Float32Array.of(Math.cos(text.length), Math.sin(text.length))))
})

describe("a memory's directory", () => {
  it.effect("keeps thoughts and vectors from one opening to the next", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* folder, "deep", "memory")
      const row = thought()
      const written = note(row.id, 1)
      const space = { embedder: "e", dimensions: 2, metric: "cosine" } as const
      const first = Effect.gen(function* () {
        const store = yield* makeStore({ dataDir })
        yield* store.openSpace(space)
        yield* store.commit("a", commit(row, { notes: [written] }))
        yield* store.putVectors("a", space, [{ noteId: written.id, vector: Float32Array.of(0, 1) }])
        return plain(yield* store.load("a", { id: row.id }))
      })
      const second = Effect.gen(function* () {
        const store = yield* PgliteMemory.makeStore({ dataDir })
        yield* store.openSpace(space)
        const found = yield* nearby(store, "a", space, Float32Array.of(0, 1), { limit: 10 })
        assert.deepStrictEqual(
          found.map((match) => match.note.id),
          [written.id]
        )
        return plain(yield* store.load("a", { id: row.id }))
      })
      const before = yield* Effect.scoped(first)
      assert.deepStrictEqual(yield* Effect.scoped(second), before)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is open once: a second layer of the process and another process learn who has it",
    () =>
      Effect.gen(function* () {
        const parent = yield* folder
        const dataDir = join(parent, "memory")
        yield* Effect.promise(() => prefill(dataDir))
        const scope = yield* Scope.make()
        yield* Scope.provide(makeStore({ dataDir }), scope)
        yield* Effect.promise(() => symlink(dataDir, join(parent, "link")))
        for (const path of [dataDir, `${dataDir}/../memory/`, join(parent, "link")]) {
          const { message, reason } = yield* Effect.flip(Effect.scoped(makeStore({ dataDir: path })))
          assert.deepStrictEqual([reason._tag, "pid" in reason && reason.pid], ["Locked", process.pid])
          assert.match(message, /already open in this process: build its layer once .* ManagedRuntime/)
          assert.notInclude(message, String(process.pid))
        }
        const refused = yield* spawnChild("hold", dataDir)
        assert.deepStrictEqual(yield* refused.line, ["started"])
        assert.deepStrictEqual(yield* refused.line, ["Locked", String(process.pid)])
        yield* Scope.close(scope, Exit.void)
        const owner = yield* spawnChild("hold", dataDir)
        assert.deepStrictEqual(yield* owner.line, ["started"])
        assert.deepStrictEqual(yield* owner.line, ["open", String(owner.pid)])
        const { message, reason } = yield* Effect.flip(Effect.scoped(makeStore({ dataDir })))
        assert.deepStrictEqual([reason._tag, "pid" in reason && reason.pid], ["Locked", owner.pid])
        assert.include(message, `is open in process ${owner.pid} on `)
        yield* owner.kill
        const store = yield* makeStore({ dataDir })
        assert.strictEqual(yield* store.commit("a", commit(thought())), 1)
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "is closed and free again after an interruption, during the start and after it",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        for (const turns of [0, 8, 32]) {
          const fiber = yield* Effect.forkChild(Effect.scoped(Effect.andThen(makeStore({ dataDir }), Effect.never)))
          for (let i = 0; i < turns; i++) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
          yield* Fiber.interrupt(fiber)
          const store = yield* Effect.exit(Effect.scoped(makeStore({ dataDir })))
          assert.isTrue(Exit.isSuccess(store), `after ${turns} turns of the event loop`)
        }
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "must be empty or a memory's, and is left as it is otherwise",
    () =>
      Effect.gen(function* () {
        const parent = yield* folder
        const at = (name: string) => join(parent, name)
        const [full, lost, file, hidden] = [at("full"), at("lost"), at("file"), at("hidden")]
        const [mixed, locked] = [at("mixed"), at("locked")]
        yield* Effect.promise(async () => {
          await mkdir(join(full, "database"), { recursive: true })
          await writeFile(join(full, "database", "precious"), "data")
          await mkdir(lost)
          await writeFile(join(lost, "ready"), "")
          await writeFile(file, "")
          await mkdir(join(hidden, "lost+found"), { recursive: true })
          await writeFile(join(hidden, ".gitkeep"), "")
          await mkdir(mixed)
          for (const name of [".gitkeep", "precious"]) await writeFile(join(mixed, name), "")
          await mkdir(join(locked, "lock.1"), { recursive: true })
          await writeFile(join(locked, "precious"), "data")
        })
        const tag = (dataDir: string) => Effect.map(reasonOf(Effect.scoped(makeStore({ dataDir }))), ({ _tag }) => _tag)
        assert.strictEqual(yield* tag(full), "Corrupt")
        assert.strictEqual(yield* Effect.promise(() => readFile(join(full, "database", "precious"), "utf8")), "data")
        assert.deepStrictEqual(readdirSync(full), ["database"])
        assert.strictEqual(yield* tag(lost), "Corrupt")
        assert.strictEqual(yield* tag(mixed), "Corrupt")
        assert.deepStrictEqual(readdirSync(mixed).toSorted(), [".gitkeep", "precious"])
        assert.strictEqual(yield* tag(locked), "Corrupt")
        assert.strictEqual(yield* Effect.promise(() => readFile(join(locked, "precious"), "utf8")), "data")
        // Node's own recursive mkdir never comes back from a folder under /proc
        for (const path of [
          file,
          join(file, "below"),
          ...(process.platform === "linux" ? ["/proc/no/such"] : []),
          "",
          " ",
          "memory://x",
          "idb://x"
        ]) {
          assert.strictEqual(yield* tag(path), "Connection")
        }
        yield* Effect.scoped(makeStore({ dataDir: hidden }))
        assert.isTrue(existsSync(join(hidden, "ready")))
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "is made anew when its first start was cut off, and its lock folders are swept away",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.promise(async () => {
          await mkdir(join(dataDir, "database", "base"), { recursive: true })
          await mkdir(join(dataDir, "lock.1"))
          await writeFile(join(dataDir, "initialising"), "")
          // as far as PGlite can tell this is a whole database
          await writeFile(join(dataDir, "database", "PG_VERSION"), "18\n")
        })
        yield* Effect.scoped(makeStore({ dataDir }))
        assert.deepStrictEqual(readdirSync(dataDir).toSorted(), ["database", "lock.2", "ready"])
        // somebody has removed the lock folders, as the message about an owner elsewhere says
        const unlocked = join(dataDir, "..", "unlocked")
        yield* Effect.promise(async () => {
          await mkdir(join(unlocked, "database"), { recursive: true })
          await writeFile(join(unlocked, "initialising"), "")
        })
        yield* Effect.scoped(makeStore({ dataDir: unlocked }))
        assert.deepStrictEqual(readdirSync(unlocked).toSorted(), ["database", "lock.1", "ready"])
        yield* Effect.promise(() => rm(join(unlocked, "lock.1"), { recursive: true }))
        yield* Effect.scoped(makeStore({ dataDir: unlocked }))
        assert.deepStrictEqual(readdirSync(unlocked).toSorted(), ["database", "lock.1", "ready"])
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "is refused when a newer version has written it, and opens again once that is undone",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.promise(() => prefill(dataDir))
        const change = (statement: string) =>
          Effect.scoped(Effect.flatMap(raw(dataDir), (database) => Effect.promise(() => database.query(statement))))
        yield* change("insert into cogito.migration values ('9999_later', '2030-01-01')")
        const reason = yield* reasonOf(Effect.scoped(makeStore({ dataDir })))
        assert.strictEqual(reason._tag, "Corrupt")
        yield* change("delete from cogito.migration where name = '9999_later'")
        yield* Effect.scoped(makeStore({ dataDir }))
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "leaves nothing beside the database and its marks, however often it is opened",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        for (let i = 0; i < 2; i++) yield* Effect.scoped(makeStore({ dataDir }))
        assert.deepStrictEqual(readdirSync(dataDir).toSorted(), ["database", "lock.2", "ready"])
      }).pipe(Effect.scoped),
    60_000
  )
})

describe("a memory's database", () => {
  it.effect(
    "gets its schema once, and keeps it when it is opened again",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        const schema = Effect.scoped(
          Effect.gen(function* () {
            const database = yield* raw(dataDir)
            const rows = (statement: string) =>
              Effect.map(
                Effect.promise(() => database.query(statement)),
                (result) => result.rows
              )
            return {
              migrations: yield* rows("select name, timestamp from cogito.migration order by name"),
              columns: yield* rows(
                "select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns " +
                  "where table_schema = 'cogito' order by 1, 2"
              ),
              objects: yield* rows(
                "select relname, oid::int from pg_class where relnamespace = 'cogito'::regnamespace order by 1"
              ),
              triggers: yield* rows("select tgname, oid::int from pg_trigger order by 1, 2")
            }
          })
        )
        yield* Effect.scoped(makeStore({ dataDir }))
        const first = yield* schema
        assert.strictEqual(first.migrations.length, Object.keys(migrations).length)
        assert.isAbove(first.columns.length, 30)
        yield* Effect.scoped(makeStore({ dataDir }))
        assert.deepStrictEqual(yield* schema, first)
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "refuses to change or lose what was written, whoever asks",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.promise(() => prefill(dataDir))
        const row = thought({ hidden: new Map([["a", 1]]), taskId: "t" })
        const written = commit(row, { notes: [note(row.id, 1)], entries: [entry(0), entry(1)], nextIndex: 2 })
        const expected = yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* makeStore({ dataDir })
            yield* store.commit("a", written)
            return plain(yield* store.load("a", { id: row.id }))
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const database = yield* raw(dataDir)
            const codeOf = (statement: string) =>
              Effect.promise(() =>
                database.query(statement).then(
                  () => "",
                  (error: { readonly code?: string }) => error.code
                )
              )
            for (const statement of [
              "update cogito.note set content = 'x'",
              "update cogito.note set seq = 2",
              "delete from cogito.note",
              "truncate cogito.note cascade",
              "update cogito.entry set text = 'x'",
              "update cogito.entry set text = 'x', removed_version = 1",
              "delete from cogito.entry",
              "truncate cogito.entry",
              "update cogito.thought set intent = 'x', version = version + 1",
              "update cogito.thought set trace_id = 'x', version = version + 1",
              "update cogito.thought set task_id = null, version = version + 1",
              "update cogito.thought set hidden = '[]', version = version + 1",
              "update cogito.thought set scope = 'x', version = version + 1",
              "update cogito.thought set last_seq = 0, version = version + 1",
              "update cogito.thought set next_index = 9",
              "delete from cogito.thought",
              "truncate cogito.thought cascade"
            ]) {
              assert.strictEqual(yield* codeOf(statement), "23001", statement)
            }
            assert.strictEqual(yield* codeOf("update cogito.entry set removed_version = 1 where index = 0"), "")
            assert.strictEqual(yield* codeOf("update cogito.entry set removed_version = null where index = 0"), "23001")
          })
        )
        const after = yield* Effect.scoped(
          Effect.flatMap(makeStore({ dataDir }), (store) => store.load("a", { id: row.id }))
        )
        assert.deepStrictEqual({ ...(plain(after) as object), entries: written.entries }, expected as object)
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "never lets a value into an error",
    () =>
      Effect.gen(function* () {
        const store = yield* makeStore()
        const row = thought()
        const secret = note(row.id, 1, { content: "secret content" })
        yield* store.commit("secret scope", commit(row, { notes: [secret] }))
        const again = commit(row, { version: 1, notes: [{ ...secret, seq: 2 }] })
        const error = yield* Effect.flip(store.commit("secret scope", again))
        assert.strictEqual(error.reason._tag, "Query")
        assert.include(error.message, "23505")
        assert.notInclude(JSON.stringify([error, error.message, error.stack, error.cause]), "secret")
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "says that it is closed instead of hanging, once its scope has closed",
    () =>
      Effect.gen(function* () {
        const store = yield* Effect.scoped(makeStore())
        const reason = yield* reasonOf(store.load("a", { traceId: "b" }))
        assert.strictEqual(reason._tag, "Connection")
        assert.strictEqual((yield* reasonOf(store.commit("a", commit(thought()))))._tag, "Connection")
      }),
    60_000
  )

  it.effect(
    "is the memory's layer, with a scope of its own",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.promise(() => prefill(dataDir))
        const use = <A, E>(program: Effect.Effect<A, E, Memory>, scope?: string) =>
          Effect.provide(
            program,
            PgliteMemory.layer({ dataDir, ...(scope === undefined ? {} : { scope }) }).pipe(Layer.provide(embedder))
          )
        const started = yield* Thought.make("greet", { message: "hello" }, { traceId: "t" })
        yield* use(Memory.use((memory) => memory.commit(started)))
        const loaded = yield* use(
          Memory.use((memory) => memory.load({ traceId: "t" })),
          "local"
        )
        assert.strictEqual(loaded.note("message")?.content, "hello")
        const found = yield* use(Memory.use((memory) => memory.search("hullo")))
        assert.deepStrictEqual(
          found.matches.map((match) => match.note.content),
          ["hello"]
        )
        const foreign = yield* reasonOf(
          use(
            Memory.use((memory) => memory.load({ traceId: "t" })),
            "other"
          )
        )
        assert.strictEqual(foreign._tag, "NotFound")
      }).pipe(Effect.scoped),
    60_000
  )
})
