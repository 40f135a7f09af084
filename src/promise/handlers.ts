import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import { kindOf } from "../arguments/kinds.ts"
import { quoted } from "../text/legible.ts"
import { type Interruptible, settled } from "../thought/settled.ts"

/**
 * Handlers of tools that are functions, `async` or not.
 *
 * @category models
 */
export type Handlers<Tools extends Record<string, Tool.Any>> = {
  readonly [Name in keyof Tools as Tool.RequiresHandler<Tools[Name]> extends true ? Name : never]: (
    params: Tool.Parameters<Tools[Name]>,
    given: Interruptible
  ) => Tool.Success<Tools[Name]> | PromiseLike<Tool.Success<Tools[Name]>>
}

/**
 * A layer with the handlers of a toolkit, which are functions, `async` or not.
 *
 * **Details**
 *
 * The second argument of a handler has a `signal`, which is aborted if the call is interrupted. A rejection that fits the
 * `failure` schema of the tool is its failure. Any other is a defect: an agent shows the model a failed call without the text of
 * the error. Throws if a tool has no function, or a function no tool.
 *
 * **Example** (A tool)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 * import { Agent } from "cogito/agent"
 * import { Cogito } from "cogito/promise"
 * import { Testing } from "cogito/testing"
 *
 * const weather = Tool.make("weather", {
 *   parameters: Schema.Struct({ city: Schema.String }),
 *   success: Schema.Struct({ celsius: Schema.Finite })
 * }).annotate(Tool.Readonly, true)
 * const toolkit = Toolkit.make(weather)
 * const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit, triage: false })
 *
 * const tools = Cogito.handlers(toolkit, { weather: async ({ city }) => ({ celsius: city === "Porto" ? 24 : 12 }) })
 * const model = Testing.scripted([Testing.calls([{ name: "weather", params: { city: "Porto" } }]), "It has 24 degrees."])
 *
 * await using ai = Cogito.make([model.layer, tools])
 * const chat = ai.chat(guide, { intent: "plan a trip" })
 * assert.equal(await chat.say("Is Porto warm?"), "It has 24 degrees.")
 * ```
 *
 * @category layers
 */
export const handlers = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>,
  functions: Handlers<Tools>
): Layer.Layer<Tool.HandlersFor<Tools>> => {
  check(toolkit.tools, functions)
  const effects = Object.entries(functions).map(([name, handler]) => {
    const fits: (reason: unknown) => boolean = Schema.is(toolkit.tools[name]?.failureSchema ?? Schema.Never)
    const run = (params: never) =>
      settled((given) => (handler as (params: never, given: Interruptible) => unknown)(params, given)).pipe(
        Effect.catch((error) => {
          // what is no Error was wrapped in one
          const reason = !fits(error) && error instanceof Error ? error.cause : error
          return fits(reason) ? Effect.fail(reason) : Effect.die(error)
        })
      )
    return [name, run] as const
  })
  // each handler has the type of its tool
  return toolkit.toLayer(Object.fromEntries(effects) as never)
}

const check = (tools: Readonly<Record<string, Tool.Any>>, functions: Readonly<Record<string, unknown>>): void => {
  for (const [name, handler] of Object.entries(functions)) {
    if (!Object.hasOwn(tools, name)) throw new Error(`Cogito.handlers: the toolkit has no tool ${quoted(name)}.`)
    if (typeof handler === "function") continue
    throw new Error(`Cogito.handlers needs a function for the tool ${quoted(name)}, but got ${kindOf(handler)}.`)
  }
  for (const [name, tool] of Object.entries(tools)) {
    const isElsewhere = Tool.isProviderDefined(tool) && !tool.requiresHandler
    if (isElsewhere || Object.hasOwn(functions, name)) continue
    throw new Error(`Cogito.handlers needs a function for the tool ${quoted(name)}.`)
  }
}
