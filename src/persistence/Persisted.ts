import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BackingPersistence } from "effect/persistence/Persistence"
import type * as Scope from "effect/Scope"
import { taking } from "../arguments/taking.ts"
import { cache as providerCache, type CacheOptions, type CacheStore, type Provider } from "../Provider.ts"
import { decode, encode } from "./answer.ts"

export { layerFiles } from "./files.ts"

/**
 * Which answers are kept, for how long, and under which name.
 *
 * @category models
 */
export interface Options extends Omit<CacheOptions, "store"> {
  /** The name of the answers' store, apart from others in the same place. Default: `"cogito/answers"`. */
  readonly storeId?: string
}

/**
 * A store of answers for `Provider.cache`, in the `BackingPersistence` of `effect/persistence` that is there.
 *
 * What cannot be read or written is passed over with a warning in the log, and asked for again: a cache that is out of
 * order fails no call. Answers that another version has kept in another form are not there.
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
            Effect.as(Effect.logWarning("A kept answer could not be read: it is asked for again."), undefined)
          )
        ),
      set: (key, answer, timeToLive) =>
        Effect.flatMap(encode(answer), (kept) =>
          store.set(key, kept, Duration.isFinite(timeToLive) ? timeToLive : undefined)
        ).pipe(Effect.catch(() => Effect.logWarning("An answer could not be kept.")))
    }
  })

/**
 * `Provider.cache` whose answers outlive the process: those that are not in memory are looked for where
 * `effect/persistence` keeps things, and put there.
 *
 * It needs a `BackingPersistence`, such as `layerFiles`. Prompts are not kept, only their
 * hashes; answers are, as they are. Throws when an option is out of its range.
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
      // bad options are refused now, not when the layer is built
      providerCache(rest)
      return Layer.unwrap(Effect.map(cacheStore(storeId), (store) => self.pipe(providerCache({ ...rest, store }))))
    }
)
