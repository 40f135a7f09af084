import { it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenAi } from "cogito/openai"
import type { Request } from "cogito/Provider"
import { listen, wire } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { forms, request, withForm } from "./requests.ts"
import { type Answer, reply } from "./server.ts"
import { cutAfter, data, named, sse } from "./streams.ts"

const limits = {
  "x-request-id": "req-5",
  "x-ratelimit-limit-requests": "500",
  "x-ratelimit-remaining-requests": "499",
  "x-ratelimit-reset-requests": "1m2.5s",
  "x-ratelimit-limit-tokens": " 30000 ",
  "x-ratelimit-remaining-tokens": "0",
  "x-ratelimit-reset-tokens": "120ms"
}
const options = { model: "house-1", apiKey: "sk-house-key", baseUrl: "https://model.test/v1" }

const calling = (api: "chat" | "responses") => {
  const make = (fetch: typeof globalThis.fetch) => OpenAi.make({ ...options, api, fetch })
  return {
    whole: (answer: Answer, asked: Request = request()) =>
      Effect.map(
        wire(answer, (fetch) => Effect.flatMap(make(fetch), (provider) => provider.complete(asked))),
        ({ outcome }) => outcome
      ),
    streamed: (answer: Answer, asked: Request = request()) =>
      Effect.map(
        wire(answer, (fetch) => Effect.flatMap(make(fetch), (provider) => listen(provider, asked))),
        ({ outcome }) => outcome
      )
  }
}

const optional = withForm("optional", forms.optional)
const nulls = JSON.stringify({ needed: "n", maybe: null, orNull: null, either: null, other: null })

// ------------------------------------------------------------------------------------------------- chat completions

const counts = {
  prompt_tokens: 41,
  completion_tokens: 42,
  prompt_tokens_details: { cached_tokens: 43, cache_write_tokens: 44 },
  completion_tokens_details: { reasoning_tokens: 45 }
}
const choice = (message: object, finish_reason: unknown = "stop") => ({ index: 0, finish_reason, message })
const chatted = (message: object, finish: unknown = "stop", rest: object = {}) => ({
  id: "chat-1",
  model: "house-1-2026",
  choices: [choice(message, finish)],
  usage: counts,
  ...rest
})
const chunk = (delta: object | null, finish: unknown = null, rest: object = {}) =>
  data({ id: "chat-2", model: "house-1-2027", choices: [{ index: 0, delta, finish_reason: finish }], ...rest })
const say = (content: unknown) => chunk({ content })
const counted = data({ choices: [], usage: counts })
const done = data("[DONE]")

it.effect("what chat completions come to", () => {
  const { streamed, whole } = calling("chat")
  const ends = ["stop", "length", "content_filter", "tool_calls", "something", null]
  return transcribe("chat", {
    "An answer with all that may be told": whole(reply(200, chatted({ content: "all of it" }), limits)),
    "An answer without usage, id, model or limits": whole(
      reply(200, chatted({ content: "bare" }, "stop", { usage: null, id: null, model: null }))
    ),
    "Counts that are none, and an id and a model that hold the key": whole(
      reply(
        200,
        chatted({ content: "x" }, "stop", {
          usage: { prompt_tokens: -1, completion_tokens: 5 },
          id: "sk-house-key",
          model: "a b"
        })
      )
    ),
    "A stream of counts of which later ones are none": streamed(
      sse([
        say("one"),
        chunk({}, "stop", { usage: counts }),
        data({ choices: [], usage: { prompt_tokens: null, completion_tokens: 9 } }),
        done
      ])
    ),
    "Some counts": whole(
      reply(
        200,
        chatted({ content: "x" }, "stop", {
          usage: { completion_tokens: 0, prompt_tokens_details: { cached_tokens: 7 } }
        })
      )
    ),
    "Limits of one kind, in seconds and hours": whole(
      reply(200, chatted({ content: "x" }), {
        "x-ratelimit-reset-requests": "1.5",
        "x-ratelimit-reset-tokens": "1d2h3m4s5ms"
      })
    ),
    "Limits that are none": whole(
      reply(200, chatted({ content: "x" }), { "x-ratelimit-limit-requests": "-1", "x-ratelimit-reset-tokens": "soon" })
    ),
    "Parts of text beside thoughts": whole(
      reply(
        200,
        chatted({
          content: [
            { type: "thinking", text: "hm" },
            { type: "text", text: "one " },
            { type: "text", text: "two" }
          ]
        })
      )
    ),
    "Several choices, of which the first counts": whole(
      reply(
        200,
        chatted({}, "stop", { choices: [choice({ content: "first" }), choice({ content: "second" }, "length")] })
      )
    ),
    "A form whose nulls are taken away": whole(reply(200, chatted({ content: nulls })), optional),
    "A form that is no JSON": whole(reply(200, chatted({ content: '{"needed": null' })), optional),
    ...Object.fromEntries(
      ends.map((finish) => [
        `An answer that ends with ${finish}`,
        whole(reply(200, chatted({ content: "half" }, finish)))
      ])
    ),
    "An answer that is a refusal": whole(reply(200, chatted({ content: null, refusal: "I cannot" }))),
    "An answer of spaces": whole(reply(200, chatted({ content: " \n " }))),
    "An answer of something else, with counts": whole(reply(200, { usage: counts, choices: [] })),
    "An answer that is no JSON": whole(reply(200, "<html>")),

    "A stream with all that may be told": streamed(
      sse(
        [
          ": comment\n\n",
          chunk({ role: "assistant", content: "" }),
          say("one "),
          say("two 🌍"),
          chunk({}, "stop"),
          counted,
          done
        ],
        limits
      )
    ),
    "A stream without counts": streamed(sse([say("one"), chunk({}, "stop"), done])),
    "A stream that ends with its counts, and no mark of its end": streamed(
      sse([say("one"), chunk({}, "stop"), counted])
    ),
    "A stream whose counts come with its last piece": streamed(
      sse([say("one"), chunk({ content: "two" }, "stop", { usage: counts }), done])
    ),
    "A stream of several choices": streamed(
      sse([
        data({
          choices: [
            { index: 1, delta: { content: "other" } },
            { index: 0, delta: { content: "mine" }, finish_reason: "stop" }
          ]
        }),
        done
      ])
    ),
    "A stream of parts": streamed(
      sse([
        say([
          { type: "thinking", text: "hm" },
          { type: "text", text: "spoken" }
        ]),
        chunk(null, "stop"),
        done
      ])
    ),
    "A stream of a form whose nulls are taken away": streamed(
      sse([say(nulls.slice(0, 20)), say(nulls.slice(20)), chunk({}, "stop"), done]),
      optional
    ),
    ...Object.fromEntries(
      ends.map((finish) => [
        `A stream that ends with ${finish}`,
        streamed(sse([say("half"), chunk({}, finish), counted, done]))
      ])
    ),
    "A stream that is a refusal, in pieces": streamed(
      sse([chunk({ refusal: "I " }), chunk({ refusal: "cannot" }), chunk({}, "stop"), counted, done])
    ),
    "A stream of spaces": streamed(sse([say(" "), chunk({}, "stop"), counted, done])),
    "A stream that stops before its end": streamed(sse([say("one"), counted])),
    "A stream whose end was told, without its mark": streamed(sse([say("one"), chunk({}, "stop")])),
    "A stream whose connection breaks": streamed(cutAfter([counted, say("one"), say("two")], 330, "destroy")),
    "A stream that goes on after its end": streamed(
      sse([say("one"), chunk({}, "stop", { usage: counts }), say("two"), done])
    ),
    "A stream of something else": streamed(sse([say("one"), data({ choices: "none" })])),
    "A stream with an error after counts": streamed(
      sse([say("one"), counted, data({ error: { code: "server_error", message: "canary" } })], { "retry-after": "2" })
    ),
    "A stream without events": streamed(sse([])),
    "An answer in one piece in place of a stream": streamed(reply(200, chatted({ content: "whole" }))),
    "Events of another name": streamed(sse([`event: other\n${say("no")}`, say("yes"), chunk({}, "stop"), done]))
  })
})

// -------------------------------------------------------------------------------------------------------- Responses

const billed = {
  input_tokens: 51,
  output_tokens: 52,
  input_tokens_details: { cached_tokens: 53, cache_write_tokens: 54 },
  output_tokens_details: { reasoning_tokens: 55 }
}
const text = (value: string) => ({ type: "output_text", text: value })
const message = (content: ReadonlyArray<object>, rest: object = {}) => ({
  type: "message",
  status: "completed",
  content,
  ...rest
})
const answered = (output: ReadonlyArray<object>, rest: object = {}) => ({
  id: "resp-1",
  model: "house-1-2028",
  status: "completed",
  output,
  usage: billed,
  ...rest
})
const piece = (delta: unknown, output_index = 0) => named({ type: "response.output_text.delta", delta, output_index })
const over = (type: string, response: object) => named({ type: `response.${type}`, response })

it.effect("what responses come to", () => {
  const { streamed, whole } = calling("responses")
  const half = answered([message([text("half")])])
  const ends: Readonly<Record<string, object>> = {
    "that is incomplete by its length": {
      ...half,
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" }
    },
    "that is incomplete by a filter": {
      ...half,
      status: "incomplete",
      incomplete_details: { reason: "content_filter" }
    },
    "that is incomplete without a reason": { ...half, status: "incomplete" },
    "that failed": { ...half, status: "failed", error: { code: "rate_limit_exceeded", message: "canary" } },
    "that failed without a reason": { ...half, status: "failed" },
    "that was cancelled": { ...half, status: "cancelled" },
    "that is still in progress": { ...half, status: "in_progress" },
    "with a message that is incomplete": answered([message([text("half")], { status: "incomplete" })]),
    "with a refusal": answered([message([text("Sorry"), { type: "refusal", refusal: "no" }])]),
    "of spaces": answered([message([text(" ")])]),
    "without messages": answered([{ type: "reasoning" }])
  }
  return transcribe("responses", {
    "An answer with all that may be told": whole(
      reply(
        200,
        answered([
          { type: "reasoning", content: null },
          message([text("one "), { type: "other", text: "no" }]),
          message([text("two")])
        ]),
        limits
      )
    ),
    "An answer with commentary before it": whole(
      reply(
        200,
        answered([
          message([text("wait")], { phase: "commentary", status: "incomplete" }),
          message([text("now")], { phase: "final_answer" })
        ])
      )
    ),
    "Some counts that are none": whole(
      reply(
        200,
        answered([message([text("x")])], {
          usage: { ...billed, input_tokens: "51", output_tokens_details: 7 }
        })
      )
    ),
    "A stream of counts of which one is none": streamed(
      sse([piece("one"), over("completed", answered([], { usage: { ...billed, output_tokens: -1 } }))])
    ),
    "An answer without usage, id or model": whole(
      reply(200, { status: "completed", output: [message([text("bare")])] })
    ),
    "An answer to wishes that this API has not": whole(
      reply(200, half),
      request({ sampling: { temperature: 0.4, seed: 3, stop: ["END"], maxTokens: 61, effort: "low" } })
    ),
    "A form whose nulls are taken away": whole(reply(200, answered([message([text(nulls)])])), optional),
    ...Object.fromEntries(
      Object.entries(ends).map(([what, body]) => [`An answer ${what}`, whole(reply(200, body, { "retry-after": "3" }))])
    ),
    "A chat completion": whole(reply(200, chatted({ content: "x" }))),

    "A stream with all that may be told": streamed(
      sse(
        [
          named({ type: "response.created", response: {} }),
          named({ type: "response.output_item.added", output_index: 0, item: { phase: "commentary" } }),
          piece("wait", 0),
          named({ type: "response.output_item.added", output_index: 1, item: { type: "message" } }),
          piece("", 1),
          piece("one ", 1),
          piece("two", 1),
          over("completed", answered([message([text("wait")], { phase: "commentary" }), message([text("one two")])])),
          piece("three", 1)
        ],
        limits
      )
    ),
    "A stream whose last event has no text": streamed(sse([piece("one"), over("completed", answered([]))])),
    "A stream whose pieces are not the whole": streamed(
      sse([piece("one"), over("completed", answered([message([text("two")])]))])
    ),
    "A stream to wishes that this API has not": streamed(
      sse([piece("half"), over("completed", half)]),
      request({ sampling: { seed: 3, stop: ["END"], effort: "low" } })
    ),
    "A stream of a form whose nulls are taken away": streamed(
      sse([piece(nulls), over("completed", answered([message([text(nulls)])]))]),
      optional
    ),
    ...Object.fromEntries(
      Object.entries(ends).map(([what, body], i) => [
        `A stream ${what}`,
        streamed(
          sse([over(["completed", "incomplete", "failed", "cancelled"][i % 4] ?? "", body)], { "retry-after": "3" })
        )
      ])
    ),
    "A stream with a refusal in pieces": streamed(
      sse([named({ type: "response.refusal.delta", delta: "no" }), over("completed", half)])
    ),
    "A stream whose refusal is told at its end": streamed(
      sse([piece("half"), named({ type: "response.refusal.done", refusal: "no" }), over("completed", half)])
    ),
    "A stream that stops before its end": streamed(sse([piece("one"), data("[DONE]")])),
    "A stream with a piece that is no text": streamed(sse([piece("one"), piece(7)])),
    "A stream whose last event is none": streamed(
      sse([piece("one"), over("completed", { output: [], usage: billed })])
    ),
    "A stream of something else": streamed(sse([piece("one"), data({ choices: [] })])),
    "A stream with an error": streamed(
      sse([piece("one"), named({ type: "error", code: "server_error", message: "canary" })], { "retry-after": "4" })
    )
  })
})
