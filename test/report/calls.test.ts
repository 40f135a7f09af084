import { assert, describe, it } from "@effect/vitest"
import { callOf, Messages } from "../../src/report/calls.ts"
import { call } from "../../src/testing/contract/ledger/rows.ts"

// What a report has of the row of a call.

const task = (kind: string) => JSON.stringify({ request: { messages: [{ role: "user", text: "x" }], task: { kind } } })

describe("a call in a report", () => {
  const row = call("/mail/urgent@2", 3, { kind: "complete", hash: "", parts: {}, state: "answered", startedMillis: 5 })
  type Row = Parameters<typeof callOf>[0]
  const base = {
    frame: row.frame,
    path: ["mail", "urgent"],
    n: 3,
    kind: "complete",
    state: "answered",
    attempt: 1,
    startedMillis: 5
  } as const
  const called = (more: Partial<Row>, messages = new Messages()) => [
    callOf({ ...row, ...more }, messages),
    messages.all
  ]

  it("has what a model was sent and has answered, with calls and results beside the texts", () => {
    const [calls, results] = [[{ id: "1", name: "look", params: "{}" }], [{ id: "1", name: "look", text: "dark" }]]
    const request = {
      messages: [
        { role: "system", text: "You look." },
        { role: "assistant", text: "Hm", calls },
        { role: "tool", text: "", results },
        { role: "system", text: "You look." }
      ],
      task: { kind: "agent", instruction: "Look" },
      tools: [{ name: "look" }, { name: "go" }],
      sampling: { temperature: 0 }
    }
    const usage = { inputTokens: 9, outputTokens: 3 }
    assert.deepStrictEqual(
      called({
        request: JSON.stringify({ request }),
        response: JSON.stringify({ text: "Now", calls }),
        provider: "house",
        model: "m-1",
        usage,
        usd: 0,
        endedMillis: 6
      }),
      [
        {
          ...base,
          endedMillis: 6,
          model: "m-1",
          provider: "house",
          usage,
          usd: 0,
          sent: [0, 1, 2, 0],
          task: { kind: "agent", instruction: "Look" },
          tools: ["look", "go"],
          sampling: "temperature 0",
          answer: `Now\n${JSON.stringify(calls)}`,
          called: ["look"]
        },
        [
          { role: "system", text: "You look." },
          { role: "assistant", text: `Hm\n${JSON.stringify(calls)}` },
          { role: "tool", text: JSON.stringify(results) }
        ]
      ]
    )
  })

  it("shows what it can read of an invalid row", () => {
    const request = {
      messages: [{ role: 5, text: { a: 1 } }, "no message", null, ["none"]],
      task: { kind: 7, instruction: "Look" },
      tools: [{ name: 3 }, "go", { name: "go" }],
      sampling: {}
    }
    const odd = { ...base, sent: [0], tools: ["unknown", "unknown", "go"] }
    assert.deepStrictEqual(called({ request: JSON.stringify({ request }), response: `{"text":5,"calls":[]}` }), [
      { ...odd, answer: "[]" },
      [{ role: "user", text: "" }]
    ])
    const task = (task: unknown) => JSON.stringify({ request: { messages: 1, task, tools: [] } })
    assert.deepStrictEqual(called({ request: task({ kind: "chat", instruction: 1 }) }), [
      { ...base, sent: [], task: { kind: "chat" } },
      []
    ])
    for (const unread of ["{", "[]", "5", `{"request":[]}`]) {
      assert.deepStrictEqual(called({ request: unread, response: "{" }), [base, []])
    }
    assert.deepStrictEqual(called({ response: "7" }), [{ ...base, answer: "" }, []])
  })

  it("has the answer of a decision and of anything else, and why a call has failed", () => {
    const request = task("chat")
    const answers: ReadonlyArray<readonly [more: Partial<Row>, ...last: ReadonlyArray<object>]> = [
      [{ kind: "decide", response: `{"answers":[1]}` }, { answer: "[1]" }],
      [{ kind: "decide", response: `[2]` }, { answer: "[2]" }],
      [{ kind: "custom" as never, response: `{"text":"x"}`, request }, { answer: `{"text":"x"}` }]
    ]
    for (const [more, last] of answers) {
      assert.deepStrictEqual(called(more), [{ ...base, kind: more.kind ?? "complete", ...last }, []])
    }
    const failures: ReadonlyArray<readonly [response: unknown, failure: string]> = [
      [{ json: { _tag: "Closed", message: "It is closed." } }, "Closed. It is closed."],
      [{ error: { name: "TypeError", message: "no" } }, "TypeError. no"],
      [{ _tag: "A", message: "outer", reason: { _tag: "B", message: "inner" } }, "A: B. inner"],
      [{ _tag: "A", message: "outer", reason: { _tag: "B" } }, "A: B. outer"],
      [{ _tag: 5, message: 6 }, "an unknown error"],
      ["text", "an unknown error"]
    ]
    for (const [response, failure] of failures) {
      assert.deepStrictEqual(called({ state: "failed", response: JSON.stringify(response) }), [
        { ...base, state: "failed", failure },
        []
      ])
    }
  })

  it("has the most that it can have used, if its outcome is not known", () => {
    for (const state of ["begun", "interrupted"] as const) {
      assert.deepStrictEqual(called({ state, usd: 0 }), [{ ...base, state, usd: 0, isBound: true }, []])
      assert.deepStrictEqual(called({ state }), [{ ...base, state }, []])
    }
    assert.deepStrictEqual(called({ state: "failed", usd: 1 }), [{ ...base, state: "failed", usd: 1 }, []])
  })
})
