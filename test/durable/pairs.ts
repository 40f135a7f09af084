/** A crash in each connector in each other one. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { enumerateStates, type Scenario } from "./enumerate.ts"
import { asksAgain, connectors } from "./scenarios/connectors.ts"
import { asks } from "./scenarios/parts.ts"

export const names = Object.keys(connectors)

/** One connector around another one, around one question. */
export const nested = (outer: string, inner: string): Scenario => {
  const isAskedAgain = asksAgain.has(outer) || asksAgain.has(inner)
  // the others in a race have begun when it is answered
  const isBeside = outer === "race" || inner === "race"
  const text = `${isAskedAgain ? "(fails first)" : ""} ${isBeside ? "(takes 1)" : ""}`
  return {
    step: (process, world) => {
      const within = connectors[inner]!(asks("it", text), { process, world, name: "inner" })
      return connectors[outer]!(within, { process, world, name: "outer" })
    }
  }
}

/** Tests these connectors around all connectors. */
export const testPairs = (outers: ReadonlyArray<string>): void => {
  describe("a crash in", () => {
    it.effect.each(outers)("%s around any connector loses nothing, and asks nothing twice", (outer) =>
      Effect.forEach(names, (inner) =>
        Effect.map(named(inner, enumerateStates(nested(outer, inner))), (boundaries) => {
          assert.isAtLeast(boundaries, 8, inner)
        })
      )
    )
  })
}

/** Says of a failure in which connector it was. */
const named = <A, E>(inner: string, effect: Effect.Effect<A, E>): Effect.Effect<A> =>
  Effect.catchCause(effect, (cause) => Effect.die(new Error(`around ${inner}: ${Cause.pretty(cause)}`)))
