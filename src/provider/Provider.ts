/** Builds providers, and layers that provide them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as kinds from "../arguments/kinds.ts"
import { inCodeFunction, option, others, string } from "../arguments/forms.ts"
import { need, taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import { accounted } from "./accounted.ts"
import { checkPrices, withDefaults } from "./capabilities.ts"
import type { ProviderError } from "./ProviderError.ts"
import { partsOf } from "./pieces.ts"
import type { Parts, Shape } from "./Shape.ts"
import { Provider } from "./service.ts"
import { problemOfTools } from "./turns.ts"

export { Provider } from "./service.ts"

/**
 * Builds a provider from its parts.
 *
 * **Details**
 *
 * - Without `stream`, a stream is the whole answer of `complete` in one piece.
 * - Capabilities that you leave out default to: any temperature, no efforts, no structured output, no seed, no tools.
 * - A request with tools fails with `Unsupported` if `capabilities.tools` is not true, and with `InvalidRequest` if its
 *   tools are invalid or a call has no result.
 * - Calls of the provider count in the budgets in force. For a provider that passes its calls on to others, prefer
 *   `extend`.
 *
 * **Example** (A provider of one's own)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Provider, Synapse } from "cogito"
 *
 * const yes = Provider.make({
 *   name: "yes",
 *   model: "always",
 *   complete: () => Effect.succeed({ text: `{"decision":true,"confidence":1,"reasoning":["always"]}`, usage: {} })
 * })
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const answer = await Effect.runPromise(Effect.provideService(isUrgent("Hello"), Provider.Provider, yes))
 * assert.equal(answer.decision, true)
 * ```
 *
 * @category constructors
 */
export const make = taking("Provider.make", {
  options: 0,
  texts: ["name", "model"],
  needs: ["complete"],
  known: {
    ...others("capabilities", "order"),
    complete: inCodeFunction,
    decide: inCodeFunction,
    model: option("", string),
    name: option("", string),
    stream: inCodeFunction
  }
})((parts: Parts): Shape => {
  const { decide, stream } = parts
  checkPrices("Provider.make", parts.capabilities?.prices)
  const capabilities = withDefaults(parts.capabilities)
  const caller = { name: parts.name, model: parts.model, capabilities }
  const budgeted = accounted(caller)
  const checked =
    <Q extends Parameters<typeof problemOfTools>[1], A>(fail: (error: ProviderError) => A, call: (request: Q) => A) =>
    (request: Q): A => {
      const problem = problemOfTools(caller, request)
      return problem === undefined ? call(request) : fail(problem)
    }
  const complete: Shape["complete"] = checked(Effect.fail, budgeted.complete(parts.complete))
  return {
    ...parts,
    capabilities,
    complete,
    stream:
      stream === undefined
        ? (request) => inOnePiece(complete(request))
        : checked<Parameters<Shape["stream"]>[0], ReturnType<Shape["stream"]>>(Stream.fail, budgeted.stream(stream)),
    ...(decide !== undefined && {
      decide: checked<Parameters<typeof decide>[0], ReturnType<typeof decide>>(Effect.fail, budgeted.decide(decide))
    })
  }
})

/** Streams a whole answer as one piece. */
const inOnePiece = (complete: ReturnType<Shape["complete"]>): ReturnType<Shape["stream"]> =>
  Stream.unwrap(Effect.map(complete, (response) => Stream.fromIterable(partsOf(response))))

/**
 * Replaces some parts of a provider.
 *
 * The other parts are read from the first provider at each use, so its capabilities stay current as it learns.
 *
 * **Example** (Counting calls)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * let calls = 0
 * const { provider } = Testing.scripted([])
 * const counted = Provider.extend(provider, {
 *   complete: (request) => Effect.suspend(() => (calls++, provider.complete(request)))
 * })
 *
 * assert.equal(counted.model, "script")
 * assert.equal(calls, 0)
 * ```
 *
 * @category combinators
 */
export const extend = taking("Provider.extend", {
  args: [kinds.object],
  options: 1,
  known: ["budgets", "capabilities", "complete", "decide", "model", "name", "order", "stream"]
})((self: Shape, parts: Partial<Shape>): Shape => {
  const kept = Object.keys(self).filter((name) => !Object.hasOwn(parts, name))
  const getters = kept.map((name) => [name, { enumerable: true, get: () => self[name as keyof Shape] }] as const)
  // every property of a provider is either replaced or read from the first one
  return Object.defineProperties({ ...parts }, Object.fromEntries(getters)) as Shape
})

/**
 * Provides the provider that `make` builds.
 *
 * **Example** (A layer of one's own provider)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 *
 * const echo = Provider.layer({
 *   name: "echo",
 *   model: "echo-1",
 *   complete: ({ messages }) => Effect.succeed({ text: messages.at(-1)?.text ?? "", usage: {} })
 * })
 *
 * const model = await Effect.runPromise(Effect.provide(Effect.map(Provider.Provider, (p) => p.model), echo))
 * assert.equal(model, "echo-1")
 * ```
 *
 * @category layers
 */
export const layer = taking("Provider.layer", {
  options: 0,
  known: ["capabilities", "complete", "decide", "model", "name", "order", "stream"]
})((parts: Parts): Layer.Layer<Provider> => Layer.succeed(Provider, make(parts)))

/**
 * Changes the provider of a layer. The layers for limits, retries and recordings are built with it.
 *
 * The change runs once, when the layer is built. Its resources live as long as the layer.
 *
 * **Example** (A provider with another name)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const renamed = Testing.scripted([]).layer.pipe(
 *   Provider.transform((provider) => Effect.succeed(Provider.extend(provider, { name: "house" })))
 * )
 *
 * const name = await Effect.runPromise(Effect.provide(Effect.map(Provider.Provider, (p) => p.name), renamed))
 * assert.equal(name, "house")
 * ```
 *
 * @category combinators
 */
export const transform = taking("Provider.transform", { args: [kinds.callable] })(
  <E2 = never, R2 = never>(change: (provider: Shape) => Effect.Effect<Shape, E2, R2>) =>
    <E, R>(self: Layer.Layer<Provider, E, R>): Layer.Layer<Provider, E | E2, R | Exclude<R2, Scope.Scope>> => {
      need("A transformation of a provider", kinds.layer, self)
      return Layer.effect(Provider, Effect.flatMap(needed(Provider), change)).pipe(Layer.provide(self))
    }
)
