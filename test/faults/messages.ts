/** Anthropic's Messages API, as servers speak it. Written by hand after its documentation, not recorded. */
import { type Called, type Dialect, type Failure, isProof, type Kind, pieces, proofOf, sse, textOf } from "./dialect.ts"

const input = {
  cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 0 },
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 4,
  input_tokens: 6,
  service_tier: "standard"
}
const output = { output_tokens: 7, output_tokens_details: { thinking_tokens: 3 } }

const id = "msg_1"
const model = "claude-sonnet-4-6"

interface Stop {
  readonly stop_reason: string | null
  readonly stop_details?: object
}

/** A whole message. */
const message = (content: ReadonlyArray<unknown>, stop: Stop, usage: object = { ...input, ...output }) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  container: null,
  diagnostics: null,
  stop_sequence: null,
  stop_details: null,
  ...stop,
  usage
})

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | { readonly type: "tool_use"; readonly input: unknown }

const whole = (block: Block) =>
  block.type === "text"
    ? { ...block, citations: null }
    : block.type === "thinking"
      ? { ...block, signature: "c2lnbmVk" }
      : { ...block, id: "toolu_1", name: "look", caller: { type: "direct" } }

const said = (text: string): Block => ({ type: "text", text })

const refusal: Stop = {
  stop_reason: "refusal",
  stop_details: { type: "refusal", category: "cyber", explanation: "It asks for what is not given." }
}

const answers: Readonly<Record<Kind, (text: string) => readonly [ReadonlyArray<Block>, Stop]>> = {
  good: (text) => [[said(text)], { stop_reason: "end_turn" }],
  refused: () => [[], refusal],
  refusedLate: (text) => [[said(text)], refusal],
  length: (text) => [[said(text)], { stop_reason: "max_tokens" }],
  // There is no stop reason of its own for it.
  filtered: (text) => [[said(text)], refusal],
  empty: () => [[], { stop_reason: "end_turn" }],
  blank: () => [[said(" \n ")], { stop_reason: "end_turn" }],
  thinking: (text) => [[{ type: "thinking", thinking: text }], { stop_reason: "end_turn" }],
  tool: (text) => [[{ type: "tool_use", input: { text } }], { stop_reason: "tool_use" }],
  unfinished: (text) => [[said(text)], { stop_reason: null }],
  failed: (text) => [[said(text)], { stop_reason: null }]
}

const failures: Readonly<Record<Failure, string>> = {
  server: "api_error",
  overloaded: "overloaded_error",
  rateLimited: "rate_limit_error"
}

const error = (type: string, text: string) => ({
  type: "error",
  error: { type, message: text },
  request_id: "req_of_the_body"
})

const errorEvent = (type: Failure, text: string) => sse(error(failures[type], text), "error")

const event = (type: string, rest: object = {}): string => sse({ type, ...rest }, type)

const ofBlock = (block: Block, index: number): ReadonlyArray<string> => {
  const [begun, deltas] =
    block.type === "text"
      ? [said(""), pieces(block.text).map((text) => ({ type: "text_delta", text }))]
      : block.type === "thinking"
        ? [
            { type: "thinking", thinking: "" } as const,
            [
              ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature: "c2lnbmVk" }
            ]
          ]
        : [
            { type: "tool_use", input: {} } as const,
            pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json }))
          ]
  return [
    event("content_block_start", { index, content_block: whole(begun) }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index })
  ]
}

const events = (kind: Kind, text: string): ReadonlyArray<string> => {
  const [blocks, stop] = answers[kind](text)
  const start = [
    event("message_start", { message: message([], { stop_reason: null }, { ...input, output_tokens: 1 }) }),
    event("ping"),
    ...blocks.flatMap(ofBlock)
  ]
  if (kind === "failed") return [...start, errorEvent("server", text)]
  const told = { delta: { container: null, stop_sequence: null, stop_details: null, ...stop }, usage: output }
  return [...start, ...(kind === "unfinished" ? [] : [event("message_delta", told)]), event("message_stop")]
}

const called = ({ calls, cut = false, text = "", thought }: Called, asked: string) => {
  const stop = { stop_reason: cut ? "max_tokens" : "tool_use" }
  const signature = proofOf(asked, thought ?? "")
  const redacted = { type: "redacted_thinking", data: signature }
  const blocks: ReadonlyArray<{
    readonly whole: object
    readonly begun: object
    readonly deltas: ReadonlyArray<object>
  }> = [
    ...(thought === undefined
      ? []
      : [
          {
            whole: { type: "thinking", thinking: thought, signature },
            begun: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...pieces(thought).map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature }
            ]
          },
          { whole: redacted, begun: redacted, deltas: [] }
        ]),
    ...(text === ""
      ? []
      : [
          {
            whole: whole(said(text)),
            begun: whole(said("")),
            deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece }))
          }
        ]),
    ...calls.map(({ id: callId, name, params }) => {
      const base = { type: "tool_use", id: callId, name, caller: { type: "direct" } }
      return {
        whole: { ...base, input: cut ? {} : JSON.parse(params) },
        begun: { ...base, input: {} },
        deltas: pieces(params).map((partial_json) => ({ type: "input_json_delta", partial_json }))
      }
    })
  ]
  const body = message(
    blocks.map((block) => block.whole),
    stop
  )
  const events = [
    event("message_start", { message: message([], { stop_reason: null }, { ...input, output_tokens: 1 }) }),
    ...blocks.flatMap(({ begun: content_block, deltas }, index) => [
      event("content_block_start", { index, content_block }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index })
    ]),
    event("message_delta", { delta: { stop_sequence: null, ...stop }, usage: output }),
    event("message_stop")
  ]
  return { body, events }
}

/** What the API refuses of the turns of a conversation. */
const refused = ({ messages: turns, model: asked, tools = [] }: any): string | undefined => {
  let open = new Set<unknown>()
  if (tools.some((tool: any) => tool.input_schema?.type !== "object"))
    return "tools.0.custom.input_schema.type: Field required"
  for (const [i, { content, role }] of turns.entries()) {
    if (role !== (i % 2 === 0 ? "user" : "assistant"))
      return "messages: roles must alternate between user and assistant"
    const blocks: ReadonlyArray<any> = typeof content === "string" ? [{ type: "text", text: content }] : content
    const isThought = ({ type }: { readonly type: string }) => type.endsWith("thinking")
    if (role === "assistant" && blocks.some(isThought) && !blocks.slice(0, 1).some(isThought))
      return "a final `assistant` message must start with a thinking block"
    const results = blocks.findLastIndex(({ type }) => type === "tool_result") + 1
    for (const [place, block] of blocks.entries()) {
      if (place < results && block.type !== "tool_result") return "`tool_result` blocks must come first"
      if (block.type === "tool_result" && !open.delete(block.tool_use_id)) return "unexpected `tool_use_id` found"
      if (block.type === "thinking" && !isProof(block.signature, asked))
        return "Invalid `signature` in `thinking` block"
      if (block.type === "redacted_thinking" && !isProof(block.data, asked))
        return "Invalid `data` in `redacted_thinking` block"
      if (block.type === "text" && block.text.trim() === "")
        return "text content blocks must contain non-whitespace text"
    }
    if (open.size > 0) return "`tool_use` ids were found without `tool_result` blocks immediately after"
    open = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id: callId }) => callId))
  }
  return open.size > 0 ? "`tool_use` ids were found without `tool_result` blocks" : undefined
}

/** The count of output at the beginning does not cover what comes later. */
const begun = { inputTokens: 12, cachedInputTokens: 4, cacheWriteTokens: 2 }

export const messages: Dialect = {
  name: "messages",
  path: "/messages",
  body: (kind, text) => {
    const [blocks, stop] = answers[kind](text)
    return kind === "failed" ? error(failures.server, text) : message(blocks.map(whole), stop)
  },
  events,
  called,
  refusal: refused,
  unknownEvent: event("message_something_new", { about: "nothing" }),
  errorEvent,
  error,
  usedUp: (text) => ({
    type: "error",
    error: { type: "rate_limit_error", message: text, details: { error_code: "enforced_spend_limit_reached" } }
  }),
  tooLong: (text) => error("invalid_request_error", `prompt is too long: 210000 tokens > 200000 maximum. ${text}`),
  refusalOf: (parameter) =>
    error(
      "invalid_request_error",
      parameter === "temperature"
        ? "`temperature` is deprecated for this model."
        : "This model does not support the effort parameter."
    ),
  isSent: (body, parameter) =>
    (parameter === "temperature" ? body.temperature : body.output_config?.effort) !== undefined,
  hollow: [
    ["no content", { ...message([], { stop_reason: "end_turn" }), content: undefined, usage: undefined }],
    ["content of another form", { ...message([], { stop_reason: "end_turn" }), content: "x", usage: undefined }]
  ],
  refusalCategory: "cyber",
  schemaOf: (body) => body.output_config?.format?.schema,
  promptOf: (body) => [textOf(body.system), textOf(body.messages)].join("\n"),
  usage: { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 },
  begunUsage: begun,
  failedUsage: begun,
  unfinishedUsage: begun,
  model,
  id
}
