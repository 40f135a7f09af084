/** Whether the published contract of stores finds every faulty one. */
import { assert, describe, it } from "@effect/vitest"
import { Store } from "cogito"
import { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { edgeMutants } from "./edges.ts"
import { ledgerMutants } from "./ledger.ts"
import { mutants } from "./mutants.ts"
import { rareMutants } from "./rare.ts"
import { runSlipMutants } from "./runSlips.ts"
import { slipMutants } from "./slips.ts"

const tests = Testing.storeContract({ writers: 2, appends: 10, notes: 100, filters: 20 })

const isOfRuns = ({ path }: Testing.StoreTest): boolean => path[0] === "durable runs"

/** Those of durable runs come first where a mutant is one of these. */
const ofRuns = tests.toSorted((a, b) => Number(isOfRuns(b)) - Number(isOfRuns(a)))

/** The first test that a store of this make does not pass, each on one of its own. */
const failure = (makeStore: Effect.Effect<Store.Store>, inOrder = tests) =>
  Effect.map(
    Effect.findFirst(inOrder, ({ run }) => Effect.map(Effect.exit(Effect.flatMap(makeStore, run)), Exit.isFailure)),
    Option.map(({ path }) => path.join(" › "))
  )

describe("the contract of stores", () => {
  it.effect("is kept by a correct store", () =>
    Effect.map(failure(Store.makeInMemory), (failed) => assert.deepStrictEqual(failed, Option.none()))
  )

  it("says of each test what it is about, from general to specific", () => {
    const groupsOf = (title: string) => [
      ...new Set(tests.filter(({ path }) => path[0] === title).map(({ path }) => path.slice(1, -1).join(" › ")))
    ]
    const lifecycle = ["append", "thoughts", "remove", "purge", "redact", "restore"]
    assert.deepStrictEqual(groupsOf("the lifecycle of thoughts"), lifecycle)
    assert.deepStrictEqual(groupsOf("what notes were derived from"), ["", "redact"])
  })

  const cases = [
    ...[...mutants, ...slipMutants].map((mutant) => [mutant, tests] as const),
    ...[...ledgerMutants, ...edgeMutants, ...rareMutants, ...runSlipMutants].map((one) => [one, ofRuns] as const)
  ]
  for (const [{ breaks, mutate, name }, inOrder] of cases) {
    it.effect(`finds “${name}”`, () =>
      Effect.map(failure(Effect.map(Store.makeInMemory, mutate), inOrder), (failed) => {
        assert.isTrue(Option.isSome(failed), breaks)
      })
    )
  }
})
