import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as McpClient from "effect/ai/McpClient"
import type * as McpClientError from "effect/ai/McpClientError"
import type * as McpSchema from "effect/ai/McpSchema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { others } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { canonicalJson } from "../schema/canonicalJson.ts"
import { sha256 } from "../schema/sha256.ts"
import { quoted } from "../text/legible.ts"

/**
 * A tool of an MCP server. Its parameters are JSON, its results are texts.
 *
 * @category models
 */
export type McpTool = Tool.Tool<
  string,
  {
    readonly parameters: typeof Schema.Unknown
    readonly success: typeof Schema.String
    readonly failure: typeof McpClientError.McpClientError
    readonly failureMode: "error"
  }
>

/**
 * The allowed tools of an MCP server.
 *
 * **Details**
 *
 * - `toolkit`: for `Agent.make`, alone or with `Toolkit.merge`
 * - `layer`: their handlers, which call the server
 * - `pins`: the hash of each tool's definition, by the server's name, to be given as `allow` from now on
 *
 * @category models
 */
export interface McpTools {
  readonly toolkit: Toolkit.Toolkit<Record<string, McpTool>>
  readonly layer: Layer.Layer<Tool.Handler<string>>
  readonly pins: Readonly<Record<string, string>>
}

/**
 * Tools of an MCP server are not what was allowed: a definition differs from its pin, or a tool is not offered any more.
 *
 * **Details**
 *
 * `changed` has the names. `found` is the hash of the definition as it is now, absent if the tool is not offered. Read the new
 * definition before you pin it: a description is a part of the prompt.
 *
 * @category errors
 */
export class McpToolsChanged extends Schema.TaggedError<McpToolsChanged>()("McpToolsChanged", {
  changed: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      pinned: Schema.optionalKey(Schema.String),
      found: Schema.optionalKey(Schema.String)
    })
  )
}) {
  get isRetryable(): false {
    return false
  }
  override get message(): string {
    const lines = this.changed.map(({ found, name }) =>
      found === undefined ? `${quoted(name)} is not offered` : `${quoted(name)} has another definition, now ${found}`
    )
    return `The MCP server has other tools than were allowed: ${lines.join("; ")}. Read the definitions, then change \`allow\`.`
  }
}

/**
 * Makes a toolkit of the allowed tools of an MCP server.
 *
 * **Details**
 *
 * - `allow`: the names of the tools that may be used, or their names with the hashes of their definitions (`pins`). A tool with a
 *   hash is refused if its description or its schema changes. All others are not sent and not callable
 * - `prefix`: stands before the names, such as `"docs__"`. Default: nothing
 * - `readonly`: the allowed tools that only read, as you know them. What a server says of its own tools does not count, so all others
 *   are judged like tools without annotations
 *
 * The toolkit is that of the moment: build it anew to see new tools. Results are texts, in which images, sounds and
 * files are only named; a failure is what the model sees.
 *
 * Fails with `McpToolsChanged` if a definition differs from its hash or an allowed tool is not offered, and with an
 * `McpClientError` if the server cannot be asked.
 *
 * **Example** (Two tools of a server, one of them pinned)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { McpClient } from "effect/ai"
 * import { Agent } from "cogito/agent"
 *
 * export const librarian = Effect.gen(function*() {
 *   // the client of McpClient.layerStdio or McpClient.layerHttp
 *   const tools = yield* Agent.mcp(yield* McpClient.McpClient, {
 *     allow: {
 *       search: "0f3c9a1d5b7e2f4860718293a4b5c6d7e8f90123456789abcdef0123456789ab",
 *       read: "9b1e4d7c2a5f8063b1c4e7fa0d3b6c9e2f5a8071b4d7eafc0d3b6c9e2f5a8071"
 *     },
 *     readonly: ["search", "read"]
 *   })
 *   const agent = Agent.make("librarian", { instructions: "You find books.", toolkit: tools.toolkit })
 *   return { agent, layer: tools.layer }
 * })
 * assert.ok(Effect.isEffect(librarian))
 * ```
 *
 * @category constructors
 */
export const mcp = taking("Agent.mcp", {
  args: [kinds.object],
  options: 1,
  needs: ["allow"],
  known: { ...others("allow", "prefix", "readonly") }
})(
  (
    client: McpClient.McpClient,
    options: {
      readonly allow: ReadonlyArray<string> | Readonly<Record<string, string>>
      readonly prefix?: string
      readonly readonly?: ReadonlyArray<string>
    }
  ): Effect.Effect<McpTools, McpToolsChanged | McpClientError.McpClientError> =>
    Effect.gen(function* () {
      const { allow, prefix = "", readonly: reading = [] } = options
      const allowed: ReadonlyArray<readonly [name: string, pinned: string | undefined]> = isList(allow)
        ? allow.map((name) => [name, undefined])
        : Object.entries(allow)
      const offered = new Map((yield* client.listTools()).map((tool) => [tool.name, tool]))
      const pins: Record<string, string> = {}
      const changed: Array<McpToolsChanged["changed"][number]> = []
      for (const [name, pinned] of allowed) {
        const tool = offered.get(name)
        const found = tool && (yield* sha256(canonicalJson([name, tool.description ?? "", tool.inputSchema])))
        if (found !== undefined) pins[name] = found
        if (found === undefined || (pinned !== undefined && pinned !== found)) {
          changed.push({
            name,
            ...(pinned === undefined ? {} : { pinned }),
            ...(found === undefined ? {} : { found })
          })
        }
      }
      if (changed.length > 0) return yield* new McpToolsChanged({ changed })
      const chosen = allowed.flatMap(([name]) => offered.get(name) ?? [])
      // the definitions that were checked, not those of another listing
      const { toolkit: bind } = yield* Effect.promise(() => import("effect/ai/McpClient"))
      const bound = yield* bind(
        { ...client, listTools: () => Effect.succeed(chosen), callTool: callingInText(client) },
        prefix
      )
      const readers = new Set(reading.map((name) => `${prefix}${name}`))
      const tools = Object.values(bound.tools).map((tool) =>
        readers.has(tool.name) ? tool.annotate(Tool.Readonly, true) : tool
      )
      const toolkit = Toolkit.make(...tools)
      const layer = toolkit.toLayer(
        Object.fromEntries(tools.map(({ name }) => [name, (params: unknown) => called(bound, name, params)]))
      )
      return { toolkit, layer, pins }
    })
)

const isList = (allow: object): allow is ReadonlyArray<string> => Array.isArray(allow)

type Block = McpSchema.CallToolResult["content"][number]

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

const inText = (result: McpSchema.CallToolResult): McpSchema.CallToolResult => {
  const copy = Object.create(Object.getPrototypeOf(result) as object) as McpSchema.CallToolResult
  return Object.assign(copy, result, { content: result.content.map(textOf) })
}

/** Calls tools so that their results have only texts. The tools of a toolkit are called without a schema. */
const callingInText = ({ callTool }: McpClient.McpClient): McpClient.McpClient["callTool"] => {
  const calling = (...call: Parameters<typeof callTool>) =>
    Effect.map(callTool(...call), (result) => inText(result as McpSchema.CallToolResult))
  return calling as McpClient.McpClient["callTool"]
}

/** Calls a tool of the server. */
const called = (bound: Toolkit.WithHandler<Record<string, McpTool>>, name: string, params: unknown) =>
  Effect.gen(function* () {
    const results = yield* bound.handle(name, params)
    return Option.match(yield* Stream.runLast(results), {
      onNone: () => "",
      // a failure fails the stream, and the result is a text
      onSome: ({ encodedResult }) => encodedResult as string
    })
  })
