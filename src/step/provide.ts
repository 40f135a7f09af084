import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { located } from "../run/failure.ts"
import { quoted } from "../text/legible.ts"
import { setting } from "./runtime/setting.ts"
import { descendants } from "./runtime/nodes.ts"
import { Run } from "../run/run.ts"
import { makeTransparent, piped, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"

/**
 * Provides the services that a step needs, from a layer or a context.
 *
 * **Details**
 *
 * The step keeps its name, its outline and its handle. A layer is built when the step runs and released when it ends,
 * again for each attempt of a retry, unless an outer layer has built it already. Errors of the layer are errors of the
 * step.
 *
 * Throws if a layer is provided to a step that contains `once` or `scaffold`, because their effects may run after the
 * layer is released. Provide the layer around the run instead, or provide a context.
 *
 * **Example** (A model of its own for one step)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It sells watches."] }])
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.provide(model.layer))
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(spam, yield* Thought.make("filter", { message: "Cheap watches!" }))
 *   assert.equal(done.get("spam").decision, true)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const provide: {
  <ROut, E, RIn>(
    layer: Layer.Layer<ROut, E, RIn>
  ): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S> | E, RIn | Exclude<Step.Req<S>, ROut>>
  <Services>(
    context: Context.Context<Services>
  ): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S>, Exclude<Step.Req<S>, Services>>
  <S extends Step.Any, ROut, E, RIn>(
    self: S,
    layer: Layer.Layer<ROut, E, RIn>
  ): Wrapped<S, Step.Err<S> | E, RIn | Exclude<Step.Req<S>, ROut>>
  <S extends Step.Any, Services>(
    self: S,
    context: Context.Context<Services>
  ): Wrapped<S, Step.Err<S>, Exclude<Step.Req<S>, Services>>
} = piped(
  taking("Step.provide", { args: [kinds.step, kinds.services] })(
    (self: Step.Any, given: Layer.Layer<any, any, any> & Context.Context<any>): any => {
      if (Layer.isLayer(given)) refuseLater(self.name, self.node)
      return provided(self, given)
    }
  )
)

/** Throws if an effect inside the step may run after the layer around it is released. */
const refuseLater = (name: string, node: Step.Node): void => {
  for (const { afterCommit, kind, name: inner } of descendants(node)) {
    if (afterCommit === undefined) continue
    throw new Error(
      `The layer for the step ${quoted(name)} would be released before its ${kind} ${quoted(inner)} runs. ` +
        `Provide the layer around Pipeline.run, or pass a Context instead of a layer.`
    )
  }
}

const provided = (self: Step.Any, given: Layer.Layer<any, any, any> & Context.Context<any>) => {
  const run = (running: Effect.Effect<Thought<any>, any, any>, { name }: Step.Any) =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      return yield* Effect.provide(running, given).pipe(
        // a layer that cannot be built is a failure of the step that needs it
        Effect.catchCause((cause) =>
          Effect.gen(function* () {
            const { path } = yield* Run
            const end = yield* Clock.currentTimeMillis
            return yield* Effect.failCause(located(cause, [...path, name], end - start))
          })
        )
      )
    })
  const step = Layer.isLayer(given)
    ? makeTransparent(self.node, (thought) => run(self[TypeId].run(thought), self))
    : setting(self, self.node, run)
  return { ...self, ...step }
}
