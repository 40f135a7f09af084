import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import type { Journal } from "../run/journal.ts"
import { afterCommit, commit, emit, Run } from "../run/run.ts"
import { makeStep, makeTransparent } from "../step/runtime/make.ts"
import { tagOf } from "../run/failure.ts"
import type { Memory } from "../memory/Memory.ts"
import { AutomaticCompaction, DefaultIntrospection } from "../primitive/reasoning/options.ts"
import * as Step from "../step/runtime/model.ts"
import { fork } from "../thought/fork.ts"
import type { Thought } from "../thought/model.ts"
import { keepBackground } from "./durable/background.ts"
import { goOn } from "./durable/resume.ts"
import { shapeOf } from "./durable/shape.ts"
import type { PipelineError } from "./run/PipelineError.ts"
import { unattended } from "./durable/unattended.ts"
import { run } from "./run.ts"
import { Supervisor } from "./Supervisor.ts"

/**
 * Runs a step in the background, on a fork of the thought, and passes the thought on at once.
 *
 * **Details**
 *
 * The background starts when the thought is stored; inside connectors that may discard it (retry, race, concurrent, …),
 * when the outermost one has kept it. For a losing or failed branch it never starts. The fork is a child of the stored
 * thought (see `Memory.children`). The notes that the step reads must still be there under their keys.
 *
 * The background belongs to the `Supervisor`: interrupting the caller does not stop it, and its failures are reported
 * there. After the supervisor is released, nothing starts. Services are those of the caller, so do not provide a layer
 * directly around it (`Step.provide` refuses that): it would be released too early.
 *
 * **Example** (An audit that nobody waits for)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Memory, Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
 * const audit = Pipeline.scaffold("audit", { step: size })
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("greet", { message: "Hello" })
 *   // the supervisor is released here, and waits for what still runs
 *   const done = yield* Pipeline.run(audit, thought).pipe(Effect.provide(Pipeline.supervisor()))
 *   assert.equal(done.length, 1)
 *   const [child] = yield* Memory.children(done.id)
 *   assert.equal(yield* Thought.read(yield* Memory.load(child!.id), size), 5)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const scaffold = taking("Pipeline.scaffold", {
  options: 1,
  known: { step: forms.option("The step.", forms.step) }
})(<S extends Step.Any>(
  name: string,
  options: { readonly step: S }
): Step.Step<Step.In<S>, {}, never, Step.Req<S> | Memory | Supervisor> => {
  const step: Step.Step<any, any, unknown, Step.Req<S>> = options.step
  const { reads } = step.node
  const own = { name, kind: "scaffold", reads, writes: [], surely: [] }
  const node = { ...own, children: [step.node], afterCommit: "reads", layout: "calls" } as const
  keepBackground(node, step)
  return makeStep(node, (thought) =>
    Effect.gen(function* () {
      const { frame, journal } = yield* Run
      if (journal === undefined || frame === undefined) {
        return yield* commit(yield* afterCommit(thought, (stored) => dispatch(step, stored), { interruptible: false }))
      }
      const later = journal.background(frame, yield* shapeOf(step))
      const started = (stored: Thought<any>) => dispatchRun(step, stored, later.runId, journal.settings)
      return yield* commit(yield* afterCommit(thought, started, { interruptible: false, later }))
    })
  )
})

/** Begins a durable run of its own, which is in the ledger already. */
const dispatchRun = <E, R>(
  step: Step.Step<any, any, E, R>,
  stored: Thought<any>,
  runId: string,
  { lease, onInterrupted }: Journal["settings"]
): Effect.Effect<void, never, R | Memory | Supervisor> =>
  Effect.flatMap(asHere(step), (own) => {
    const options = { lease: lease.millis, ...(onInterrupted === undefined ? {} : { onInterrupted }) }
    return begin(stored, runId, unattended(own, goOn(own, runId, options, { given: stored, unlessFailed: true })))
  })

const dispatch = <E, R>(
  step: Step.Step<any, any, E, R>,
  stored: Thought<any>
): Effect.Effect<void, never, R | Memory | Supervisor> =>
  Effect.flatMap(Effect.all([fork(stored), asHere(step)]), ([child, own]) => begin(stored, child.id, run(own, child)))

/** The step with the settings of the pipeline around it, which it is a part of: a run starts without any. */
const asHere = <I, O, E, R>(step: Step.Step<I, O, E, R>): Effect.Effect<Step.Step<I, O, E, R>> =>
  Effect.map(Effect.all([DefaultIntrospection, AutomaticCompaction]), ([introspection, compaction]) =>
    makeTransparent<I, O, E, R>(step.node, (thought) =>
      (step[Step.TypeId].run(thought) as Effect.Effect<Thought<any>, E, R>).pipe(
        Effect.provideService(DefaultIntrospection, introspection),
        Effect.provideService(AutomaticCompaction, compaction)
      )
    )
  )

/** Begins a run in the background, and tells listeners how it begins and ends. */
const begin = <E, R>(
  stored: Thought<any>,
  backgroundId: string,
  running: Effect.Effect<unknown, PipelineError<E>, R>
): Effect.Effect<void, never, R | Supervisor> =>
  Effect.gen(function* () {
    const supervisor = yield* needed(Supervisor)
    yield* emit(stored, { _tag: "Dispatched", backgroundId })
    yield* Effect.interruptible(running).pipe(
      Effect.onExit((exit) => emit(stored, { _tag: "BackgroundEnded", backgroundId, error: errorOf(exit) })),
      supervisor.start
    )
  }).pipe(Effect.uninterruptible)

/** The tag of the error that the step failed with, `"Defect"` or `"Interrupted"`. Undefined if it succeeded. */
const errorOf = (exit: Exit.Exit<unknown, { readonly cause: unknown }>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const { cause } = exit
  if (Cause.hasDies(cause)) return "Defect"
  const failure = cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? "Interrupted" : tagOf(failure.error.cause)
}
