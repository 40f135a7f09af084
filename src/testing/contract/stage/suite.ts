/** Collects the tests of stores as effects for any runner. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../../Memory.ts"
import type { Store } from "../../../Store.ts"

/**
 * One test of the contract of stores.
 *
 * **Details**
 *
 * - `path`: what it tests, from general to specific, such as `["the store", "thoughts", "gives back …"]`
 * - `fresh`: whether it needs an empty store of its own; other tests may share one
 * - `timeout`: the time limit on a slow machine, in milliseconds
 * - `run`: fails or dies if the store breaks the contract
 *
 * @category models
 */
export interface StoreTest {
  readonly path: ReadonlyArray<string>
  readonly fresh: boolean
  readonly timeout: number
  readonly run: (store: Store) => Effect.Effect<void, unknown>
}

/** A test, as the body of `Effect.gen`, that receives its setup. */
type Body<Set> = (set: Set) => Generator<Effect.Effect<unknown, unknown>, void, never>

/** The functions that define tests. */
export interface Define<Set> {
  readonly describe: (title: string, body: () => void) => void
  readonly test: (title: string, body: Body<Set>, options?: { readonly timeout?: number }) => void
}

/** The tests that `define` names, under a title. Each test begins by running `set` on the store. */
export const suite = <Set>(
  title: string,
  { fresh, set }: { readonly fresh: boolean; readonly set: (store: Store) => Effect.Effect<Set, MemoryError> },
  define: (define: Define<Set>) => void
): ReadonlyArray<StoreTest> => {
  const tests: Array<StoreTest> = []
  let path: ReadonlyArray<string> = [title]
  define({
    describe: (title, body) => {
      const outer = path
      path = [...outer, title]
      body()
      path = outer
    },
    test: (title, body, { timeout = 60_000 } = {}) =>
      tests.push({
        path: [...path, title],
        fresh,
        timeout,
        run: (store) => Effect.flatMap(set(store), (made) => Effect.gen(() => body(made)))
      })
  })
  return tests
}
