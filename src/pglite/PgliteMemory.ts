/**
 * A memory in an embedded Postgres (PGlite) with pgvector: in one directory of files or without files, and without a server.
 *
 * **Details**
 *
 * It needs the packages `@electric-sql/pglite` 0.5.14, `@electric-sql/pglite-pgvector` 0.0.15 and `kysely`, which are
 * loaded when the store is opened. The database runs in a worker thread, so its start and its statements leave the event loop
 * free. Where no thread can start, as in a bundle without the thread's file, it runs in the calling thread. One process at a
 * time owns a directory.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { taking } from "../arguments/taking.ts"
import type { Embedder } from "../Embedder.ts"
import { make, Memory, type MemoryError } from "../Memory.ts"
import type { EmbedderOptions, WordsOnly } from "../memory/model/EmbedderChange.ts"
import type { Store } from "../Store.ts"
import { packages } from "./packages.ts"

/**
 * Options of a store in an embedded database.
 *
 * - `dataDir`: path of a directory, which is created if it is missing; it must be empty or hold a memory. Without it the rows
 *   live in memory until the scope closes
 * - `thread`: whether the database runs in a worker thread of its own. With `false` it runs in the calling thread, which
 *   does nothing else while a statement runs. Default: `true`
 *
 * @category models
 */
export interface StoreOptions {
  readonly dataDir?: string
  readonly thread?: boolean
}

/**
 * Options of a memory in an embedded database.
 *
 * - `scope`: the tenant of programs that name none (default: `"local"`)
 *
 * @category models
 */
export interface Options extends StoreOptions, EmbedderOptions {
  readonly scope?: string
}

/**
 * Opens the plain store until the scope closes.
 *
 * **Details**
 *
 * When the scope closes, the database is closed and the directory is free again. A first start takes some 3 seconds, a later
 * one 1. The next start can use a directory whose first start was cut off. Committed rows survive the death of the process and
 * a power failure. Only the user who runs the program may use the files (0700 and 0600); Windows has no such rights.
 *
 * Fails with `Locked` and the owner's `pid` if another process or layer has the directory open. Fails with `Corrupt` if the
 * directory holds something else, has lost a part, or was written by a newer version of cogito. Fails with `Connection` if a
 * package is missing, the directory cannot be written, the disk has less than 48 MiB left, or the database does not start.
 *
 * **Example** (A store that survives its scope)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect } from "effect"
 * import { PgliteMemory } from "cogito/pglite"
 *
 * const dataDir = join(mkdtempSync(join(tmpdir(), "cogito-")), "memory")
 * const thought = {
 *   id: "01981f5e-0000-7000-8000-000000000001",
 *   traceId: "ticket-7",
 *   taskId: undefined,
 *   intent: "triage a support ticket",
 *   createdMillis: 0,
 *   parent: undefined,
 *   hidden: new Map(),
 *   checkpoints: new Map()
 * }
 * const commit = { thought, version: 0, notes: [], entries: [], removed: [], nextIndex: 0, usage: undefined, parent: undefined }
 *
 * const write = Effect.gen(function*() {
 *   const store = yield* PgliteMemory.makeStore({ dataDir })
 *   return yield* store.commit("local", commit)
 * })
 * const read = Effect.gen(function*() {
 *   const store = yield* PgliteMemory.makeStore({ dataDir })
 *   return yield* store.load("local", { traceId: "ticket-7" })
 * })
 *
 * assert.equal(await Effect.runPromise(Effect.scoped(write)), 1)
 * assert.equal((await Effect.runPromise(Effect.scoped(read)))?.thought.intent, "triage a support ticket")
 * rmSync(dataDir, { recursive: true })
 * ```
 *
 * @category constructors
 */
export const makeStore = taking("PgliteMemory.makeStore", { options: 0, optional: true, known: ["dataDir", "thread"] })(
  (options: StoreOptions = {}): Effect.Effect<Store, MemoryError, Scope.Scope> =>
    Effect.flatMap(packages, (store) => store.make(options))
)

/**
 * Provides a memory in an embedded database.
 *
 * **Details**
 *
 * It embeds notes with the embedder in the context. With `embedder: "none"` it requires none and finds notes by their words
 * alone. Fails as `makeStore` does.
 *
 * **Example** (Keeping thoughts in a directory)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Memory } from "cogito"
 * import { Local } from "cogito/local"
 * import { PgliteMemory } from "cogito/pglite"
 *
 * // In an application: PgliteMemory.layer({ dataDir: ".cogito/memory" })
 * const live = PgliteMemory.layer().pipe(Layer.provide(Local.embedder))
 *
 * const found = await Effect.runPromise(Memory.search("refunds").pipe(Effect.provide(live)))
 *
 * assert.deepEqual(found.matches, [])
 * ```
 *
 * @category layers
 */
export function layer(options: Options & WordsOnly): Layer.Layer<Memory, MemoryError>
export function layer(options?: Options): Layer.Layer<Memory, MemoryError, Embedder>
export function layer(options: Options = {}): Layer.Layer<Memory, MemoryError, Embedder> {
  checkLayer(options)
  return Layer.effect(
    Memory,
    Effect.flatMap(makeStore(options), (store) => make({ ...options, store, scope: options.scope ?? "local" }))
  )
}

/** Checks the layer's options at run time. */
const checkLayer = taking("PgliteMemory.layer", {
  options: 0,
  optional: true,
  known: ["dataDir", "thread", "scope", "embedder", "onEmbedderChange", "previousEmbedder"]
})((_options: Options): void => {})
