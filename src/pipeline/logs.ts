import * as Effect from "effect/Effect"
import { maybe, oneOf } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { linesOf } from "../logs/logs.ts"
import { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import { loaded } from "./durable/earlier.ts"
import { stretchesOf } from "./stored/stretches.ts"

/**
 * What a durable run has done, as lines for people: like `Thought.logs`, but of this run, with all that the ledger has of it.
 *
 * **Details**
 *
 * The notes are those that the run was given and those that its steps have written, also where `restore`, `forget` and the like have
 * left them behind. What other runs have written on the same thought is not there, nor what was appended to it later.
 *
 * `mode` is that of `Thought.logs`: `"flow"` (the default) for notes and questions, `"performance"` for the times and costs of steps
 * and calls, `"errors"` for calls of tools that failed. The ledger has what all processes of the run did, so no listener is needed.
 * Works at any time, also while the run waits or another process has it. Fails with the `MemoryError` reason `NotFound` if the
 * scope has no such run, or if its thought was removed.
 *
 * **Example** (A run by its id)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It is down."] }])
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("triage", { message: "The shop is down!" })
 *   yield* Pipeline.run(urgent, start, { durable: { id: "mail-1" } })
 *   assert.deepEqual(yield* Pipeline.logs("mail-1"), ["message: The shop is down!", "urgent: yes (0.9)"])
 *   const lines = yield* Pipeline.logs("mail-1", { mode: "performance" })
 *   assert.match(lines.at(-1) ?? "", /^Total: 1 step, 1 model call/)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category durable runs
 */
export const logs = taking("Pipeline.logs", {
  args: [kinds.text],
  options: 1,
  optional: true,
  known: { mode: maybe("What the lines are about.", oneOf("flow", "performance", "errors"), "flow") }
})(
  (
    runId: string,
    { mode = "flow" }: { readonly mode?: "flow" | "performance" | "errors" } = {}
  ): Effect.Effect<ReadonlyArray<string>, MemoryError, Memory> =>
    Effect.gen(function* () {
      const memory = yield* needed(Memory)
      const run = yield* loaded(memory.ledger, runId)
      return linesOf(yield* stretchesOf(memory, run), mode, { run })
    })
)
