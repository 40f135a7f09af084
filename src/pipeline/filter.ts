import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { go, routing, yesOrNo } from "../step/runtime/route.ts"
import { checkRunnable, holds } from "../step/runtime/runnable.ts"
import { makeStep, named } from "../step/runtime/make.ts"
import type { Either, Needs, Simplify } from "../thought/types.ts"
import type * as Step from "../step/runtime/model.ts"

type Outs<S, O> = [O] extends [never] ? Partial<Step.Out<S>> : Either<Step.Out<S> | Step.Out<O>>

/**
 * Runs a step only if a condition holds; otherwise the thought passes unchanged, or `otherwise` runs.
 *
 * **Details**
 *
 * The condition `when` is a reader, a function of the thought or an effect; it may fail and need services. The notes of
 * the step are optional afterwards, except for those that both ways write. Use `gate` where it would be wrong to
 * continue, and `switch` for more than two ways.
 *
 * **Example** (A step for long messages)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const short = Step.make("short", { schema: Schema.String, run: Note.from(message, (text) => text.slice(0, 5)) })
 * const shortened = Pipeline.filter("shortened", { when: Note.from(message, (text) => text.length > 5), step: short })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(shortened, yield* Thought.make("shorten", { message: "Hello, world" }))
 *   const text: string | undefined = done.get("short")
 *   assert.equal(text, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const filter = taking("Pipeline.filter", {
  options: 1,
  known: {
    when: forms.option("The condition: a reader of true or false.", forms.condition),
    step: forms.option("The step.", forms.step),
    otherwise: forms.maybe("The step when the condition does not hold.", forms.step)
  }
})(<const W extends Step.Runnable<boolean>, S extends Step.Any, O extends Step.Any = never>(
  name: string,
  options: { readonly when: W; readonly step: S; readonly otherwise?: O }
): Step.Step<
  Needs<Step.Runnable.In<W>, Step.In<S>, [O] extends [never] ? unknown : Step.In<O>>,
  Simplify<Outs<S, O>>,
  Step.Runnable.Err<W> | Step.Err<S> | Step.Err<O>,
  Step.Runnable.Req<W> | Step.Req<S> | Step.Req<O>
> => {
  const { when } = options
  checkRunnable(name, "when", when)
  const otherwise = options.otherwise === undefined ? undefined : named("otherwise", "route", options.otherwise)
  const step = otherwise === undefined ? options.step : named("then", "route", options.step)
  const ways = otherwise === undefined ? [step] : [step, otherwise]
  const layout = otherwise === undefined ? yesOrNo : ({ _tag: "Choice" } as const)
  return makeStep({ name, kind: "filter", ...routing(when, ways, otherwise === undefined), layout }, (thought) =>
    Effect.gen(function* () {
      const yes = yield* holds<Step.Runnable.Err<W>, Step.Runnable.Req<W>>(name, "when", when, thought)
      return yield* go(thought, yes ? step : otherwise)
    })
  )
})
