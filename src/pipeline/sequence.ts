import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import { chained, inTurn, makeDistinct, makeStep, refuseTwice } from "../step/runtime/make.ts"
import type { All, Alone, Both, Either, Merge, Missing, Simplify } from "../thought/types.ts"
import * as Step from "../step/runtime/model.ts"

type Sequenced<T extends ReadonlyArray<Step.Any>, In = unknown, Out = {}> = T extends readonly [
  infer Head,
  ...infer Rest extends ReadonlyArray<Step.Any>
]
  ? Sequenced<Rest, Both<In, Missing<Step.In<Head>, Out>>, Merge<Out, Step.Out<Head>>>
  : number extends T["length"]
    ? Spread<T, In, Out>
    : { readonly in: In; readonly out: Out }

/** A list that begins with any number of steps. `After` are the steps at its end, which always run. */
type Spread<
  T extends ReadonlyArray<Step.Any>,
  In,
  Out,
  After extends ReadonlyArray<Step.Any> = []
> = T extends readonly [...infer Init extends ReadonlyArray<Step.Any>, infer Last extends Step.Any]
  ? Spread<Init, In, Out, [Last, ...After]>
  : Sequenced<
      After,
      Both<In, Missing<All<Anywhere<T[number], Perhaps<T[number]>>>, Out>>,
      Merge<Out, Perhaps<T[number]>>
    >

/** What steps add of which each may run or not. */
type Perhaps<S> = Partial<Either<Step.Out<S>>>

/** What each of several steps reads, if any of the others may run before it. `Some` is what they may add. */
type Anywhere<S, Some, Every = S> = S extends Step.Any
  ? Missing<Step.In<S>, Pick<Some, Exclude<keyof Step.In<S> & keyof Some, Own<S, Every>>>>
  : never

/** Keys that a step writes and no other: it reads them first. */
type Own<S, Every> = keyof Step.In<S> & keyof Step.Out<S> extends infer K
  ? K extends keyof Step.Out<S>
    ? Alone<Writers<Every, K>> extends true
      ? K
      : never
    : never
  : never
type Writers<S, K> = S extends Step.Any ? (K extends keyof Step.Out<S> ? S : never) : never

type ReadOf<T extends ReadonlyArray<Step.Any>> = T extends unknown ? Simplify<Sequenced<T>["in"]> : never

/**
 * What a sequence of these steps reads: of a union of lists, what any of them reads.
 *
 * @category models
 */
export type SequenceIn<T extends ReadonlyArray<Step.Any>> =
  Alone<T> extends true ? Simplify<Sequenced<T>["in"]> : All<ReadOf<T>>
/**
 * What a sequence of these steps adds: of a union of lists, what each of them adds.
 *
 * @category models
 */
export type SequenceOut<T extends ReadonlyArray<Step.Any>> =
  Alone<T> extends true ? Simplify<Sequenced<T>["out"]> : Either<Sequenced<T>["out"]>

/**
 * Runs steps one after the other, each on the thought from the one before.
 *
 * **Details**
 *
 * A step may read notes that earlier steps always write; the thought must have all other notes that it reads. The first
 * failure ends the sequence; what was committed before it stays. An empty sequence returns its thought.
 *
 * Notes of a spread, such as `...(flag ? [step] : [])`, are optional. The steps before and after it always run.
 *
 * Throws if two steps have the same name, or write the same key without `overwrite`.
 *
 * **Example** (A pipeline of two steps)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const length = Step.make("length", {
 *   schema: Schema.Finite,
 *   run: Note.from(Note.handle("message", Schema.String), (text) => text.length)
 * })
 * const long = Step.make("long", { schema: Schema.Boolean, run: Note.from(length, (n) => n > 10) })
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("measure", { message: "Hello" })
 *   const done = yield* Pipeline.run(Pipeline.sequence("measure", [length, long]), thought)
 *   assert.equal(done.get("long"), false)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const sequence = taking("Pipeline.sequence", {
  options: 2,
  optional: true,
  known: { overwrite: forms.maybe("Whether a later step may write a key again.", forms.flag, false) }
})(<const T extends ReadonlyArray<Step.Any>>(
  name: string,
  steps: T,
  options: { readonly overwrite?: boolean } = {}
): Step.Step<SequenceIn<T>, SequenceOut<T>, Step.Err<T[number]>, Step.Req<T[number]>> => {
  const odd = kinds.oddOneOf(steps, kinds.step)
  if (odd !== undefined) throw new Error(`The sequence ${quoted(name)} needs an array of steps, but got ${odd}.`)
  if (options.overwrite !== true) {
    refuseTwice(`sequence ${quoted(name)}`, steps.map(chained))
  }
  const distinct = steps.map(makeDistinct("step"))
  return makeStep({ name, kind: "sequence", ...inTurn(distinct.map((step) => step.node)), layout: "row" }, (thought) =>
    Effect.gen(function* () {
      let current = thought
      for (const step of distinct) current = yield* step[Step.TypeId].run(current)
      return current
    })
  )
})
