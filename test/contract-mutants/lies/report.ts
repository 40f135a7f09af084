/** Which lies of a store the tests of the contract notice, as a text. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Testing } from "cogito/testing"
import { selected } from "./selection.ts"
import { ending, liesIn, placeOf } from "./telling.ts"

/** Tests that take long, as they write much. */
const long = new Set([
  "accepts notes and queries with very many words",
  "may be responses of millions of characters",
  "is as fast as in any other scope",
  "accept any number of values, any text, and any time",
  "never ranks notes found by words lower because of random vectors",
  "accepts thousands of notes and rows at once",
  "finds words beside text that databases cannot store, in notes and queries",
  "finds every task, however many notes another one has",
  "finds as many as requested, however selective the filter",
  "apply before ranking: one weak note is found among a thousand strong ones of others",
  "keeps the content of every fork, whichever thoughts are removed in any order"
])

/** How many lies are told in a test: fewer where there are many calls. */
const most = ({ path }: Testing.StoreTest, calls: number) =>
  long.has(path.at(-1) ?? "") ? 12 : Math.max(10, Math.min(60, Math.floor(4000 / calls)))

/** How many lies were noticed at each place, in the order of the places. */
const counts = (places: ReadonlyArray<string>): ReadonlyArray<number> =>
  [...Map.groupBy(places, (place) => place)]
    .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([, all]) => all.length)

/**
 * How many lies a test notices of those that it is told: in all, and by each of its assertions, in their order. Those after
 * `failures` make a call fail that should not.
 */
export const reportOf = Effect.fnUntraced(function* (test: Testing.StoreTest) {
  const calls = yield* liesIn(test)
  const lies = selected(calls, most(test, calls.length))
  const places = (yield* Effect.forEach(lies, (lie) => ending(test, lie))).filter(Exit.isFailure).map(placeOf)
  const asserted = places.filter((place) => place !== "")
  return [
    test.path.join(" › "),
    `  ${places.length} of ${lies.length}: assertions ${counts(asserted).join(", ")}; failures ${places.length - asserted.length}`
  ].join("\n")
})
