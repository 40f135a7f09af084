import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { CurrentScope } from "../../Memory.ts"
import { quoted } from "../../text/legible.ts"

/**
 * Tools, and the layer of their handlers.
 *
 * **Details**
 *
 * `toolkit` is for `Agent.make`, and `layer` is provided to the program. `E` is what building the layer may fail with, and `R` the
 * services that the handlers need. `Toolkit.merge` and `Layer.mergeAll` join the parts of several kits, `Tools.merge` both at once.
 *
 * @category models
 */
export interface Kit<Tools extends Record<string, Tool.Any>, out E = never, out R = never> {
  readonly toolkit: Toolkit.Toolkit<Tools>
  readonly layer: Layer.Layer<Tool.HandlersFor<Tools>, E, R>
}

/**
 * A kit of any tools.
 *
 * @category models
 */
export interface AnyKit {
  readonly toolkit: Toolkit.Any
  readonly layer: Layer.Layer<never, unknown, unknown>
}

/** What a kit may fail with. */
type ErrorOf<K> = K extends { readonly layer: Layer.Layer<never, infer E, unknown> } ? E : never

/** The services that a kit needs. */
type ServicesOf<K> = K extends { readonly layer: Layer.Layer<never, unknown, infer R> } ? R : never

/** The tools of all these kits, by name. */
type ToolsOf<Kits extends ReadonlyArray<AnyKit>> = Toolkit.MergedTools<{
  readonly [I in keyof Kits]: Kits[I]["toolkit"]
}>

/**
 * Joins kits, and any toolkits with their layers, to one.
 *
 * **Details**
 *
 * Throws if two of them have a tool of the same name, of which only one would be called: `Tools.prefixed` gives others.
 *
 * **Example** (Two kits and a tool of your own)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 * import { Agent } from "cogito/agent"
 * import { Tools } from "cogito/tools"
 *
 * const toolkit = Toolkit.make(Tool.make("today", { success: Schema.String }).annotate(Tool.Readonly, true))
 * const today = { toolkit, layer: toolkit.toLayer({ today: () => Effect.succeed("2026-11-26") }) }
 *
 * const tools = Tools.merge(Tools.files({ root: ".", readonly: true }), Tools.scrape(), today)
 * const agent = Agent.make("reader", { instructions: "You answer questions about a project.", toolkit: tools.toolkit })
 * // provide tools.layer to the program that runs the agent
 *
 * assert.deepEqual(Object.keys(tools.toolkit.tools), ["read_file", "list_files", "find_text", "scrape", "today"])
 * ```
 *
 * @category constructors
 */
export const merge = taking("Tools.merge", { args: [kinds.kit], rest: kinds.kit })(<
  const Kits extends readonly [AnyKit, ...ReadonlyArray<AnyKit>]
>(
  ...kits: Kits
): Kit<ToolsOf<Kits>, ErrorOf<Kits[number]>, ServicesOf<Kits[number]>> => {
  const names = new Set<string>()
  for (const name of kits.flatMap(({ toolkit }) => Object.keys(toolkit.tools))) {
    if (names.has(name)) {
      throw new Error(
        `Tools.merge got two tools with the name ${quoted(name)}: give one of them another name, or use Tools.prefixed.`
      )
    }
    names.add(name)
  }
  const [first, ...others] = kits
  const toolkit = Toolkit.merge(...kits.map((kit) => kit.toolkit))
  const layer = Layer.mergeAll(first.layer, ...others.map((kit) => kit.layer))
  // the types of the tools, errors and services are those of all kits, which a list does not keep apart
  return { toolkit, layer } as unknown as Kit<ToolsOf<Kits>, ErrorOf<Kits[number]>, ServicesOf<Kits[number]>>
})

/**
 * A toolkit with its handlers. They run in the memory scope of the call: the one in which the layer was built, perhaps that of
 * another tenant, does not reach them.
 */
export const kitOf = <Tools extends Record<string, Tool.Any>, E = never, R = never>(
  toolkit: Toolkit.Toolkit<Tools>,
  build: Toolkit.HandlersFrom<Tools> | Effect.Effect<Toolkit.HandlersFrom<Tools>, E, R>
): Kit<Tools, E, Exclude<R, Scope.Scope>> => {
  const handlers: Effect.Effect<Context.Context<Tool.HandlersFor<Tools>>, E, R> = toolkit.toHandlers(build)
  const apart = Effect.updateContext(
    handlers,
    (context: Context.Context<R>) =>
      // a reference is no service that the type names
      Context.omit(CurrentScope)(context) as Context.Context<R>
  )
  return { toolkit, layer: Layer.effectContext(apart) }
}

/**
 * Runs effects of a user's function where the services are that the layer was built with. What the call has itself stays, such as
 * its memory scope.
 */
export const withServices = <R>(): Effect.Effect<
  <A, E>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E>,
  never,
  R
> =>
  Effect.map(
    Effect.context<R>(),
    (services) => (effect) =>
      Effect.updateContext(effect, (context: Context.Context<never>) => Context.merge(services, context))
  )
