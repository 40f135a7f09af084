import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { Run } from "../../run/run.ts"
import type { Merge, Simplify } from "../../thought/types.ts"
import type { Memory } from "../../memory/Memory.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import type * as Step from "../../step/runtime/model.ts"
import { type Watcher, Watching } from "../../synapse/call.ts"
import type { Partial } from "../../synapse/answer/partial/Partial.ts"
import { tellerOf, watchedBy } from "../../synapse/teller.ts"
import type { Thought } from "../../thought/model.ts"
import type { PipelineError } from "./PipelineError.ts"
import { run } from "./run.ts"
import type { Unwrapped } from "./wrap.ts"

/** Which answer it is: its number in the run, from 1, and the path of the step that asked. */
interface Of {
  readonly call: number
  readonly path: ReadonlyArray<string>
}

/**
 * What happens in a run while its answers are being written.
 *
 * - `Text`: the model's next words, of an answer of this `kind`
 * - `Partial`: what there is now of the note under `key`; a field that is `done` is complete and fits its schema. The last
 *   one of an answer that is taken has the fields of the note itself
 * - `Discarded`: forget what came of this `call`: the answer is not taken, or it is read as a value of which a field that was
 *   `done` is another one, and the fields of that value follow
 * - `Done`: the thought with all notes, the last one
 *
 * @category models
 */
export type Event<Notes, T> =
  | (Of & { readonly _tag: "Text"; readonly kind: string; readonly delta: string })
  | {
      readonly [K in keyof Notes]-?: Of & {
        readonly _tag: "Partial"
        readonly key: K
        readonly partial: Partial<Exclude<Notes[K], undefined>>
      }
    }[keyof Notes]
  | (Of & { readonly _tag: "Discarded" })
  | { readonly _tag: "Done"; readonly thought: T }

/**
 * Runs a step as `Pipeline.run` does, and gives the model's answers while they are being written.
 *
 * The last event has the thought that `run` gives, with the same notes; nothing else of it is stored. Answers of branches
 * that run at the same time come mixed, told apart by `call`. Partial values are not validated but for fields that are
 * `done`, and come of an attempt that may yet be thrown away: `Discarded` is told of answers that have not the form, fail,
 * or are interrupted, not of a whole answer whose branch loses later. To stop reading interrupts the run; a reader that is
 * slow makes the model wait, whose deadlines go on.
 *
 * **Example** (Words as they come)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema, Stream } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const Ticket = Schema.Struct({ customer: Schema.String, urgent: Schema.Boolean })
 * const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer and whether it is urgent" })
 * const model = Testing.scripted([{ customer: "Ada", urgent: true }])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "Ada here, please hurry" })
 *   return yield* Stream.runCollect(Pipeline.stream(ticket, thought))
 * })
 *
 * const events = await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * const last = events.at(-1)
 * assert.equal(last?._tag === "Done" && last.thought.get("ticket").customer, "Ada")
 * ```
 *
 * @category running
 */
export const stream = taking("Pipeline.stream", { args: [kinds.step, kinds.thought] })(<In, Out, E, R, N extends In>(
  step: Step.Step<In, Out, E, R>,
  thought: Thought<N>
): Stream.Stream<
  Event<Out, Thought<Simplify<Merge<N, Out>>>>,
  PipelineError<Unwrapped<E> | MemoryError>,
  R | Memory
> => {
  type Told = Event<Out, Thought<Simplify<Merge<N, Out>>>>
  return Stream.callback<Told, PipelineError<Unwrapped<E> | MemoryError>, R | Memory>(
    Effect.fnUntraced(function* (queue) {
      const teller = tellerOf<Told, PipelineError<Unwrapped<E> | MemoryError>>(queue)
      let calls = 0
      const watcher: Watcher = {
        begin: ({ form, key, kind }) =>
          Effect.map(Run, ({ path }) => {
            const of = { call: ++calls, path }
            return watchedBy<Told>(teller, key === undefined ? undefined : form, {
              text: (delta) => ({ ...of, _tag: "Text", kind, delta }),
              // the step that asks writes the note under this key, so it is one of those that the step adds
              partial: (partial) => ({ ...of, _tag: "Partial", key, partial }) as Told,
              discarded: { ...of, _tag: "Discarded" }
            })
          })
      }
      const done = yield* Effect.provideService(run(step, thought), Watching, watcher)
      yield* teller.tell({ _tag: "Done", thought: done })
      yield* Queue.end(queue)
    }),
    { bufferSize: 64, strategy: "suspend" }
  )
})
