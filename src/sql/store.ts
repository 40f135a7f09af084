/** The operations of a store in SQL, on whichever database. */
import * as Effect from "effect/Effect"
import type { MemoryError, Space, Store } from "../Memory.ts"
import { write } from "./commit.ts"
import type { Database, Handle, Tenant } from "./database.ts"
import { attempt } from "./failure.ts"
import { lifecycle, refuseRedacted } from "./lifecycleStore.ts"
import { ancestors, children } from "./lineage.ts"
import { read } from "./load.ts"
import * as Optimize from "./optimize.ts"
import { search } from "./search.ts"
import * as Vectors from "./space.ts"
import * as Spaces from "./spaces.ts"
import { survey } from "./survey.ts"

const keyOf = (space: Space): string => JSON.stringify([space.embedder, space.dimensions, space.metric])

/** A store on a database whose schema is there. */
export const make = (database: Database): Store => {
  const { transaction, unhurried } = database
  const spaces = new Map<string, Spaces.Table>()
  const within = <A>(space: Space, use: (table: Spaces.Table) => Effect.Effect<A, MemoryError>) =>
    Effect.suspend(() => {
      const table = spaces.get(keyOf(space))
      return table === undefined ? Effect.fail(Spaces.notOpen(space)) : use(table)
    })
  const statement = <A>(tenant: Tenant, run: (db: Handle) => Promise<A>) =>
    transaction(tenant, (db) => attempt(() => run(db)))
  return {
    ...lifecycle(database),
    commit: (scope, commit) =>
      refuseRedacted(
        commit.thought.id,
        transaction(scope, (trx) => write(trx, scope, commit))
      ),
    load: (scope, ref) => transaction(scope, (trx) => read(trx, scope, ref)),
    ancestors: (scope, ref) => statement(scope, (db) => ancestors(db, scope, ref)),
    children: (scope, ref, page) => statement(scope, (db) => children(db, scope, ref, page)),
    openSpace: (space) =>
      Effect.map(
        transaction(undefined, (trx) => Vectors.open(trx, space)),
        (table) => {
          spaces.set(keyOf(space), table)
        }
      ),
    spaces: Effect.map(transaction(undefined, Spaces.all), (known) =>
      known.map(({ dimensions, embedder, metric, state }) => ({ embedder, dimensions, metric, state }))
    ),
    activateSpace: (space) => transaction(undefined, (trx) => Spaces.activate(trx, space)),
    dropSpace: (space) =>
      Effect.tap(
        transaction(undefined, (trx) => Spaces.drop(trx, space)),
        Effect.sync(() => spaces.delete(keyOf(space)))
      ),
    optimize: (options) =>
      Effect.gen(function* () {
        const known = yield* unhurried(Spaces.all)
        const done = yield* Effect.forEach(known, (space) => unhurried((trx) => Optimize.optimize(trx, space, options)))
        yield* unhurried(Optimize.analyze)
        return done.filter((one) => one !== undefined)
      }),
    copyVectors: (scope, space, noteIds) =>
      within(space, (table) => statement(scope, (db) => Vectors.copy(db, table, scope, noteIds))),
    putVectors: (scope, space, vectors) =>
      within(space, (table) => transaction(scope, (trx) => Vectors.put(trx, table, scope, vectors))),
    pending: (space, options) =>
      within(space, (table) => statement(options.scope, (db) => Vectors.pending(db, table, options))),
    countPending: (scope, space) =>
      within(space, (table) => statement(scope, (db) => Vectors.countPending(db, table, scope))),
    search: (scope, space, query) =>
      within(space, (table) => statement(scope, (db) => search(db, table, space, scope, query))),
    survey: (scope, space, query) => within(space, (table) => statement(scope, (db) => survey(db, table, scope, query)))
  }
}
