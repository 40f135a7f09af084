/** The operations of a store, in SQL, for any database. */
import * as Effect from "effect/Effect"
import { conflict } from "../memory/model/error.ts"
import type { MemoryError, Space } from "../Memory.ts"
import type { Store } from "../Store.ts"
import { write } from "./thoughts/commit.ts"
import type { Database, Handle, Tenant } from "./database/database.ts"
import { attempt } from "./database/failure.ts"
import { lifecycle } from "./lifecycle/lifecycle.ts"
import { ancestors, children } from "./thoughts/lineage.ts"
import { ledger } from "./ledger/ledger.ts"
import { fenced } from "./ledger/record.ts"
import { history, read as load } from "./thoughts/load.ts"
import * as Optimize from "./search/optimize.ts"
import { refuseRedacted } from "./database/refusal.ts"
import { search } from "./search/search.ts"
import * as Vectors from "./vectors/space.ts"
import * as Spaces from "./vectors/spaces.ts"
import { survey } from "./search/survey.ts"

const keyOf = (space: Space): string => JSON.stringify([space.embedder, space.dimensions, space.metric])

/** The conflict of a commit that is there already: its run ended with it. */
const changed = (thoughtId: string) => () => Effect.fail(conflict(thoughtId, "has changed in the store"))

/** Makes a store on a database whose schema is up to date. */
export const make = (database: Database): Store => {
  const { reading, transaction, unhurried } = database
  const spaces = new Map<string, Spaces.Table>()
  const within = <A>(space: Space, use: (table: Spaces.Table) => Effect.Effect<A, MemoryError>) =>
    Effect.suspend(() => {
      const table = spaces.get(keyOf(space))
      return table === undefined ? Effect.fail(Spaces.notOpen(space)) : use(table)
    })
  /** The same for searches, which need no space. */
  const withinAny = <A>(
    space: Space | undefined,
    use: (table: Spaces.Table | undefined) => Effect.Effect<A, MemoryError>
  ) => (space === undefined ? use(undefined) : within(space, use))
  const read = <A>(tenant: Tenant, run: (db: Handle) => Promise<A>) => reading(tenant, (db) => attempt(() => run(db)))
  return {
    ...lifecycle(database),
    commit: (scope, commit) => {
      const { ledger: rows, thought } = commit
      const change = refuseRedacted(
        thought.id,
        transaction(scope, (trx) => write(trx, scope, commit))
      )
      return rows === undefined ? change : fenced(database, scope, rows, change, changed(thought.id))
    },
    ledger: ledger(database),
    load: (scope, ref) => reading(scope, (trx) => load(trx, scope, ref)),
    history: (scope, id) => reading(scope, (trx) => history(trx, scope, id)),
    ancestors: (scope, ref) => read(scope, (db) => ancestors(db, scope, ref)),
    children: (scope, ref, page) => read(scope, (db) => children(db, scope, ref, page)),
    openSpace: (space) =>
      Effect.map(
        transaction(undefined, (trx) => Vectors.open(trx, space)),
        (table) => {
          spaces.set(keyOf(space), table)
        }
      ),
    spaces: Effect.map(reading(undefined, Spaces.all), (known) =>
      known.map(({ dimensions, embedder, metric, state }) => ({ embedder, dimensions, metric, state }))
    ),
    activateSpace: (space) => transaction(undefined, (trx) => Spaces.activate(trx, space)),
    dropSpace: (space, options) =>
      Effect.tap(
        transaction(undefined, (trx) => Spaces.drop(trx, space, options)),
        Effect.sync(() => spaces.delete(keyOf(space)))
      ),
    optimize: (options) =>
      Effect.gen(function* () {
        const known = yield* reading(undefined, Spaces.all)
        const done = yield* Effect.forEach(known, (space) =>
          unhurried(undefined, (trx) => Optimize.optimize(trx, space, options))
        )
        yield* database.vacuum
        return done.filter((one) => one !== undefined)
      }),
    copyVectors: (scope, space, noteIds) =>
      within(space, (table) => transaction(scope, (db) => attempt(() => Vectors.copy(db, table, scope, noteIds)))),
    putVectors: (scope, space, vectors) =>
      within(space, (table) => transaction(scope, (trx) => Vectors.put(trx, table, scope, vectors))),
    pending: (space, options) =>
      within(space, (table) => read(options.scope, (db) => Vectors.pending(db, table, options))),
    countPending: (scope, space) =>
      within(space, (table) => read(scope, (db) => Vectors.countPending(db, table, scope))),
    search: (scope, space, query) =>
      withinAny(space, (table) => read(scope, (db) => search(db, table, space, scope, query))),
    survey: (scope, space, query) => withinAny(space, (table) => read(scope, (db) => survey(db, table, scope, query)))
  }
}
