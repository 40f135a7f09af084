import { assert, describe, it } from "@effect/vitest"
import { Budget, Provider } from "cogito"
import { Effect } from "effect"

const request: Provider.Request = {
  messages: [{ role: "user", text: "Hello" }],
  task: { kind: "greet", instruction: "Hello", questions: [], context: [] },
  phase: "reason",
  sampling: { maxTokens: 10 }
}

/** A model that writes as long as it likes, whatever it is told. */
const wordy = (capabilities: Partial<Provider.Capabilities>) => {
  const sent: Array<number | undefined> = []
  const provider = Provider.make({
    name: "wordy",
    model: "m",
    capabilities: { boundsOutput: false, ...capabilities },
    complete: ({ sampling }) =>
      Effect.sync(() => {
        sent.push(sampling.maxTokens)
        return { text: "long", usage: { inputTokens: 10, outputTokens: 5000 } }
      })
  })
  return { provider, sent }
}

describe("a model that does not keep to maxTokens", () => {
  it.effect("is not called within a budget of tokens while the length of its answers has no known limit", () =>
    Effect.gen(function* () {
      const { provider, sent } = wordy({})
      const budget = Budget.make({ tokens: 8000 })
      const { reason } = yield* Effect.flip(Provider.withBudget(budget)(provider.complete(request)))
      assert.strictEqual(reason._tag, "InvalidRequest")
      assert.include(reason.message, "capabilities.outputTokens")
      assert.deepStrictEqual([sent.length, (yield* budget.spent).calls], [0, 0])
      // calls alone are counted all the same
      yield* Provider.withBudget(Budget.make({ calls: 1 }))(provider.complete(request))
      assert.deepStrictEqual(sent, [10])
    })
  )

  it.effect("is called only if its longest answer fits, and the budget holds", () =>
    Effect.gen(function* () {
      const { provider, sent } = wordy({ outputTokens: 5000 })
      const budget = Budget.make({ tokens: 8000 })
      const call = Provider.withBudget(budget)(provider.complete(request))
      yield* call
      const { reason } = yield* Effect.flip(call)
      assert.deepInclude(reason, { _tag: "BudgetExceeded", limit: "tokens" })
      assert.deepStrictEqual(sent, [10])
      assert.strictEqual((yield* budget.spent).tokens, 5010)
    })
  )
})
