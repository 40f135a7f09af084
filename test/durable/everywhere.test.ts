/**
 * Two crashes a run, and a crash at every boundary on the stores on SQL. It takes long:
 * `COGITO_DURABLE_CRASHES=2 vitest run test/durable/everywhere.test.ts`.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { available, database, type Server, start } from "../postgres/server.ts"
import { enumerate, enumerateStates, type MakeStore } from "./enumerate.ts"
import { names, nested } from "./pairs.ts"
import { agents } from "./scenarios/agents.ts"
import { primitives } from "./scenarios/primitives.ts"
import { steps } from "./scenarios/steps.ts"
import { inPglite, inPostgres } from "./stores.ts"

const kinds = Object.entries({ ...primitives, ...steps, ...agents })
const long = 1_800_000

describe("two crashes of a run with", () => {
  it.effect.each(kinds)(
    "%s lose nothing, and ask nothing twice",
    ([, scenario]) =>
      Effect.map(enumerateStates(scenario, 2), (boundaries) => {
        assert.isAtLeast(boundaries, 12)
      }),
    long
  )

  it.effect.each(names)(
    "%s around any connector lose nothing, and ask nothing twice",
    (outer) =>
      Effect.forEach(names, (inner) =>
        Effect.map(enumerateStates(nested(outer, inner), 2), (boundaries) => {
          assert.isAtLeast(boundaries, 8, inner)
        })
      ),
    long
  )
})

const onStore = (store: () => MakeStore) =>
  it.effect.each(kinds)(
    "%s loses nothing, and asks nothing twice",
    ([, scenario]) =>
      Effect.map(enumerate(scenario, Effect.suspend(store)), (boundaries) => {
        assert.isAtLeast(boundaries, 14)
      }),
    long
  )

describe("a crash at every boundary, on PGlite, of a run with", () => {
  const scope = Scope.makeUnsafe()
  let store: MakeStore
  beforeAll(async () => {
    store = await Effect.runPromise(Scope.provide(inPglite, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  onStore(() => store)
})

describe.skipIf(!available)("a crash at every boundary, on Postgres, of a run with", () => {
  const scope = Scope.makeUnsafe()
  let server: Server
  let store: MakeStore
  beforeAll(async () => {
    server = start()
    store = await Effect.runPromise(Scope.provide(inPostgres(await database(server)), scope))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    server.stop()
  })
  onStore(() => store)
})
