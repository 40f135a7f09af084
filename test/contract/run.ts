/** Runs the published contract on a store, with vitest. */
import { describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Testing } from "cogito/testing"
import type { MemoryError } from "cogito/Memory"
import type { Store } from "cogito/Store"

class Shared extends Context.Service<Shared, Store>()("test/contract/run/Shared") {}

const count = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

/** How much there is of what tests do at random or in parallel. */
interface Size {
  readonly writers: number
  readonly appends: number
  readonly notes: number
  readonly filters: number
}

const usual: Size = { writers: 8, appends: 25, notes: 500, filters: 60 }

/** For a store that takes longer: over a network, or with a single connection. */
export const small: Size = { writers: 4, appends: 10, notes: 200, filters: 8 }

type Tests = ReadonlyArray<Testing.StoreTest>

/** The tests under each title at a depth of their paths, in order. */
const grouped = (tests: Tests, depth: number) => Map.groupBy(tests, ({ path }) => path[depth] ?? "")

/** Names tests as their paths say. */
const nested = (tests: Tests, depth: number, run: (test: Testing.StoreTest, title: string) => void): void => {
  for (const test of tests.filter(({ path }) => path.length === depth + 1)) run(test, test.path[depth] ?? "")
  const deeper = tests.filter(({ path }) => path.length > depth + 1)
  for (const [title, group] of grouped(deeper, depth)) {
    // oxlint-disable-next-line vitest/valid-title -- a string, from the path
    describe(title, () => {
      nested(group, depth + 1, run)
    })
  }
}

const pathOf = ({ path }: Testing.StoreTest): string => path.join(" › ")

type MakeStore = Effect.Effect<Store, MemoryError, Scope.Scope>

/**
 * One store serves all tests of a title, except those that need a fresh one, which `makeFresh` makes. `elsewhere` are the paths of
 * tests that are left out, as those of a title and of a test in it, joined by " › ".
 */
export const storeContract = (
  name: string,
  makeStore: MakeStore,
  { appends, filters, notes, writers } = usual,
  makeFresh: MakeStore = makeStore,
  elsewhere: ReadonlyArray<string> = []
): void => {
  const tests = Testing.storeContract({
    writers: count("COGITO_APPEND_WRITERS", writers),
    appends: count("COGITO_APPEND_ROUNDS", appends),
    notes: count("COGITO_SEARCH_NOTES", notes),
    filters: count("COGITO_SEARCH_ROUNDS", filters)
  })
  const known = new Set(tests.map(pathOf))
  for (const path of elsewhere) if (!known.has(path)) throw new Error(`The contract has no test "${path}".`)
  const own = tests.filter((test) => !elsewhere.includes(pathOf(test)))
  for (const [title, group] of grouped(
    own.filter(({ fresh }) => !fresh),
    0
  )) {
    layer(Layer.effect(Shared, makeStore), { timeout: "60 seconds" })(`${title} in ${name}`, (it) =>
      nested(group, 1, ({ run, timeout }, title) => it.effect(title, () => Effect.flatMap(Shared, run), { timeout }))
    )
  }
  for (const [title, group] of grouped(
    own.filter(({ fresh }) => fresh),
    0
  )) {
    describe(`${title} in ${name}`, () => {
      nested(group, 1, ({ run, timeout }, title) =>
        it.effect(title, () => Effect.scoped(Effect.flatMap(makeFresh, run)), { timeout })
      )
    })
  }
}
