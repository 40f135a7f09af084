import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { quoted } from "../../text/legible.ts"
import type { AnyKit, Kit } from "./Kit.ts"

/** What a tool is made of. */
type Config = Tool.Any extends Tool.Tool<string, infer C, infer _R> ? C : never

/**
 * Tools with a text before their names.
 *
 * @category models
 */
export type Prefixed<P extends string, Tools extends Record<string, Tool.Any>> = {
  readonly [N in keyof Tools & string as `${P}${N}`]: Tools[N] extends Tool.Tool<
    infer _Name,
    infer C extends Config,
    infer R
  >
    ? Tool.Tool<`${P}${N}`, C, R>
    : never
}

/**
 * Puts a text before the names of a kit's tools, so that an agent can have two kits of one kind.
 *
 * **Details**
 *
 * Descriptions stay as they are: say in the instructions of the agent what each kit is for. Throws if a tool is one that a vendor
 * defines, since such tools have fixed names.
 *
 * **Example** (Two folders)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Agent } from "cogito/agent"
 * import { Tools } from "cogito/tools"
 *
 * const tools = Tools.merge(
 *   Tools.prefixed("docs_", Tools.files({ root: "docs", readonly: true })),
 *   Tools.files({ root: "drafts" })
 * )
 * const writer = Agent.make("writer", {
 *   instructions: "You write drafts. The tools with docs_ read the documentation.",
 *   toolkit: tools.toolkit
 * })
 *
 * assert.deepEqual(Object.keys(tools.toolkit.tools).slice(0, 4), [
 *   "docs_read_file",
 *   "docs_list_files",
 *   "docs_find_text",
 *   "read_file"
 * ])
 * ```
 *
 * @category constructors
 */
export const prefixed: <const P extends string, Tools extends Record<string, Tool.Any>, E, R>(
  prefix: P,
  kit: Kit<Tools, E, R>
) => Kit<Prefixed<P, Tools>, E, R> = taking("Tools.prefixed", { args: [kinds.text, kinds.kit] })(
  // typed above, where the names of the tools are known
  (prefix: string, { layer, toolkit }: AnyKit): any => {
    const renamed = Object.values(toolkit.tools).map(
      (tool) => [tool, withName(tool, `${prefix}${nameOf(tool)}`)] as const
    )
    return {
      toolkit: Toolkit.make(...renamed.map(([, tool]) => tool)),
      layer: Layer.flatMap(layer, (handlers) =>
        Layer.succeedContext(
          Context.makeUnsafe<unknown>(
            new Map(
              renamed.map(
                ([from, to]) => [to.id, withHandlerName(handlers.mapUnsafe.get(from.id), nameOf(to))] as const
              )
            )
          )
        )
      )
    }
  }
)

// a tool of any type has any name
const nameOf = ({ name }: Tool.Any): string => name as string

const withName = (tool: Tool.Any, name: string): Tool.Any => {
  if (Tool.isProviderDefined(tool)) {
    throw new Error(`Tools.prefixed cannot rename the tool ${quoted(nameOf(tool))}, which a vendor defines.`)
  }
  // the same tool, and what a toolkit finds it by
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as Tool.Any, tool, {
    name,
    id: Tool.make(name).id
  })
}

/** A handler that knows the new name. */
const withHandlerName = (handler: unknown, name: string): unknown => ({ ...(handler as object), name })
