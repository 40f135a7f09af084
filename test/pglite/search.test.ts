import { assert, it } from "@effect/vitest"
import { Memory, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"
import { DateTime, Effect, Layer } from "effect"

const memory = Layer.provide(PgliteMemory.layer({}), Testing.embedder)

it.effect(
  "a search takes every option that it allows, however small or large",
  () =>
    Effect.gen(function* () {
      const { commit } = yield* Memory.Memory
      yield* commit(
        yield* Thought.make("test", { a: "red apples", b: "apples and pears", c: "grapes" }, { taskId: "t" })
      )
      const all = ["apples and pears", "grapes", "red apples"]
      for (const options of [
        { fusion: { vectorWeight: 1e-50 } },
        { fusion: { vectorWeight: Number.MAX_VALUE, lexicalWeight: Number.MAX_VALUE } },
        { fusion: { lexicalWeight: 1e-50, vectorWeight: 1e-50 } },
        { recency: { halfLife: "1 nano" } },
        { recency: { halfLife: Number.MAX_VALUE } },
        { recency: { halfLife: "1 day" }, fusion: { vectorWeight: 1e-50, lexicalWeight: 1e-50 } },
        { since: DateTime.makeUnsafe(-8.64e15), until: DateTime.makeUnsafe(8.64e15) }
      ] satisfies ReadonlyArray<Memory.SurveyOptions>) {
        const { matches } = yield* Memory.search("red apples", options)
        assert.deepStrictEqual(matches.map(({ note }) => note.content).toSorted(), all, JSON.stringify(options))
        assert.strictEqual((yield* Memory.survey("red apples", options)).tasks.length, 1)
      }
      // as good as no weight at all
      for (const weight of [5e-324, 0]) {
        const options = { fusion: { vectorWeight: weight }, context: { neighbours: 0 } }
        const words = yield* Memory.search("red apples", options)
        assert.sameMembers(
          words.matches.map(({ note }) => note.content),
          ["red apples", "apples and pears"]
        )
      }
    }).pipe(Effect.provide(memory)),
  60_000
)
