import type { Step } from "../step/runtime/model.ts"
import { fork } from "../thought/fork.ts"
import { makeOnward } from "./reasoning/onward.ts"

/**
 * Remembers the current state under the step's name. The pipeline continues with a fork of the thought, and
 * `Primitive.restore` returns to the thought as it is now.
 *
 * **Details**
 *
 * The fork has its own id and trace, the same intent, task, notes and conversation, and the thought as parent, which
 * the run does not extend any more. Notes are shared, not copied, and none is embedded again. A later checkpoint
 * replaces an earlier one with the same name.
 *
 * In a connector with concurrent branches a checkpoint is a defect, since a branch must return the thought it received.
 * Throws if the name is not a valid note key.
 *
 * **Example** (Going back)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const attempt = Pipeline.sequence("attempt", [
 *   Primitive.checkpoint("before"),
 *   Step.make("guess", { schema: Schema.String, run: () => "wrong" }),
 *   Primitive.restore("back", { from: { checkpoint: "before" } })
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("try", { message: "Hello" })
 *   const done = yield* Pipeline.run(attempt, start)
 *   assert.equal(done.note("guess"), undefined)
 *   assert.equal(done.note("message")?.content, "Hello")
 *   assert.equal(done.parent?.id, start.id)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lineage
 */
export const checkpoint = (name: string): Step<{}, {}> =>
  makeOnward(name, "checkpoint", {}, (thought) => fork(thought, { checkpoint: name }))
