import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { go, routing, type Undecided } from "../step/runtime/route.ts"
import { checkRunnable, decided } from "../step/runtime/runnable.ts"
import { makeStep } from "../step/runtime/make.ts"
import type { Needs, Simplify } from "../thought/types.ts"
import type * as Step from "../step/runtime/model.ts"

/**
 * A gate did not let a thought pass. Another attempt does not help.
 *
 * **Details**
 *
 * `gate` is the name of the gate, `reason` the reason given in its options.
 *
 * @category errors
 */
export class GateClosed extends Schema.TaggedError<GateClosed>()("GateClosed", {
  gate: Schema.String,
  reason: Schema.String
}) {
  get isRetryable(): false {
    return false
  }
  override get message(): string {
    return `The gate ${quoted(this.gate)} is closed: ${this.reason}`
  }
}

type Verdict = "pass" | "skip" | "fail"

const verdicts: ReadonlyArray<Verdict> = ["pass", "skip", "fail"]

/** Refuses a gate that may skip but has no step. */
type Skipping<C, S> = Undecided extends C
  ? unknown
  : [S] extends [never]
    ? "skip" extends Step.Runnable.Value<C>
      ? { readonly 'without a step there is nothing to "skip": give a step, or "pass"': S }
      : unknown
    : unknown
type Outs<V, S> = [S] extends [never] ? {} : "skip" extends V ? Simplify<Partial<Step.Out<S>>> : Simplify<Step.Out<S>>
type Closed<V> = "fail" extends V ? GateClosed : never

/**
 * Lets a thought pass, skips a step, or fails, depending on a check.
 *
 * **Details**
 *
 * `check` is a reader, a function of the thought or an effect; it may fail and need services. Any other result is a
 * defect.
 *
 * - `"pass"`: the step runs; without a step, the thought passes
 * - `"skip"`: the thought passes unchanged; the step's notes are optional afterwards
 * - `"fail"`: the gate fails with `GateClosed` and its `reason`, which is logged, so it must contain no text of notes
 *
 * Use a gate where it would be wrong to continue: it ends the pipeline, unless a connector around it (`fallback`,
 * `recover`) has an alternative. `Primitive.sift` asks the model.
 *
 * **Example** (Nothing is sent without an approval)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const approved = Step.make("approved", { schema: Schema.Boolean, run: () => false })
 * const send = Step.make("sent", { schema: Schema.Boolean, run: () => true })
 * const guarded = Pipeline.gate("approval", {
 *   check: Note.from(approved, (yes) => (yes ? "pass" : "fail")),
 *   step: send,
 *   reason: "nobody has approved it"
 * })
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("send")
 *   const error = yield* Effect.flip(Pipeline.run(Pipeline.sequence("send", [approved, guarded]), thought))
 *   assert.deepEqual(error._tag === "PipelineError" && error.path, ["send", "approval"])
 *   assert.equal(error.cause instanceof Pipeline.GateClosed && error.cause.reason, "nobody has approved it")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const gate = taking("Pipeline.gate", {
  options: 1,
  known: {
    check: forms.option('A reader of "pass", "skip" or "fail".', forms.reader),
    step: forms.maybe("The step behind the gate.", forms.step),
    reason: forms.maybe("Why it is closed, for the error.", forms.words)
  }
})(<const C extends Step.Runnable<Verdict> | Undecided, S extends Step.Any = never>(
  name: string,
  options: { readonly check: C; readonly step?: S; readonly reason?: string } & Skipping<C, S>
): Step.Step<
  Needs<Step.Runnable.In<C>, [S] extends [never] ? unknown : Step.In<S>>,
  Outs<Step.Runnable.Value<C>, S>,
  Closed<Step.Runnable.Value<C>> | Step.Runnable.Err<C> | Step.Err<S>,
  Step.Runnable.Req<C> | Step.Req<S>
> => {
  const given: { readonly check: C; readonly step?: S; readonly reason?: string } = options
  const { reason = "its check said so", step } = given
  // every inferred type is a runnable
  const check = given.check as Step.Runnable<Verdict>
  checkRunnable(name, "check", check)
  const settings = given.reason === undefined ? {} : { settings: { reason } }
  const past = step === undefined ? "pass" : "skip"
  const layout = { _tag: "Choice", labels: ["pass"], past, fails: "fail" } as const
  // only the type of the check tells whether it may skip
  return makeStep(
    { name, kind: "gate", ...routing(check, step === undefined ? [] : [step], true), ...settings, layout },
    (thought) =>
      Effect.gen(function* () {
        const verdict = yield* decided<Verdict, Step.Runnable.Err<C>, Step.Runnable.Req<C>>(check, thought, verdicts)
        switch (verdict) {
          case "pass":
            return yield* go(thought, step)
          case "skip":
            return yield* go(thought, undefined)
          case "fail":
            return yield* new GateClosed({ gate: name, reason })
          default:
            return yield* Effect.die(
              new Error(`The check of the step ${quoted(name)} must give "pass", "skip" or "fail".`)
            )
        }
      })
  )
})
