import { maybe, oneOf, others } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { StoredRun } from "../memory/model/Ledger.ts"
import type { Thought } from "../thought/model.ts"
import type { Signal } from "../signal/Signal.ts"
import * as Session from "../thought/Session.ts"
import { notes } from "../thought/Thought.ts"
import { failures } from "./failures.ts"
import { flow } from "./flow.ts"
import { performance } from "./performance.ts"
import type { Recorded, Stretch } from "./recorded.ts"

/**
 * What happened to a thought, as lines for people: one line for each thing that was done.
 *
 * **Details**
 *
 * - `mode: "flow"` (the default): the notes in their order, such as answers of steps, calls of tools and their results. A round of an
 *   agent is one line with the tools that it calls. Lines that begin with `conversation` are about what stands in the conversation
 *   only: summaries, and texts of a model that are no answer, such as the beginning of one that was cancelled
 * - `mode: "performance"`: how long steps and calls took, and what calls used, with a total
 * - `mode: "errors"`: calls of tools that failed, and messages that an agent refused, with the path of the step
 *
 * A thought keeps notes, not times and failures of steps. `signals` and `run` have these; without both, the last line of the modes
 * `"performance"` and `"errors"` says what is not known. Each adds to all modes:
 *
 * - `signals`: those of the runs on this thought, as a listener of `Signal.listen` got them
 * - `run`: the rows of a durable run, from `load` of the `ledger` of `Memory`; `Pipeline.logs` loads them by the run's id. They have what all processes of the run did, and
 *   therefore replace signals about the same steps, calls and questions
 *
 * Texts are shortened to 200 characters, on one line, and invisible characters are shown by number. Redacted notes are left out. The
 * wording may change: programs read notes and signals instead.
 *
 * **Example** (What a pipeline has done)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Signal, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It is down."] }])
 * const signals: Array<Signal.Signal> = []
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(urgent, yield* Thought.make("triage", { message: "The shop is down!" }))
 *   assert.deepEqual(Thought.logs(done), ["message: The shop is down!", "urgent: yes (0.9)"])
 *   assert.deepEqual(Thought.logs(done, { mode: "errors", signals }), [])
 *   assert.match(Thought.logs(done, { mode: "performance", signals }).at(-1) ?? "", /^Total: 1 step, 1 model call/)
 * })
 *
 * await Effect.runPromise(
 *   program.pipe(
 *     Signal.listen((signal) => signals.push(signal)),
 *     Effect.provide(Layer.merge(model.layer, Testing.memory))
 *   )
 * )
 * ```
 *
 * @category reads
 */
export const logs = taking("Thought.logs", {
  args: [kinds.thought],
  options: 1,
  optional: true,
  known: {
    mode: maybe("What the lines are about.", oneOf("flow", "performance", "errors"), "flow"),
    ...others("signals", "run")
  }
})(
  (
    self: Thought<any>,
    {
      mode = "flow",
      ...recorded
    }: {
      readonly mode?: "flow" | "performance" | "errors"
      readonly signals?: ReadonlyArray<Signal>
      readonly run?: StoredRun
    } = {}
  ): ReadonlyArray<string> => linesOf([{ notes: notes(self), entries: Session.entries(self.session) }], mode, recorded)
)

/** What happened in these stretches, as lines for people. */
export const linesOf = (
  stretches: ReadonlyArray<Stretch>,
  mode: keyof typeof modes,
  recorded: Recorded
): ReadonlyArray<string> => modes[mode](stretches, recorded)

const modes = { flow, performance, errors: failures }
