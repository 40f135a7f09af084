import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import { Provider } from "cogito"

const capabilities = (rest: Partial<Provider.Capabilities>): Provider.Capabilities => ({
  temperature: "free",
  efforts: [],
  structuredOutput: "none",
  seed: false,
  ...rest
})

const efforts = ["minimal", "low", "medium", "high"]
const free = capabilities({ efforts })
const without = capabilities({ temperature: "without-effort", efforts })
const never = capabilities({ temperature: "never", efforts })
const gaps = capabilities({ temperature: "never", efforts: ["none", "low", "high"] })
const low = { effort: "low" }
const medium = { effort: "medium" }
const neither = capabilities({ temperature: "never" })

describe("resolveSampling", () => {
  const cases: ReadonlyArray<
    readonly [Provider.Capabilities, Provider.Sampling, reason: Provider.Sampling, introspect: Provider.Sampling]
  > = [
    // nothing wished
    [free, {}, { temperature: 0 }, { temperature: 0.7 }],
    [without, {}, { temperature: 0 }, { temperature: 0.7 }],
    [never, {}, { effort: "low" }, { effort: "medium" }],
    [neither, {}, {}, {}],
    // a temperature
    [free, { temperature: 1 }, { temperature: 1 }, { temperature: 1 }],
    [free, { temperature: 0 }, { temperature: 0 }, { temperature: 0 }],
    [without, { temperature: 1 }, { temperature: 1 }, { temperature: 1 }],
    [never, { temperature: 1 }, { effort: "low" }, { effort: "medium" }],
    [neither, { temperature: 0 }, {}, {}],
    // an effort
    [free, { effort: "high" }, { effort: "high" }, { effort: "high" }],
    [without, { effort: "high" }, { effort: "high" }, { effort: "high" }],
    [never, { effort: "high" }, { effort: "high" }, { effort: "high" }],
    // an effort that the model does not have: the nearest, of two the lower
    [free, { effort: "xhigh" }, { effort: "high" }, { effort: "high" }],
    [without, { effort: "max", temperature: 1 }, { effort: "high" }, { effort: "high" }],
    [never, { effort: "none" }, { effort: "minimal" }, { effort: "minimal" }],
    [never, { effort: "max" }, { effort: "high" }, { effort: "high" }],
    [gaps, { effort: "minimal" }, { effort: "none" }, { effort: "none" }],
    [gaps, { effort: "medium" }, { effort: "low" }, { effort: "low" }],
    [gaps, { effort: "xhigh" }, { effort: "high" }, { effort: "high" }],
    // an effort of no known place
    [free, { effort: "extreme" }, { temperature: 0 }, { temperature: 0.7 }],
    [never, { effort: "extreme" }, { effort: "low" }, { effort: "medium" }],
    [neither, { effort: "high" }, {}, {}],
    // both
    [free, { effort: "low", temperature: 0 }, { effort: "low", temperature: 0 }, { effort: "low", temperature: 0 }],
    [without, { effort: "low", temperature: 1 }, { effort: "low" }, { effort: "low" }],
    [never, { effort: "low", temperature: 1 }, { effort: "low" }, { effort: "low" }],
    [
      capabilities({ temperature: "without-effort", efforts: ["none", "low"] }),
      { effort: "none", temperature: 0.5 },
      { effort: "none", temperature: 0.5 },
      { effort: "none", temperature: 0.5 }
    ],
    [gaps, { effort: "none", temperature: 0.5 }, { effort: "none" }, { effort: "none" }],
    // the rest is kept, the seed only where it is taken
    [
      neither,
      { maxTokens: 0, seed: 1, stop: ["END"] },
      { maxTokens: 0, stop: ["END"] },
      { maxTokens: 0, stop: ["END"] }
    ],
    [capabilities({ seed: true, temperature: "never" }), { seed: 0 }, { seed: 0 }, { seed: 0 }],
    // low and medium by their names, else the least that is not none and the middle
    [capabilities({ temperature: "never", efforts: ["none", "low", "medium", "high"] }), {}, low, medium],
    [capabilities({ temperature: "never", efforts: ["low", "medium", "high", "xhigh", "max"] }), {}, low, medium],
    [gaps, {}, low, low],
    [capabilities({ temperature: "never", efforts: ["none", "high"] }), {}, { effort: "high" }, { effort: "high" }],
    [capabilities({ temperature: "never", efforts: ["none"] }), {}, { effort: "none" }, { effort: "none" }],
    // the middle of an even and of an odd number of efforts, and of one
    [capabilities({ temperature: "never", efforts: ["a", "b", "c"] }), {}, { effort: "a" }, { effort: "b" }],
    [capabilities({ temperature: "never", efforts: ["a"] }), {}, { effort: "a" }, { effort: "a" }]
  ]
  it.each(cases)("for %j and %j", (model, wish, reason, introspect) => {
    assert.deepStrictEqual(Provider.resolveSampling(model, "reason", wish), reason)
    assert.deepStrictEqual(Provider.resolveSampling(model, "introspect", wish), introspect)
  })

  it("has no wishes by default", () => {
    assert.deepStrictEqual(Provider.resolveSampling(free, "reason"), { temperature: 0 })
  })
})

describe("a provider made of its parts", () => {
  const request: Provider.Request = {
    messages: [],
    task: { kind: "test", instruction: "", questions: [], context: [] },
    phase: "reason",
    sampling: {}
  }

  it.effect("streams its whole answer as one piece if it cannot stream", () =>
    Effect.gen(function* () {
      const response = { text: "Hello", usage: { outputTokens: 1 } }
      const provider = Provider.make({ name: "p", model: "m", complete: () => Effect.succeed(response) })
      assert.deepStrictEqual(yield* Stream.runCollect(provider.stream(request)), [
        { _tag: "Text", delta: "Hello" },
        { _tag: "Done", response }
      ])
    })
  )

  it("claims no more than its options say", () => {
    const provider = Provider.make({
      name: "p",
      model: "m",
      complete: () => Effect.succeed({ text: "", usage: {} }),
      capabilities: { seed: true }
    })
    assert.deepStrictEqual(provider.capabilities, {
      temperature: "free",
      efforts: [],
      structuredOutput: "none",
      seed: true
    })
    assert.isUndefined(provider.decide)
  })
})

describe("addUsage", () => {
  it("adds the counts of both sides; a count on neither side stays absent, and 0 is a count", () => {
    assert.deepStrictEqual(
      Provider.addUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3, cachedInputTokens: 0 }),
      { inputTokens: 4, outputTokens: 2, cachedInputTokens: 0 }
    )
    assert.deepStrictEqual(Provider.addUsage({}, {}), {})
    const all = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 }
    assert.deepStrictEqual(Provider.addUsage(all, {}), all)
    assert.deepStrictEqual(Provider.addUsage(all, all), {
      inputTokens: 2,
      outputTokens: 4,
      cachedInputTokens: 6,
      cacheWriteTokens: 8,
      reasoningTokens: 10
    })
  })
})

describe("a ProviderError", () => {
  const error = (reason: Provider.Reason) => new Provider.ProviderError({ provider: "p", model: "m", reason })
  const message = "why"
  const retryable: ReadonlyArray<readonly [Provider.Reason, boolean]> = [
    [{ _tag: "RateLimited", message }, true],
    [{ _tag: "QuotaExhausted", message }, false],
    [{ _tag: "Overloaded", message }, true],
    [{ _tag: "Connection", message }, true],
    [{ _tag: "Timeout", message }, true],
    [{ _tag: "Authentication", message }, false],
    [{ _tag: "InvalidRequest", message }, false],
    [{ _tag: "ContextTooLong", message }, false],
    [{ _tag: "Refused", message }, false],
    [{ _tag: "Truncated", message }, true],
    [{ _tag: "EmptyAnswer", message }, true],
    [{ _tag: "InvalidResponse", message }, true],
    [{ _tag: "Unsupported", message }, false],
    [{ _tag: "BudgetExceeded", message, budget: "b", limit: "calls" }, false],
    [{ _tag: "CircuitOpen", message }, true],
    [{ _tag: "ReplayMismatch", message, call: 1 }, false]
  ]
  it.each(retryable)("says whether the call may succeed later: $0._tag $1", (reason, expected) => {
    const failure = error(reason)
    assert.strictEqual(failure.isRetryable, expected)
    assert.instanceOf(failure, Error)
    assert.strictEqual(failure.message, "p (m): why")
    assert.isUndefined(failure.retryAfter)
  })

  it("says how long to wait if the provider did", () => {
    const retryAfter = Duration.seconds(3)
    assert.strictEqual(error({ _tag: "RateLimited", message: "slow down", retryAfter }).retryAfter, retryAfter)
    assert.strictEqual(error({ _tag: "Overloaded", message: "slow down", retryAfter }).retryAfter, retryAfter)
  })
})
