/** How the events of a Responses stream are read, one by one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toUsage } from "../../src/openai/api/usage.ts"
import { reading } from "../../src/openai/responses/reading.ts"
import { reader } from "../../src/openai/responses/stream.ts"
import { endpoint } from "../http/endpoint.ts"

type Event = Readonly<Record<string, unknown>>

/** The parts that are read from these events. A failure is its reason. */
const read = (events: ReadonlyArray<Event>, hasTools = true): ReadonlyArray<unknown> => {
  const { take } = reader(endpoint, hasTools)
  return events.flatMap((event): ReadonlyArray<unknown> => {
    const step = take({ event: "message", data: JSON.stringify(event), headers: new Headers(), received: 0 })
    if (step._tag === "Nothing") return []
    if (step._tag === "Failed") return [step.reason]
    return step._tag === "Parts" ? step.parts : [step]
  })
}

const call = (name: string, params = "") => ({
  type: "function_call",
  id: `fc_${name}`,
  call_id: `call_${name}`,
  name,
  arguments: params
})
const thought = (secret: string) => ({ type: "reasoning", id: `rs_${secret}`, summary: [], encrypted_content: secret })
const said = (text: string) => ({ type: "message", content: [{ type: "output_text", text }] })
const added = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item })
const done = (output_index: number, item: object) => ({ type: "response.output_item.done", output_index, item })
const grown = (output_index: number, delta: unknown) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta
})
const completed = (output: unknown) => ({ type: "response.completed", response: { status: "completed", output } })

const part = (name: string, delta: string) => ({ _tag: "Call", id: `call_${name}`, name, delta })
const made = (name: string, params: string) => ({ id: `call_${name}`, name, params })
const invalid = (what: string) => ({ _tag: "InvalidResponse", message: `${what}: try again` })
const strange = invalid("model.test sent an event that does not belong to a response")
const differing = invalid("the pieces of the answer differ from the whole answer")

describe("the events of a Responses stream", () => {
  it("give reasoning summaries with an empty line between them, but not before the first", () => {
    const begins = (summary_index: number) => ({ type: "response.reasoning_summary_part.added", summary_index })
    const text = (delta: unknown) => ({ type: "response.reasoning_summary_text.delta", delta })
    assert.deepStrictEqual(
      read([begins(0), text("First."), text(""), text(7), begins(1), text("Second.")]),
      ["First.", "\n\n", "Second."].map((delta) => ({ _tag: "Reasoning", delta }))
    )
  })

  it("give an answer of the earlier items if the last event has none, ordered by their index", () => {
    const carried = (secret: string) => ({ item: { type: "reasoning", summary: [], encrypted_content: secret } })
    const events = [
      added(3, call("b")),
      done(3, call("b", `{"n":2}`)),
      done(2, thought("two")),
      added(1, call("a")),
      grown(1, `{"n"`),
      grown(1, ":1}"),
      done(1, call("a", `{"n":1}`)),
      done(0, thought("one"))
    ]
    for (const output of [[], null]) {
      assert.deepStrictEqual(read([...events, completed(output)]), [
        part("b", ""),
        part("b", `{"n":2}`),
        part("a", ""),
        part("a", `{"n"`),
        part("a", ":1}"),
        {
          _tag: "Done",
          response: {
            text: "",
            calls: [made("a", `{"n":1}`), made("b", `{"n":2}`)],
            carry: {
              provider: "house",
              model: "m",
              data: [carried("one"), { call: "call_a" }, carried("two"), { call: "call_b" }]
            },
            usage: {}
          }
        }
      ])
    }
  })

  it("fail if a call does not match its index, or was never announced", () => {
    for (const events of [
      [added(0, call("a")), added(0, call("b"))],
      [added(0, call("a")), done(0, call("b", "{}"))],
      [added(0, call("a")), grown(1, "{}")],
      [added(0, call("a")), grown(0, 7)],
      [added(0, { ...call("a"), call_id: "" })],
      [added(0, { ...call("a"), name: undefined })]
    ]) {
      assert.deepStrictEqual(read(events).at(-1), strange)
      // without tools, calls are ignored
      assert.deepStrictEqual(read(events, false), [])
    }
  })

  it("fail if the complete answer differs from its pieces", () => {
    const text = (delta: string) => ({ type: "response.output_text.delta", output_index: 0, delta })
    for (const [events, output] of [
      [[added(0, call("a"))], [said("Hello")]],
      [[added(0, call("a"))], []],
      [[added(0, call("a")), grown(0, "{}")], [call("a", `{"n":1}`)]],
      [[added(0, call("a"))], [call("b", "{}")]],
      [[text("Hel")], [said("Hello")]]
    ] as const) {
      assert.deepStrictEqual(read([...events, completed(output)]).at(-1), differing, JSON.stringify(output))
    }
    assert.deepStrictEqual(read([added(0, call("a")), grown(0, " "), completed([call("a", "{}")])]).at(-1), {
      _tag: "Done",
      response: { text: "", calls: [made("a", "{}")], usage: {} }
    })
  })
})

describe("the events of a socket", () => {
  it("are ignored if they belong to a response that has ended or began before the request", () => {
    const ended = new Set<string>()
    const early = [{ type: "response.created", response: { id: "resp_early" } }]
    const line = {
      ended,
      isOpen: () => true,
      unread: () => early.map((event) => JSON.stringify(event)),
      send: () => Effect.void,
      receive: Effect.never,
      close: Effect.void
    }
    const answering = (id: string, text: string) => [
      { type: "response.created", response: { id } },
      { type: "response.output_text.delta", response_id: id, item_id: `item of ${id}`, output_index: 0, delta: text },
      { type: "response.completed", response: { id, status: "completed", output: [said(text)] } }
    ]
    const first = answering("resp_1", "One")
    const late = [...answering("resp_early", "Early"), ...first.slice(1)]
    const texts = (events: ReadonlyArray<Event>) => {
      const next = reading(line, endpoint, false)
      return events.flatMap((event) => {
        const step = next(JSON.stringify(event), 0)
        const parts = step._tag === "Parts" ? step.parts : [step]
        return parts.flatMap((one) => {
          if (one._tag === "Nothing") return []
          return [one._tag === "Text" ? one.delta : one._tag === "Done" ? `done: ${one.response.text}` : one._tag]
        })
      })
    }
    assert.deepStrictEqual(texts([...answering("resp_early", "Early"), ...first]), ["One", "done: One"])
    assert.deepStrictEqual([...ended], ["resp_early", "resp_1", "item of resp_1"])
    // late events of the previous answer arrive during the next one
    const [begun, ...rest] = answering("resp_2", "Two")
    assert.deepStrictEqual(texts([...late, begun!, ...late, ...rest]), ["Two", "done: Two"])
  })
})

describe("the tokens that an answer reports", () => {
  it("are read from the usage of either API", () => {
    const input = { cached_tokens: 2, cache_write_tokens: 3 }
    const output = { reasoning_tokens: 5 }
    const all = { inputTokens: 1, outputTokens: 4, cachedInputTokens: 2, cacheWriteTokens: 3, reasoningTokens: 5 }
    for (const usage of [
      { prompt_tokens: 1, completion_tokens: 4, prompt_tokens_details: input, completion_tokens_details: output },
      { input_tokens: 1, output_tokens: 4, input_tokens_details: input, output_tokens_details: output }
    ]) {
      assert.deepStrictEqual(toUsage({ usage }), all)
    }
    assert.deepStrictEqual(toUsage({ usage: { prompt_tokens: 1, output_tokens_details: input } }), { inputTokens: 1 })
    assert.deepStrictEqual(toUsage({ usage: null }), {})
  })
})
