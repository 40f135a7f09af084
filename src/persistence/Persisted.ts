/**
 * Stores that keep a provider's answers beyond the end of the process, on `effect/persistence`: in files, in SQL, in Redis.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BackingPersistence } from "effect/persistence/Persistence"
import type * as Scope from "effect/Scope"
import { taking } from "../arguments/taking.ts"
import { cache as providerCache, type CacheStore, type Provider } from "../Provider.ts"
import { decode, encode } from "./answer.ts"

export { layerFiles } from "./files.ts"

/**
 * Options of `cache`: which answers to keep, for how long, and under which name.
 *
 * @category models
 */
export interface Options extends Omit<NonNullable<Parameters<typeof providerCache>[0]>, "store"> {
  /** Name of the store, which separates it from other stores in the same place. Default: `"cogito/answers"`. */
  readonly storeId?: string
}

/**
 * Makes a store of answers for `Provider.cache`, on the `BackingPersistence` of `effect/persistence` in the context.
 *
 * **Details**
 *
 * A broken cache fails no call. If an answer cannot be read or written, a warning is logged; an unreadable answer is
 * requested again. Answers in the form of another version count as missing.
 *
 * **Example** (A store for the cache of a provider)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { layerBackingMemory } from "effect/persistence/Persistence"
 * import { Provider, Synapse } from "cogito"
 * import { Persisted } from "cogito/persistence"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }])
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* Persisted.cacheStore("urgency")
 *   // each provider has a cache of its own, and both have the store
 *   for (let i = 0; i < 2; i++) {
 *     const answer = yield* Effect.provide(isUrgent("Now!"), model.layer.pipe(Provider.cache({ store })))
 *     assert.equal(answer.decision, true)
 *   }
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layerBackingMemory)))
 * assert.equal(model.requests.length, 1)
 * ```
 *
 * @category stores
 */
export const cacheStore = (
  storeId = "cogito/answers"
): Effect.Effect<CacheStore, never, BackingPersistence | Scope.Scope> =>
  Effect.gen(function* () {
    const backing = yield* BackingPersistence
    const store = yield* backing.make(storeId)
    return {
      get: (key) =>
        Effect.flatMap(store.get(key), decode).pipe(
          Effect.catch(() =>
            Effect.as(Effect.logWarning("A cached answer could not be read, so it is requested again."), undefined)
          )
        ),
      set: (key, answer, timeToLive) =>
        Effect.flatMap(encode(answer), (kept) =>
          store.set(key, kept, Duration.isFinite(timeToLive) ? timeToLive : undefined)
        ).pipe(Effect.catch(() => Effect.logWarning("An answer could not be cached."))),
      remove: (key) =>
        Effect.catch(store.remove(key), () =>
          Effect.logWarning("An answer that does not fit could not be removed, so it stays until it expires.")
        )
    }
  })

/**
 * Caches answers as `Provider.cache` does, and keeps them for later processes.
 *
 * **Details**
 *
 * Answers that are not in memory are read from the `BackingPersistence` of `effect/persistence`, such as `layerFiles`,
 * which also stores new ones. It stores answers as they are, but only hashes of prompts. Throws if an option is out of
 * range.
 *
 * **Example** (Answers in files, which the next process finds)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { NodeServices } from "@effect/platform-node"
 * import { Effect, Layer } from "effect"
 * import { Synapse } from "cogito"
 * import { Persisted } from "cogito/persistence"
 * import { Testing } from "cogito/testing"
 *
 * const folder = mkdtempSync(join(tmpdir(), "answers-"))
 * const files = Persisted.layerFiles(folder).pipe(Layer.provide(NodeServices.layer))
 * const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }])
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * // as two processes do
 * for (let i = 0; i < 2; i++) {
 *   const cached = model.layer.pipe(Persisted.cache({ timeToLive: "30 days" }), Layer.provide(files))
 *   const answer = await Effect.runPromise(Effect.provide(isUrgent("Now!"), cached))
 *   assert.equal(answer.decision, true)
 * }
 * assert.equal(model.requests.length, 1)
 * rmSync(folder, { recursive: true })
 * ```
 *
 * @category layers
 */
export const cache = taking("Persisted.cache", {
  options: 0,
  optional: true,
  known: ["storeId", "always", "capacity", "timeToLive"]
})(
  (
    options: Options = {}
  ): (<E, R>(self: Layer.Layer<Provider, E, R>) => Layer.Layer<Provider, E, R | BackingPersistence>) =>
    (self) => {
      const { storeId, ...rest } = options
      // invalid options throw now, not when the layer is built
      providerCache(rest)
      return Layer.unwrap(Effect.map(cacheStore(storeId), (store) => self.pipe(providerCache({ ...rest, store }))))
    }
)
