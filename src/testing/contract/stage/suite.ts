/** Collects the tests of stores, as effects that any runner can run. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../../Memory.ts"
import type { Store } from "../../../Store.ts"

/**
 * One thing that every store promises, and how to find out.
 *
 * - `path`: what the store promises, from the general to the special, as `["the store", "thoughts", "gives back …"]`
 * - `fresh`: whether it must have an empty store to itself; the others may share one
 * - `timeout`: in milliseconds, what it should be given on a slow machine
 * - `run`: fails or dies when the store does not keep the promise
 *
 * @category models
 */
export interface StoreTest {
  readonly path: ReadonlyArray<string>
  readonly fresh: boolean
  readonly timeout: number
  readonly run: (store: Store) => Effect.Effect<void, unknown>
}

/** A test, as the body of `Effect.gen`, of what was set for it. */
type Body<Set> = (set: Set) => Generator<Effect.Effect<unknown, unknown>, void, never>

/** How tests are named and written. */
export interface Define<Set> {
  readonly describe: (title: string, body: () => void) => void
  readonly test: (title: string, body: Body<Set>, options?: { readonly timeout?: number }) => void
}

/** The tests that `define` names, under a title; `set` is run on the store before each. */
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
