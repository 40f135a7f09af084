import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { time } from "../arguments/checked.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../memory/Memory.ts"
import type * as Step from "../step/runtime/model.ts"
import { checkLease, type DurableOptions } from "./durable/options.ts"
import { resumable } from "./durable/resumable.ts"
import { unattended } from "./durable/unattended.ts"
import type { PipelineError } from "./run/PipelineError.ts"

/**
 * Keeps effects running in the background after the run that started them has ended.
 *
 * **Example** (Work that outlives its caller)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline } from "cogito"
 *
 * let done = false
 * const program = Pipeline.Supervisor.use(({ start }) => start(Effect.sync(() => void (done = true))))
 *
 * // the layer waits for what was started
 * await Effect.runPromise(program.pipe(Effect.provide(Pipeline.supervisor())))
 * assert.equal(done, true)
 * ```
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
 * With `resume` it also goes on with durable runs of these steps, as `Pipeline.resumeAll` does: those whose process has ended, that
 * were interrupted, or whose questions are answered or due. It looks for them `every` 10 seconds, and runs at most
 * `concurrency` (default 4) of them at a time.
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
export const supervisor = taking("Pipeline.supervisor", {
  options: 0,
  optional: true,
  known: ["grace", "onFailure", "resume"]
})(<R = never, S extends Step.Any = never>(
  options: {
    readonly grace?: Duration.Input
    readonly onFailure?: (error: PipelineError<unknown>) => Effect.Effect<unknown, never, R>
    /** The steps whose durable runs are resumed, and how. */
    readonly resume?: Pick<DurableOptions, "lease" | "onInterrupted"> & {
      readonly steps: ReadonlyArray<S>
      /** How long it waits before it looks again. Default 10 seconds. */
      readonly every?: Duration.Input
      /** Most runs at a time. Default 4. */
      readonly concurrency?: number
    }
  } = {}
): Layer.Layer<Supervisor, never, Needed<R, S>> => {
  const grace = time("Pipeline.supervisor", "grace", options.grace ?? "30 seconds", { endless: true, orZero: true })
  const onFailure = options.onFailure ?? warn
  if (options.resume !== undefined) checkLease(options.resume)
  if (options.resume?.every !== undefined) time("Pipeline.supervisor", "resume.every", options.resume.every)
  const made = Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const running = yield* FiberSet.make()
    // finalizers run in reverse order: this one before that of the set, which interrupts the rest
    yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(running), grace))
    const service: Supervisor["Service"] = {
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
    const { resume } = options
    if (resume !== undefined)
      yield* Effect.forkScoped(Effect.provideService(resuming(resume, service), Supervisor, service))
    return service
  })
  // without `resume` there is nothing that it needs
  return Layer.effect(Supervisor, made) as Layer.Layer<Supervisor, never, Needed<R, S>>
})

/** What a supervisor needs: the memory only if it resumes runs. */
type Needed<R, S> = R | ([S] extends [never] ? never : Memory) | Exclude<Step.Req<S>, Supervisor>

/** The steps whose durable runs are resumed, and how. */
type Resuming<S extends Step.Any> = NonNullable<NonNullable<Parameters<typeof supervisor<never, S>>[0]>["resume"]>

/** Looks for runs that can go on, and starts them, for ever. */
const resuming = <S extends Step.Any>(
  { concurrency = 4, every = "10 seconds", steps, ...how }: Resuming<S>,
  { start }: Supervisor["Service"]
): Effect.Effect<never, never, Step.Req<S> | Memory> =>
  Effect.gen(function* () {
    const places = yield* Semaphore.make(concurrency)
    const busy = new Set<string>()
    /** What was reported of runs that cannot go on, since they are tried again and again. */
    const reported = new Map<string, string>()
    const isNews = (runId: string, { message }: Error): boolean => {
      const isNew = reported.get(runId) !== message
      reported.set(runId, message)
      return isNew
    }
    /** A run that is not found any more has ended, or waits: what fails later is news. */
    const forget = (found: ReadonlyArray<{ readonly runId: string }>): void => {
      const open = new Set(found.map(({ runId }) => runId))
      for (const runId of reported.keys()) if (!open.has(runId) && !busy.has(runId)) reported.delete(runId)
    }
    for (;;) {
      const found = yield* resumable(steps, how).pipe(
        Effect.tap((runs) => Effect.sync(() => forget(runs))),
        Effect.catch((error) => Effect.as(Effect.logWarning(`Durable runs cannot be looked for: ${error.message}`), []))
      )
      for (const { resumed, runId, step } of found) {
        if (step === undefined || busy.has(runId)) continue
        busy.add(runId)
        const run = Effect.ensuring(
          Effect.interruptible(
            Effect.catchIf(
              places.withPermit(unattended(step, resumed)),
              (error) => !isNews(runId, error),
              () => Effect.void
            )
          ),
          Effect.sync(() => busy.delete(runId))
        )
        yield* start(run)
      }
      yield* Effect.sleep(every)
    }
  })

/** The message contains names and the text of the cause, but no notes. */
const warn = (error: PipelineError<unknown>): Effect.Effect<void> =>
  Effect.logWarning(`A step in the background failed: ${error.message}`)
