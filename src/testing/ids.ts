import * as Layer from "effect/Layer"
import { IdSource } from "../thought/ids.ts"

/**
 * Ids that are the same in every run: UUIDs that count up from 1 in each layer.
 *
 * **Example** (The same ids in every run)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const thought = Effect.runSync(Thought.make("test").pipe(Effect.provide(Testing.ids)))
 * assert.equal(thought.id, "00000000-0000-7000-8000-000000000001")
 * ```
 *
 * @category layers
 */
export const ids: Layer.Layer<never> = Layer.sync(IdSource, () => {
  let count = 0
  return () => `00000000-0000-7000-8000-${(++count).toString(16).padStart(12, "0")}`
})
