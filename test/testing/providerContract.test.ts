/** The published contract of providers: those that keep it, and whether it finds every faulty one. */
import { assert, describe, it } from "@effect/vitest"
import * as Provider from "cogito/Provider"
import { Testing } from "cogito/testing"
import { EffectAi } from "cogito/effect-ai"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { join } from "node:path"
import { folder } from "../examples/triage.ts"
import { mutants } from "./providerMutants.ts"
import { slips } from "./providerSlips.ts"
import { adapters, scripted } from "./providerSubjects.ts"

const titleOf = ({ path }: Testing.ProviderTest): string => path.slice(1).join(" › ")

const failures = ["RateLimited", "Overloaded", "Authentication", "InvalidRequest", "ContextTooLong", "Refused"] as const

for (const [name, { decides, make }] of Object.entries(adapters)) {
  describe(`${name} as a provider`, () => {
    for (const test of Testing.providerContract({ decides, failures, tools: true })) {
      it.live(titleOf(test), () => test.run(make))
    }
  })
}

describe("the scripted provider as a provider", () => {
  for (const test of Testing.providerContract({ decides: true, tools: true })) {
    it.live(titleOf(test), () => test.run(scripted))
  }
})

/** The scripted provider with something around it. */
const around =
  (change: (provider: Layer.Layer<Provider.Provider>) => Layer.Layer<Provider.Provider, Provider.ProviderError>) =>
  (backend: Parameters<typeof scripted>[0]) =>
    Effect.gen(function* () {
      const { provider, ...subject } = yield* scripted(backend)
      const built = yield* Layer.build(change(Layer.succeed(Provider.Provider, provider)))
      return { ...subject, provider: Context.get(built, Provider.Provider) }
    })

describe("the scripted provider in layers, as a provider", () => {
  const stack: Testing.MakeProvider<Provider.ProviderError> = (backend) =>
    Effect.flatMap(folder, (path) =>
      around((provider) => {
        const one = provider.pipe(
          Provider.record(join(path, "calls.json")),
          Provider.spotlight("mark"),
          Provider.rateLimit({ requests: 1000, tokens: 1_000_000 }),
          Provider.circuitBreaker({ failures: 100 }),
          Provider.retry({ times: 0, deadline: "1 minute" })
        )
        const first = Provider.hedge([Provider.fallback([one])], { after: "1 minute" })
        return Provider.combine({ decide: first, complete: first }).pipe(
          Provider.budget({ calls: 1000, tokens: 9_000_000 })
        )
      })(backend)
    )
  for (const test of Testing.providerContract({ decides: true, tools: true })) {
    it.live(titleOf(test), () => test.run(stack))
  }
})

describe("the scripted provider whose calls are in its text, as a provider", () => {
  const written: Testing.MakeProvider<Provider.ProviderError> = (backend) =>
    around(Provider.toolsInText())((asked) => {
      const told = backend(asked)
      if (told._tag !== "Calls" || told.isBroken === true) return told
      const calls = told.calls.map(({ name, params }) => `{"name":${JSON.stringify(name)},"args":${params}}`)
      return { _tag: "Text", text: `${told.text ?? ""}\n§CALLS\n[${calls.join(",")}]\n§YIELD\nIt snows.` }
    })
  for (const test of Testing.providerContract({ decides: true, tools: true })) {
    it.live(titleOf(test), () => test.run(written))
  }
})

describe("the scripted provider over the bridges to effect/ai and back, as a provider", () => {
  const bridged: Testing.MakeProvider = (backend) =>
    Effect.gen(function* () {
      const { provider, ...subject } = yield* scripted(backend)
      // a request of effect/ai says no temperature
      const capabilities = { ...provider.capabilities, temperature: "never" } as const
      const model = yield* EffectAi.toLanguageModel(Provider.extend(provider, { capabilities }))
      return { ...subject, provider: EffectAi.fromLanguageModel(model, { name: "bridged", model: "script" }) }
    })
  for (const test of Testing.providerContract({ tools: true })) it.live(titleOf(test), () => test.run(bridged))
})

describe("the contract of providers", () => {
  it("tests the usual failures by default", () => {
    const failed = (options?: Testing.ProviderContractOptions) => [
      ...new Set(
        Testing.providerContract(options).flatMap((test) => /fails with (\w+) after/.exec(titleOf(test))?.[1] ?? [])
      )
    ]
    assert.deepStrictEqual(failed(), ["RateLimited", "Overloaded", "Authentication", "InvalidRequest", "Refused"])
    assert.deepStrictEqual(failed({ failures: ["ContextTooLong"] }), ["ContextTooLong"])
    assert.deepStrictEqual(failed({ failures: [] }), [])
  })

  const tests = Testing.providerContract({ decides: true, tools: true, patience: "60 millis" })

  /** The first test that the scripted provider does not pass when it is changed so. */
  const failure = (mutate: (provider: Provider.Shape) => Provider.Shape) => {
    const make: Testing.MakeProvider = (backend) =>
      Effect.map(scripted(backend), ({ provider, ...subject }) => ({ ...subject, provider: mutate(provider) }))
    return Effect.map(
      Effect.findFirst(tests, ({ run }) => Effect.map(Effect.exit(run(make)), Exit.isFailure)),
      Option.map(titleOf)
    )
  }

  it.live("finds a call that goes on after it has failed", () =>
    Effect.gen(function* () {
      const make: Testing.MakeProvider = (backend) => {
        let left = 0
        return Effect.map(
          scripted((asked) => {
            const reply = backend(asked)
            if (reply._tag === "Failure") left++
            return reply
          }),
          ({ open, ...subject }) => ({ ...subject, open: () => open() + left })
        )
      }
      const failed = yield* Effect.filter(tests, ({ run }) => Effect.map(Effect.exit(run(make)), Exit.isFailure))
      assert.isNotEmpty(failed)
      for (const one of failed) assert.match(titleOf(one), /^failures › fails with \w+ after one request, as a /)
    })
  )

  for (const { mutate, name } of [...mutants, ...slips]) {
    it.live(`finds “${name}”`, () =>
      Effect.map(failure(mutate), (failed) => {
        assert.isTrue(Option.isSome(failed))
      })
    )
  }
})
