import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { attempt, failTogether, ignored, together } from "../step/runtime/branch.ts"
import { type Branches, branchesOf, checkCounts, type Defined, type StepsOf } from "../step/runtime/branches.ts"
import { emit, finish } from "../run/run.ts"
import { makeStep, oneOf } from "../step/runtime/make.ts"
import type { All, Either, NotEmpty, Simplify } from "../thought/types.ts"
import type * as Step from "../step/runtime/model.ts"
import { cuttable, refuseWaiting } from "../step/runtime/waiting.ts"

/**
 * Runs several steps on the same thought at the same time and continues with the first that succeeds.
 *
 * **Details**
 *
 * The others are interrupted, model calls included, and leave no note, no message and no thought. Defects in
 * interrupted branches are ignored. If all fail, the error is that of the first branch; the `PipelineError` has the
 * others beside it.
 *
 * The branches are a list of steps, or a record of steps by name. `concurrency` (default `"unbounded"`) is how many run
 * at a time. Throws if there is no branch or two have the same name.
 *
 * **Example** (Two sources for one answer)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const price = (run: Effect.Effect<number>) => Step.make("price", { schema: Schema.Finite, run })
 * const fastest = Pipeline.race("fastest", {
 *   shop: price(Effect.delay(Effect.succeed(5), "10 seconds")),
 *   cache: price(Effect.succeed(4))
 * })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(fastest, yield* Thought.make("compare"))
 *   assert.equal(done.get("price"), 4)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const race = taking("Pipeline.race", {
  options: 2,
  optional: true,
  known: { concurrency: forms.maybe("How many branches run at a time.", forms.concurrency, "unbounded") }
})(<const B extends Branches>(
  name: string,
  branches: B & Defined<B> & NotEmpty<B, Step.Any>,
  options: { readonly concurrency?: number | "unbounded" } = {}
): Step.Step<
  Simplify<All<Step.In<StepsOf<B>>>>,
  Either<Step.Out<StepsOf<B>>>,
  Step.Err<StepsOf<B>>,
  Step.Req<StepsOf<B>>
> => {
  const { concurrency = "unbounded" } = options
  const steps = branchesOf(name, branches)
  checkCounts(name, steps.length, 1, concurrency)
  for (const { node } of steps) refuseWaiting("race", name, node)
  const layout = { _tag: "Beside", meet: "first" } as const
  const node = { name, kind: "race", ...oneOf(steps.map((step) => step.node)), settings: { concurrency }, layout }
  return makeStep(node, (thought) =>
    Effect.gen(function* () {
      const runs = steps.map((step) =>
        cuttable({ kind: "race", name }, attempt<Step.Err<StepsOf<B>>, Step.Req<StepsOf<B>>>(thought, step))
      )
      const { outcomes, settledBy } = yield* together(
        runs,
        (outcome) => Effect.succeed(outcome._tag === "Success"),
        concurrency
      )
      if (settledBy?._tag === "Success") {
        yield* emit(thought, { _tag: "Won", branch: settledBy.name })
        yield* ignored(thought, outcomes)
        return yield* finish(settledBy.thought)
      }
      return yield* failTogether(outcomes)
    })
  )
})
