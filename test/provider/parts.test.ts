/** What providers that are built from others pass on: capabilities, budgets, and answers without a stream. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { Budget, Provider } from "cogito"
import { Testing } from "cogito/testing"
import { answerOf } from "../../src/provider/decisions.ts"
import { type Ending, problemOf } from "../../src/provider/ending.ts"
import { parametersOf } from "../../src/provider/turns.ts"
import { fake, failing, request } from "./fake.ts"

describe("an extended provider", () => {
  it.effect("has the current capabilities of the inner one, unless it has its own", () =>
    Effect.gen(function* () {
      let seed = true
      const { provider } = Testing.scripted(["one", "two"])
      const learning = Object.defineProperty({ ...provider }, "capabilities", {
        enumerable: true,
        get: () => ({ ...provider.capabilities, seed })
      })
      const extended = Provider.extend(Provider.extend(learning, { name: "outer" }), { model: "other" })
      const own = Provider.extend(learning, { capabilities: provider.capabilities })
      assert.deepStrictEqual([extended.capabilities.seed, extended.name, extended.model], [true, "outer", "other"])
      seed = false
      assert.strictEqual(extended.capabilities.seed, false)
      assert.strictEqual(own.capabilities, provider.capabilities)
      assert.strictEqual((yield* extended.complete(request)).text, "one")
    })
  )
})

describe("a provider without a stream of its own", () => {
  const whole = Provider.make({
    name: "plain",
    model: "plain-1",
    complete: () => Effect.succeed({ text: "all of it", usage: { inputTokens: 3, outputTokens: 4 } })
  })

  it.effect("streams its answer in one piece, which counts toward budgets", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ calls: 1 })
      const call = Provider.withBudget(budget)(Stream.runCollect(whole.stream(request)))
      const response = { text: "all of it", usage: { inputTokens: 3, outputTokens: 4 } }
      assert.deepStrictEqual<ReadonlyArray<Provider.StreamPart>>(yield* call, [
        { _tag: "Text", delta: "all of it" },
        { _tag: "Done", response }
      ])
      const { calls, tokens } = yield* budget.spent
      assert.deepStrictEqual([calls, tokens], [1, 7])
      assert.strictEqual((yield* Effect.flip(call)).reason._tag, "BudgetExceeded")
    })
  )

  it.effect("refuses to stream a request with tools if it does not support tools", () =>
    Effect.gen(function* () {
      const tools = [{ name: "look", description: "Looks", parameters: { type: "object" } }]
      const error = yield* Effect.flip(Stream.runDrain(whole.stream({ ...request, tools })))
      assert.strictEqual(error.reason._tag, "Unsupported")
    })
  )
})

describe("the budgets of a provider", () => {
  const names = (layer: Layer.Layer<Provider.Provider, Provider.ProviderError>, answeredBy?: string) =>
    Provider.Provider.use((provider) =>
      Effect.sync(() => provider.budgets?.(answeredBy).map((source) => ("name" in source ? source.name : undefined)))
    ).pipe(Effect.provide(layer))
  const budget = (name: string) => Provider.budget(Budget.make({ name, calls: 1 }))

  it.effect("are those of all its layers", () =>
    Effect.gen(function* () {
      const layer = fake(() => Effect.succeed({})).layer.pipe(budget("inner"), Provider.retry(), budget("outer"))
      assert.lengthOf((yield* names(layer)) ?? [], 2)
    })
  )

  it.effect("are, for combined providers, those of the one that answers, or of both", () =>
    Effect.gen(function* () {
      const text = fake(() => Effect.succeed({}), { name: "text", decides: false }).layer.pipe(budget("t"), budget("u"))
      const decider = fake(() => Effect.succeed({}), { name: "decider" }).layer.pipe(budget("d"))
      const combined = Provider.combine({ complete: text, decide: decider })
      const counts = yield* Effect.forEach([undefined, "text", "decider"], (answeredBy) =>
        Effect.map(names(combined, answeredBy), (found) => found?.length)
      )
      assert.deepStrictEqual(counts, [3, 2, 1])
    })
  )

  it.effect("change only the error of an answer that was cut off at their limit", () =>
    Effect.gen(function* () {
      for (const [tag, expected] of [
        ["Truncated", "BudgetExceeded"],
        ["Refused", "Refused"],
        ["EmptyAnswer", "EmptyAnswer"],
        ["InvalidResponse", "InvalidResponse"]
      ] as const) {
        const usage = { inputTokens: 10, outputTokens: 10_000 }
        const { provider } = fake(() => Effect.fail(failing(tag, { usage })))
        const { reason } = yield* Effect.flip(Provider.withBudget({ tokens: 200 })(provider.complete(request)))
        assert.strictEqual(reason._tag, expected)
      }
    })
  )
})

describe("an answer", () => {
  it("is complete depending on its ending, text and calls", () => {
    const found = (ending: Ending | undefined) =>
      [
        ["text", []],
        ["text", ["call"]],
        [" ", ["call"]],
        [" ", []]
      ].map(([text, calls]) => problemOf(ending, String(text), calls as ReadonlyArray<unknown>)?._tag)
    const all = (tag: string) => [tag, tag, tag, tag]
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(found("finished"), [
      undefined,
      undefined,
      undefined,
      "EmptyAnswer"
    ])
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(found("waiting"), [
      "InvalidResponse",
      undefined,
      undefined,
      "InvalidResponse"
    ])
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(found("cut"), all("Truncated"))
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(found("filtered"), all("Refused"))
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(found("declined"), all("Refused"))
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(found(undefined), all("InvalidResponse"))
  })

  it("has probabilities that sum to 1, and the value that follows from them", () => {
    const levels = [1, 2, 4].map((value) => ({ label: `${value}`, value }))
    assert.deepStrictEqual(answerOf({ _tag: "Score", name: "s", question: "How much?", levels }, [0.2, 0.2, 0.4]), {
      _tag: "Score",
      name: "s",
      value: 2.75,
      distribution: { 1: 0.25, 2: 0.25, 4: 0.5 }
    })
    const labels = ["a", "b"].map((label) => ({ label }))
    const choice = { _tag: "Choice", name: "c", question: "Which?", labels } as const
    assert.deepStrictEqual(answerOf(choice, [0.125, 0.375]), {
      _tag: "Choice",
      name: "c",
      label: "b",
      distribution: { a: 0.25, b: 0.75 }
    })
    assert.deepInclude(answerOf(choice, [0.125, 0.375], "a"), { label: "a" })
  })
})

describe("an error of a provider", () => {
  it("is retryable depending on its reason, whatever its message", () => {
    // with the fields that some reasons need
    const isRetryable = (tag: string) => {
      const own = { category: "content_filter", budget: "b", limit: "calls" }
      const reason = { _tag: tag, message: "no", ...own } as unknown as Provider.Reason
      return new Provider.ProviderError({ provider: "p", model: "m", reason }).isRetryable
    }
    for (const tag of [
      "RateLimited",
      "Overloaded",
      "Timeout",
      "Connection",
      "Truncated",
      "EmptyAnswer",
      "InvalidResponse",
      "CircuitOpen"
    ]) {
      assert.isTrue(isRetryable(tag), tag)
    }
    for (const tag of [
      "Authentication",
      "QuotaExhausted",
      "InvalidRequest",
      "ContextTooLong",
      "Unsupported",
      "Refused",
      "BudgetExceeded"
    ]) {
      assert.isFalse(isRetryable(tag), tag)
    }
  })
})

describe("the parameters of a tool", () => {
  it("are an object schema with its definitions, even if the root is a reference", () => {
    const $defs = {
      root: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] },
      a: { type: "string" }
    }
    const parameters = { $schema: "https://json-schema.org/draft/2020-12/schema", $ref: "#/$defs/root", $defs }
    const tool = { name: "look", description: "Looks" }
    assert.deepStrictEqual<object>(parametersOf({ ...tool, parameters }), { ...$defs.root, $defs })
    assert.deepStrictEqual<object>(parametersOf({ ...tool, parameters: {} }), { type: "object", properties: {} })
    const { root, ...rest } = $defs
    assert.deepStrictEqual<object>(parametersOf({ ...tool, parameters: { ...root, $defs: rest } }), {
      ...root,
      $defs: rest
    })
  })
})
