import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { taking } from "../arguments/taking.ts"
import type { PipelineError } from "./run/PipelineError.ts"

/**
 * Keeps effects running in the background after the run that started them has ended.
 *
 * @category services
 */
export class Supervisor extends Context.Service<
  Supervisor,
  {
    /**
     * Runs an effect in the background. Interrupting the caller does not stop it. It is interrupted only in regions
     * marked with `Effect.interruptible`.
     */
    readonly start: <R>(background: Effect.Effect<unknown, PipelineError<unknown>, R>) => Effect.Effect<void, never, R>
  }
>()("cogito/Pipeline/Supervisor") {}

/**
 * A layer that supervises the background steps of `Pipeline.scaffold`.
 *
 * **Details**
 *
 * When the layer is released, it waits up to `grace` (default 30 seconds) for running steps, and then interrupts them.
 * To release it before the services that they need, provide these to it:
 * `Pipeline.supervisor().pipe(Layer.provideMerge(services))`.
 *
 * A failure goes to `onFailure`; by default it is logged as a warning. A defect is always logged as a warning. Neither
 * reaches the pipeline that started the step.
 *
 * **Example** (Failures counted)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const failed: Array<string> = []
 * const supervisor = Pipeline.supervisor({
 *   grace: "5 seconds",
 *   onFailure: (error) => Effect.sync(() => failed.push(error.path.join("/")))
 * })
 * const later = Pipeline.scaffold("later", { step: Step.make("audit", { run: Effect.fail("no paper") }) })
 *
 * const program = Effect.flatMap(Thought.make("print"), (thought) => Pipeline.run(later, thought))
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.provideMerge(supervisor, Testing.memory))))
 *
 * assert.deepEqual(failed, ["audit"])
 * ```
 *
 * @category layers
 */
export const supervisor = taking("Pipeline.supervisor", { options: 0, optional: true, known: ["grace", "onFailure"] })(<
  R = never
>(
  options: {
    readonly grace?: Duration.Input
    readonly onFailure?: (error: PipelineError<unknown>) => Effect.Effect<unknown, never, R>
  } = {}
): Layer.Layer<Supervisor, never, R> => {
  const grace = Duration.fromInputUnsafe(options.grace ?? "30 seconds")
  const onFailure = options.onFailure ?? warn
  return Layer.effect(
    Supervisor,
    Effect.gen(function* () {
      const context = yield* Effect.context<R>()
      const running = yield* FiberSet.make()
      // finalizers run in reverse order: this one before that of the set, which interrupts the rest
      yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(running), grace))
      return {
        start: (background) =>
          background.pipe(
            Effect.catch((error) => Effect.interruptible(Effect.provideContext(onFailure(error), context))),
            Effect.catchCause((cause) =>
              Cause.hasDies(cause) ? Effect.logWarning("A step in the background has a defect.", cause) : Effect.void
            ),
            // so that it can report an interruption before it has begun
            Effect.forkDetach({ uninterruptible: true }),
            Effect.flatMap((fiber) => FiberSet.add(running, fiber)),
            Effect.uninterruptible
          )
      }
    })
  )
})

/** The message contains names and the text of the cause, but no notes. */
const warn = (error: PipelineError<unknown>): Effect.Effect<void> =>
  Effect.logWarning(`A step in the background failed: ${error.message}`)
