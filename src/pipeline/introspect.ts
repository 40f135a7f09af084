import * as Effect from "effect/Effect"
import { makeTransparent } from "../internal/step.ts"
import { DefaultIntrospection, type Introspection } from "../primitive/options.ts"
import * as Step from "../Step.ts"

/**
 * Makes every reasoning step of a pipeline look back on its answer, but for those that say otherwise themselves.
 *
 * A step's own `introspect`, `false` included, wins over the pipeline's. Each step's reply becomes the note
 * `<key>_summary`.
 *
 * **Example** (On for a pipeline, off for one step)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" })
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?", introspect: false })
 * const sort = Pipeline.introspect(Pipeline.sequence("sort", [spam, urgent]))
 *
 * const no = { decision: false, confidence: 0.9, reasoning: ["An ordinary question."] }
 * const model = Testing.scripted([no, "Nothing hints at spam.", no])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(sort, yield* Thought.make("sort mail", { message: "When do you open?" }))
 *   assert.equal(done.note("spam_summary")?.content, "Nothing hints at spam.")
 *   assert.equal(done.note("urgent_summary"), undefined)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category introspection
 */
export const introspect = <In, Out, E, R>(
  step: Step.Step<In, Out, E, R>,
  options: boolean | Omit<Introspection, "summaryKey"> = true
): Step.Step<In, Out, E, R> =>
  makeTransparent(step.node, (thought) =>
    Effect.provideService(step[Step.TypeId].run(thought), DefaultIntrospection, options)
  )
