import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { maybe, notEmpty, others } from "../arguments/forms.ts"
import { checkText } from "../arguments/checked.ts"
import * as kinds from "../arguments/kinds.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { Memory, type MemoryError } from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import type { RunError } from "../pipeline/durable/errors.ts"
import type { PipelineError } from "../pipeline/run/PipelineError.ts"
import type { Unwrapped } from "../pipeline/run/wrap.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import * as Note from "../thought/Note.ts"
import * as Thoughts from "../thought/Thought.ts"
import { meta } from "./model/Document.ts"
import { withUnanswered } from "./rounds/unanswered.ts"
import type { Merge, Read, Simplify } from "../thought/types.ts"

const message = Note.handle("message", Schema.String)

/**
 * Says something to an agent, or to any step that reads `message`: adds the message to the thought, and runs the step durably.
 *
 * **Details**
 *
 * The thought is the session: say the next thing to the thought that the run before returned. A thought takes one message at a
 * time: while a run on it is in progress or waits, this fails with `RunBusy`, before anything is stored or paid. `durable` has the
 * options of `Pipeline.run`; the id of the run is what `Agent.approve` and `Agent.resume` take. With `durable: false` nothing is
 * recorded: the run cannot be resumed and cannot wait for an approval, and nothing keeps a second run from the same thought.
 *
 * `user` is the id of who says it, which is in the metadata of the message. An agent with documents of users sees and learns what
 * is known of this user. Give each message its user: it is not taken from the message before.
 *
 * **Example** (Two messages)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const poet = Agent.make("poet", { instructions: "You write short poems.", toolkit: Toolkit.empty, triage: false })
 * const model = Testing.scripted(["Rain on the roof.", "Snow on the roof."])
 *
 * const program = Effect.gen(function*() {
 *   const first = yield* Agent.say(poet, yield* Thought.make("poems"), "Something with rain")
 *   const second = yield* Agent.say(poet, first, "And with snow?")
 *   assert.equal(second.get("answer"), "Snow on the roof.")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category running
 */
export const say = taking("Agent.say", {
  args: [kinds.step, kinds.thought, kinds.text],
  options: 3,
  optional: true,
  known: { ...others("durable"), user: maybe("Who says it.", notEmpty) }
})(
  <S extends Step.Any, N>(
    step: S,
    thought: Begun<Step.In<S>, N>,
    text: string,
    options: { readonly durable?: boolean | Pipeline.DurableOptions; readonly user?: string } = {}
  ): Effect.Effect<
    Thought<Simplify<Merge<WithMessage<N>, Step.Out<S>>>>,
    PipelineError<Unwrapped<Step.Err<S>> | MemoryError> | RunError,
    Step.Req<S> | Memory
  > =>
    Effect.gen(function* () {
      // whatever it lacks, what is given has these notes
      const given = thought as Thought<N>
      const { durable = true, user } = options
      if (user !== undefined) checkText("Agent.say", "user", user)
      // a text fits the schema of a text
      const metadata = user === undefined ? {} : { [meta.user]: user }
      const written = yield* Effect.orDie(
        Thoughts.write(given, message, text, { source: "user", trust: "untrusted", metadata })
      )
      // before the step shows the message, as one before an agent in it may
      const begun = withUnanswered(written)
      const reading = step as Step.Step<WithMessage<N>, Step.Out<S>, Step.Err<S>, Step.Req<S>>
      if (durable === false) return yield* Pipeline.run(reading, begun)
      const { ledger } = yield* needed(Memory)
      const runs = yield* Effect.mapError(
        ledger.runs({ thoughtId: given.id, status: ["pending", "running", "waiting", "interrupted"], limit: 1 }),
        (cause) => new Pipeline.PipelineError({ path: [step.name], cause, thought: undefined, durationMillis: 0 })
      )
      const [busy] = runs
      if (busy !== undefined && (durable === true || busy.id !== durable.id)) {
        const { id: runId, leaseUntilMillis, status } = busy
        return yield* new Pipeline.RunBusy({
          runId,
          ...(leaseUntilMillis === undefined ? {} : { leaseUntilMillis }),
          ...(status === "waiting" || status === "interrupted" ? { isOpen: true } : {})
        })
      }
      return yield* Pipeline.run(reading, begun, { durable })
    })
)

/**
 * The thought that a step with these reads takes together with a message, or one with the other notes that it lacks.
 *
 * @category models
 */
export type Begun<In, N> =
  WithMessage<N> extends Read<In>
    ? Thought<N>
    : In extends { readonly message?: infer M }
      ? string extends M
        ? Thought<Simplify<Omit<In, "message">>>
        : never
      : Thought<In>

/** The notes of a thought with a message. */
export type WithMessage<N> = Simplify<Merge<N, { readonly message: string }>>
