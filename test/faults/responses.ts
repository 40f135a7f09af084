/** OpenAI's Responses API, as servers speak it. Written by hand after its documentation, not recorded. */
import { type Called, type Dialect, type Failure, isProof, type Kind, pieces, proofOf, sse, textOf } from "./dialect.ts"

const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 19
}

const id = "resp_1"
const model = "gpt-5-2025-08-07"
const item_id = "msg_1"

/** A whole response. */
const response = (output: ReadonlyArray<unknown>, rest: object = {}) => ({
  id,
  object: "response",
  created_at: 1,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output,
  parallel_tool_calls: true,
  store: false,
  tools: [],
  usage,
  ...rest
})

const reasoning = { type: "reasoning", id: "rs_1", summary: [] }

type Part =
  | { readonly type: "output_text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }

const said = (text: string): Part => ({ type: "output_text", text })
const declined = (refusal: string): Part => ({ type: "refusal", refusal })

const whole = (part: Part) => (part.type === "refusal" ? part : { ...part, annotations: [], logprobs: [] })

const message = (parts: ReadonlyArray<Part>, status: string) => ({
  type: "message",
  id: item_id,
  role: "assistant",
  status,
  content: parts.map(whole)
})

interface Parts {
  /** What the message says; none is written without parts. */
  readonly parts: ReadonlyArray<Part>
  /** Items apart from the message. */
  readonly items?: ReadonlyArray<object>
  readonly rest?: object & { readonly status?: string }
}

const incomplete = (reason: string) => ({ status: "incomplete", incomplete_details: { reason } })

const answers: Readonly<Record<Kind, (text: string) => Parts>> = {
  good: (text) => ({ parts: [said(text)] }),
  refused: (text) => ({ parts: [declined(text)] }),
  refusedLate: (text) => ({ parts: [said(text), declined("I cannot go on.")] }),
  length: (text) => ({ parts: [said(text)], rest: incomplete("max_output_tokens") }),
  filtered: (text) => ({ parts: [said(text)], rest: incomplete("content_filter") }),
  empty: () => ({ parts: [said("")] }),
  blank: () => ({ parts: [said(" \n ")] }),
  thinking: (text) => ({
    parts: [],
    items: [{ ...reasoning, summary: [{ type: "summary_text", text }] }]
  }),
  tool: (text) => ({
    parts: [],
    items: [
      reasoning,
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: text, status: "completed" }
    ]
  }),
  unfinished: (text) => ({ parts: [said(text)], rest: { status: "in_progress" } }),
  failed: (text) => ({
    parts: [said(text)],
    rest: { status: "failed", error: { code: "server_error", message: text } }
  })
}

const outputOf = ({ items = [reasoning], parts, rest }: Parts) => [
  ...items,
  ...(parts.length === 0 ? [] : [message(parts, rest?.status ?? "completed")])
]

const failures: Readonly<Record<Failure, string>> = {
  server: "server_error",
  overloaded: "server_is_overloaded",
  rateLimited: "rate_limit_exceeded"
}

const event = (type: string, rest: object) => ({ type, ...rest })

const ofPart = (part: Part, output_index: number, content_index: number) => {
  const where = { item_id, output_index, content_index }
  const name = part.type === "refusal" ? "refusal" : "output_text"
  const text = part.type === "refusal" ? part.refusal : part.text
  const begun = part.type === "refusal" ? declined("") : said("")
  return [
    event("response.content_part.added", { ...where, part: whole(begun) }),
    ...pieces(text).map((delta) => event(`response.${name}.delta`, { ...where, delta })),
    event(`response.${name}.done`, { ...where, [part.type === "refusal" ? "refusal" : "text"]: text }),
    event("response.content_part.done", { ...where, part: whole(part) })
  ]
}

const events = (kind: Kind, text: string): ReadonlyArray<string> => {
  const parts = answers[kind](text)
  const { items = [reasoning], rest = {} } = parts
  const begun = response([], { status: "in_progress", usage: null })
  const spoken = message(parts.parts, rest.status ?? "completed")
  const at = { output_index: items.length }
  const all = [
    event("response.created", { response: begun }),
    event("response.in_progress", { response: begun }),
    ...items.flatMap((item, output_index) => [
      event("response.output_item.added", { output_index, item }),
      event("response.output_item.done", { output_index, item })
    ]),
    ...(parts.parts.length === 0
      ? []
      : [
          event("response.output_item.added", { ...at, item: message([], "in_progress") }),
          ...parts.parts.flatMap((part, index) => ofPart(part, items.length, index)),
          event("response.output_item.done", { ...at, item: spoken })
        ])
  ]
  if (kind !== "unfinished") {
    all.push(event(`response.${rest.status ?? "completed"}`, { response: response(outputOf(parts), rest) }))
  }
  return all.map((one, sequence_number) => sse({ ...one, sequence_number }, one.type))
}

const called = ({ calls, cut = false, text = "", thought }: Called, model: string) => {
  const status = cut ? "incomplete" : "completed"
  const thoughts =
    thought === undefined
      ? []
      : [
          {
            ...reasoning,
            summary: [{ type: "summary_text", text: thought }],
            encrypted_content: proofOf(model, thought)
          }
        ]
  const spoken = text === "" ? [] : [message([said(text)], "completed")]
  const items = calls.map(({ id: call_id, name, params }, i) => ({
    type: "function_call",
    id: `fc_${i}`,
    call_id,
    name,
    arguments: params,
    status: cut && i === calls.length - 1 ? "incomplete" : "completed"
  }))
  const output: ReadonlyArray<Record<string, any>> = [...thoughts, ...spoken, ...items]
  const whole = response(output, cut ? incomplete("max_output_tokens") : {})
  const begun = response([], { status: "in_progress", usage: null })
  const all = [
    event("response.created", { response: begun }),
    ...output.flatMap((item, output_index) => {
      const at = { item_id: item["id"], output_index }
      const ends = [event("response.output_item.done", { output_index, item })]
      if (item["type"] === "message") {
        return [
          event("response.output_item.added", { output_index, item: message([], "in_progress") }),
          ...ofPart(said(text), output_index, 0),
          ...ends
        ]
      }
      if (item["type"] === "reasoning") {
        return [
          event("response.output_item.added", {
            output_index,
            item: { ...reasoning, encrypted_content: "incomplete" }
          }),
          ...pieces(thought ?? "").map((delta) =>
            event("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta })
          ),
          ...ends
        ]
      }
      return [
        event("response.output_item.added", {
          output_index,
          item: { ...item, arguments: "", status: "in_progress" }
        }),
        ...pieces(item["arguments"]).map((delta) => event("response.function_call_arguments.delta", { ...at, delta })),
        ...(item["status"] === "completed"
          ? [event("response.function_call_arguments.done", { ...at, arguments: item["arguments"] }), ...ends]
          : [])
      ]
    }),
    event(`response.${status}`, { response: whole })
  ]
  return { body: whole, events: all.map((one, sequence_number) => sse({ ...one, sequence_number }, one.type)) }
}

/** What the API refuses of the items of an input. */
const refusal = ({ input, model, tools = [] }: any): string | undefined => {
  const open = new Set<unknown>()
  if (tools.some((tool: any) => tool.parameters?.type !== "object")) return "Invalid schema for function"
  for (const [i, item] of (input as ReadonlyArray<any>).entries()) {
    const next = input[i + 1]
    if (item.type === "reasoning") {
      if (item.id !== undefined)
        return `Item with id '${item.id}' not found. Items are not persisted when store is false.`
      if (!isProof(item.encrypted_content, model)) return "The encrypted content could not be verified."
      if (next === undefined || (next.type !== "function_call" && next.role !== "assistant")) {
        return "Item of type 'reasoning' was provided without its required following item."
      }
    } else if (item.type === "function_call") open.add(item.call_id)
    else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id)) return `No tool call found for function call output with call_id ${item.call_id}.`
    }
  }
  return open.size > 0 ? "No tool output found for a function call." : undefined
}

const error = (code: string, text: string, param?: string) => ({
  error: { message: text, type: "some_error", code, param: param ?? null }
})

const parameterNames = { temperature: "temperature", effort: "reasoning.effort" }

const told = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 }

export const responses: Dialect = {
  name: "responses",
  path: "/responses",
  body: (kind, text) => {
    const parts = answers[kind](text)
    return response(outputOf(parts), parts.rest)
  },
  events,
  called,
  refusal,
  unknownEvent: sse(
    { type: "response.something.new", sequence_number: 99, about: "nothing" },
    "response.something.new"
  ),
  errorEvent: (type, said) =>
    sse({ type: "error", code: failures[type], message: said, param: null, sequence_number: 99 }, "error"),
  error,
  usedUp: (text) => ({ error: { message: text, type: "insufficient_quota", code: "insufficient_quota", param: null } }),
  tooLong: (text) => error("context_length_exceeded", text, "input"),
  refusalOf: (parameter) =>
    error(
      "unsupported_parameter",
      `Unsupported parameter: '${parameterNames[parameter]}' is not supported with this model.`,
      parameterNames[parameter]
    ),
  isSent: (body, parameter) => (parameter === "temperature" ? body.temperature : body.reasoning?.effort) !== undefined,
  hollow: [
    ["no status", { ...response([]), status: undefined, usage: undefined }],
    ["an output of another form", { ...response([]), output: "x", usage: undefined }]
  ],
  schemaOf: (body) => body.text?.format?.schema,
  promptOf: (body) => [textOf(body.instructions), textOf(body.input)].join("\n"),
  usage: told,
  failedUsage: told,
  unfinishedUsage: told,
  model,
  id
}
