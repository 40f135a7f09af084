import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { gatherInto } from "../thought/gathered.ts"
import { allOf, type Source } from "../thought/origin.ts"
import { finish } from "../run/run.ts"
import { checkRunnable, holds, readsOf, valueOf } from "../step/runtime/runnable.ts"
import { makeStep, keepHandle } from "../step/runtime/make.ts"
import type { Interruptible } from "../thought/settled.ts"
import type { All, Reads, Simplify } from "../thought/types.ts"
import { write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"

type Update<A> = (
  value: A,
  thought: Thought<any>,
  given: Interruptible
) => NoInfer<A> | PromiseLike<NoInfer<A>> | Effect.Effect<NoInfer<A>, any, any>

/** The update as a function of the thought alone, for its reads, errors and services. */
type Alone<U> = U extends (value: any, thought: infer T, given: any) => infer B ? (thought: T) => B : never

type Mutated<K extends string, A, U, W> = Step.Step<
  Simplify<All<Reads<K, A> | Step.Runnable.In<Alone<U>> | Step.Runnable.In<W>>>,
  Reads<K, A>,
  Step.Runnable.Err<Alone<U>> | Step.Runnable.Err<W>,
  Step.Runnable.Req<Alone<U>> | Step.Runnable.Req<W>
>

/**
 * Replaces the value of a note. `Thought.history` keeps the earlier values.
 *
 * **Details**
 *
 * `update` receives the value, the thought and `{ signal }`, and returns a value, or an effect or a promise of one. With `when`, a reader, a
 * function of the thought or an effect, it runs only if that holds.
 *
 * A value that does not fit the schema of the `note` is a defect. The note is untrusted if any note that the value
 * could be made from is. A sequence needs no `overwrite` for it. An effect may run more than once if a connector
 * repeats the step.
 *
 * **Example** (Capping a score)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const score = Step.make("score", { schema: Schema.Finite, run: () => 1.5 })
 * const capped = Pipeline.sequence("capped", [
 *   score,
 *   Pipeline.mutate("cap", { note: score, update: () => 1, when: Note.from(score, (value) => value > 1) })
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(capped, yield* Thought.make("rate"))
 *   assert.equal(done.get("score"), 1)
 *   assert.deepEqual(Thought.history(done, "score").map(({ content }) => content), ["1.5", "1"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const mutate: {
  <K extends string, A, const U extends Update<A>>(
    name: string,
    options: { readonly note: Note.Handle<K, A>; readonly update: U; readonly when?: undefined }
  ): Mutated<K, A, U, never>
  <K extends string, A, const U extends Update<A>, const W extends Step.Runnable<boolean>>(
    name: string,
    options: { readonly note: Note.Handle<K, A>; readonly update: U; readonly when: W }
  ): Mutated<K, A, U, W>
} = taking("Pipeline.mutate", {
  options: 1,
  known: {
    note: forms.option("Key of the note.", forms.handle),
    update: forms.option("The function of the value and the thought.", forms.callable),
    when: forms.maybe("A reader of whether to do it.", forms.condition)
  }
})((
  name: string,
  options: {
    readonly note: Note.Handle<any, any>
    readonly update: Update<any>
    readonly when?: Step.Runnable<boolean> | undefined
  }
): any => {
  const { note, update, when } = options
  const { key } = note
  checkRunnable(name, "update", update)
  if (when !== undefined) checkRunnable(name, "when", when)
  const node = {
    name,
    kind,
    reads: [...new Set([key, ...(when === undefined ? [] : readsOf(when))])],
    writes: [key],
    surely: when === undefined ? [key] : [],
    updates: [key],
    children: []
  }
  keepHandle(node, note)
  return makeStep(node, (thought) =>
    Effect.gen(function* () {
      if (when !== undefined && !(yield* holds<never, never>(name, "when", when, thought))) return thought
      const before = yield* Effect.orDie(Note.read(thought, note))
      const from: Array<Source> = [...allOf(thought)]
      const updated = valueOf<unknown, never, never>(
        (given, interruptible) => update(before, given, interruptible),
        thought
      )
      const noted = yield* write(thought, kind, note, yield* gatherInto(from, updated), { from })
      return yield* finish(noted.thought)
    })
  )
})

const kind = "mutate"
