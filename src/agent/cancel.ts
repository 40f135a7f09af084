import * as Effect from "effect/Effect"
import { maybe, string } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { Memory, type MemoryError } from "../Memory.ts"
import type { RunBusy } from "../pipeline/durable/errors.ts"
import type { Thought } from "../thought/model.ts"
import { ending } from "./ending.ts"
import type { RunCompleted } from "./model/RunCompleted.ts"

/**
 * Gives up a run that was interrupted, waits for an approval, or has lost its process, and returns its thought, which takes the next
 * message. The run has failed with `Cancelled` then, and `resumeAll` passes over it.
 *
 * **Details**
 *
 * The conversation shows the message, the results that calls had given, and `(cancelled)` in place of the answer. The model sees of a
 * call that had begun that it is not known whether it was carried out, and of another without a result that it was not.
 * Questions of the run take no answer any more, and `Pipeline.resume` fails with a `PipelineError` whose cause is a `MemoryError`
 * (`NotFound`). `written` is what the model had written of its answer, as `Text` events had it since
 * the last `Round` or `Discarded`; it stands before `(cancelled)`.
 *
 * A run that is in progress fails with `RunBusy`: interrupt it first, where it runs. One that is completed fails with `RunCompleted`,
 * and one that is unknown with a `MemoryError` (`NotFound`). A run that has failed is over: its thought is returned as it is stored.
 *
 * Of an agent in a step that may discard it, such as a branch of `concurrent` or an attempt of `retry`, only the message is shown: what
 * it did was not stored yet.
 *
 * It also gives up a run of a pipeline. Without an agent in it, notes and conversation stay as they are.
 *
 * **Example** (A reader who stops)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Stream } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })
 * const model = Testing.scripted([Effect.never, "Snow on the roof."])
 *
 * const program = Effect.gen(function*() {
 *   const events = Agent.stream(poet, yield* Thought.make("poems"), "Something with rain", { durable: { id: "rain" } })
 *   yield* Effect.timeoutOption(Stream.runDrain(events), "100 millis")
 *
 *   const thought = yield* Agent.cancel("rain")
 *   const done = yield* Agent.say(poet, thought, "And with snow?")
 *   assert.equal(done.get("answer"), "Snow on the roof.")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category running
 */
export const cancel = taking("Agent.cancel", {
  args: [kinds.text],
  options: 1,
  optional: true,
  known: { written: maybe("What the model had written of its answer.", string) }
})(
  (
    runId: string,
    { written = "" }: { readonly written?: string } = {}
  ): Effect.Effect<Thought, RunBusy | RunCompleted | MemoryError, Memory> =>
    Effect.flatMap(needed(Memory), (memory) => ending(memory, runId, written))
)
