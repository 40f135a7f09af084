/**
 * A memory on a Postgres server with pgvector, which many processes can use at once.
 *
 * **Details**
 *
 * It needs the packages `pg` and `kysely`, which are loaded when the store is opened, and on the server Postgres 15 or newer
 * with pgvector 0.8 or newer.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { taking } from "../arguments/taking.ts"
import type { Embedder } from "../Embedder.ts"
import { make, Memory, type MemoryError } from "../Memory.ts"
import type { EmbedderOptions, WordsOnly } from "../memory/model/EmbedderChange.ts"
import type { Store } from "../Store.ts"
import { packages } from "./packages.ts"

/**
 * Options of a store on a server.
 *
 * - `url`: as `postgres://user:password@host:port/database`
 * - `connections`: the most connections at a time (default: 10); `purge`, `remove`, `optimize` and changes of the schema
 *   use up to two more
 * - `waitTimeout`: the longest wait for a free or a new connection (default: 10 seconds)
 * - `statementTimeout`: the longest time for a single statement (default: 30 seconds). The server also ends a transaction whose
 *   process does nothing for half of it
 *
 * @category models
 */
export interface StoreOptions {
  readonly url: string | Redacted.Redacted
  readonly connections?: number
  readonly waitTimeout?: Duration.Input
  readonly statementTimeout?: Duration.Input
}

/**
 * Options of a memory on a server.
 *
 * - `scope`: the tenant of programs that name none; it has no default, as tenants share a server
 *
 * @category models
 */
export interface Options extends StoreOptions, EmbedderOptions {
  readonly scope: string
}

/**
 * Opens the store itself, without a memory around it, until the scope closes.
 *
 * **Details**
 *
 * Updates the schema first, which is safe if several processes start at the same time. When the scope closes, the
 * connections are closed.
 *
 * Fails with `Connection` if a package is missing or the server cannot be reached, and with `Timeout` if it does not answer
 * in time. Fails with `Query` and the code 42501 if the user lacks rights; the message names them and the statements that
 * grant them. Fails with `Query` and the code 0A000 if the server is too old, if pgvector is missing or too old, or if the
 * database is not in UTF8. Fails with `Corrupt` if a newer version of cogito wrote the schema.
 *
 * **Example** (A memory on an own store)
 *
 * ```ts no-run
 * import { Effect } from "effect"
 * import { Memory } from "cogito"
 * import { PostgresMemory } from "cogito/postgres"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* PostgresMemory.makeStore({ url: "postgres://app:secret@localhost:5432/app" })
 *   return yield* Memory.make({ store, scope: "acme", embedder: "none" })
 * })
 *
 * const memory = await Effect.runPromise(Effect.scoped(program))
 * console.log(memory.embedder)
 * ```
 *
 * @category constructors
 */
export const makeStore = taking("PostgresMemory.makeStore", {
  options: 0,
  known: ["url", "connections", "waitTimeout", "statementTimeout"],
  needs: ["url"]
})((options: StoreOptions): Effect.Effect<Store, MemoryError, Scope.Scope> =>
  Effect.flatMap(packages, (store) => store.make(options))
)

/**
 * Provides a memory on a server.
 *
 * **Details**
 *
 * It embeds notes with the embedder in the context. With `embedder: "none"` it requires none and finds notes by their words
 * alone. Fails as `makeStore` does.
 *
 * **Example** (A tenant of a server, with an offline embedder)
 *
 * ```ts no-run
 * import { Effect, Layer } from "effect"
 * import { Memory } from "cogito"
 * import { Local } from "cogito/local"
 * import { PostgresMemory } from "cogito/postgres"
 *
 * const url = process.env["DATABASE_URL"] ?? "postgres://app:secret@localhost:5432/app"
 * const memory = PostgresMemory.layer({ url, scope: "acme" }).pipe(Layer.provide(Local.embedder))
 *
 * const found = await Effect.runPromise(Memory.search("a double charge").pipe(Effect.provide(memory)))
 * console.log(found.matches.length)
 * ```
 *
 * @category layers
 */
export function layer(options: Options & WordsOnly): Layer.Layer<Memory, MemoryError>
export function layer(options: Options): Layer.Layer<Memory, MemoryError, Embedder>
export function layer(options: Options): Layer.Layer<Memory, MemoryError, Embedder> {
  checkLayer(options)
  return Layer.effect(
    Memory,
    Effect.flatMap(makeStore(options), (store) => make({ ...options, store }))
  )
}

/** Checks the layer's options at run time. */
const checkLayer = taking("PostgresMemory.layer", {
  options: 0,
  known: [
    "url",
    "connections",
    "waitTimeout",
    "statementTimeout",
    "scope",
    "embedder",
    "onEmbedderChange",
    "previousEmbedder"
  ]
})((_options: Options): void => {})
