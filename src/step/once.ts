import * as Effect from "effect/Effect"
import { afterCommit, commit } from "../run/run.ts"
import { checkRunnable, valueOf } from "./runtime/runnable.ts"
import { makeStep } from "./runtime/make.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import type { Interruptible, Needing } from "../thought/settled.ts"

/** Refuses effects that can fail. */
type Infallible<B> =
  B extends Effect.Effect<any, infer E, any>
    ? [E] extends [never]
      ? unknown
      : { readonly "an effect after the commit cannot fail: handle its errors inside it": E }
    : unknown

/**
 * Runs an effect once the thought is stored for good: to send a mail, make a payment or notify another system.
 *
 * **Details**
 *
 * Inside connectors that may discard their work (retry, fallback, race, concurrent, …) the effect waits until the outermost
 * one has stored the surviving thought. It never runs for a failed attempt or a losing branch. Outside such connectors it
 * runs immediately. It receives the stored thought.
 *
 * The effect runs at most once: an interruption, or the end of the process, can prevent it or cut it off. Effects that
 * can fail do not compile: handle errors inside, with `Effect.catch` or `Effect.retry`. An `async` function may stand in the
 * place of the effect; its rejection is a defect. A defect does not stop other effects. `timeout` and `workerLimit` around the step do not apply to a waiting effect.
 *
 * **Example** (One mail, however many attempts)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Busy extends Data.TaggedError("Busy") {}
 *
 * const sent: Array<string> = []
 * let attempts = 0
 * const order = Pipeline.sequence("order", [
 *   Step.once("mail", (thought) => Effect.sync(() => sent.push(thought.intent))),
 *   Step.make("book", { run: Effect.suspend(() => (++attempts < 3 ? Effect.fail(new Busy()) : Effect.void)) })
 * ])
 *
 * const program = Effect.gen(function*() {
 *   yield* Pipeline.run(order.pipe(Step.retry({ times: 2 })), yield* Thought.make("order a chair"))
 *   assert.equal(attempts, 3)
 *   assert.deepEqual(sent, ["order a chair"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category constructors
 */
export const once = <T extends Thought<any>, B extends Effect.Effect<unknown, any, any> | PromiseLike<unknown>>(
  name: string,
  run: Exclude<B & Infallible<B>, PromiseLike<unknown>> | ((thought: T, given: Interruptible) => B & Infallible<B>)
): Step.Step<Step.Runnable.In<(thought: T) => B>, {}, never, Needing<B>> => {
  checkRunnable(name, "run", run)
  const own = { name, kind: "once", reads: [], writes: [], surely: [], children: [] }
  return makeStep({ ...own, afterCommit: "anything" }, (thought) =>
    Effect.flatMap(
      afterCommit(
        thought,
        (stored) =>
          // only a promise can fail
          Effect.orDie(Effect.suspend(() => valueOf<unknown, Error, Needing<B>>(run as Step.Runnable, stored))),
        { interruptible: true }
      ),
      commit
    )
  )
}
