/** Tools that run a step within the run of the agent. */
import * as Context from "effect/Context"
import type * as Tool from "effect/ai/Tool"
import type { Node } from "../../step/runtime/model.ts"

/** The annotation of such a tool: what its step is. */
export const Nested = Context.Reference<Node | undefined>("cogito/agent/Nested", { defaultValue: () => undefined })

/** The step that a tool runs. Undefined for a tool that runs other code. */
export const nestedIn = (tool: Tool.Any): Node | undefined =>
  tool.annotations.mapUnsafe.get(Nested.key) as Node | undefined
