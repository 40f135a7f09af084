import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { attempt } from "../step/runtime/branch.ts"
import { type Failure, tagOf, withOthers } from "../run/failure.ts"
import { quoted } from "../text/legible.ts"
import { emit, finish } from "../run/run.ts"
import { checkRunnable, holds, readsOf } from "../step/runtime/runnable.ts"
import { checkSteps, inTurn, makeDistinct, makeStep, oneOf, wrap } from "../step/runtime/make.ts"
import type { All, Either, Merge, Missing, NotEmpty, Simplify } from "../thought/types.ts"
import { handingUp } from "../step/runtime/unfinished.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import type { Interruptible } from "../thought/settled.ts"
import { following, passedOver } from "../step/runtime/attempts.ts"

/** Steps to try in order. */
type Alternatives = ReadonlyArray<Step.Any>

type Last<A extends Alternatives> = A extends readonly [...ReadonlyArray<unknown>, infer L] ? L : A[number]

/** All but the last alternative: `accept` judges only these. */
type Judged<A extends Alternatives> = A extends readonly [...infer J extends ReadonlyArray<Step.Any>, unknown]
  ? J[number]
  : A[number]

type JudgedOut<A extends Alternatives> = Either<Step.Out<Judged<A>>>
type JudgedNotes<A extends Alternatives> = Simplify<Merge<All<Step.In<A[number]>>, JudgedOut<A>>>

type Accept<N> =
  | Note.Reader<any, boolean, any, any>
  | Effect.Effect<boolean, any, any>
  | ((thought: Thought<N>, given: Interruptible) => boolean | PromiseLike<boolean> | Effect.Effect<boolean, any, any>)

type Options<A extends Alternatives> = {
  readonly accept?: Accept<JudgedNotes<A>>
  readonly while?: (error: Step.Err<A[number]>) => boolean
}

type AcceptOf<O> = O extends { readonly accept?: infer W } ? Exclude<W, undefined> : never

/** The notes that `accept` reads and the alternatives do not write. */
type AcceptIn<W, N> = [W] extends [never] ? {} : W extends Note.Reader<infer I, any, any, any> ? Missing<I, N> : {}

type FallenBack<A extends Alternatives, E, W = never> = Step.Step<
  All<Step.In<A[number]> | AcceptIn<W, JudgedOut<A>>>,
  Either<Step.Out<A[number]>>,
  E | Step.Runnable.Err<W>,
  Step.Req<A[number]> | Step.Runnable.Req<W>
> &
  Kept<A>

/** The handle of the first alternative, if every alternative always writes its note. */
type Kept<A extends Alternatives> =
  A[0] extends Note.Handle<infer K, infer V>
    ? [Step.Out<A[number]>] extends [{ readonly [P in K]: V }]
      ? Note.Handle<K, V>
      : unknown
    : unknown

/**
 * Runs a step and, if it fails, the next of several, each on the thought as it was before the first.
 *
 * **Details**
 *
 * `accept` decides whether a result is good enough: a reader, a function of the thought, or an effect. It does not
 * judge the last alternative. So a strong model can answer where a cheap one is not sure. `while` selects the errors
 * that lead to the next alternative (default: all); interruption and defects never do.
 *
 * A failed or refused alternative leaves no note, no message and no thought behind. The last error is the error of the
 * step; the `PipelineError` lists those before it.
 *
 * Alternatives may share a name and a note. If all always write the note of the first, the fallback is its handle.
 * Throws if there is no alternative.
 *
 * **Example** (A strong model for what a cheap one is not sure of)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Note, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const cheap = Testing.scripted([{ decision: true, confidence: 0.4, reasoning: ["It may be one."] }])
 * const strong = Testing.scripted([{ decision: false, confidence: 0.9, reasoning: ["It is a question."] }])
 *
 * const question = "Is this spam?"
 * const quick = Primitive.decide("spam", { question, provider: cheap.provider })
 * const careful = Primitive.decide("spam", { question, provider: strong.provider })
 * const spam = Pipeline.fallback("cascade", [quick, careful], {
 *   accept: Note.from(quick, (answer) => answer.confidence >= 0.8)
 * })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(spam, yield* Thought.make("sort mail", { message: "When do you open?" }))
 *   assert.equal(done.get("spam").decision, false)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(cheap.layer), Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const fallback: {
  <const A extends Alternatives>(
    name: string,
    alternatives: A & NotEmpty<A, Step.Any>
  ): FallenBack<A, Step.Err<Last<A>>>
  <const A extends Alternatives, const O extends Options<A>>(
    name: string,
    alternatives: A & NotEmpty<A, Step.Any>,
    options: O
  ): FallenBack<A, "while" extends keyof O ? Step.Err<A[number]> : Step.Err<Last<A>>, AcceptOf<O>>
} = taking("Pipeline.fallback", {
  options: 2,
  optional: true,
  known: {
    accept: forms.maybe(
      "A reader of whether what came of a step is good enough; not asked of the last.",
      forms.condition
    ),
    while: forms.maybe("A function of the error: whether the next one is tried.", forms.callable)
  }
})((name: string, alternatives: Alternatives, options: Options<Alternatives> = {}): any => {
  const { accept, while: onward } = options
  checkSteps(name, "alternatives", alternatives)
  // as unknown, since the check would turn the type of the elements into any
  if (!Array.isArray(alternatives as unknown))
    throw new Error(`The step ${quoted(name)} needs an array of alternatives.`)
  const last = alternatives.length - 1
  const steps = alternatives.map(makeDistinct("alternative"))
  if (last < 0) throw new Error(`The step ${quoted(name)} needs at least one alternative.`)
  if (accept !== undefined) checkRunnable(name, "accept", accept)
  const run = (thought: Thought<any>) =>
    Effect.suspend(() => {
      const before: Array<Failure> = []
      return Effect.gen(function* () {
        for (const [i, step] of steps.entries()) {
          const outcome = yield* attempt(thought, step)
          if (outcome._tag === "Failure") {
            const { failure, reason } = outcome
            if (i === last || onward?.(failure.cause) === false) {
              return yield* Effect.failCause(withOthers(reason, { before }))
            }
            before.push(failure)
            yield* passedOver(thought, i + 1, tagOf(failure.cause), 0)
            continue
          }
          const good =
            i === last ||
            accept === undefined ||
            (yield* following(
              Effect.suspend(() => holds<any, any>(name, "accept", accept, outcome.thought)),
              before
            ))
          if (good) {
            yield* emit(thought, { _tag: "Won", branch: step.name })
            return yield* finish(outcome.thought)
          }
          yield* passedOver(thought, i + 1, "NotAccepted", 0)
        }
        return yield* Effect.die(new Error(`the step ${quoted(name)} ran out of alternatives`))
      }).pipe(handingUp(before))
    })
  const nodes = steps.map((step) => step.node)
  const asking = {
    name,
    kind,
    reads: accept === undefined ? [] : readsOf(accept),
    writes: [],
    surely: [],
    children: []
  }
  const judged = nodes.map((node, i) => (i === last ? node : { ...node, reads: inTurn([node, asking]).reads }))
  const labels = nodes.map((_, i) => (i === 0 ? "first" : "else"))
  const layout = { _tag: "Choice", shape: "hexagon", labels } as const
  const node = { name, kind, ...oneOf(judged), children: nodes, layout }
  const [first] = alternatives
  const keeps = first !== undefined && Note.isHandle(first) && node.surely.includes(first.key)
  return keeps ? wrap(first, node, run) : makeStep(node, run)
})

const kind = "fallback"
