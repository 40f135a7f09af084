/** The stores that a test of durable runs is made for: in memory, and on PGlite, which is opened once for the tests of a file. */
import { afterAll, beforeAll } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { Store } from "cogito"
import { rowsOf } from "./seen.ts"
import { openPglite } from "./stores.ts"

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

/** Makes stores. */
export const both = () => {
  const made = bothWithRows()
  return {
    "in memory": () => Effect.map(made["in memory"](), ({ store }) => store),
    "on PGlite": () => Effect.map(made["on PGlite"](), ({ store }) => store)
  }
}
