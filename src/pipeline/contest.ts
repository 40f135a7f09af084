import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { attempt, failBeside, failTogether, ignored, together } from "../step/runtime/branch.ts"
import { type Branches, branchesOf, checkCounts, type Defined, type StepsOf } from "../step/runtime/branches.ts"
import { emit, finish } from "../run/run.ts"
import { checkRunnable, holds, valueOf } from "../step/runtime/runnable.ts"
import { makeStep, oneOf } from "../step/runtime/make.ts"
import type { All, Either, Merge, NotEmpty, Simplify } from "../thought/types.ts"
import type * as Note from "../thought/Note.ts"
import type * as Step from "../step/runtime/model.ts"
import { cuttable, refuseWaiting } from "../step/runtime/waiting.ts"
import type { Thought } from "../thought/model.ts"
import type { Interruptible } from "../thought/settled.ts"

/**
 * At least one branch of a contest succeeded, but none was accepted.
 *
 * **Details**
 *
 * `tried` has the names of the branches that succeeded, in the order of the branches.
 *
 * @category errors
 */
export class NoneAccepted extends Data.TaggedError("NoneAccepted")<{
  readonly step: string
  readonly tried: ReadonlyArray<string>
}> {
  override get message(): string {
    const names = this.tried.map(quoted).join(", ")
    return `The step ${quoted(this.step)} accepted none of the branches that succeeded: ${names}. Relax \`accept\`, or add a fallback.`
  }
}

/** The condition on a thought with the notes `N`. */
type Accept<N> =
  | Note.Reader<N, boolean, any, any>
  | Effect.Effect<boolean, any, any>
  | ((thought: Thought<N>, given: Interruptible) => boolean | PromiseLike<boolean> | Effect.Effect<boolean, any, any>)

/** The notes that `accept` can read, whichever branch has succeeded. */
type Entry<B> = Simplify<Merge<All<Step.In<StepsOf<B>>>, Either<Step.Out<StepsOf<B>>>>>

/**
 * Runs several steps on the same thought at the same time and continues with the first that succeeds and is accepted.
 *
 * **Details**
 *
 * `accept` is a reader, a function of the branch's thought, or an effect; if it fails, the step fails. All other
 * branches leave no note, no message and no thought; running ones are interrupted, model calls included.
 *
 * If none is accepted, the step fails with `NoneAccepted`; if all fail, with the error of the first branch. The
 * `PipelineError` has the other failures beside it. Defects in interrupted branches are ignored.
 *
 * The branches are a list of steps, or a record of steps by name. `concurrency` (default `"unbounded"`) is how many run
 * at a time. Throws if there is no branch or two have the same name.
 *
 * **Example** (The first offer under a limit)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const price = (run: Effect.Effect<number>) => Step.make("price", { schema: Schema.Finite, run })
 * const offer = Pipeline.contest(
 *   "offer",
 *   { quick: price(Effect.succeed(12)), cheap: price(Effect.delay(Effect.succeed(9), "10 millis")) },
 *   { accept: (thought) => thought.get("price") <= 10 }
 * )
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(offer, yield* Thought.make("buy"))
 *   assert.equal(done.get("price"), 9)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const contest = taking("Pipeline.contest", {
  options: 2,
  known: {
    accept: forms.option("A reader of whether what came of a branch is good enough.", forms.condition),
    concurrency: forms.maybe("How many branches run at a time.", forms.concurrency, "unbounded")
  }
})(<const B extends Branches, const W extends Accept<Entry<B>>>(
  name: string,
  branches: B & Defined<B> & NotEmpty<B, Step.Any>,
  options: { readonly accept: W; readonly concurrency?: number | "unbounded" }
): Step.Step<
  Simplify<All<Step.In<StepsOf<B>>>>,
  Either<Step.Out<StepsOf<B>>>,
  NoneAccepted | Step.Err<StepsOf<B>> | Step.Runnable.Err<W>,
  Step.Req<StepsOf<B>> | Step.Runnable.Req<W>
> => {
  const { accept, concurrency = "unbounded" } = options
  const steps = branchesOf(name, branches)
  checkCounts(name, steps.length, 1, concurrency)
  for (const { node } of steps) refuseWaiting("contest", name, node)
  checkRunnable(name, "accept", accept)
  // the condition can only read notes that a branch reads or all branches write
  const ways = oneOf(steps.map(({ node }) => node))
  const layout = { _tag: "Beside", meet: "first accepted" } as const
  return makeStep({ name, kind: "contest", ...ways, settings: { concurrency }, layout }, (thought) =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const refused = new Set<string>()
      const runs = steps.map((step) =>
        cuttable({ kind: "contest", name }, attempt<Step.Err<StepsOf<B>>, Step.Req<StepsOf<B>>>(thought, step))
      )
      const { outcomes, settledBy } = yield* together(
        runs,
        (outcome) =>
          outcome._tag === "Success"
            ? Effect.tap(
                holds<Step.Runnable.Err<W>, Step.Runnable.Req<W>>(name, "accept", accept, outcome.thought, valueOf),
                (accepted) => Effect.sync(() => void (accepted || refused.add(outcome.name)))
              )
            : Effect.succeed(false),
        concurrency
      )
      if (settledBy?._tag === "Success") {
        yield* emit(thought, { _tag: "Won", branch: settledBy.name })
        yield* ignored(thought, outcomes)
        for (const { name: step } of steps) {
          if (refused.has(step)) yield* emit(thought, { _tag: "FailureIgnored", step, error: "NotAccepted" })
        }
        return yield* finish(settledBy.thought)
      }
      const tried = outcomes.flatMap((outcome) => (outcome?._tag === "Success" ? [outcome.name] : []))
      if (tried.length === 0) return yield* failTogether(outcomes)
      return yield* failBeside(new NoneAccepted({ step: name, tried }), outcomes, start)
    })
  )
})
