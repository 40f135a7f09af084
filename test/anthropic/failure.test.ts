import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { failing, prompt, key, refusal, reply } from "./server.ts"

// Every row's server repeats key and prompt, as real ones do.
const words = `Your key ${key} may not ask "${prompt}"`

const saying = (type: string, text = words, details?: object) => refusal(type, text, details)

type Row = readonly [status: number, body: unknown, tag: string, retries: boolean]

const rows: ReadonlyArray<Row> = [
  [400, saying("invalid_request_error"), "InvalidRequest", false],
  [
    400,
    saying("invalid_request_error", `prompt is too long: 208310 tokens > 200000 maximum ${words}`),
    "ContextTooLong",
    false
  ],
  [
    400,
    saying("invalid_request_error", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
    "ContextTooLong",
    false
  ],
  [
    400,
    saying("invalid_request_error", `You have reached your specified API usage limits. ${words}`),
    "QuotaExhausted",
    false
  ],
  [
    400,
    saying("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "QuotaExhausted",
    false
  ],
  [400, saying("invalid_request_error", "Output blocked by content filtering policy"), "Refused", false],
  [401, saying("authentication_error"), "Authentication", false],
  [402, saying("billing_error"), "QuotaExhausted", false],
  [403, saying("permission_error"), "Authentication", false],
  [404, saying("not_found_error", `model: ${words}`), "InvalidRequest", false],
  [408, saying("timeout_error"), "Timeout", true],
  [409, saying("conflict_error"), "Overloaded", true],
  [413, saying("request_too_large"), "ContextTooLong", false],
  [413, `<html>${words}</html>`, "ContextTooLong", false],
  [422, saying("invalid_request_error"), "InvalidRequest", false],
  [429, saying("rate_limit_error"), "RateLimited", true],
  [429, saying("rate_limit_error", words, { error_code: "enforced_spend_limit_reached" }), "QuotaExhausted", false],
  [429, saying("rate_limit_error", words, { error_code: "contract_spend_limit_reached" }), "QuotaExhausted", false],
  [429, saying("rate_limit_error", words, { error_code: "ramp_limit_exceeded" }), "RateLimited", true],
  [429, "", "RateLimited", true],
  // the status counts where a proxy has changed it
  [429, saying("api_error"), "RateLimited", true],
  [401, saying("rate_limit_error"), "Authentication", false],
  [500, saying("api_error"), "Overloaded", true],
  [502, `<html>${words}</html>`, "Overloaded", true],
  [503, "null", "Overloaded", true],
  [504, saying("timeout_error"), "Timeout", true],
  [529, saying("overloaded_error"), "Overloaded", true],
  [418, "[]", "InvalidRequest", false]
]

describe("a refused call", () => {
  it.effect("is classified by its status and type, made once, without the server's text", () =>
    Effect.gen(function* () {
      for (const [status, body, tag, retries] of rows) {
        const { error, server } = yield* failing(reply(status, body))
        assert.deepStrictEqual([status, body, error.reason._tag, error.isRetryable], [status, body, tag, retries])
        assert.strictEqual(error.requestId, "req-123")
        assert.include(error.message, String(status))
        assert.strictEqual(server.recorded.length, 1)
        assert.isUndefined(error.retryAfter)
      }
    })
  )

  it.effect("keeps its type even with a successful status", () =>
    Effect.gen(function* () {
      for (const [type, tag] of [
        ["overloaded_error", "Overloaded"],
        ["rate_limit_error", "RateLimited"],
        ["authentication_error", "Authentication"],
        ["billing_error", "QuotaExhausted"],
        ["permission_error", "Authentication"],
        ["timeout_error", "Timeout"],
        ["conflict_error", "Overloaded"],
        ["request_too_large", "ContextTooLong"],
        ["api_error", "Overloaded"],
        ["not_found_error", "InvalidRequest"],
        ["invalid_request_error", "InvalidRequest"]
      ] as const) {
        const { error, server } = yield* failing(reply(200, saying(type)))
        assert.strictEqual(error.reason._tag, tag)
        assert.include(error.message, type)
        assert.strictEqual(error.requestId, "req-123")
        assert.strictEqual(server.recorded.length, 1)
      }
    })
  )

  it.effect("for a missing model gives specific advice", () =>
    Effect.gen(function* () {
      for (const body of [
        saying("not_found_error", "model: claude-nine"),
        saying("model_not_found"),
        saying("not_found_error", 'model "qwen9" not found, try pulling it first')
      ]) {
        const { error } = yield* failing(reply(404, body))
        assert.strictEqual(error.reason._tag === "InvalidRequest" && error.reason.parameter, "model")
        assert.include(error.message, "check the spelling of model, whether this key may use it")
        assert.notInclude(error.message, "baseUrl")
      }
      const { error } = yield* failing(reply(404, saying("not_found_error", "Not found")))
      assert.include(error.message, "baseUrl")
    })
  )

  it.effect("is made once even if the server asks for a retry", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 429, 529]) {
        const { server } = yield* failing(reply(status, saying("api_error"), { "x-should-retry": "true" }))
        assert.strictEqual(server.recorded.length, 1)
      }
    })
  )

  it.effect("waits as long as the server says", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-22T08:00:00Z"))
      const waits: ReadonlyArray<readonly [Record<string, string>, Duration.Duration | undefined]> = [
        [{ "retry-after": "90" }, Duration.seconds(90)],
        [{ "retry-after-ms": "1500" }, Duration.millis(1500)],
        [{ "retry-after": "Sun, 22 Nov 2026 08:01:00 GMT" }, Duration.minutes(1)],
        [{ "retry-after": "0" }, undefined],
        [{ "retry-after": "soon" }, undefined]
      ]
      for (const [headers, expected] of waits) {
        for (const [status, type] of [
          [429, "rate_limit_error"],
          [529, "overloaded_error"],
          [503, "api_error"]
        ] as const) {
          const { error } = yield* failing(reply(status, saying(type), headers))
          assert.deepStrictEqual(error.retryAfter, expected)
        }
      }
    })
  )

  const named: ReadonlyArray<readonly [string, string | undefined]> = [
    ["`temperature` is deprecated for this model.", "temperature"],
    ["temperature: range: 0..1", "temperature"],
    ["output_config.effort: Input should be 'low', 'medium' or 'high'", "output_config.effort"],
    ["This model does not support the effort parameter.", "output_config.effort"],
    ["output_config.format.schema: For 'string' type, property 'x' is not supported", "output_config.format"],
    ["output_config: Extra inputs are not permitted", "output_config.format"],
    ["The compiled grammar is too large, which would cause performance issues.", "output_config.format"],
    ["Schema is too complex for compilation.", "output_config.format"],
    ["system: Extra inputs are not permitted", "system"],
    ["This model does not support system messages.", "system"],
    ["stop_sequences: each stop sequence must contain non-whitespace", "stop_sequences"],
    ["max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens", "max_tokens"],
    ["messages.0.content: canary words about temperature and effort", "messages"],
    ["canary words: the `temperature`", undefined],
    [`the user said "canary temperature is high"`, undefined],
    ["canary_field: Extra inputs are not permitted", undefined]
  ]
  it.effect("names the parameter if the server does, and no other text", () =>
    Effect.gen(function* () {
      for (const [text, parameter] of named) {
        const { error } = yield* failing(reply(400, saying("invalid_request_error", text)))
        const found = error.reason._tag === "InvalidRequest" ? error.reason.parameter : "none"
        assert.deepStrictEqual([text, found], [text, parameter])
      }
    })
  )
})
