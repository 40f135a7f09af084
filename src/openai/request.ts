/**
 * The body of a chat completions call.
 */
import type * as Chat from "openai/resources/chat/completions"
import type { Capabilities, Output, Request } from "../Provider.ts"
import { withObjectRoot } from "./jsonSchema.ts"
import { restore } from "./restore.ts"
import { toStrict } from "./strict.ts"

type Body = Chat.ChatCompletionCreateParamsNonStreaming

interface Target {
  readonly model: string
  readonly capabilities: Capabilities
  /** Whether the server is OpenAI's own. */
  readonly official: boolean
}

const toName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "output"

// OpenAI takes only objects at the root, in both modes; any other form is asked for in words.
const toFormat = (
  output: Output,
  mode: Capabilities["structuredOutput"]
): NonNullable<Body["response_format"]> | undefined => {
  const schema = withObjectRoot(output.jsonSchema)
  if (schema === undefined || mode === "none") return undefined
  if (mode === "json") return { type: "json_object" }
  const strict = toStrict(schema)
  const name = toName(output.name)
  return { type: "json_schema", json_schema: { name, schema: strict ?? schema, strict: strict !== undefined } }
}

/** The text of an answer as the form asked for has it: nulls that only the strict form sent has are taken away. */
export const toAnswer = (text: string, output: Output | undefined, body: Body): string => {
  const format = body.response_format
  const schema = output && withObjectRoot(output.jsonSchema)
  return schema !== undefined && format?.type === "json_schema" && format.json_schema.strict === true
    ? restore(schema, text)
    : text
}

export const toBody = (request: Request, { capabilities, model, official }: Target): Body => {
  const { effort, maxTokens, seed, stop, temperature } = request.sampling
  const output = request.task.output
  const format = output && toFormat(output, capabilities.structuredOutput)
  const messages = request.messages.map(({ role, text }) => ({ role, content: text }))
  if (output && format?.type !== "json_schema") messages.push({ role: "user", content: output.instructions })
  return {
    model,
    messages,
    // Others may not know the field; OpenAI may keep conversations without it.
    ...(official && { store: false }),
    ...(format && { response_format: format }),
    ...(temperature !== undefined && { temperature }),
    // Other servers have efforts of their own: the type names only OpenAI's.
    ...(effort !== undefined && { reasoning_effort: effort as NonNullable<Body["reasoning_effort"]> }),
    // Deprecated by OpenAI, but what other servers know.
    // oxlint-disable-next-line typescript/no-deprecated
    ...(maxTokens !== undefined && (official ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens })),
    // oxlint-disable-next-line typescript/no-deprecated
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stop: [...stop] })
  }
}
