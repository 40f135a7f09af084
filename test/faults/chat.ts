/** OpenAI's Chat Completions API, as servers speak it. Written by hand after its documentation, not recorded. */
import { type Called, type Dialect, type Failure, type Kind, pieces, sse, textOf } from "./dialect.ts"

export const usage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 }
}

const id = "chatcmpl-1"
const model = "gpt-4o-2024-08-06"

export const completion = (content: unknown, finish_reason: unknown = "stop", message: object = {}) => ({
  id,
  object: "chat.completion",
  created: 1,
  model,
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content, ...message } }],
  usage
})

/** A piece of a streamed answer. */
const chunk = (delta: object, finish_reason: unknown = null, rest: object = {}) => ({
  id,
  object: "chat.completion.chunk",
  created: 1,
  model,
  choices: [{ index: 0, delta, finish_reason }],
  ...rest
})

const called = (text: string) => [
  { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: JSON.stringify({ text }) } }
]

/** What is said of a kind: contents, what stands beside them, and how it ends. */
const answers: Readonly<
  Record<Kind, (text: string) => readonly [content: string | null, rest: object, finish: string | null]>
> = {
  good: (text) => [text, {}, "stop"],
  refused: (text) => [null, { refusal: text }, "stop"],
  refusedLate: (text) => [text, { refusal: "I cannot go on." }, "stop"],
  length: (text) => [text, {}, "length"],
  filtered: (text) => [text, {}, "content_filter"],
  empty: () => ["", {}, "stop"],
  blank: () => [" \n ", {}, "stop"],
  thinking: (text) => [null, { reasoning_content: text }, "stop"],
  tool: (text) => [null, { tool_calls: called(text) }, "tool_calls"],
  unfinished: (text) => [text, {}, null],
  failed: (text) => [text, {}, "error"]
}

const failures: Readonly<Record<Failure, { readonly type: string; readonly code: string }>> = {
  server: { type: "server_error", code: "server_error" },
  overloaded: { type: "overloaded_error", code: "overloaded" },
  rateLimited: { type: "requests", code: "rate_limit_exceeded" }
}

const errorEvent = (type: Failure, message: string) => sse({ error: { message, param: null, ...failures[type] } })

const events = (kind: Kind, text: string): ReadonlyArray<string> => {
  const [content, rest, finish] = answers[kind](text)
  const deltas = [
    { role: "assistant", content: "" },
    ...(content === null ? [] : pieces(content).map((piece) => ({ content: piece }))),
    ...Object.entries(rest).flatMap(([name, value]) =>
      (typeof value === "string" ? pieces(value) : [value]).map((piece) => ({ [name]: piece }))
    )
  ].map((delta) => sse(chunk(delta)))
  if (kind === "failed") return [...deltas, errorEvent("server", text)]
  const counted = sse({ ...chunk({}), choices: [], usage })
  return [...deltas, ...(finish === null ? [] : [sse(chunk({}, finish))]), counted, sse("[DONE]")]
}

const toCall = ({ id, name, params }: Called["calls"][number]) => ({
  id,
  type: "function",
  function: { name, arguments: params }
})

const callsOf = ({ calls, cut = false, text = "", thought }: Called) => {
  const finish = cut ? "length" : "tool_calls"
  const thinking = thought === undefined ? {} : { reasoning_content: thought }
  const deltas = [
    { role: "assistant", content: null },
    ...pieces(thought ?? "").map((piece) => ({ reasoning_content: piece })),
    ...pieces(text).map((piece) => ({ content: piece })),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ index, ...toCall({ ...call, params: "" }) }] },
      ...pieces(call.params).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] }))
    ])
  ].map((delta) => sse(chunk(delta)))
  return {
    body: completion(text === "" ? null : text, finish, { tool_calls: calls.map(toCall), ...thinking }),
    events: [...deltas, sse(chunk({}, finish)), sse({ ...chunk({}), choices: [], usage }), sse("[DONE]")]
  }
}

/** What the API refuses of messages with calls and results. */
const refusal = ({ messages, tools = [] }: any): string | undefined => {
  let open = new Set<unknown>()
  if (tools.some((tool: any) => tool.function?.parameters?.type !== "object")) return "Invalid schema for function"
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) {
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
      }
      continue
    }
    if (open.size > 0) return "An assistant message with 'tool_calls' must be followed by tool messages."
    open = new Set((message.tool_calls ?? []).map(({ id: callId }: any) => callId))
  }
  return open.size > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages." : undefined
}

const error = (code: string, message: string, param?: string) => ({
  error: { message, type: "some_error", code, param: param ?? null }
})

const parameterNames = { temperature: "temperature", effort: "reasoning_effort" }

const told = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 }

export const chat: Dialect = {
  name: "chat",
  path: "/chat/completions",
  body: (kind, text) => {
    const [content, rest, finish] = answers[kind](text)
    return completion(content, finish, rest)
  },
  events,
  called: callsOf,
  refusal,
  unknownEvent: sse({ object: "chat.completion.something", about: "nothing" }, "something.new"),
  errorEvent,
  error,
  usedUp: (message) => ({ error: { message, type: "insufficient_quota", code: "insufficient_quota", param: null } }),
  tooLong: (message) => error("context_length_exceeded", message, "messages"),
  refusalOf: (parameter) =>
    error(
      "unsupported_parameter",
      `Unsupported parameter: '${parameterNames[parameter]}' is not supported with this model.`,
      parameterNames[parameter]
    ),
  isSent: (body, parameter) => body[parameterNames[parameter]] !== undefined,
  hollow: [
    ["no choices", { ...completion("x"), choices: undefined, usage: undefined }],
    ["empty choices", { ...completion("x"), choices: [], usage: undefined }],
    ["choices without a message", { ...completion("x"), choices: [{ index: 0, finish_reason: "stop" }], usage: null }],
    ["contents of another form", { ...completion([{ text: "x" }]), usage: undefined }]
  ],
  schemaOf: (body) => body.response_format?.json_schema?.schema,
  promptOf: (body) => textOf(body.messages),
  usage: told,
  unfinishedUsage: told,
  model,
  id
}
