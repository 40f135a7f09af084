import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../src/provider/request.ts"
import { Prefixes } from "../../src/recording/prefixes.ts"

const user = (text: string): Message => ({ role: "user", text })

/** What each conversation shares with the ones before it; the calls have the numbers 1, 2 and so on. */
const shared = (...conversations: ReadonlyArray<ReadonlyArray<Message>>) => {
  const prefixes = new Prefixes()
  return conversations.map((messages, i) => prefixes.add(i + 1, messages))
}

describe("the beginning that a call shares with earlier ones", () => {
  it("is named by the earliest call that has all of it", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map(user) as [Message, Message, Message, Message]
    assert.deepStrictEqual(shared([a], [a, b], [a, b, c], [a, b], [a, c], [a, c, d], [a, b, c, d]), [
      undefined,
      { like: 1, messages: 1 },
      { like: 2, messages: 2 },
      { like: 2, messages: 2 },
      { like: 1, messages: 1 },
      { like: 5, messages: 2 },
      { like: 3, messages: 3 }
    ])
  })

  it("ends at the first message that differs, also if later ones are known", () => {
    const [a, b, c] = ["a", "b", "c"].map(user) as [Message, Message, Message]
    assert.deepStrictEqual(shared([a, b, c], [b, c], [a, c], [b, c, a], []), [
      undefined,
      undefined,
      { like: 1, messages: 1 },
      { like: 2, messages: 2 },
      undefined
    ])
  })

  it("goes by the role, the calls, the results and what the answer carries, and not by the text alone", () => {
    const call = { id: "1", name: "look", params: "{}" }
    const assistant: Message = { role: "assistant", text: "a" }
    const others: ReadonlyArray<Message> = [
      user("a"),
      assistant,
      { ...assistant, calls: [call] },
      { ...assistant, calls: [{ ...call, params: '{"at":1}' }] },
      { ...assistant, carry: { provider: "house", model: "m", data: 1 } },
      { ...assistant, carry: { provider: "house", model: "m", data: 2 } },
      { role: "tool", text: "a", results: [{ id: "1", name: "look", text: "dark", isFailure: false }] },
      { role: "tool", text: "a", results: [{ id: "1", name: "look", text: "dark", isFailure: true }] }
    ]
    assert.deepStrictEqual(
      shared(...others.map((message) => [message])),
      others.map(() => undefined)
    )
    assert.deepStrictEqual(shared([...others, user("x")], [...others, user("y")])[1], { like: 1, messages: 8 })
  })
})
