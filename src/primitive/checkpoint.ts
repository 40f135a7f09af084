import type { Step } from "../step/runtime/model.ts"
import { fork } from "../thought/Thought.ts"
import { makeOnward } from "./reasoning/onward.ts"

/**
 * Remembers this moment under the step's name: the pipeline goes on with a fork of the thought, and `Primitive.restore`
 * comes back to the thought as it is now.
 *
 * The fork has an id and a trace of its own, the same intent, task, notes and conversation, and the thought as parent,
 * which nobody adds to any more. Notes are shared, not copied, and none is embedded again. A later checkpoint of the same
 * name takes the place of an earlier one. Inside a connector that runs branches beside each other a checkpoint is a
 * defect, since a branch must give back the thought it was given. Throws when the name cannot be a note's key.
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
