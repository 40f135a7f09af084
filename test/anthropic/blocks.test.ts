/** The blocks of an answer, as they are kept for the next request. */
import { assert, describe, it } from "@effect/vitest"
import { piecesIn, toInput, toParam } from "../../src/anthropic/blocks.ts"

const text = { type: "text", text: "So." }
const thinking = { type: "thinking", thinking: "Hm.", signature: "s" }
const call = { type: "tool_use", id: "1", name: "look", input: { a: 1 } }
const search = { type: "server_tool_use", id: "2", name: "web_search", input: `{"q":"x"}` }
const change = { type: "fallback", to: { model: "house-2" } }

describe("the blocks of an answer", () => {
  it("are read as texts, calls and items to send back, without the block for a change of model", () => {
    const made = { _tag: "Call", call: { id: "1", name: "look", params: `{"a":1}` } }
    const [item, searched] = [thinking, { ...search, input: { q: "x" } }].map((one) => ({ _tag: "Item", item: one }))
    const said = { _tag: "Text", text: "So." }
    assert.deepStrictEqual<unknown>(piecesIn([thinking, text, change, search, call], true), [
      item,
      said,
      searched,
      made
    ])
    assert.deepStrictEqual<unknown>(piecesIn([change, text], true), [said])
    // without tools, calls are ignored
    assert.deepStrictEqual<unknown>(piecesIn([text, { type: "tool_use" }], false), [said])
    assert.isUndefined(piecesIn([text, { type: "tool_use", id: "", name: "look" }], true))
    assert.deepStrictEqual<unknown>(piecesIn([{ ...call, input: " " }, { type: "text" }], true), [
      { _tag: "Call", call: { id: "1", name: "look", params: "{}" } },
      { _tag: "Text", text: "" }
    ])
  })

  it("are sent back with an object as input, which wraps text that is not a JSON object", () => {
    for (const [params, input] of [
      [`{"a":1}`, { a: 1 }],
      ["[1]", { INVALID_JSON: "[1]" }],
      [`{"a":`, { INVALID_JSON: `{"a":` }],
      ["null", { INVALID_JSON: "null" }]
    ] as const) {
      assert.deepStrictEqual<object>(toInput(params), input)
      assert.deepStrictEqual<object>(toParam({ ...call, input: params }), { ...call, input })
    }
    assert.strictEqual(toParam(call), call)
  })
})
