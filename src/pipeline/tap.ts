import * as Effect from "effect/Effect"
import { checkRunnable, readsOf, valueOf } from "../step/runtime/runnable.ts"
import { makeStep } from "../step/runtime/make.ts"
import type * as Note from "../thought/Note.ts"
import type { Interruptible } from "../thought/settled.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"

type Aside =
  | Note.Reader<any, unknown, any, any>
  | Effect.Effect<unknown, any, any>
  | ((thought: Thought<any>, given: Interruptible) => unknown)

/**
 * Runs a side effect, given as a reader, a function of the thought, which may be `async`, or an effect, and passes the thought on unchanged.
 *
 * **Details**
 *
 * Its result is ignored; if it fails, the step fails. It runs at least once: a connector that repeats the step repeats
 * it. `Step.idempotencyKey` lets a service recognise repetitions; `Step.once` waits until the thought is stored.
 *
 * **Example** (Looking at a note on its way)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const score = Step.make("score", { schema: Schema.Finite, run: () => 0.9 })
 * const seen: Array<number> = []
 * const rated = Pipeline.sequence("rated", [
 *   score,
 *   Pipeline.tap("look", Note.from(score, (value) => Effect.sync(() => seen.push(value))))
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(rated, yield* Thought.make("rate"))
 *   assert.deepEqual(seen, [0.9])
 *   assert.equal(done.length, 1)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const tap = <const F extends Aside>(
  name: string,
  run: F
): Step.Step<Step.Runnable.In<F>, {}, Step.Runnable.Err<F>, Step.Runnable.Req<F>> => {
  checkRunnable(name, "run", run)
  return makeStep({ name, kind: "tap", reads: readsOf(run), writes: [], surely: [], children: [] }, (thought) =>
    Effect.as(valueOf<unknown, Step.Runnable.Err<F>, Step.Runnable.Req<F>>(run, thought), thought)
  )
}
