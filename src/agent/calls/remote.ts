/** Calls tools of an MCP server: their results as texts, and their failures with what is known of the call. */
import * as Effect from "effect/Effect"
import * as McpClient from "effect/ai/McpClient"
import { ConfigurationError, McpClientError, type McpClientErrorReason, TransportError } from "effect/ai/McpClientError"
import type * as McpSchema from "effect/ai/McpSchema"
import { quoted } from "../../text/legible.ts"

type CallTool = McpClient.McpClient["callTool"]
type Block = McpSchema.CallToolResult["content"][number]

/** The tools of a server, and how they are called. */
interface Remote {
  readonly client: McpClient.McpClient
  readonly tools: ReadonlyArray<McpSchema.Tool>
  /** What stands before the names for the model. */
  readonly prefix: string
  /** The server's names of the tools that only read. */
  readonly readers: ReadonlySet<string>
  /** The longest time of a call, in milliseconds. */
  readonly timeout: number
}

/** The tools as a toolkit with handlers. Fails if two of them have the same name for the model, or one has too long a name. */
export const bound = (remote: Remote) =>
  Effect.gen(function* () {
    const { client, prefix, readers, tools } = remote
    const originals = new Map<string, McpSchema.Tool>()
    for (const tool of tools) {
      const name = modelName(tool.name)
      const before = originals.get(name)
      if (before !== undefined) {
        return yield* misnamed(
          before.name === tool.name
            ? `it offers ${quoted(tool.name)} twice.`
            : `the model has one name for ${quoted(before.name)} and ${quoted(tool.name)}. Leave one out of \`allow\`.`
        )
      }
      if (prefix.length + name.length > longestName) {
        return yield* misnamed(`the name ${quoted(prefix + tool.name)} has more than ${longestName} characters.`)
      }
      originals.set(name, tool)
    }
    const listed = Array.from(originals, ([name, tool]) => changed(tool, { name }))
    const callTool = callingTool(remote, originals)
    const toolkit = yield* McpClient.toolkit({ ...client, listTools: () => Effect.succeed(listed), callTool }, prefix)
    const reading = new Set([...readers].map((name) => prefix + modelName(name)))
    return { toolkit, reading }
  })

/** The longest name of a tool that vendors take. */
const longestName = 64

/** The name that a model has for a tool: a server may use signs that vendors do not take. */
const modelName = (name: string): string => name.replaceAll(/[^\w-]/g, "_")

const misnamed = (what: string) =>
  new McpClientError({
    reason: new ConfigurationError({ description: `The tools of the MCP server cannot be used: ${what}` })
  })

/** The tools of a toolkit are called without a schema. */
const callingTool = (
  { client, readers, timeout }: Remote,
  originals: ReadonlyMap<string, McpSchema.Tool>
): CallTool => {
  const calling = ({ arguments: given, tool }: Parameters<CallTool>[0]) => {
    const original = originals.get(tool.name) ?? tool
    return client.callTool({ tool: original, arguments: given }, { timeout }).pipe(
      Effect.map(inText),
      Effect.mapError((error) => (readers.has(original.name) ? error : withOutcome(error)))
    )
  }
  return calling
}

/** The failure of a call, which says if the server may have carried it out. */
const withOutcome = (error: McpClientError): McpClientError =>
  mayBeCarriedOut(error.reason)
    ? new McpClientError({
        reason: new TransportError({
          description: `It is not known whether this was carried out: ${quoted(error.message)}. Find out before you call the tool again.`,
          cause: error
        })
      })
    : error

const mayBeCarriedOut = (reason: McpClientErrorReason): boolean => {
  switch (reason._tag) {
    case "ToolError":
    case "ConfigurationError":
    case "UnsupportedError":
      return false
    case "ProtocolError":
      // the server refuses a call by a code
      return reason.code === undefined
    case "HttpError":
      return reason.status >= 500
    case "ClosedError":
      return reason.sessionExpired !== true
    default:
      return true
  }
}

/** A part of a result as text. What cannot be one is named in its place: the tool was carried out all the same. */
const textOf = (block: Block): Block => {
  if (block.type === "image" || block.type === "audio") return leftOut(block.type, block.mimeType)
  if (block.type === "resource" && !("text" in block.resource)) return leftOut("file", block.resource.mimeType)
  return block
}

const leftOut = (what: string, type = "of no known type"): Block => ({
  type: "text",
  text: `[${what} (${type}): only text is shown]`
})

const inText = (result: McpSchema.CallToolResult): McpSchema.CallToolResult =>
  changed(result, { content: result.content.map(textOf) })

/** A copy of an instance of a class with other fields. */
const changed = <A extends object>(value: A, fields: Partial<A>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(value) as object) as A, value, fields)
