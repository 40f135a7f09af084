/** Requests with tools, and what follows them. */
import type { Carry, Message, Request, Response } from "cogito/Provider"

export const tools: NonNullable<Request["tools"]> = [
  {
    name: "weather",
    description: "The weather of a city",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false
    }
  },
  { name: "time_now", description: "The time", parameters: {} }
]

const system: Message = { role: "system", text: "Be brief." }
export const user: Message = { role: "user", text: "How is the weather?" }

export const asking = (rest: Partial<Request> = {}): Request => ({
  messages: [system, user],
  task: { kind: "chat", instruction: "Answer", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  tools,
  ...rest
})

export const calls = [
  { id: "call_1", name: "weather", params: `{"city": "Ulm"}` },
  { id: "call_2", name: "time_now", params: "{}" }
]

/** The messages after an answer with calls. */
export const followed = (
  { calls: made = [], carry, text }: Pick<Response, "text" | "calls" | "carry">,
  results: ReadonlyArray<readonly [text: string, isFailure: boolean]> = [
    ["12 °C", false],
    ["no clock", true]
  ]
): ReadonlyArray<Message> => [
  system,
  user,
  { role: "assistant", text, calls: made, ...(carry !== undefined && { carry }) },
  {
    role: "tool",
    text: "",
    results: made.map(({ id, name }, i) => {
      const [result, isFailure] = results[i] ?? ["", false]
      return { id, name, text: result, isFailure }
    })
  }
]

export const carry: Carry = { provider: "scripted", model: "script", data: [{ item: "secret thought" }] }
export const answered = { text: "Let me look.", calls, carry }

/** Requests that differ in one part from the others. */
export const differing: ReadonlyArray<Request> = [
  asking({ messages: followed(answered) }),
  asking({ messages: followed({ ...answered, calls: calls.map((call) => ({ ...call, id: `${call.id}0` })) }) }),
  asking({ messages: followed({ ...answered, calls: calls.map((call) => ({ ...call, params: `${call.params} ` })) }) }),
  asking({ messages: followed({ text: answered.text, calls }) }),
  asking({
    messages: followed({ text: answered.text, calls: calls.map((call) => ({ ...call, params: `${call.params} ` })) })
  }),
  asking({ messages: followed({ ...answered, carry: { ...carry, data: "other" } }) }),
  asking({
    messages: followed(answered, [
      ["13 °C", false],
      ["no clock", true]
    ])
  }),
  asking({
    messages: followed(answered, [
      ["12 °C", true],
      ["no clock", true]
    ])
  }),
  asking({ messages: followed(answered), toolChoice: "required" }),
  asking({ messages: followed(answered), toolChoice: { tool: "weather" } }),
  asking({ messages: followed(answered), parallelCalls: false }),
  asking({ messages: followed(answered), tools: tools.toReversed() })
].map((request): Request => ({ ...request, sampling: { temperature: 0 } }))
