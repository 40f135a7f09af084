/** Tools that run a step within the run of the agent. */
import * as Context from "effect/Context"
import type * as Tool from "effect/ai/Tool"
import type { Node } from "../../step/runtime/model.ts"
import { isReadonly } from "./verdict.ts"

interface Inner {
  /** The step that the tool runs. */
  readonly node: Node
  /** Its tools, if it is an agent. */
  readonly tools: ReadonlyArray<Tool.Any>
}

/** The annotation of such a tool. */
export const Nested = Context.Reference<Inner | undefined>("cogito/agent/Nested", { defaultValue: () => undefined })

const innerOf = (tool: Tool.Any): Inner | undefined => tool.annotations.mapUnsafe.get(Nested.key) as Inner | undefined

/** The step that a tool runs. Undefined for a tool that runs other code. */
export const nestedIn = (tool: Tool.Any): Node | undefined => innerOf(tool)?.node

/** Whether a tool may change something, by itself or by the tools of the agent that it runs. */
export const mayChange = (tool: Tool.Any): boolean =>
  !isReadonly(tool) || (innerOf(tool)?.tools.some(mayChange) ?? false)
