/** Runs tests of the contract on a store that lies once. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Store } from "cogito"
import type { Testing } from "cogito/testing"
import { around } from "./calls.ts"
import { type Lie, liesAbout, type Outcome } from "./lies.ts"

/** A lie about the call of this number in a test. */
export interface ToldLie extends Lie {
  readonly call: number
  readonly method: string
}

/** All lies that a correct store can tell in a test, in a list for each call. */
export const liesIn = Effect.fnUntraced(function* ({ run }: Testing.StoreTest) {
  const lies: Array<ReadonlyArray<ToldLie>> = []
  const last = new Map<string, Outcome>()
  const store = around(yield* Store.makeInMemory, ({ given, index, method }, make) =>
    Effect.onExit(make(...given), (outcome) =>
      Effect.sync(() => {
        const all = liesAbout({ given, before: last.get(method) }, outcome)
        // at once, as values may change later
        lies[index] = Array.from(all, (lie) => ({ ...lie, call: index, method }))
        last.set(method, outcome)
      })
    )
  )
  yield* run(store)
  return lies
})

/** How a test ends if the store tells a lie. */
export const ending = Effect.fnUntraced(function* ({ run }: Testing.StoreTest, { call, tell }: ToldLie) {
  const last = new Map<string, Outcome>()
  const store = around(yield* Store.makeInMemory, ({ given, index, method }, make) => {
    const made = Effect.suspend(() =>
      index === call ? tell(make, { given, before: last.get(method) }) : make(...given)
    )
    return Effect.onExit(made, (outcome) => Effect.sync(() => last.set(method, outcome)))
  })
  return yield* Effect.exit(run(store))
})

const source = /src\/testing\/contract\/((?!stage\/)[^:]+:\d+:\d+)/g

/** Where in the contract a test noticed a lie: the places of the assertion and of what called it. */
export const placeOf = (ending: Exit.Exit<void, unknown>): string => {
  const error = Exit.isFailure(ending) ? ending.cause.reasons : []
  const [defect] = error.flatMap((reason) =>
    reason._tag === "Die" && reason.defect instanceof Error ? [reason.defect] : []
  )
  return Array.from((defect?.stack ?? "").matchAll(source), ([, place]) => place).join(" ")
}
