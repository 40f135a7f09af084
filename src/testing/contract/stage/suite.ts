/** Collects the tests of stores, as effects that any runner can run. */
import * as Context from "effect/Context"
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

/** The store that is tested. */
export class Subject extends Context.Service<Subject, Store>()("cogito/testing/StoreContract") {}

type Body = () => Effect.Effect<void, unknown, Subject>

/** How tests are named and written. */
export interface Define {
  readonly describe: (title: string, body: () => void) => void
  readonly test: (title: string, body: Body, options?: { readonly timeout?: number }) => void
}

/** The tests that `define` names, under a title; `prepare` is run on the store before each. */
export const suite = (
  title: string,
  {
    fresh,
    prepare
  }: { readonly fresh: boolean; readonly prepare?: (store: Store) => Effect.Effect<void, MemoryError> },
  define: (define: Define) => void
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
        run: (store) =>
          Effect.andThen(prepare?.(store) ?? Effect.void, Effect.provideService(Effect.suspend(body), Subject, store))
      })
  })
  return tests
}
