/** The agent of a chat: that of a module, or a plain assistant. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { Agent } from "../../agent/index.ts"
import * as Step from "../../Step.ts"
import type { Thought } from "../../Thought.ts"
import { quoted } from "../../text/legible.ts"
import { CommandError } from "../console/failure.ts"
import { loadModule } from "../runs/code.ts"

/** An agent whose tools and answer are not known to the program. */
export type AnyAgent = Agent.Agent<string, any, any, any, any, any>

/** Its tools. */
export const toolsOf = ({ toolkit }: AnyAgent): ReadonlyArray<Tool.Any> =>
  // every toolkit is made of tools, whatever their names
  Object.values(toolkit.tools as Readonly<Record<string, Tool.Any>>)

/** An event of such an agent. */
export type AnyEvent = Agent.Event<any, unknown, Thought<any>>

export interface Chat {
  /** The module, as it was named. Undefined for the plain assistant. */
  readonly module: string | undefined
  readonly agent: AnyAgent
  /** The handlers of its tools, and perhaps its provider. */
  readonly layer: Layer.Layer<never, unknown, unknown>
}

/** Whether it is what `Agent.make` returns. */
const isAgent = (value: unknown): value is AnyAgent =>
  Predicate.hasProperty(value, Step.TypeId) &&
  Predicate.hasProperty(value, "toolkit") &&
  Predicate.hasProperty(value, "node") &&
  Predicate.hasProperty(value.node, "kind") &&
  value.node.kind === "agent"

/** Loads a module whose default export is `{ agent, layer }`. */
export const loadChat = Effect.fnUntraced(function* (module: string): Effect.fn.Return<Chat, CommandError> {
  const { default: main } = yield* loadModule(module)
  const wrong = (what: string) => new CommandError({ message: `The module ${quoted(module)} ${what}` })
  if (!Predicate.isObject(main)) {
    return yield* wrong("has no object as its default export: it needs export default { agent, layer }.")
  }
  const { agent, layer = Layer.empty }: { readonly agent?: unknown; readonly layer?: unknown } = main
  if (agent === undefined) return yield* wrong("exports no agent: it needs export default { agent, layer }.")
  if (!isAgent(agent))
    return yield* wrong("exports an `agent` that is not an agent: make it with Agent.make of cogito/agent.")
  if (!Layer.isLayer(layer)) {
    return yield* wrong("exports a layer that is no Layer: toolkit.toLayer makes one of the handlers of the tools.")
  }
  return { module, agent, layer }
})

const helpful = "You are a helpful assistant in a terminal. Answer briefly, in plain text."

/** An assistant without tools. */
export const assistant = ({
  instructions = helpful,
  name = "assistant",
  triage
}: {
  readonly instructions: string | undefined
  readonly name: string | undefined
  readonly triage: boolean
}): Chat => ({
  module: undefined,
  agent: Agent.make(name, { instructions, toolkit: Toolkit.empty, triage }),
  layer: Layer.empty
})
