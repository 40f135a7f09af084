import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { toRetryAfter } from "../../src/http/retryAfter.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const later = "Thu, 01 Jan 2026 00:00:30 GMT"

const millisOf = (headers: Readonly<Record<string, string>>) => {
  const { retryAfter } = toRetryAfter(new Headers(headers), now)
  return retryAfter === undefined ? undefined : Duration.toMillis(retryAfter)
}

describe("the time that a server asks to wait", () => {
  it.each([
    [{ "retry-after-ms": "100" }, 100],
    [{ "retry-after": "9" }, 9000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": later }, 30_000],
    // the more precise one counts
    [{ "retry-after-ms": "100", "retry-after": "9" }, 100],
    [{ "retry-after-ms": "100", "retry-after": later }, 100],
    // one that cannot be read, or is over, does not hide the other
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9000],
    [{ "retry-after-ms": "0", "retry-after": "9" }, 9000],
    [{ "retry-after": "0" }, undefined],
    [{ "retry-after": "Wed, 31 Dec 2025 23:59:59 GMT" }, undefined],
    [{ "retry-after": "-1" }, undefined],
    [{}, undefined]
  ])("of %j is %s ms", (headers, expected) => {
    assert.strictEqual(millisOf(headers), expected)
  })

  it("is unknown without headers", () => {
    assert.deepStrictEqual(toRetryAfter(undefined, now), {})
  })
})
