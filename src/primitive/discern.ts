import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Defined } from "../step/runtime/branches.ts"
import { go } from "../step/runtime/route.ts"
import { inTurn, makeHandled, maybe, named, oneOf, refuseShared } from "../step/runtime/make.ts"
import type { All, Either, Missing, Simplify, Writes } from "../thought/types.ts"
import type { Handle, Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type * as Step from "../step/runtime/model.ts"
import { type Classification, declareClassification } from "../synapse/classification.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { reasoner } from "./reasoning/reason.ts"
import { described } from "./reasoning/settings.ts"

/** A route: a step, or a sentence that says what belongs there, with or without a step. */
type Route = Step.Any | { readonly when: string; readonly step?: Step.Any }

type Routes = Readonly<Record<string, Route | undefined>>
type Labels<T> = T extends unknown ? keyof T & string : never
type RouteOf<T> = T extends unknown ? T[keyof T] : never
type StepOf<R> = R extends Step.Any ? R : R extends { readonly step?: infer S } ? Extract<S, Step.Any> : never
type StepsOf<T extends Routes> = StepOf<RouteOf<T>>
/** Whether some route may have no step. Such routes lead to the default, if there is one. */
type Open<T extends Routes> = true extends Stepless<RouteOf<T>> ? true : false
type Stepless<R> = R extends undefined | Step.Any | { readonly step: Step.Any } ? false : true
type Routed<T extends Routes, D> = [D] extends [never]
  ? Open<T> extends true
    ? Partial<Either<Step.Out<StepsOf<T>>>>
    : Either<Step.Out<StepsOf<T>>>
  : Either<Step.Out<StepsOf<T>> | Step.Out<D>>

/**
 * Asks which of several routes fits, writes the `Classification` under the key, and runs the step of that route.
 *
 * **Details**
 *
 * A route is a step, or `{ when, step }` with a sentence that says what belongs there, which improves the answers.
 * Without a step for the answer, the thought continues with its classification only. What only some routes write is
 * optional afterwards. The classification is stored before the step runs.
 *
 * Throws if there is no route, a label is empty, `minConfidence` is invalid or has no default, the default can never be
 * used, or a step writes a key of this step. Fails with `ProviderError` if the call fails, with `ResponseError` if no
 * answer was valid, and like its steps.
 *
 * **Example** (The right hands for a ticket)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const team = (name: string) => Step.make("team", { schema: Schema.String, run: () => name })
 * const route = Primitive.discern("route", {
 *   question: "Who should answer this?",
 *   routes: {
 *     billing: { when: "payments, invoices, refunds", step: team("accounting") },
 *     technical: { when: "errors and outages", step: team("engineering") }
 *   },
 *   minConfidence: 0.6,
 *   default: team("first line")
 * })
 * const model = Testing.scripted([{ primary: "billing", confidence: 0.4, reasoning: ["It may be about a charge."] }])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(route, yield* Thought.make("triage", { message: "What is this on my card?" }))
 *   assert.equal(done.get("route").primary, "billing")
 *   assert.equal(done.get("team"), "first line")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category routing
 */
export const discern = taking("Primitive.discern", {
  options: 1,
  known: {
    question: forms.option("The question.", forms.text),
    routes: forms.option(
      "Routes by label: a step, or { when, step } with a sentence on what belongs there.",
      forms.record(
        "an object of steps by label",
        forms.either(
          "a step, or { when, step }",
          forms.fields("", {
            when: forms.option("What belongs there.", forms.words),
            step: forms.maybe("The step of the route. Without one the route leads to the default.", forms.step)
          }),
          forms.step
        )
      )
    ),
    default: forms.maybe("The step for routes without one, and for answers below minConfidence.", forms.step),
    minConfidence: forms.maybe("Below it the default is taken.", forms.unit),
    ...optionForms
  }
})(<const K extends string, const Q extends Text, const T extends Routes, const D extends Step.Any = never>(
  key: K,
  options: Options & { readonly question: Q; readonly routes: T & Defined<T, Route> } & (
      | {
          /** The step for routes without one, and for answers below `minConfidence`. */
          readonly default: D
          /** The confidence that an answer must have, from 0 to 1. Default: none. */
          readonly minConfidence?: number
        }
      | { readonly default?: never; readonly minConfidence?: never }
    )
): Step.Step<
  Simplify<Text.In<Q> & Missing<All<Step.In<StepsOf<T>> | Step.In<D>>, Writes<K, Classification<Labels<T>>>>>,
  Simplify<Writes<K, Classification<Labels<T>>> & Routed<T, D>>,
  ProviderError | ResponseError | Text.Err<Q> | Step.Err<StepsOf<T>> | Step.Err<D>,
  Provider | Text.Req<Q> | Step.Req<StepsOf<T>> | Step.Req<D>
> &
  Handle<K, Classification<Labels<T>>> => {
  // the compiler has refused undefined values
  const given = options.routes as Readonly<Record<Labels<T>, Route>>
  const routes = Object.entries<Route>(given)
  check(key, options, routes)
  const open = routes.some(([, route]) => stepOf(route) === undefined)
  const { declaration, schema } = declareClassification("discern", descriptions(given))
  const { ask, handle, node } = reasoner(key, schema, declaration, options.question, options, {
    routes: described(descriptions(given)),
    minConfidence: options.minConfidence,
    default: open && options.default === undefined ? "pass" : undefined
  })
  const floor = options.minConfidence
  const steps = new Map<string, Step.Any>()
  for (const [label, route] of routes) {
    const step = stepOf(route)
    if (step !== undefined) steps.set(label, named(label, "route", step))
  }
  const other = options.default === undefined ? undefined : named("default", "route", options.default)
  const ways = [...steps.values(), ...(other === undefined ? [] : [other])].map((step) => step.node)
  for (const way of ways) refuseShared(key, [node, way])
  const taken: Step.Node = { ...node, ...oneOf(ways) }
  const passes = open && other === undefined
  const layout = { _tag: "Choice", past: passes || ways.length === 0 ? "default" : undefined } as const
  return makeHandled(
    handle,
    { ...node, ...inTurn([node, passes ? maybe(taken) : taken]), children: ways, layout },
    Effect.fnUntraced(function* (thought) {
      const { thought: answered, value } = yield* ask(thought)
      const step = floor !== undefined && value.confidence < floor ? other : (steps.get(value.primary) ?? other)
      return yield* go(answered, step, value.confidence)
    })
  )
})

/** The descriptions of the labels, if they have one. */
const descriptions = <L extends string>(routes: Readonly<Record<L, Route>>) =>
  // the labels are the routes' own
  Object.fromEntries(
    Object.entries<Route>(routes).map(([label, route]) => [label, "when" in route ? route.when : undefined])
  ) as Readonly<Record<L, string | undefined>>

const check = (
  key: string,
  options: { readonly minConfidence?: number; readonly default?: unknown },
  routes: ReadonlyArray<readonly [string, Route]>
): void => {
  const refuse = (what: string): never => {
    throw new Error(`The step ${quoted(key)} ${what}`)
  }
  const floor = options.minConfidence
  const hasDefault = options.default !== undefined
  if (routes.length === 0) refuse("needs at least one route.")
  if (routes.some(([label]) => label.trim() === "")) refuse("has a route without a label.")
  if (floor !== undefined && !(floor >= 0 && floor <= 1)) refuse("needs a minConfidence from 0 to 1.")
  if (floor !== undefined && !hasDefault) refuse("needs a default for answers below its minConfidence.")
  if (hasDefault && floor === undefined && routes.every(([, route]) => stepOf(route) !== undefined)) {
    refuse("can never use its default: give minConfidence, or a route without a step.")
  }
}

const stepOf = (route: Route): Step.Any | undefined => ("when" in route ? route.step : route)
