import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as McpClient from "effect/ai/McpClient"
import type * as McpClientError from "effect/ai/McpClientError"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { time } from "../arguments/checked.ts"
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
 * - `timeout`: how long a call may take. Default 5 minutes
 *
 * In the names for the model, `_` stands for signs that vendors do not take, such as a dot. The toolkit is that of the moment:
 * build it anew to see new tools. Results are texts, in which images, sounds and files are only named; a failure is what the model
 * sees. It says if the server may have carried out the call, unless the tool only reads.
 *
 * A client does not connect again: after the server has ended or its session has expired, each call fails until the client's layer
 * is built anew.
 *
 * Throws if `readonly` has a tool that `allow` has not. Fails with `McpToolsChanged` if a definition differs from its hash or an
 * allowed tool is not offered, and with an `McpClientError` if the server cannot be asked, or has two tools of one name or one with
 * too long a name.
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
  known: { ...others("allow", "prefix", "readonly", "timeout") }
})((
  client: McpClient.McpClient,
  options: {
    readonly allow: ReadonlyArray<string> | Readonly<Record<string, string>>
    readonly prefix?: string
    readonly readonly?: ReadonlyArray<string>
    readonly timeout?: Duration.Input
  }
): Effect.Effect<McpTools, McpToolsChanged | McpClientError.McpClientError> => {
  const { allow, prefix = "", readonly: reading = [], timeout = "5 minutes" } = options
  const millis = time("Agent.mcp", "timeout", timeout)
  const allowed: ReadonlyArray<readonly [name: string, pinned: string | undefined]> = isList(allow)
    ? allow.map((name) => [name, undefined])
    : Object.entries(allow)
  const names = new Set(allowed.map(([name]) => name))
  const other = reading.find((name) => !names.has(name))
  if (other !== undefined) {
    throw new Error(`Agent.mcp got ${quoted(other)} as readonly, which is not in allow: both have the server's names.`)
  }
  return Effect.gen(function* () {
    const listed = (yield* client.listTools()).filter(({ name }) => names.has(name))
    const pins: Array<readonly [name: string, hash: string]> = []
    const changed: Array<McpToolsChanged["changed"][number]> = []
    for (const [name, pinned] of allowed) {
      const tool = listed.find((one) => one.name === name)
      const found = tool && (yield* sha256(canonicalJson([name, tool.description ?? "", tool.inputSchema])))
      if (found !== undefined) pins.push([name, found])
      if (found === undefined || (pinned !== undefined && pinned !== found)) {
        changed.push({
          name,
          ...(pinned === undefined ? {} : { pinned }),
          ...(found === undefined ? {} : { found })
        })
      }
    }
    if (changed.length > 0) return yield* new McpToolsChanged({ changed })
    const { bound } = yield* Effect.promise(() => import("./calls/remote.ts"))
    // the definitions that were checked, not those of another listing
    const remote = { client, tools: listed, prefix, readers: new Set(reading), timeout: millis }
    const { reading: readers, toolkit: handlers } = yield* bound(remote)
    const tools = Object.values(handlers.tools).map((tool) =>
      readers.has(tool.name) ? tool.annotate(Tool.Readonly, true) : tool
    )
    const toolkit = Toolkit.make(...tools)
    const layer = toolkit.toLayer(
      Object.fromEntries(tools.map(({ name }) => [name, (params: unknown) => called(handlers, name, params)]))
    )
    return { toolkit, layer, pins: Object.fromEntries(pins) }
  })
})

const isList = (allow: object): allow is ReadonlyArray<string> => Array.isArray(allow)

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
