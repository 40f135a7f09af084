/**
 * A durable pipeline as a workflow of `effect/workflow`, on one process or on many with `effect/cluster`.
 *
 * **Details**
 *
 * The ledger of cogito stays the record of what a run has done. The engine of workflows decides which process executes a run, wakes
 * it when its questions are answered or due, and moves it when a process dies.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import * as forms from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { CurrentScope, Memory, type MemoryError, withScope } from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import { durableForms } from "../pipeline/durable/options.ts"
import { ofRun } from "../pipeline/durable/resume.ts"
import { enlist } from "../pipeline/durable/start.ts"
import type { Fitting } from "../pipeline/run/starting.ts"
import type { Unwrapped } from "../pipeline/run/wrap.ts"
import type { Step } from "../Step.ts"
import type { Merge, Simplify } from "../thought/types.ts"
import type { Thought } from "../Thought.ts"
import { execute } from "./executing.ts"
import { causesOf, decode, type Final, WorkflowFailure } from "./failure.ts"
import { mostWaits, wake } from "./waking.ts"
import { watch } from "./watching.ts"

/**
 * Options of a workflow.
 *
 * - `name`: names the workflow for all processes. Default: the name of the step
 * - `errors`: a schema of errors of your own. Errors that fit it arrive as what they are, also in another process; any others
 *   become plain errors with the same name, message and fields
 * - `poll`: how often a runner looks for answers that were given without the cluster, such as with `npx cogito runs answer`.
 *   Default 5 seconds
 * - `scopes`: the scopes of the memory in which it looks. Default: the memory's own
 * - `lease`, `onInterrupted`, `keep`: as in a durable run
 *
 * @category models
 */
export interface Options extends Pick<Pipeline.DurableOptions, "keep" | "lease" | "onInterrupted"> {
  readonly name?: string
  readonly errors?: Schema.Codec<any, any>
  readonly poll?: Duration.Input
  readonly scopes?: ReadonlyArray<string>
}

/**
 * A pipeline whose durable runs are workflows. `In` and `Out` are the notes that it reads and adds, `E` its errors, and `R` what
 * its steps need.
 *
 * **Details**
 *
 * - `layer`: executes runs in this process
 * - `start`: stores a run and returns before it has begun. The same id again is the same run
 * - `execute`: starts a run and waits for its thought
 * - `answer`: answers a question, as `Pipeline.answer` does, and wakes the run at once
 * - `poll`: the thought of a run that is completed, none if it is in progress or waits
 *
 * `execute` and `poll` fail as the run has failed, with the same errors as `Pipeline.run`. They need the services of the steps,
 * as a step may have to give its notes their types.
 *
 * @category models
 */
export interface CogitoWorkflow<In, Out, E, R> {
  readonly name: string
  readonly layer: Layer.Layer<never, never, WorkflowEngine | Memory | R>
  readonly start: <N>(
    thought: Fitting<In, N>,
    options: { readonly id: string }
  ) => Effect.Effect<
    void,
    Pipeline.PipelineError<MemoryError> | Pipeline.PipelineChanged | Pipeline.ReplayMismatch,
    WorkflowEngine | Memory
  >
  readonly execute: <N>(
    thought: Fitting<In, N>,
    options: { readonly id: string }
  ) => Effect.Effect<
    Thought<Simplify<Merge<N, Out>>>,
    Pipeline.PipelineError<Unwrapped<E> | MemoryError> | Final,
    WorkflowEngine | Memory | R
  >
  readonly answer: (
    runId: string,
    key: string,
    value: unknown,
    options?: { readonly by?: string }
  ) => Effect.Effect<
    void,
    Pipeline.AlreadyAnswered | Pipeline.AnswerTooLate | MemoryError | Schema.SchemaError,
    WorkflowEngine | Memory
  >
  readonly poll: (
    runId: string
  ) => Effect.Effect<
    Option.Option<Thought<Out>>,
    Pipeline.PipelineError<Unwrapped<E> | MemoryError> | Final,
    WorkflowEngine | Memory | R
  >
}

/**
 * Makes a workflow of a pipeline.
 *
 * **Details**
 *
 * Provide its `layer` in the processes that execute runs, together with a `WorkflowEngine` and the memory. Any process with an
 * engine on the same storage can start, answer and poll. A run that another process has is tried again when its lease has ended. A
 * memory that does not answer is tried again for two and a half minutes.
 *
 * **Example** (Waiting for an answer)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Fiber, Layer, Schema } from "effect"
 * import { WorkflowEngine } from "effect/workflow"
 * import { Pipeline, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 * import { CogitoWorkflow } from "cogito/workflow"
 *
 * const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much may we refund?" })
 * const refund = CogitoWorkflow.make(amount)
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("refund an order")
 *   const running = yield* Effect.forkChild(refund.execute(start, { id: "refund-17" }))
 *   while ((yield* Pipeline.waiting()).length === 0) yield* Effect.sleep("10 millis")
 *
 *   yield* refund.answer("refund-17", "amount", 49.9, { by: "jane" })
 *   const done = yield* Fiber.join(running)
 *   assert.equal(done.get("amount"), 49.9)
 * })
 *
 * const services = Layer.merge(WorkflowEngine.layerMemory, Testing.memory)
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.provideMerge(refund.layer, services))))
 * ```
 *
 * @category constructors
 */
export const make = taking("CogitoWorkflow.make", {
  args: [kinds.step],
  options: 1,
  optional: true,
  known: {
    name: forms.maybe("Names the workflow.", forms.notEmpty),
    errors: forms.maybe("A schema of errors of your own.", forms.schema),
    poll: forms.maybe("How often a runner looks for answers.", forms.duration, "5 seconds"),
    scopes: forms.maybe("The scopes in which it looks.", forms.names),
    keep: durableForms.keep,
    lease: durableForms.lease,
    onInterrupted: durableForms.onInterrupted
  }
})(<In, Out, E, R>(step: Step<In, Out, E, R>, options: Options = {}): CogitoWorkflow<In, Out, E, R> => {
  const { errors, keep = "nothing", name = step.name, poll: every = "5 seconds", scopes, ...how } = options
  const causes = causesOf(errors)
  const workflow = Workflow.make(`cogito/${name}`, {
    payload: { runId: Schema.String, scope: Schema.optionalKey(Schema.String) },
    idempotencyKey: ({ runId, scope }) => JSON.stringify([scope, runId]),
    error: WorkflowFailure,
    suspendedRetrySchedule: Schedule.spaced("1 second")
  })
  type Payload = typeof workflow.payloadSchema.Type

  const payloadOf = (runId: string) =>
    Effect.map(CurrentScope, (scope): Payload => (scope === undefined ? { runId } : { runId, scope }))
  const executionId = (runId: string) => Effect.flatMap(payloadOf(runId), (payload) => workflow.executionId(payload))
  const send = (runId: string) =>
    Effect.flatMap(payloadOf(runId), (payload) => workflow.execute(payload, { discard: true }))

  const body = ({ runId, scope }: Payload) => {
    const own = execute(step, runId, how, causes)
    return scope === undefined ? own : withScope(scope)(own)
  }
  const resume = (execution: string) => workflow.resume(execution)
  const watched = { workflow, pipeline: step.name, executionId, start: send, resume }
  const watching = (scopes ?? [undefined]).map((scope) => {
    const own = watch(watched, every)
    return Layer.effectDiscard(Effect.forkScoped(scope === undefined ? own : withScope(scope)(own)))
  })
  const layer = Layer.mergeAll(workflow.toLayer(body), ...watching)

  const enlisted = (thought: Thought<any>, runId: string) =>
    Effect.catchTag(
      enlist(step, thought, { id: runId, keep, onInterrupted: how.onInterrupted }),
      "MemoryError",
      (error) => ofRun(step, thought, Effect.fail(error))
    )
  const failed = (failure: WorkflowFailure) => Effect.fail(decode(failure, causes))

  const needsId = { args: [kinds.thought], options: 1, known: { id: forms.notEmpty }, needs: ["id"] } as const
  const start = taking(
    `The workflow ${name}`,
    needsId
  )((thought: Thought<any>, { id }: { readonly id: string }) =>
    Effect.andThen(enlisted(thought, id), Effect.asVoid(send(id)))
  )
  const executed = taking(
    `The workflow ${name}`,
    needsId
  )((thought: Thought<any>, { id }: { readonly id: string }) =>
    Effect.gen(function* () {
      yield* enlisted(thought, id)
      yield* Effect.catch(workflow.execute(yield* payloadOf(id)), failed)
      return yield* read(Pipeline.run(step as Step<any, Out, E, R>, thought, { durable: { id } }))
    })
  )
  const answer = (runId: string, key: string, value: unknown, given: { readonly by?: string } = {}) =>
    Effect.gen(function* () {
      const { ledger } = yield* Memory
      const open = yield* ledger.waits({ runId, limit: mostWaits })
      const asked = open.find(({ frame }) => frame === key) ?? open.find((wait) => wait.key === key)
      yield* Pipeline.answer(runId, key, value, given)
      if (asked !== undefined) yield* wake(workflow, yield* executionId(runId), asked.frame)
    })
  const poll = (runId: string) =>
    Effect.gen(function* () {
      const { ledger } = yield* Memory
      const stored = yield* ofRun(step, undefined, ledger.load(runId))
      if (stored?.run.status === "completed") return Option.some(yield* read(Pipeline.resume(step, runId)))
      const result = yield* workflow.poll(yield* executionId(runId))
      if (Option.isSome(result) && result.value._tag === "Complete") {
        yield* Effect.catch(result.value.exit, failed)
      }
      return Option.none()
    })
  // the services of the step are those of its runs
  return { name, layer, start, execute: executed, answer, poll } as CogitoWorkflow<In, Out, E, R>
})

/** The thought of a run that is completed: nobody has it, and it waits for nothing. */
const read = <A, E, R>(
  completed: Effect.Effect<A, E | Pipeline.Suspended | Pipeline.RunBusy, R>
): Effect.Effect<A, E, R> =>
  Effect.catchTags(completed as Effect.Effect<A, any, R>, { Suspended: Effect.die, RunBusy: Effect.die })
