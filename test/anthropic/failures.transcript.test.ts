import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Anthropic } from "cogito/anthropic"
import { listen, wire } from "../http/wire.ts"
import { request } from "../openai/requests.ts"
import { transcribe } from "../transcript.ts"
import { events, refusal, reply } from "./server.ts"

const house = { model: "house-1", name: "house", apiKey: "sk-house-key", baseUrl: "https://model.test" }
type Answer = Parameters<typeof wire>[0]

/** What a call and a streamed one come to; once where that is the same. */
const both = (answer: Answer) =>
  Effect.gen(function* () {
    // some headers tell a date to wait for
    yield* TestClock.setTime(Date.UTC(2026, 10, 22, 8))
    const make = (fetch: typeof globalThis.fetch) => Anthropic.make({ ...house, fetch })
    const whole = yield* wire(answer, (fetch) => Effect.flatMap(make(fetch), (one) => one.complete(request())))
    const streamed = yield* wire(answer, (fetch) => Effect.flatMap(make(fetch), (one) => listen(one, request())))
    const [call, stream] = [whole.outcome, Array.isArray(streamed.outcome) ? streamed.outcome[0] : streamed.outcome]
    return JSON.stringify(call) === JSON.stringify(stream) ? { both: call } : { call, stream }
  })

const refusing = (status: number, type: string, message: string, headers: Record<string, string> = {}, code?: string) =>
  reply(status, refusal(type, message, code === undefined ? undefined : { error_code: code }), {
    "request-id": "req_9",
    ...headers
  })

const statuses = [300, 307, 400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529]
const types = [
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
  "timeout_error",
  "conflict_error",
  "request_too_large",
  "rate_limit_error",
  "api_error",
  "overloaded_error",
  "model_not_found",
  "toString",
  "a_type"
]
const codes = [
  "contract_spend_limit_reached",
  "enforced_spend_limit_reached",
  "linked_organization_billing_unavailable",
  "linked_organization_spend_limit_reached",
  "request_body_too_large_after_decoding",
  "model_not_found",
  "a_code",
  "sk-house-key"
]

it.effect("what each status, type and code comes to", () =>
  transcribe("statuses", {
    ...Object.fromEntries(
      statuses.map((status) => [`Status ${status} of an unknown type`, both(refusing(status, "a_type", "canary"))])
    ),
    ...Object.fromEntries(
      types.flatMap((type) => [
        [`Status 400 of the type ${type}`, both(refusing(400, type, "canary"))],
        [`A good status with an error of the type ${type}`, both(refusing(200, type, "canary"))],
        [`An event that is an error of the type ${type}`, both(events([refusal(type, "canary")]))]
      ])
    ),
    ...Object.fromEntries(
      codes.map((code) => [`Status 429 with the code ${code}`, both(refusing(429, "rate_limit_error", "m", {}, code))])
    ),
    "Status 429 with milliseconds and seconds to wait": both(
      refusing(429, "rate_limit_error", "m", { "retry-after-ms": "1500", "retry-after": "9" })
    ),
    "Status 529 with seconds to wait": both(refusing(529, "overloaded_error", "m", { "retry-after": "2.5" })),
    "Status 409 with a date to wait for": both(
      refusing(409, "conflict_error", "m", { "retry-after": "Sun, 22 Nov 2026 08:00:07 GMT" })
    ),
    "Status 504 with a wait, which is not passed on": both(refusing(504, "timeout_error", "m", { "retry-after": "4" })),
    "An error in a good answer, with a wait": both(
      reply(200, refusal("rate_limit_error", "m"), { "retry-after": "6" })
    ),
    "A text that is no JSON": both(reply(503, "It is broken", { "content-type": "text/plain", "request-id": "req_8" })),
    "An id that holds the key": both(refusing(500, "api_error", "m", { "request-id": "sk-house-key" }))
  })
)

const words = {
  "a prompt that is too long": "prompt is too long: 208310 tokens > 200000 maximum",
  "a limit of the context": "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
  "limits that were set": "You have reached your specified workspace API usage limits.",
  credit: "Your credit balance is too low to access the API.",
  "a filter": "Output blocked by content filtering policy",
  "an effort by its path": "output_config.effort: Input should be 'low' or 'high'",
  "an effort in words": "This model does not support the effort parameter.",
  "a form by its path": "output_format.schema: Unsupported",
  "a form in words": "The compiled grammar is too large",
  "a temperature in backticks": "`temperature` is deprecated for this model.",
  "a temperature that is out of range": "temperature: range: 0..1",
  top_p: "`temperature` and `top_p` cannot both be specified",
  thinking: "thinking.type: must be one of",
  "stop sequences": "stop_sequences.0: each must contain non-whitespace",
  "the length of an answer": "max_tokens: 900000 > 64000, which is the maximum: must be less than or equal to 64000",
  "a model by its path": "model: claude-9",
  "a system role": "messages.0: system messages are not supported by this model",
  "system text": "system.0.cache_control: no",
  messages: "messages: at least one message is required",
  "nothing that is known": "canary: sk-house-key"
}

it.effect("what the words of a refusal come to", () =>
  transcribe("refusals", {
    ...Object.fromEntries(
      Object.entries(words).map(([what, message]) => [
        `A refusal that names ${what}`,
        both(refusing(400, "invalid_request_error", message))
      ])
    ),
    "Status 404 that names a model": both(refusing(404, "not_found_error", "model: house-1")),
    "Status 404 that says that a model does not exist": both(
      refusing(404, "not_found_error", 'The model "house-1" does not exist')
    )
  })
)
