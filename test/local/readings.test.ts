import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Synapse } from "cogito"
import { Local } from "cogito/local"

// Short texts with the schemas that a newcomer writes for them.

const ranking = Synapse.ranking({ criteria: "urgency" })

layer(Local.extractive)("the offline provider", (it) => {
  describe("in lists", () => {
    it.effect("takes no number of an item for a part of a sentence", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* ranking(["fire"])).reasoning, ["fire"])
        assert.deepStrictEqual((yield* ranking(["fire", "letter"])).reasoning, ["fire"])
      })
    )
  })

  describe("without fields", () => {
    it.effect("answers with an empty object", () =>
      Effect.gen(function* () {
        const nothing = Synapse.extract(Schema.Struct({}), { prompt: "Extract" })
        assert.deepStrictEqual(yield* nothing("Hello there, Tom."), {})
      })
    )
  })
})
