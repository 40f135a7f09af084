/** Rate limits as vendors write them into headers. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { limitsOf } from "../../src/http/limits.ts"

const now = Date.parse("2026-11-22T08:00:00Z")

/** The milliseconds until a limit of requests is reset. */
const resetIn = (text: string): number | undefined => {
  const { limits } = limitsOf(new Headers({ "x-ratelimit-reset-requests": text }), now)
  const after = limits?.requests?.resetAfter
  return after === undefined ? undefined : Duration.toMillis(after)
}

describe("the time until a limit is reset", () => {
  it.each([
    ["6", 6000],
    ["0.5", 500],
    ["20ms", 20],
    ["1m30s", 90_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["2026-11-22T08:00:30Z", 30_000],
    // it is over
    ["2026-11-22T07:59:00Z", 0],
    ["soon", undefined],
    ["-5", undefined],
    ["", undefined]
  ])("%s", (text, millis) => {
    assert.strictEqual(resetIn(text), millis)
  })
})

describe("limits in headers", () => {
  it("are those of either vendor, each window with what is said of it", () => {
    const { limits } = limitsOf(
      new Headers({
        "x-ratelimit-limit-tokens": "8000",
        "x-ratelimit-remaining-tokens": "0",
        "anthropic-ratelimit-input-tokens-limit": "500",
        "anthropic-ratelimit-output-tokens-remaining": "many"
      }),
      now
    )
    assert.deepStrictEqual(limits, { tokens: { limit: 8000, remaining: 0 }, inputTokens: { limit: 500 } })
    assert.deepStrictEqual(limitsOf(new Headers(), now), {})
  })
})
