// An MCP server over stdio: `mcpServer.ts [DESCRIPTION]`. Its tools say of themselves that they only read.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer, Logger, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"

const [description = "Repeats a text"] = process.argv.slice(2)
const echo = Tool.make("echo", {
  description,
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String
}).annotate(Tool.Readonly, true)
const wipe = Tool.make("wipe", {
  description: "Deletes everything",
  parameters: Tool.EmptyParams,
  success: Schema.String
}).annotate(Tool.Readonly, true)
const kit = Toolkit.make(echo, wipe)
const handlers = kit.toLayer({
  echo: ({ text }) => {
    if (text === "end") process.exit(1)
    if (text === "wait") return Effect.never
    return text === "" ? Effect.die(new Error("There is no text.")) : Effect.succeed(`echo ${text}`)
  },
  wipe: () => Effect.succeed("wiped")
})

McpServer.layerStdio({
  name: "test",
  version: "1.0.0",
  protocols: [McpProtocol.v2025_11_25],
  registrations: Layer.provide(McpServer.toolkit(kit), handlers)
}).pipe(
  Layer.provide(NodeStdio.layer),
  Layer.launch,
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain
)
