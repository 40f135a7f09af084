import { assert, describe, it } from "@effect/vitest"
import { Calls } from "../../src/openai/chat/calls.ts"

const named = (name: string, params: string) => [{ function: { name, arguments: params } }]
const more = (params: string) => [{ function: { arguments: params } }]

describe("pieces of calls without a place or an id", () => {
  it("belong to the call that was begun last", () => {
    const calls = new Calls("answer-1")
    const pieces = [named("look", '{"a"'), more(":1}"), named("write", '{"b"'), more(":2"), more("}")]
    const passed = pieces.flatMap((piece) => calls.add(piece) ?? [])
    const ended = calls.end()
    assert.deepStrictEqual(
      ended?.calls.map(({ name, params }) => [name, params]),
      [
        ["look", '{"a":1}'],
        ["write", '{"b":2}']
      ]
    )
    assert.strictEqual(new Set(ended?.calls.map(({ id }) => id)).size, 2)
    assert.deepStrictEqual(
      passed.map((part) => (part._tag === "Call" ? [part.name, part.delta] : part._tag)),
      [
        ["look", '{"a"'],
        ["look", ":1}"],
        ["write", '{"b"'],
        ["write", ":2"],
        ["write", "}"]
      ]
    )
  })
})
