import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import { maybe, notEmpty, others } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory, MemoryError } from "../Memory.ts"
import type * as Pipeline from "../Pipeline.ts"
import type { RunError } from "../pipeline/durable/errors.ts"
import type { PipelineError } from "../pipeline/run/PipelineError.ts"
import type { Unwrapped } from "../pipeline/run/wrap.ts"
import { tellerOf } from "../synapse/teller.ts"
import type { Thought } from "../thought/model.ts"
import type { Merge, Simplify, Writes } from "../thought/types.ts"
import { type AnyEvent, type Event, Listening } from "./model/events.ts"
import type { Agent } from "./make.ts"
import { type Begun, type WithMessage, say } from "./say.ts"

/** The events of a run, and its thought at the end. The caller knows the types of the tools, the answer and the thought. */
export const heard = <Ev extends AnyEvent, E, R>(
  key: string,
  running: Effect.Effect<Thought<any>, E, R>
): Stream.Stream<Ev, E, R> =>
  Stream.callback<AnyEvent, E, R>(
    Effect.fnUntraced(function* (queue) {
      const teller = tellerOf<AnyEvent, E>(queue)
      const thought = yield* Effect.provideService(running, Listening, teller)
      yield* teller.tell({ _tag: "Done", thought, answer: thought.get(key) })
      yield* Queue.end(queue)
    }),
    { bufferSize: 64, strategy: "suspend" }
  ) as Stream.Stream<Ev, E, R>

/**
 * Says something to an agent like `Agent.say`, and emits what happens as it happens.
 *
 * **Details**
 *
 * The events are typed by the tools of the agent: `name` tells `params` and `result` apart. The last event is `Done`, with the thought
 * and the answer. The stream fails as `Agent.say` does, such as with `Suspended` if somebody must approve a call; `Agent.resume`
 * emits how it goes on.
 *
 * If the reader stops, the run is interrupted, and can be resumed. A slow reader slows the run down.
 *
 * **Example** (Text and calls as they come)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema, Stream } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 * import { Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const weather = Tool.make("weather", {
 *   parameters: Schema.Struct({ city: Schema.String }),
 *   success: Schema.Struct({ celsius: Schema.Finite })
 * }).annotate(Tool.Readonly, true)
 * const toolkit = Toolkit.make(weather)
 * const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit, triage: false })
 *
 * const model = Testing.scripted([Testing.calls([{ name: "weather", params: { city: "Porto" } }]), "It has 24 degrees."])
 * const tools = toolkit.toLayer({ weather: () => Effect.succeed({ celsius: 24 }) })
 *
 * const lines: Array<string> = []
 * const program = Effect.gen(function*() {
 *   const events = Agent.stream(guide, yield* Thought.make("trip"), "Is Porto warm?")
 *   yield* Stream.runForEach(events, (event) =>
 *     Effect.sync(() => {
 *       if (event._tag === "Called") lines.push(`${event.name} of ${event.params.city}`)
 *       if (event._tag === "Returned") lines.push(`${event.result.celsius} degrees`)
 *       if (event._tag === "Done") lines.push(event.answer)
 *     }))
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, tools, Testing.memory))))
 * assert.deepEqual(lines, ["weather of Porto", "24 degrees", "It has 24 degrees."])
 * ```
 *
 * @category running
 */
export const stream = taking("Agent.stream", {
  args: [kinds.step, kinds.thought, kinds.text],
  options: 3,
  optional: true,
  known: { ...others("durable"), user: maybe("Who says it.", notEmpty) }
})(
  <K extends string, A, In, E, R, Tools extends Record<string, Tool.Any>, N>(
    agent: Agent<K, A, In, E, R, Tools>,
    thought: Begun<In, N>,
    text: string,
    options: { readonly durable?: boolean | Pipeline.DurableOptions; readonly user?: string } = {}
  ): Stream.Stream<
    Event<Tools, A, Thought<Simplify<Merge<WithMessage<N>, Writes<K, A>>>>>,
    PipelineError<Unwrapped<E> | MemoryError> | RunError,
    R | Memory
  > => heard(agent.key, say(agent, thought, text, options))
)
