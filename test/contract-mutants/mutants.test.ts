/** Whether the published contract of stores finds every faulty one. */
import { assert, describe, it } from "@effect/vitest"
import { Memory } from "cogito"
import { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { mutants } from "./mutants.ts"

const tests = Testing.storeContract({ writers: 2, appends: 10, notes: 100, filters: 20 })

/** The tests that a store of this make does not pass, each on one of its own. */
const failures = Effect.fnUntraced(function* (makeStore: Effect.Effect<Memory.Store>) {
  const exits = yield* Effect.forEach(tests, ({ path, run }) =>
    Effect.map(Effect.exit(Effect.flatMap(makeStore, run)), (exit) => ({ path: path.join(" › "), exit }))
  )
  return exits.flatMap(({ exit, path }) => (Exit.isFailure(exit) ? [path] : []))
})

describe("the contract of stores", () => {
  it.effect("is kept by a correct store", () =>
    Effect.map(failures(Memory.makeInMemoryStore), (failed) => assert.deepStrictEqual(failed, []))
  )

  for (const { breaks, mutate, name } of mutants) {
    it.effect(`finds “${name}”`, () =>
      Effect.map(failures(Effect.map(Memory.makeInMemoryStore, mutate)), (failed) => {
        assert.isNotEmpty(failed, breaks)
      })
    )
  }
})
