import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Defined, StepsOf } from "../step/runtime/branches.ts"
import { go, routing, type Undecided } from "../step/runtime/route.ts"
import { checkRunnable, decided } from "../step/runtime/runnable.ts"
import { makeStep, named } from "../step/runtime/make.ts"
import type { All, Either, Simplify } from "../thought/types.ts"
import type * as Step from "../step/runtime/model.ts"

type Branches = Readonly<Record<string, Step.Any | undefined>>

/** Any label. The literal in it keeps the labels that a function returns from widening to `string`. */
type Label = "" | (string & {})

/** The labels that `on` may return. Integer-like keys are numbers in the type of an object. */
type Labels<B> = B extends unknown ? `${keyof B & (string | number)}` : never

/** Those of the labels whose branch may be missing. */
type Lacking<B, L> = B extends unknown ? Exclude<L, Labels<Present<B>>> : never
type Present<B> = { readonly [N in keyof B as {} extends Pick<B, N> ? never : N]: B[N] }

/** Refuses labels without a branch, unless there is a default, and branches without a label. */
type Checked<F, B, D> = Undecided extends F ? unknown : Exhaustive<Step.Runnable.Value<F>, B, D>
type Exhaustive<L, B, D> = string extends L
  ? [D] extends [never]
    ? { readonly "a label may be any string: add a default": L }
    : unknown
  : ([D] extends [never] ? Covered<Lacking<B, L>> : unknown) & Given<Exclude<Labels<B>, L>>
type Covered<Missing> = [Missing] extends [never]
  ? unknown
  : { readonly "a label has no branch: add it, or a default": Missing }
type Given<Extra> = [Extra] extends [never] ? unknown : { readonly "a branch has a label that is never given": Extra }

type Routed<B, D> = "pass" extends D
  ? Partial<Either<Step.Out<StepsOf<B>> | Step.Out<D>>>
  : Either<Step.Out<StepsOf<B>> | Step.Out<D>>

/**
 * Computes a label and runs the step of that label.
 *
 * **Details**
 *
 * `on` is a reader, a function of the thought or an effect that returns the label; it may fail and need services. Every
 * label of its type needs a branch, or there must be a `default`: a step, or `"pass"` to let the thought pass. The type
 * `string` always needs a default. A branch whose label is not in the type does not compile. A label without a branch
 * and without a default is a defect at run time. Notes that not all branches write are optional afterwards.
 *
 * Throws if there is no branch, if a label is empty, or if a step is the default and a branch is labelled `"default"`.
 * To let the model choose, use `Primitive.discern`.
 *
 * **Example** (A step for each kind of ticket)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const seats = Step.make("seats", { schema: Schema.Finite, run: () => 12 })
 * const offer = (text: string) => Step.make("offer", { schema: Schema.String, run: () => text })
 *
 * const offered = Pipeline.switch("offered", {
 *   on: Note.from(seats, (n) => (n > 10 ? "team" : "single")),
 *   branches: { team: offer("A plan for teams"), single: offer("A plan for one") }
 * })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(Pipeline.sequence("sell", [seats, offered]), yield* Thought.make("sell"))
 *   assert.equal(done.get("offer"), "A plan for teams")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const switching = taking("Pipeline.switch", {
  options: 1,
  known: {
    on: forms.option("A reader of the label.", forms.textReader),
    branches: forms.option("Steps by label.", forms.record("an object of steps by label", forms.step)),
    default: forms.maybe(
      'The step for any other label, or "pass" to continue without one.',
      forms.either('a step, or "pass"', forms.oneOf("pass"), forms.step)
    )
  }
})(<
  const F extends Step.Runnable<Label> | Undecided,
  const B extends Branches,
  const D extends Step.Any | "pass" = never
>(
  name: string,
  options: {
    readonly on: F
    readonly branches: B & Defined<B> & Checked<F, B, D>
    readonly default?: D
  }
): Step.Step<
  Simplify<Step.Runnable.In<F> & All<Step.In<StepsOf<B>> | Step.In<D>>>,
  Routed<B, D>,
  Step.Runnable.Err<F> | Step.Err<StepsOf<B>> | Step.Err<D>,
  Step.Runnable.Req<F> | Step.Req<StepsOf<B>> | Step.Req<D>
> => {
  // every inferred type is a runnable
  const on = options.on as Step.Runnable<string>
  const other: Step.Any | "pass" | undefined = options.default
  checkRunnable(name, "on", on)
  const branches = new Map(
    // the compiler has refused undefined values
    Object.entries(options.branches as Readonly<Record<string, Step.Any>>).map(([label, step]) => [
      label,
      named(label, "route", step)
    ])
  )
  check(name, [...branches.keys()], other)
  const fallback = other === undefined || other === "pass" ? undefined : named("default", "route", other)
  const labels = [...branches.keys()]
  const ways = [...branches.values(), ...(fallback === undefined ? [] : [fallback])]
  const settings = other === "pass" ? { settings: { default: "pass" } } : {}
  const layout = { _tag: "Choice", past: other === "pass" ? "default" : undefined } as const
  return makeStep({ name, kind: "switch", ...routing(on, ways, other === "pass"), ...settings, layout }, (thought) =>
    Effect.gen(function* () {
      const label = yield* decided<string, Step.Runnable.Err<F>, Step.Runnable.Req<F>>(on, thought, labels)
      const way = branches.get(label) ?? fallback
      if (way === undefined && other === undefined) {
        return yield* Effect.die(
          new Error(`The step ${quoted(name)} has no branch for the label that \`on\` gave. Add one, or a default.`)
        )
      }
      return yield* go(thought, way)
    })
  )
})

const check = (name: string, labels: ReadonlyArray<string>, other: Step.Any | "pass" | undefined): void => {
  const refuse = (what: string): never => {
    throw new Error(`The step ${quoted(name)} ${what}`)
  }
  if (labels.length === 0) refuse("needs at least one branch.")
  if (labels.some((label) => label.trim() === "")) refuse("has a branch without a label.")
  if (other !== undefined && other !== "pass" && labels.includes("default")) {
    refuse('has a branch labelled "default" and a step as default: use another label.')
  }
}
