import type { Store } from "./model/Store.ts"
import type { Shape } from "./model/Shape.ts"
import type { WordsOnly, EmbedderOptions } from "./model/EmbedderChange.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { taking } from "../arguments/taking.ts"
import { Embedder } from "../thought/Embedder.ts"
import { needed } from "../arguments/needed.ts"
import { make as makeService } from "./make.ts"
import { fail, type MemoryError } from "./model/error.ts"
import { makeInMemory } from "./inMemory/store.ts"
import { Memory } from "./Memory.ts"

/**
 * Makes a memory on top of a store. It embeds and searches notes with the embedder in the context.
 *
 * **Details**
 *
 * Notes are embedded in the background, soon after their commit, until the scope closes. Closing waits up to 2 seconds for
 * committed notes. Any others are pending, and the next memory on the store embeds them.
 *
 * With `embedder: "none"` no note is embedded, and searches use words alone: `arms.vector` is `"none"`. If the memory is later
 * opened with an embedder, all its notes are embedded. A warning is logged if the store has vectors of another program.
 *
 * Fails with `EmbedderMismatch` if another embedder made the store's vectors, and with `Query` for any other value of
 * `embedder`.
 *
 * **Example** (Without an embedder, and with one later)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Store, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* Store.makeInMemory
 *   const words = yield* Memory.make({ store, scope: "local", embedder: "none" })
 *   yield* words.commit(yield* Thought.make("triage", { message: "The parcel was lost" }))
 *   const { arms, matches } = yield* words.search("lost parcels")
 *   assert.deepEqual([matches[0]?.note.key, arms.vector], ["message", "none"])
 *
 *   const memory = yield* Effect.provide(Memory.make({ store, scope: "local" }), Testing.embedder)
 *   assert.equal(yield* memory.embedPending, 1)
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category constructors
 */
export function make(
  options: { readonly store: Store; readonly scope: string } & EmbedderOptions & WordsOnly
): Effect.Effect<Shape, MemoryError, Scope.Scope>
export function make(
  options: { readonly store: Store; readonly scope: string } & EmbedderOptions
): Effect.Effect<Shape, MemoryError, Embedder | Scope.Scope>

export function make(
  options: { readonly store: Store; readonly scope: string } & EmbedderOptions
): Effect.Effect<Shape, MemoryError, Embedder | Scope.Scope> {
  checkMake(options)
  const { embedder }: { readonly embedder?: unknown } = options
  if (embedder === undefined)
    return Effect.flatMap(needed(Embedder), (own) => makeService({ ...options, embedder: own }))
  if (embedder === "none") return makeService({ ...options, embedder: undefined })
  return fail({
    _tag: "Query",
    message:
      'The option embedder of a memory must be "none" or absent. To use an embedder, provide it as a layer: Layer.provide(Local.embedder).'
  })
}

const checkMake = taking("Memory.make", {
  options: 0,
  known: ["store", "scope", "embedder", "onEmbedderChange", "previousEmbedder"],
  needs: ["store"]
})((_options: { readonly store: Store; readonly scope: string } & EmbedderOptions): void => {})

/**
 * A memory that lives as long as the process: for tests and trials. Its default scope is `"local"`.
 *
 * @category layers
 */
export function layerInMemory(
  options: EmbedderOptions & { readonly scope?: string } & WordsOnly
): Layer.Layer<Memory, MemoryError>
export function layerInMemory(
  options?: EmbedderOptions & { readonly scope?: string }
): Layer.Layer<Memory, MemoryError, Embedder>

export function layerInMemory(
  options: EmbedderOptions & { readonly scope?: string } = {}
): Layer.Layer<Memory, MemoryError, Embedder> {
  checkLayer(options)
  return Layer.effect(
    Memory,
    Effect.flatMap(makeInMemory, (store) => make({ ...options, store, scope: options.scope ?? "local" }))
  )
}

/** What the layer is given, where no compiler has checked it. */
const checkLayer = taking("Memory.layerInMemory", {
  options: 0,
  optional: true,
  known: ["scope", "embedder", "onEmbedderChange", "previousEmbedder"]
})((_options: EmbedderOptions & { readonly scope?: string }): void => {})
