/** How unusual requests are sent and their answers read. A `fetch` answers them, without a server. */
import { assert, describe, it } from "@effect/vitest"
import { OpenAi } from "cogito/openai"
import { type Message, ProviderError, type Request } from "cogito/Provider"
import { Effect, Fiber } from "effect"
import { Calls } from "../../src/openai/chat/calls.ts"
import { overSessions } from "../../src/openai/realtime/realtime.ts"
import { toItems, toTool } from "../../src/openai/realtime/items.ts"
import { overSockets } from "../../src/openai/responses/socket.ts"
import { met } from "../soon.ts"

const key = "sk-details"

interface Given {
  readonly status?: number
  readonly body: unknown
}

const chatted = (message: object, finish = "stop", usage: object = {}): Given => ({
  body: { id: "1", model: "m-1", choices: [{ index: 0, finish_reason: finish, message }], usage }
})
const fine = chatted({ role: "assistant", content: "fine" })

/** A provider whose calls get these answers in turn, then always the last one, and the bodies that it sends. */
const making = (answers: ReadonlyArray<Given>, options: Partial<OpenAi.Options> = {}) => {
  const sent: Array<any> = []
  const provider = OpenAi.make({
    model: "m",
    apiKey: key,
    baseUrl: "https://model.invalid/v1",
    fetch: (_, init) => {
      const { body, status = 200 } = answers[Math.min(sent.length, answers.length - 1)] ?? fine
      sent.push(JSON.parse(typeof init?.body === "string" ? init.body : ""))
      return Promise.resolve(Response.json(body, { status }))
    },
    ...options
  })
  return { provider, sent }
}

const user = (text: string, kept?: number): Message => ({ role: "user", text, ...(kept !== undefined && { kept }) })

const asking = (rest: Partial<Request> = {}): Request => ({
  messages: [user("Hello")],
  task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

const tools = [{ name: "look", description: "Looks", parameters: { type: "object", properties: {} } }]
const call = (params: string) => ({ id: "call_1", type: "function", function: { name: "look", arguments: params } })

const complete = Effect.fnUntraced(function* (
  answers: ReadonlyArray<Given>,
  request: Request,
  options?: Partial<OpenAi.Options>
) {
  const { provider, sent } = making(answers, options)
  const outcome = yield* Effect.result(Effect.flatMap(provider, (made) => made.complete(request)))
  return { sent, outcome: outcome._tag === "Success" ? outcome.success : outcome.failure }
})

describe("a chat completion", () => {
  it.effect("fails with its usage if the token limit cuts off a call", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 3, completion_tokens: 50 }
      const answer = (params: string) => chatted({ content: "", tool_calls: [call(params)] }, "tool_calls", usage)
      const request = asking({ tools, sampling: { maxTokens: 50 } })
      const cut = (yield* complete([answer(`{"a":`)], request, { capabilities: { tools: true } })).outcome
      assert.instanceOf(cut, ProviderError)
      assert.deepStrictEqual([cut.reason._tag, cut.usage], ["Truncated", { inputTokens: 3, outputTokens: 50 }])
      // a complete call is accepted, and an invalid call below the limit is left to the tool
      for (const [params, maxTokens] of [
        [`{"a":1}`, 50],
        [`{"a":`, 51]
      ] as const) {
        const { outcome } = yield* complete([answer(params)], asking({ tools, sampling: { maxTokens } }))
        assert.deepInclude(outcome, { text: "", calls: [{ id: "call_1", name: "look", params }] })
      }
    })
  )

  it.effect("ignores calls of any form if the request has no tools", () =>
    Effect.gen(function* () {
      for (const tool_calls of [[call("{}")], "none", [{ function: 7 }]]) {
        const { outcome } = yield* complete([chatted({ content: "fine", tool_calls })], asking())
        assert.deepStrictEqual(outcome, { text: "fine", usage: {}, model: "m-1", id: "1" })
        const empty = (yield* complete([chatted({ content: "", tool_calls })], asking())).outcome
        assert.strictEqual(empty instanceof ProviderError && empty.reason._tag, "EmptyAnswer")
      }
    })
  )

  it("reads calls whose names arrive after their first pieces", () => {
    const calls = new Calls("1")
    assert.deepStrictEqual(calls.add([{ index: 0, id: "call_1", function: { name: "", arguments: "" } }]), [])
    assert.deepStrictEqual(calls.add([{ index: 0, function: { name: null, arguments: `{"a"` } }]), [])
    assert.deepStrictEqual(calls.add([{ index: 0, function: { name: "look" } }]), [
      { _tag: "Call", id: "call_1", name: "look", delta: `{"a"` }
    ])
    calls.add([{ index: 0, function: { name: "", arguments: ":1}" } }])
    assert.deepStrictEqual(calls.end()?.calls, [{ id: "call_1", name: "look", params: `{"a":1}` }])
  })

  it.effect("repeats an answer that has only calls without content", () =>
    Effect.gen(function* () {
      const made = [{ id: "call_1", name: "look", params: "{}" }]
      const results = [{ id: "call_1", name: "look", text: "dark", isFailure: true }]
      for (const [text, content] of [
        ["", null],
        [" \n", null],
        ["So.", "So."]
      ] as const) {
        const messages: ReadonlyArray<Message> = [
          user("Hello"),
          { role: "assistant", text, calls: made },
          { role: "tool", text: "", results }
        ]
        const { sent } = yield* complete([fine], asking({ tools, messages }))
        assert.deepStrictEqual(sent[0].messages.slice(1), [
          { role: "assistant", content, tool_calls: [call("{}")] },
          { role: "tool", tool_call_id: "call_1", content: "Error: dark" }
        ])
      }
    })
  )

  it.effect("is retried for each of two concurrent calls whose parameter is refused", () =>
    Effect.gen(function* () {
      const begun: Array<(answer: Response) => void> = []
      const { provider, sent } = making([fine], {
        fetch: (_, init) => {
          sent.push(JSON.parse(typeof init?.body === "string" ? init.body : ""))
          if (sent.length > 2) return Promise.resolve(Response.json(fine.body))
          return new Promise((resolve) => begun.push(resolve))
        }
      })
      const made = yield* provider
      const one = Effect.forkChild(made.complete(asking({ sampling: { maxTokens: 9 } })))
      const calls = [yield* one, yield* one]
      yield* met("both are made", () => begun.length === 2)
      const error = { message: "Unsupported parameter", param: "max_tokens", code: "unsupported_parameter" }
      for (const answer of begun) answer(Response.json({ error }, { status: 400 }))
      for (const fiber of calls) assert.strictEqual((yield* Fiber.join(fiber)).text, "fine")
      assert.deepStrictEqual(
        sent.map(({ max_completion_tokens, max_tokens }) => [max_tokens, max_completion_tokens]),
        [
          [9, undefined],
          [9, undefined],
          [undefined, 9],
          [undefined, 9]
        ]
      )
    })
  )

  it.effect("of a long conversation has its form in the text, and JSON mode only if the model supports it", () =>
    Effect.gen(function* () {
      const output = { name: "x", jsonSchema: { type: "object" }, instructions: "Answer in JSON." }
      const request = asking({ messages: [user("Hello", 5)], task: { ...asking().task, output } })
      const formats = yield* Effect.forEach(["json-schema", "json", "none"] as const, (structuredOutput) =>
        Effect.map(
          complete([chatted({ content: "{}" })], request, { formInText: 0, capabilities: { structuredOutput } }),
          ({ sent }) => [sent[0].response_format?.type, sent[0].messages[0].content]
        )
      )
      const text = "Hello\n\nAnswer in JSON."
      assert.deepStrictEqual(formats, [
        ["json_object", text],
        ["json_object", text],
        [undefined, text]
      ])
    })
  )
})

describe("the end of the part that later calls repeat", () => {
  it.effect("is marked only at OpenAI, even if the model of another server has the same name", () =>
    Effect.gen(function* () {
      const request = asking({ messages: [user("Hello!", 5)] })
      const content = (baseUrl?: string) =>
        Effect.map(
          complete([fine], request, { model: "gpt-5.6", api: "chat", ...(baseUrl !== undefined && { baseUrl }) }),
          ({ sent }) => sent[0].messages[0].content
        )
      assert.strictEqual(yield* content(), "Hello!")
      assert.deepStrictEqual(yield* content("https://api.openai.com/v1"), [
        { type: "text", text: "Hello", prompt_cache_breakpoint: { mode: "explicit" } },
        { type: "text", text: "!" }
      ])
    })
  )

  it.effect("is, in a conversation with calls, the last message of the user before the question", () =>
    Effect.gen(function* () {
      const made = [{ id: "call_1", name: "look", params: "{}" }]
      const messages: ReadonlyArray<Message> = [
        user("How is it?"),
        { role: "assistant", text: "", calls: made },
        { role: "tool", text: "", results: [{ id: "call_1", name: "look", text: "dark", isFailure: false }] },
        user("And now?")
      ]
      const { provider, sent } = making([{ body: { error: { message: "no" } }, status: 500 }], {
        model: "gpt-6-luna",
        baseUrl: "https://api.openai.com/v1"
      })
      const { decide } = yield* provider
      const questions = [{ _tag: "Predicate", name: "dark", question: "Is it?" }] as const
      yield* Effect.exit(decide!({ messages, task: { ...asking().task, questions } }))
      assert.deepStrictEqual(sent[0].input, [
        {
          role: "user",
          content: [{ type: "input_text", text: "How is it?", prompt_cache_breakpoint: { mode: "explicit" } }]
        },
        { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "dark" },
        { role: "user", content: "And now?" }
      ])
    })
  )
})

describe("a socket of OpenAI's APIs", () => {
  const endpoint = {
    provider: "openai",
    model: "gpt a&b#c/d",
    host: "model.invalid",
    secrets: [],
    keyName: "KEY",
    addressEnd: "in /v1"
  }
  const target = {
    provider: "openai",
    model: "m",
    reasons: false,
    official: true,
    cacheKey: undefined,
    formInText: false
  } as const
  /** The paths that are dialled, and the failure of a session that begins with this event. */
  const dialled = Effect.fnUntraced(function* (frame: object) {
    const paths: Array<string> = []
    const socket = {
      isOpen: () => true,
      unread: () => [],
      send: () => Effect.void,
      receive: Effect.succeed(JSON.stringify(frame)),
      close: Effect.void
    }
    const dial = (path: string) =>
      Effect.sync(() => {
        paths.push(path)
        return socket
      })
    const outcome = yield* Effect.result(overSessions({ dial, endpoint }).connect)
    yield* overSockets({ dial, endpoint }, target).connect
    return { paths, tag: outcome._tag === "Success" ? undefined : outcome.failure.reason._tag }
  })

  it.effect("is opened at the address of the model, and must begin with a session", () =>
    Effect.gen(function* () {
      for (const [frame, tag] of [
        [{ type: "session.created" }, undefined],
        [{ type: "session.updated" }, "InvalidResponse"],
        [{ type: "error", error: { type: "invalid_request_error", code: "model_not_found" } }, "InvalidRequest"]
      ] as const) {
        assert.deepStrictEqual(yield* dialled(frame).pipe(Effect.scoped), {
          paths: ["/realtime?model=gpt%20a%26b%23c%2Fd", "/responses"],
          tag
        })
      }
    })
  )

  it("resumes only after an answer with an id", () => {
    const { resumes } = overSockets({ dial: () => Effect.die("never"), endpoint }, target)
    assert.deepStrictEqual([resumes({ text: "", usage: {} }), resumes({ text: "", usage: {}, id: "1" })], [false, true])
  })

  it("sends tools without strict mode in a session, and marks failures in their results", () => {
    const parameters = { type: "object", properties: {}, required: [], additionalProperties: false }
    assert.deepStrictEqual<object>(toTool({ name: "look", description: "Looks", parameters }), {
      type: "function",
      name: "look",
      description: "Looks",
      parameters
    })
    const results = [true, false].map((isFailure, i) => ({ id: `call_${i}`, name: "look", text: "dark", isFailure }))
    assert.deepStrictEqual<object>(toItems({ role: "tool", text: "", results }), [
      { type: "function_call_output", call_id: "call_0", output: "Error: dark" },
      { type: "function_call_output", call_id: "call_1", output: "dark" }
    ])
  })
})
