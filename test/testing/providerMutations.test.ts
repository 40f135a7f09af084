/** Which small changes of a provider each test of the contract of providers notices. */
import * as Effect from "effect/Effect"
import { assert, expect, it } from "vitest"
import { failing, table } from "./mutations/table.ts"

it("a provider without a change passes every test of its contract", async () => {
  assert.deepStrictEqual(await Effect.runPromise(failing), [])
})

it("each test of the contract notices the changes that it is made for", { timeout: 300_000 }, async () => {
  await expect(await Effect.runPromise(table)).toMatchFileSnapshot("transcripts/providerMutations.txt")
})
