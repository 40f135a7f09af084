import * as Effect from "effect/Effect"
import { Run } from "../run/run.ts"

/**
 * A key that stays the same whenever the same step runs on the same thought, for services that must act only once.
 *
 * **Details**
 *
 * Use it in the effect of a step, such as that of `Step.make` or `Pipeline.tap`. The key is made from the thought's id,
 * the number of its notes and the path of the step. All attempts of a retry get the same key, and so does a run that
 * restarts from the thought of a `PipelineError`. Another step, another thought, or the same step after a further note
 * gets another key. It contains visible ASCII characters only. Outside of a step it is a defect.
 *
 * **Example** (A payment that is tried twice and made once)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Lost extends Data.TaggedError("Lost") {}
 *
 * const asked: Array<string> = []
 * const pay = Step.make("pay", {
 *   run: Effect.flatMap(Step.idempotencyKey, (key) =>
 *     asked.push(key) === 1 ? Effect.fail(new Lost()) : Effect.void)
 * })
 *
 * const program = Effect.gen(function*() {
 *   yield* Pipeline.run(pay.pipe(Step.retry()), yield* Thought.make("pay"))
 *   assert.equal(asked.length, 2)
 *   assert.equal(asked[0], asked[1])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category services
 */
export const idempotencyKey: Effect.Effect<string> = Effect.flatMap(Run, ({ given, path }) =>
  given === undefined
    ? Effect.die(
        new Error(
          "Step.idempotencyKey is for the effect of a step: use it in what Step.make or Pipeline.tap runs, not outside a step."
        )
      )
    : Effect.succeed([given.id, given.length, ...path.map(escape)].join("/"))
)

/** A name in characters other than the separators; different names give different texts. */
const escape = (name: string): string =>
  // encoded by UTF-16 units, so that unpaired surrogates work too
  name.replaceAll(/[^A-Za-z0-9_.-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
