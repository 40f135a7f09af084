import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { Run } from "../run/run.ts"
import type { Merge, Simplify } from "../thought/types.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type * as Step from "../step/runtime/model.ts"
import { type Watcher, Watching } from "../synapse/call.ts"
import type { Partial } from "../synapse/answer/partial/Partial.ts"
import { tellerOf, watchedBy } from "../synapse/teller.ts"
import type { Thought } from "../thought/model.ts"
import type { PipelineError } from "./run/PipelineError.ts"
import type { RunError } from "./durable/errors.ts"
import type { DurableOptions } from "./durable/options.ts"
import { run, runForms } from "./run.ts"
import type { Fitting } from "./run/starting.ts"
import type { Unwrapped } from "./run/wrap.ts"

/** The number of the answer in the run, from 1, and the path of the step that called the model. */
interface Of {
  readonly call: number
  readonly path: ReadonlyArray<string>
}

/**
 * An event of a run whose answers are streamed.
 *
 * - `Text`: the next part of an answer to a step of this `kind`
 * - `Partial`: the current fields of the note under `key`. A field that is `done` is complete and fits its schema. The
 *   last event of an accepted answer has the fields of the note
 * - `Discarded`: drop all events of this `call`. The answer was not accepted, or was read anew with another value for a
 *   field that was `done`; in this case the new fields follow
 * - `Done`: the last event, with the final thought
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
 * Runs a step like `Pipeline.run`, and emits the model's answers while they are written.
 *
 * **Details**
 *
 * The last event has the thought that `run` returns. Answers of concurrent branches are interleaved; `call` tells them
 * apart. Partial values are not validated, except for fields that are `done`, and their attempt may still be discarded.
 * `Discarded` is emitted for answers that are invalid, fail or are interrupted, but not for a complete answer whose
 * branch loses later.
 *
 * With `durable` the run can be resumed, as in `run`; answers that come from the ledger are emitted in one piece.
 *
 * If the reader stops, the run is interrupted. A slow reader slows the model call down, whose deadlines continue.
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
export const stream: {
  <S extends Step.Any, N>(
    step: S,
    thought: Fitting<Step.In<S>, N>,
    options?: { readonly durable?: false }
  ): Stream.Stream<
    Event<Step.Out<S>, Thought<Simplify<Merge<N, Step.Out<S>>>>>,
    PipelineError<Unwrapped<Step.Err<S>> | MemoryError>,
    Step.Req<S> | Memory
  >
  <S extends Step.Any, N>(
    step: S,
    thought: Fitting<Step.In<S>, N>,
    options: { readonly durable: true | DurableOptions }
  ): Stream.Stream<
    Event<Step.Out<S>, Thought<Simplify<Merge<N, Step.Out<S>>>>>,
    PipelineError<Unwrapped<Step.Err<S>> | MemoryError> | RunError,
    Step.Req<S> | Memory
  >
} = taking("Pipeline.stream", { args: [kinds.step, kinds.thought], options: 2, optional: true, known: runForms })((
  step: Step.Any,
  thought: Thought<any>,
  { durable = false }: { readonly durable?: boolean | DurableOptions } = {}
): Stream.Stream<any, any, any> => {
  type Events = Event<any, Thought<any>>
  return Stream.callback<Events, PipelineError<any> | RunError, any>(
    Effect.fnUntraced(function* (queue) {
      const teller = tellerOf<Events, PipelineError<any> | RunError>(queue)
      let calls = 0
      const watcher: Watcher = {
        begin: ({ form, key, kind }) =>
          Effect.map(Run, ({ path }) => {
            const of = { call: ++calls, path }
            return watchedBy<Events>(teller, key === undefined ? undefined : form, {
              text: (delta) => ({ ...of, _tag: "Text", kind, delta }),
              // the step writes the note under this key, so the key is one of those that it adds
              partial: (partial) => ({ ...of, _tag: "Partial", key, partial }) as Events,
              discarded: { ...of, _tag: "Discarded" }
            })
          })
      }
      const how = durable === true ? {} : durable
      const running = how === false ? run(step, thought) : run(step, thought, { durable: how })
      const done = yield* Effect.provideService(running, Watching, watcher)
      yield* teller.tell({ _tag: "Done", thought: done })
      yield* Queue.end(queue)
    }),
    { bufferSize: 64, strategy: "suspend" }
  )
})
