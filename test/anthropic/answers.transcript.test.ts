import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Anthropic } from "cogito/anthropic"
import { listen, wire } from "../http/wire.ts"
import { request } from "../openai/requests.ts"
import { transcribe } from "../transcript.ts"
import { events, message, refusal, reply } from "./server.ts"

const house = { model: "house-1", name: "house", apiKey: "sk-house-key", baseUrl: "https://model.test" }
type Answer = Parameters<typeof wire>[0]

const make = (fetch: typeof globalThis.fetch) =>
  Effect.andThen(
    TestClock.setTime(Date.UTC(2026, 10, 22, 8)),
    Anthropic.make({ ...house, idleTimeout: "5 seconds", fetch })
  )
const outcomeOf = <A extends { readonly outcome: unknown }, E, R>(seen: Effect.Effect<A, E, R>) =>
  Effect.map(seen, ({ outcome }) => outcome)
const whole = (answer: Answer) =>
  outcomeOf(wire(answer, (fetch) => Effect.flatMap(make(fetch), (one) => one.complete(request()))))
const streamed = (parts: Parameters<typeof events>[0], end?: "destroyed") =>
  outcomeOf(wire(events(parts, end), (fetch) => Effect.flatMap(make(fetch), (one) => listen(one, request()))))

const usage = {
  input_tokens: 12,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 }
}
const said = (rest: object = {}, text = "fine") => reply(200, message(text, rest), { "request-id": "req_3" })

const started = (rest: object = {}) => ({
  type: "message_start",
  message: { id: "msg_2", model: "house-1-2026", usage, ...rest }
})
const open = (index: number, block: object = { type: "text", text: "" }) => ({
  type: "content_block_start",
  index,
  content_block: block
})
const grow = (index: number, text: string, type = "text_delta") => ({
  type: "content_block_delta",
  index,
  delta: { type, text }
})
const close = (index: number) => ({ type: "content_block_stop", index })
const ended = (stop: string | null, rest: object = {}, counts: object | null = { output_tokens: 9 }) => ({
  type: "message_delta",
  delta: { stop_reason: stop, ...rest },
  usage: counts
})
const stopped = { type: "message_stop" }
const text = [open(0), grow(0, "He"), grow(0, "llo"), close(0)]

const stops = [
  "end_turn",
  "stop_sequence",
  "refusal",
  "max_tokens",
  "model_context_window_exceeded",
  "pause_turn",
  "tool_use",
  "tired",
  null
]
const limits = {
  "anthropic-ratelimit-requests-limit": "1000",
  "anthropic-ratelimit-requests-remaining": "0",
  "anthropic-ratelimit-requests-reset": "2026-11-22T08:00:30Z",
  "anthropic-ratelimit-tokens-limit": "8000",
  "anthropic-ratelimit-tokens-remaining": "70",
  "anthropic-ratelimit-tokens-reset": "2026-11-22T08:01:00Z",
  "anthropic-ratelimit-input-tokens-limit": "600",
  "anthropic-ratelimit-input-tokens-remaining": "50",
  "anthropic-ratelimit-output-tokens-remaining": "4",
  "anthropic-ratelimit-output-tokens-reset": "2026-11-22T07:00:00.5Z"
}

it.effect("what whole messages come to", () =>
  transcribe("answers", {
    "An answer with all that may be told": whole(reply(200, message("all of it", { usage }), limits)),
    "An answer without usage, id and model": whole(said({ usage: null, id: null, model: null })),
    "An id and a model that hold the key": whole(said({ id: "sk-house-key", model: "a b" })),
    "Some counts, and some that are none": whole(
      said({ usage: { input_tokens: "12", output_tokens: 2, cache_read_input_tokens: 5, output_tokens_details: 4 } })
    ),
    "Input without the cache": whole(said({ usage: { input_tokens: 12 } })),
    "Several runs, whose sum is larger": whole(
      said({
        usage: {
          ...usage,
          iterations: [{ input_tokens: 30, output_tokens: 4 }, { input_tokens: 5, output_tokens: 6 }, 7]
        }
      })
    ),
    "Several runs, whose sum is smaller": whole(said({ usage: { ...usage, iterations: [{ output_tokens: 4 }] } })),
    "No runs": whole(said({ usage: { input_tokens: 3, iterations: [] } })),
    "Limits that are none": whole(
      reply(200, message("x"), {
        "anthropic-ratelimit-requests-limit": "-1",
        "anthropic-ratelimit-tokens-reset": "soon"
      })
    ),
    "Several blocks, some of them no text": whole(
      reply(
        200,
        message([
          { type: "thinking", thinking: "hm", text: "hidden" },
          { type: "text", text: "one " },
          { type: "text", text: null },
          { type: "text", text: "two" }
        ])
      )
    ),
    ...Object.fromEntries(
      stops.map((stop) => [
        `An answer that ended by ${stop}`,
        whole(said({ stop_reason: stop, stop_details: { category: "cyber" } }))
      ])
    ),
    "A refusal without a category, and with one that is no name": Effect.all({
      none: whole(said({ stop_reason: "refusal" })),
      other: whole(said({ stop_reason: "refusal", stop_details: { category: "a category" } }))
    }),
    "An answer without text": whole(said({}, " ")),
    "Something else than a message": whole(reply(200, { choices: [] }, { "request-id": "req_4" })),
    "No JSON": whole(reply(200, "hello"))
  })
)

it.effect("what streams come to", () =>
  transcribe("streams", {
    "A whole answer": streamed([started(), ...text, ended("end_turn"), stopped]),
    "Pings, kinds that nobody knows, and thoughts": streamed([
      { type: "ping" },
      started(),
      open(0, { type: "thinking" }),
      grow(0, "hm", "thinking_delta"),
      grow(0, "hm"),
      close(0),
      { type: "news" },
      open(1, { type: "text", text: "H" }),
      grow(1, "i"),
      grow(1, "cite", "citations_delta"),
      grow(1, ""),
      close(1),
      ended("end_turn"),
      stopped
    ]),
    "Counts that come later, and some that are none": streamed([
      started({ usage: { input_tokens: 4, output_tokens: 1 } }),
      ...text,
      ended("end_turn", {}, { output_tokens: null, input_tokens: 5, cache_read_input_tokens: -1 }),
      ended("end_turn", {}, { output_tokens: 8, output_tokens_details: { thinking_tokens: 2 } }),
      ended(null, {}, null),
      stopped
    ]),
    "A message that is announced twice": streamed([
      started({ usage: { input_tokens: 4 } }),
      started({ id: null, model: "other-1", usage: { input_tokens: 6, output_tokens: 2 } }),
      ...text,
      ended("end_turn", {}, null),
      stopped
    ]),
    "Another message in the same stream": streamed([started(), started({ id: "msg_7" }), stopped]),
    "Another model that goes on": streamed([
      started(),
      open(0),
      grow(0, "one "),
      close(0),
      open(1, { type: "fallback", to: { model: "house-2" } }),
      close(1),
      open(2),
      grow(2, "two"),
      close(2),
      ended("end_turn"),
      stopped
    ]),
    ...Object.fromEntries(
      stops.map((stop) => [
        `A stream that ended by ${stop}`,
        streamed([started(), ...text, ended(stop, { stop_details: { category: "cyber" } }), stopped])
      ])
    ),
    "A stream without text": streamed([started(), ended("end_turn"), stopped]),
    "A stream without an end": streamed([started(), ...text, ended("end_turn")]),
    "A stream that breaks off": streamed([started(), open(0), grow(0, "He")], "destroyed"),
    "An empty stream": streamed([]),
    "Nothing but an end": streamed([stopped]),
    "An end while a block is open": streamed([started(), open(0), grow(0, "He"), ended("end_turn"), stopped]),
    "A piece of a block that is not there": streamed([started(), grow(3, "He")]),
    "A block that begins twice": streamed([started(), open(0), open(0)]),
    "A block that ends twice": streamed([started(), open(0), close(0), close(0)]),
    "An event of a known kind that is malformed": streamed([started(), { type: "content_block_stop" }]),
    "An event that is no JSON": streamed([started(), "event: message_stop\ndata: {\n\n"]),
    "An error after some text": streamed([started(), open(0), grow(0, "He"), refusal("overloaded_error", "canary")]),
    "An error before the message": streamed([refusal("rate_limit_error", "canary")]),
    "Events after the end": streamed([started(), ...text, ended("end_turn"), stopped, refusal("api_error", "late")])
  })
)
