/**
 * A memory on a Postgres server with pgvector, for many processes at once.
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
import { type EmbedderOptions, type WordsOnly, make, Memory, type MemoryError } from "../Memory.ts"
import type { Store } from "../Store.ts"
import { packages } from "./packages.ts"

/**
 * Where the server is, and how long to wait for it.
 *
 * - `url`: as `postgres://user:password@host:port/database`
 * - `connections`: at a time, default 10; up to two more for what may take minutes, such as `purge`, `remove` and `optimize`
 * - `waitTimeout`: for a free connection, or a new one, default 10 seconds
 * - `statementTimeout`: for a single statement, default 30 seconds
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
 * Where the server is, and whose the rows are.
 *
 * - `scope`: the tenant of programs that name none. There is no default on a server that tenants share
 *
 * @category models
 */
export interface Options extends StoreOptions, EmbedderOptions {
  readonly scope: string
}

/**
 * Opens the plain store, until the scope closes; then its connections are closed. Brings the schema up to date first, which
 * is safe when several processes start at once.
 *
 * Fails with `Connection` when a package is missing or the server cannot be reached, with `Timeout` when it does not answer
 * in time, with `Query` and the code 42501 when the user lacks rights, which the message names with what gives them, or 0A000
 * when the server or its pgvector is too old or lacking, and with `Corrupt` when its schema was written by a newer version of
 * cogito.
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
 * The memory on a server, its notes embedded with the embedder in the context. With `embedder: "none"` it requires none and
 * finds notes by their words alone.
 *
 * Fails as `makeStore` does.
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

/** What the layer is given, where no compiler has checked it. */
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
