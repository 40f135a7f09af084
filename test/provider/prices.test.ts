import { assert, describe, it } from "@effect/vitest"
import { Provider } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import { Effect } from "effect"

const asOf = "2026-11-01"
const model = "m"
const makers: Readonly<Record<string, (prices: Provider.Prices) => unknown>> = {
  "Provider.make": (prices) =>
    Provider.make({
      name: "p",
      model,
      capabilities: { prices },
      complete: () => Effect.succeed({ text: "", usage: {} })
    }),
  "OpenAi.make": (prices) => OpenAi.make({ model, apiKey: "k", capabilities: { prices } }),
  "OpenAi.make, for decisions": (prices) => OpenAi.make({ model, apiKey: "k", decisions: { model, prices } }),
  "OpenAi.decider": (prices) => OpenAi.decider({ model, apiKey: "k", prices }),
  "Anthropic.make": (prices) => Anthropic.make({ model, apiKey: "k", capabilities: { prices } })
}

describe("invalid prices", () => {
  for (const [name, make] of Object.entries(makers)) {
    it(`are refused at construction: ${name}`, () => {
      for (const wrong of [Number.NaN, -1, Infinity, "2", null] as ReadonlyArray<any>) {
        for (const field of ["input", "output", "cachedInput", "cacheWrite"]) {
          assert.throws(
            () => make({ input: 1, output: 1, asOf, [field]: wrong }),
            `${name.split(",")[0]} needs a finite number from 0 as prices.${field}, not `
          )
        }
      }
      assert.throws(() => make({ input: 1, asOf } as Provider.Prices), "as prices.output, not undefined.")
      make({ input: 0, output: 0, asOf })
    })
  }
})
