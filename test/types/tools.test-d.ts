import { Context, Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import type { Embedder, Memory, Provider, Step } from "cogito"
import { Agent } from "cogito/agent"
import { Tools } from "cogito/tools"
import { same } from "./same.ts"

class Engine extends Context.Service<Engine, { readonly host: string }>()("Engine") {}

type ErrorOf<K> = K extends { readonly layer: Layer.Layer<never, infer E, unknown> } ? E : never
type ServicesOf<K> = K extends { readonly layer: Layer.Layer<never, unknown, infer R> } ? R : never
type NamesOf<K> = K extends { readonly toolkit: { readonly tools: infer T } } ? keyof T : never

const reading = Tools.files({ root: ".", readonly: true })
const writing = Tools.files({ root: "." })
const shell = Tools.shell({ root: ".", allow: ["git"] })
const scrape = Tools.scrape()
const search = Tools.search({ search: () => Effect.as(Engine, []) })
const web = Tools.search({ name: "web", search: () => Effect.succeed([]) })
const handbook = Tools.retrieve({ name: "handbook", documents: [] })
const words = Tools.retrieve({ documents: [], embedder: "none" })
const found = Tools.retrieve({ find: () => Effect.as(Engine, []) })
const recall = Tools.recall()

// The tools that write are not there where they were left out.
{
  same<NamesOf<typeof reading>, "read_file" | "list_files" | "find_text">(true)
  same<NamesOf<typeof writing>, keyof Tools.FileReaders | "create_file" | "write_file" | "edit_file" | "remove_file">(
    true
  )
  // @ts-expect-error Type 'boolean' is not assignable to type 'false'
  Tools.files({ root: ".", readonly: Math.random() > 0.5 })
}

// Names are those that were given.
{
  same<NamesOf<typeof web>, "web">(true)
  same<NamesOf<typeof search>, "search">(true)
  same<NamesOf<typeof handbook>, "handbook">(true)
  same<NamesOf<typeof recall>, "recall">(true)
}

{
  const docs = Tools.prefixed("docs_", reading)
  const recalling = Tools.prefixed("past_", recall)
  same<NamesOf<typeof docs>, "docs_read_file" | "docs_list_files" | "docs_find_text">(true)
  same<ErrorOf<typeof docs>, Tools.ToolFailed>(true)
  const agent = Agent.make("agent", { instructions: "You look.", toolkit: Tools.merge(docs, recalling).toolkit })
  type Handlers = Tool.Handler<"docs_read_file"> | Tool.Handler<"docs_list_files"> | Tool.Handler<"docs_find_text">
  same<Step.Req<typeof agent>, Provider.Provider | Memory.Memory | Handlers | Tool.Handler<"past_recall">>(true)
}

// A layer needs what the functions need, and fails with what building it may fail with.
{
  same<ServicesOf<typeof writing>, never>(true)
  same<ErrorOf<typeof writing>, Tools.ToolFailed>(true)
  same<ErrorOf<typeof shell>, Tools.ToolFailed>(true)
  same<ErrorOf<typeof scrape>, never>(true)
  same<ServicesOf<typeof search>, Engine>(true)
  same<ServicesOf<typeof web>, never>(true)
  same<ServicesOf<typeof handbook>, Embedder.Embedder>(true)
  same<ErrorOf<typeof handbook>, Memory.MemoryError>(true)
  same<ServicesOf<typeof words>, never>(true)
  same<ServicesOf<typeof found>, Engine>(true)
  same<ErrorOf<typeof found>, never>(true)
  same<ServicesOf<typeof recall>, never>(true)
}

// Joined, they have all tools, errors and services. The memory of `recall` is that of the run.
{
  const toolkit = Toolkit.make(Tool.make("today", { success: Schema.String }))
  const today = { toolkit, layer: toolkit.toLayer(Effect.as(Engine, { today: () => Effect.succeed("") })) }
  const tools = Tools.merge(reading, handbook, recall, today)
  same<NamesOf<typeof tools>, keyof Tools.FileReaders | "handbook" | "recall" | "today">(true)
  same<ErrorOf<typeof tools>, Tools.ToolFailed | Memory.MemoryError>(true)
  same<ServicesOf<typeof tools>, Embedder.Embedder | Engine>(true)

  const agent = Agent.make("agent", { instructions: "You look.", toolkit: tools.toolkit })
  const apart = Agent.make("agent", {
    instructions: "You look.",
    toolkit: Toolkit.merge(reading.toolkit, handbook.toolkit, recall.toolkit, toolkit)
  })
  type Handlers = Tool.HandlersFor<(typeof tools)["toolkit"]["tools"]>
  same<Step.Req<typeof agent>, Provider.Provider | Memory.Memory | Handlers>(true)
  same<Step.Req<typeof agent>, Step.Req<typeof apart>>(true)
  same<Layer.Success<typeof tools.layer>, Handlers>(true)
  same<Layer.Success<typeof tools.layer>, Tool.Handler<keyof Tools.FileReaders | "handbook" | "recall" | "today">>(
    false
  )

  const layers = Layer.mergeAll(reading.layer, handbook.layer, recall.layer, today.layer)
  same<Layer.Error<typeof layers>, ErrorOf<typeof tools>>(true)
  same<Layer.Services<typeof layers>, ServicesOf<typeof tools>>(true)
}

// Calls are typed for a policy.
{
  Agent.make("agent", {
    instructions: "You look.",
    toolkit: Tools.merge(writing, shell).toolkit,
    policy: (call) => {
      if (call.name === "run_command") return call.params.program === "git" ? "allow" : "ask"
      // @ts-expect-error Property 'program' does not exist on type
      return call.params.program === "git" ? "allow" : "ask"
    }
  })
}

// What does not fit is refused.
{
  // @ts-expect-error Property 'root' is missing in type '{}'
  Tools.files({})
  // @ts-expect-error Property 'allow' is missing in type '{ root: string; }'
  Tools.shell({ root: "." })
  // @ts-expect-error Type '"sometimes"' is not assignable to type '"always" | "never" | "unknown" | ((url: URL) => boolean) | undefined'
  Tools.scrape({ ask: "sometimes" })
  // @ts-expect-error Property 'url' is missing in type '{ title: string; text: string; }'
  Tools.search({ search: () => Effect.succeed([{ title: "", text: "" }]) })
  // @ts-expect-error Object literal may only specify known properties, and 'documents' does not exist in type 'RetrieveOptions<"retrieve"> & Finder<never, never>'
  Tools.retrieve({ documents: [], find: () => Effect.succeed([]) })
  // @ts-expect-error Expected at least 1 arguments, but got 0
  Tools.merge()
}
