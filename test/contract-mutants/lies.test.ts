/**
 * Whether each test of the contract of stores notices a store that is wrong once.
 *
 * After a change of the contract, `COGITO_CONTRACT_LIES=all vitest run test/contract-mutants/lies.test.ts --update` stores the
 * new numbers. A smaller number means that an assertion finds less than before.
 */
import { describe, expect, it } from "@effect/vitest"
import { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { reportOf } from "./lies/report.ts"

const tests = Testing.storeContract({ writers: 2, appends: 4, notes: 30, filters: 5 })

describe("the contract of stores", () => {
  it("notices as many lies of a store as before, in each test and by each assertion", async () => {
    const reports = Effect.forEach(tests, reportOf).pipe(Effect.provide(TestClock.layer()))
    await expect(`${(await Effect.runPromise(reports)).join("\n")}\n`).toMatchFileSnapshot("lies.txt")
  }, 600_000)
})
