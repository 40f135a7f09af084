/** The published contract of providers: those that keep it, and whether it finds every faulty one. */
import { assert, describe, it } from "@effect/vitest"
import type { Shape } from "cogito/Provider"
import { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { mutants } from "./providerMutants.ts"
import { adapters, scripted } from "./providerSubjects.ts"

const titleOf = ({ path }: Testing.ProviderTest): string => path.slice(1).join(" › ")

const failures = ["RateLimited", "Overloaded", "Authentication", "InvalidRequest", "ContextTooLong", "Refused"] as const

for (const [name, { decides, make }] of Object.entries(adapters)) {
  describe(`${name} as a provider`, () => {
    for (const test of Testing.providerContract({ decides, failures })) {
      it.live(titleOf(test), () => test.run(make))
    }
  })
}

describe("the scripted provider as a provider", () => {
  for (const test of Testing.providerContract({ decides: true })) it.live(titleOf(test), () => test.run(scripted))
})

describe("the contract of providers", () => {
  const tests = Testing.providerContract({ decides: true, patience: "60 millis" })

  /** The first test that the scripted provider does not pass when it is changed so. */
  const failure = (mutate: (provider: Shape) => Shape) => {
    const make: Testing.MakeProvider = (backend) =>
      Effect.map(scripted(backend), ({ provider, ...subject }) => ({ ...subject, provider: mutate(provider) }))
    return Effect.map(
      Effect.findFirst(tests, ({ run }) => Effect.map(Effect.exit(run(make)), Exit.isFailure)),
      Option.map(titleOf)
    )
  }

  for (const { mutate, name } of mutants) {
    it.live(`finds “${name}”`, () =>
      Effect.map(failure(mutate), (failed) => {
        assert.isTrue(Option.isSome(failed))
      })
    )
  }
})
