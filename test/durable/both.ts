/** The stores that a test of durable runs is made for: in memory, and on PGlite, which is opened once for the tests of a file. */
import { afterAll, beforeAll } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { Store } from "cogito"
import { rowsOf } from "./seen.ts"
import { openPglite } from "./stores.ts"

/** Long runs take everything on PGlite too. Else the contract of stores has proved there what redactions and rows of runs are. */
const isAll = process.env["COGITO_STORE_CONTRACTS"] === "all"

/** Of cases for a store those that run there: on PGlite one in four. */
export const casesOn = <A>(where: string, cases: ReadonlyArray<A>): Array<A> =>
  cases.filter((_, i) => isAll || where === "in memory" || i % 4 === 0)

/** Makes stores, each with what gives all of its rows as texts. */
export const bothWithRows = () => {
  const scope = Scope.makeUnsafe()
  let pglite: Effect.Success<typeof openPglite>
  beforeAll(async () => {
    pglite = await Effect.runPromise(Scope.provide(openPglite, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return {
    "in memory": () => Effect.map(Store.makeInMemory, (store) => ({ store, rows: rowsOf(store) })),
    "on PGlite": () => Effect.map(pglite.makeStore, (store) => ({ store, rows: pglite.rows }))
  }
}

/** Makes stores in memory, and in long runs on PGlite. */
export const inMemoryAtLeast = () => (isAll ? both() : { "in memory": () => Store.makeInMemory })

/** Makes stores. */
export const both = () => {
  const made = bothWithRows()
  return {
    "in memory": () => Effect.map(made["in memory"](), ({ store }) => store),
    "on PGlite": () => Effect.map(made["on PGlite"](), ({ store }) => store)
  }
}
