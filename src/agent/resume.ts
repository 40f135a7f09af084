import type * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import { others } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory, MemoryError } from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import type { RunError } from "../pipeline/durable/errors.ts"
import type { PipelineError } from "../pipeline/run/PipelineError.ts"
import type { Unwrapped } from "../pipeline/run/wrap.ts"
import type { Thought } from "../thought/model.ts"
import type { Writes } from "../thought/types.ts"
import type { Event } from "./model/events.ts"
import type { Agent } from "./make.ts"
import { heard } from "./stream.ts"

/**
 * Goes on with a run of an agent like `Pipeline.resume`, and emits what happens.
 *
 * **Details**
 *
 * The events of the whole run are emitted, so that a reader who has just come sees all of it: what was done before comes from the
 * ledger, at once and with each text in one piece, without its reasoning. Nothing of it is asked or carried out again.
 *
 * See `Agent.approve` for an example.
 *
 * @category running
 */
export const resume = taking("Agent.resume", {
  args: [kinds.step, kinds.text],
  options: 2,
  optional: true,
  known: { ...others("lease", "onInterrupted") }
})(
  <K extends string, A, In, E, R, Tools extends Record<string, Tool.Any>>(
    agent: Agent<K, A, In, E, R, Tools>,
    runId: string,
    options: Pick<Pipeline.DurableOptions, "lease" | "onInterrupted"> = {}
  ): Stream.Stream<
    Event<Tools, A, Thought<Writes<K, A>>>,
    PipelineError<Unwrapped<E> | MemoryError> | RunError,
    R | Memory
  > => heard(agent.key, Pipeline.resume(agent, runId, options))
)
