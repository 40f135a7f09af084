import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Embedder } from "cogito"
import { OpenAi } from "cogito/openai"
import { Provider } from "cogito/Provider"
import { listen, told, wire } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { type Answer, reply } from "./server.ts"
import { data, sse } from "./streams.ts"
import { request } from "./requests.ts"

const options = { model: "house-1", name: "house", apiKey: "sk-house-key", baseUrl: "https://model.test/v1" }
const asked = request()
const question = { _tag: "Predicate", name: "late", question: "Is it late?" } as const
const closed = { ...asked, task: { ...asked.task, questions: [question] } }

const calls = {
  chat: (fetch: typeof globalThis.fetch) =>
    Effect.flatMap(OpenAi.make({ ...options, fetch }), (provider) => provider.complete(asked)),
  responses: (fetch: typeof globalThis.fetch) =>
    Effect.flatMap(OpenAi.make({ ...options, api: "responses", fetch }), (provider) => provider.complete(asked)),
  "chat, streamed": (fetch: typeof globalThis.fetch) =>
    Effect.flatMap(OpenAi.make({ ...options, fetch }), (provider) => listen(provider, asked)),
  "responses, streamed": (fetch: typeof globalThis.fetch) =>
    Effect.flatMap(OpenAi.make({ ...options, api: "responses", fetch }), (provider) => listen(provider, asked)),
  decisions: (fetch: typeof globalThis.fetch) =>
    Provider.use((provider) => provider.decide?.(closed) ?? Effect.die("no decisions")).pipe(
      Effect.provide(OpenAi.decider({ ...options, fetch }))
    ),
  "log-probabilities": (fetch: typeof globalThis.fetch) =>
    Effect.flatMap(
      OpenAi.make({ ...options, decisions: "logprobs", fetch }),
      (provider) => provider.decide?.(closed) ?? Effect.die("no decisions")
    ),
  embeddings: (fetch: typeof globalThis.fetch) => {
    const { apiKey, baseUrl, model } = options
    return Embedder.Embedder.use((embedder) => embedder.embedMany(["one", "two"])).pipe(
      Effect.provide(OpenAi.embedder({ apiKey, baseUrl, model, id: "space-1", dimensions: 2, fetch })),
      Effect.mapError((error) =>
        error._tag === "EmbedderError"
          ? { embedder: error.embedder, says: error.message, retryable: error.retryable, cause: told(error.cause) }
          : error
      )
    )
  }
}

interface Same {
  readonly names: Array<string>
  readonly outcome: unknown
}

/** What each kind of call comes to; one that comes to the same as another before it is named with that. */
const each = (answer: Answer, names: ReadonlyArray<keyof typeof calls>) =>
  Effect.gen(function* () {
    // some headers tell a date to wait for
    yield* TestClock.setTime(Date.UTC(2026, 10, 22, 8))
    const found = new Map<string, Same>()
    for (const name of names) {
      const call: (fetch: typeof globalThis.fetch) => Effect.Effect<unknown, unknown> = calls[name]
      const { outcome } = yield* wire(answer, call)
      const shown = Array.isArray(outcome) ? outcome[0] : outcome
      const key = JSON.stringify(shown)
      const same: Same = found.get(key) ?? { names: [], outcome: shown }
      same.names.push(name)
      found.set(key, same)
    }
    return Object.fromEntries([...found.values()].map((one) => [one.names.join(" and "), one.outcome]))
  })

const every = Object.keys(calls) as ReadonlyArray<keyof typeof calls>
const few = ["chat", "embeddings"] as const

interface Said {
  readonly code?: unknown
  readonly type?: unknown
  readonly param?: unknown
  readonly message?: unknown
}
const refusing = (status: number, error: Said | string, headers: Record<string, string> = {}): Answer =>
  reply(status, { error }, { "x-request-id": "req-9", ...headers })

const statuses = [300, 302, 400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529]

it.effect("what each status comes to", () =>
  transcribe("statuses", {
    ...Object.fromEntries(
      statuses.map((status) => [
        `Status ${status} with nothing that is known`,
        each(refusing(status, { message: "canary", type: "a_type", code: "a_code" }), ["chat"])
      ])
    ),
    "Status 429 in every kind of call": each(
      refusing(429, { code: "rate_limit_exceeded" }, { "retry-after-ms": "1500", "retry-after": "9" }),
      every
    ),
    "Status 503 with seconds to wait": each(refusing(503, {}, { "retry-after": "2.5" }), few),
    "Status 409 with a date to wait for": each(
      refusing(409, {}, { "retry-after": "Sun, 22 Nov 2026 08:00:07 GMT" }),
      few
    ),
    "Status 429 with a date that is past, and no id": each(
      reply(429, { error: {} }, { "retry-after": "Sun, 22 Nov 2026 07:59:59 GMT", "x-request-id": "not an id" }),
      ["chat"]
    ),
    "Status 429 with waits that are none": each(refusing(429, {}, { "retry-after-ms": "0", "retry-after": "-3" }), [
      "chat"
    ]),
    "Status 400 with a wait, which is not passed on": each(refusing(400, {}, { "retry-after": "4" }), ["chat"]),
    "Status 500 with a text": each(reply(500, "It is broken", { "content-type": "text/plain" }), ["chat"]),
    "Status 418 with an id of the key": each(refusing(418, { code: "sk-house-key" }, { "x-request-id": "house-key" }), [
      "chat"
    ])
  })
)

const codes = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`Status 400 with the code ${name}`, each(refusing(400, { code: name, type: "t" }), ["chat"])],
      [`An error without a status, of the type ${name}`, each(sse([data({ error: { type: name } })]), streams)]
    ])
  )
const streams = ["chat, streamed", "responses, streamed"] as const

it.effect("what each code comes to", () =>
  transcribe("codes", {
    ...codes(
      "context_length_exceeded",
      "exceed_context_size_error",
      "content_filter",
      "invalid_prompt",
      "usage_policy_violation",
      "cyber_policy",
      "insufficient_quota",
      "billing_hard_limit_reached",
      "model_not_found",
      "invalid_api_key",
      "authentication_error",
      "permission_denied",
      "permission_error",
      "request_timeout",
      "timeout_error",
      "rate_limit_error",
      "tokens",
      "not_found_error",
      "server_error",
      "internal_server_error",
      "overloaded",
      "service_unavailable",
      "invalid_request_error",
      "something_else"
    ),
    "A code that is a status, in a good answer": each(
      reply(200, { error: { code: 429 } }, { "retry-after": "3" }),
      every
    ),
    "A code that is a status, beside a status in words and headers": each(
      reply(200, { error: { code: 429, status: "RESOURCE_EXHAUSTED", headers: { "retry-after": "9" } } }),
      ["chat", "responses", ...streams]
    ),
    "A status, in a good answer": each(reply(200, { error: { status: 503, code: "odd" } }), ["chat", ...streams]),
    "A response that failed, with a status in words": each(
      reply(200, { status: "failed", error: { code: 429, status: "RESOURCE_EXHAUSTED" } }, { "retry-after": "6" }),
      ["responses"]
    ),
    "A code that is a status, in a stream": each(
      sse([data({ error: { code: 503 } })], { "retry-after": "3" }),
      streams
    ),
    "An error that is a text, in a good answer": each(reply(200, { error: "canary" }), every),
    "A body that is an error, in a good answer": each(reply(200, { object: "error", code: "tokens", message: "m" }), [
      "chat",
      "responses",
      ...streams
    ]),
    "An event named error that is no JSON": each(sse([`event: error\n${data("canary")}`]), streams),
    "An event of the type error": each(
      sse([`event: error\n${data({ type: "error", code: "rate_limit_exceeded", message: "canary", param: null })}`]),
      streams
    ),
    "An error with a parameter and no code, in a stream": each(sse([data({ error: { param: "seed" } })]), streams)
  })
)

const words: Readonly<Record<string, readonly [number, Said]>> = {
  "a parameter by its field": [400, { param: "temperature", code: "unsupported_value", message: "canary" }],
  "a parameter by its field that is out of range": [400, { param: "max_tokens", code: "integer_above_max_value" }],
  "a parameter in words": [400, { message: "Unsupported parameter: 'reasoning_effort' is not supported" }],
  "a parameter in words, out of range": [400, { message: "Invalid value: 'seed' must be at most 5" }],
  "a path before a colon": [422, { message: "body.stream_options: Extra inputs are not permitted" }],
  "a place in a list": [422, { message: "[{'loc': ('body', 'strict'), 'msg': 'Extra'}]" }],
  "that it takes no system messages": [400, { message: "System role not supported", param: "messages" }],
  "that developer instructions are off": [400, { message: "Developer instruction is not enabled for models/x" }],
  "that it does not think": [400, { message: '"house-1" does not support thinking' }],
  "a context that is too long, in vLLM's words": [400, { message: "This model's maximum context length is 9 tokens" }],
  "a model that is missing, in Ollama's words": [404, { message: 'model "house-1" not found, try pulling it first' }],
  "log-probabilities that the key may not have": [403, { message: "You are not allowed to request logprobs" }],
  "log-probabilities by their parameter": [400, { param: "top_logprobs", message: "no" }],
  "a form": [400, { param: "text.format.schema", code: "invalid_json_schema", message: "Invalid schema" }],
  "a parameter that is no name": [400, { param: "a name with spaces", message: "canary" }]
}

it.effect("what the words of a refusal come to", () =>
  transcribe(
    "refusals",
    Object.fromEntries(
      Object.entries(words).map(([what, [status, error]]) => [
        `A refusal that names ${what}`,
        each(refusing(status, error), ["chat", "responses", "decisions", "log-probabilities"])
      ])
    )
  )
)
