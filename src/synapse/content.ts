/** Messages and answers in the form that OpenTelemetry's conventions for generative AI give them in spans. */
import type { Message, Response } from "../provider/request.ts"
import type { ToolCall } from "../provider/tools.ts"
import type { Redact, Where } from "../run/content.ts"

/** The attributes of a request: the system's messages, and the others. */
export const inputContent = (messages: ReadonlyArray<Message>, redact: Redact): Partial<Record<Where, string>> => {
  const own = messages.filter(({ role }) => role === "system")
  const system = "gen_ai.system_instructions"
  const input = "gen_ai.input.messages"
  return {
    ...(own.length > 0 && { [system]: JSON.stringify(own.map(({ text }) => part(redact(text, system)))) }),
    [input]: JSON.stringify(
      messages
        .filter(({ role }) => role !== "system")
        .map(({ calls = [], results, role, text }) => ({
          role,
          parts: results?.map((result) => ({
            type: "tool_call_response",
            id: result.id,
            response: redact(result.text, input)
          })) ?? [...texts(text, input, redact), ...calls.map((call) => callPart(call, input, redact))]
        }))
    )
  }
}

/** The attribute of an answer. */
export const outputContent = (
  { calls = [], text }: Pick<Response, "text" | "calls">,
  finish: string,
  redact: Redact
): Partial<Record<Where, string>> => {
  const output = "gen_ai.output.messages"
  const parts = [...texts(text, output, redact), ...calls.map((call) => callPart(call, output, redact))]
  return { [output]: JSON.stringify([{ role: "assistant", parts, finish_reason: finish }]) }
}

const part = (content: string) => ({ type: "text", content })

const texts = (text: string, where: Where, redact: Redact) => (text === "" ? [] : [part(redact(text, where))])

const callPart = ({ id, name, params }: ToolCall, where: Where, redact: Redact) => ({
  type: "tool_call",
  id,
  name,
  arguments: redact(params, where)
})
