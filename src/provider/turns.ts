/** Checks the tools of a request, and that each call in its messages has its result. */
import { isObject, dereferenced } from "../schema/jsonSchema.ts"
import type { Capabilities } from "./capabilities.ts"
import { ProviderError, type Reason } from "./ProviderError.ts"
import type { DecideRequest, Message, Request } from "./request.ts"
import type { Tool, ToolChoice } from "./tools.ts"

type AnyRequest = Request | DecideRequest

const isOfTools = ({ calls = [], results = [], role }: Message): boolean =>
  role === "tool" || calls.length > 0 || results.length > 0

const placed =
  "put the results of all calls of an answer right after it, in messages of the role tool, one for each call"

const nothing: ReadonlyArray<never> = []

/** What is wrong with the calls and results of a conversation. */
const problemInMessages = (messages: ReadonlyArray<Message>): string | undefined => {
  /** The calls of the previous answer that have no result yet. Allocates little, as every request checks all messages. */
  let open: Array<string> | undefined
  let number = 0
  for (const { calls = nothing, results = nothing, role } of messages) {
    number++
    if (role === "tool") {
      for (const { id } of results) {
        const at = open?.indexOf(id) ?? -1
        if (at < 0) return `message ${number} has a result without its call: ${placed}`
        open?.splice(at, 1)
      }
      if (open === undefined) return `message ${number} has the role tool, but no call is before it: ${placed}`
      continue
    }
    if (results.length > 0) return `message ${number} has results, but the role ${role}: ${placed}`
    if (open !== undefined && open.length > 0) return `a call before message ${number} has no result: ${placed}`
    open = calls.length === 0 ? undefined : calls.map(({ id }) => id)
    if (calls.length > 0 && role !== "assistant")
      return `message ${number} has calls, but the role ${role}: only answers do`
    if (calls.length > 1 && new Set(open).size < calls.length) return `message ${number} has two calls of one id`
  }
  return open !== undefined && open.length > 0 ? `a call in the last answer has no result: ${placed}` : undefined
}

const takesObject = (schema: Tool["parameters"]): boolean => {
  const root = dereferenced(schema, schema)
  return root !== undefined && (root["type"] === undefined || root["type"] === "object")
}

/** What is wrong with the tools of a request. */
const problemInTools = (tools: ReadonlyArray<Tool>, toolChoice: ToolChoice | undefined): string | undefined => {
  const names = new Set(tools.map(({ name }) => name))
  const misnamed = tools.findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
  if (misnamed >= 0) return `the name of tool ${misnamed + 1} must have 1 to 64 letters, digits, _ or -`
  if (names.size < tools.length) return "two tools have the same name: give each its own"
  const shapeless = tools.findIndex(({ parameters }) => !takesObject(parameters))
  if (shapeless >= 0) return `the parameters of tool ${shapeless + 1} must be a JSON Schema of an object`
  if (toolChoice === undefined || toolChoice === "auto" || toolChoice === "none") return undefined
  if (tools.length === 0) return "toolChoice requires a call, but there are no tools: give tools, or leave it out"
  return typeof toolChoice === "object" && !names.has(toolChoice.tool)
    ? "toolChoice names a tool that is not among the tools: use the name of one"
    : undefined
}

const reasonOf = (capabilities: Capabilities, request: AnyRequest): Reason | undefined => {
  const { messages } = request
  const { toolChoice, tools = [] } = "phase" in request ? request : {}
  const uses = tools.length > 0 || messages.some(isOfTools)
  if (uses && capabilities.tools !== true) {
    const message =
      "this provider cannot call tools: use another one, or set capabilities.tools to true if its model can"
    return { _tag: "Unsupported", message }
  }
  const message = problemInTools(tools, toolChoice) ?? (uses ? problemInMessages(messages) : undefined)
  return message === undefined ? undefined : { _tag: "InvalidRequest", message }
}

/** Why a request cannot be sent: the provider has no tools, or calls and results do not fit together. */
export const problemOfTools = (
  { capabilities, model, name }: { readonly name: string; readonly model: string; readonly capabilities: Capabilities },
  request: AnyRequest
): ProviderError | undefined => {
  const reason = reasonOf(capabilities, request)
  return reason && new ProviderError({ provider: name, model, reason })
}

/** The parameters of a tool as vendors accept them: a schema of an object, without what says which draft it follows. */
export const parametersOf = ({
  parameters
}: Tool): { readonly [keyword: string]: unknown; readonly type: "object" } => {
  const { $schema: _, ...schema } = dereferenced(parameters, parameters) ?? parameters
  // a root that was a reference has its definitions elsewhere
  const definitions = isObject(parameters["$defs"]) ? { $defs: parameters["$defs"] } : {}
  return { properties: {}, ...definitions, ...schema, type: "object" }
}
