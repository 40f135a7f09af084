/** The contract of stores, as a list of tests. */
import { taking } from "../../arguments/taking.ts"
import { derivationTests } from "./derivation.ts"
import { ledgerTests } from "./ledger/ledger.ts"
import { lifecycleTests } from "./lifecycle/lifecycle.ts"
import { namesTests } from "./names.ts"
import { searchTests } from "./search/search.ts"
import { spacesTests } from "./spaces.ts"
import { storeTests } from "./store/store.ts"
import type { StoreTest } from "./stage/suite.ts"

export type { StoreTest } from "./stage/suite.ts"

/**
 * The sizes of the long tests.
 *
 * **Details**
 *
 * - `writers`, `appends`: this many writers each append this many times to one thought. Defaults: 8 and 100
 * - `notes`: the number of notes of very common words. Default: 500
 * - `filters`: rounds of random filters. Default: 60
 *
 * @category models
 */
export interface StoreContractOptions {
  readonly writers?: number
  readonly appends?: number
  readonly notes?: number
  readonly filters?: number
}

/**
 * The contract of every memory store, as tests for any runner. The in-memory store, PGlite and Postgres pass them all.
 *
 * **Details**
 *
 * Each test uses its own scopes and vector spaces, so tests may share a store, except those with `fresh: true`, which need
 * an empty one. A test fails with a `MemoryError` or dies with an `AssertionError`. No test sleeps or reads the time of
 * day.
 *
 * **Example** (Checking a store of your own)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Memory, Store } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * // Replace this with the store to check, empty.
 * const makeStore = Store.makeInMemory
 *
 * for (const { path, run } of Testing.storeContract({ writers: 2, appends: 10 })) {
 *   // With a test runner: it(path.join(" › "), () => Effect.runPromise(…), timeout)
 *   const test = Effect.scoped(Effect.flatMap(makeStore, run))
 *   await Effect.runPromise(test.pipe(Effect.annotateLogs("test", path.join(" › "))))
 * }
 * ```
 *
 * @category constructors
 */
export const storeContract = taking("Testing.storeContract", {
  options: 0,
  optional: true,
  known: ["writers", "appends", "notes", "filters"]
})(({ appends = 100, filters = 60, notes = 500, writers = 8 }: StoreContractOptions = {}): ReadonlyArray<StoreTest> => [
  ...storeTests(),
  ...namesTests(),
  ...lifecycleTests({ writers, appends }),
  ...derivationTests(),
  ...ledgerTests(),
  ...spacesTests(),
  ...searchTests({ notes, filters })
])
