/** Runs the body of a step: in a frame of its own, with a span, and with signals. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { IdSource } from "../thought/ids.ts"
import type { Thought } from "../thought/model.ts"
import { stateOf, unpublished } from "../thought/state.ts"
import { CommitFailed, isWaiting, located, tagOf } from "./failure.ts"
import type { Described, Ended, Entered, Frame, Journal } from "./journal.ts"
import { changed, emit, isHeard, isTraced, Run, traced, type Waiting, withWaiting } from "./run.ts"

/** Whether the note of the step that is entered next is read as soon as it returns, so that it cannot be missing. */
export const IsRead = Context.Reference<boolean>("cogito/IsRead", { defaultValue: () => false })

/** Runs the body of a step one level down: with its path, a span and signals, and with the location on its failures. */
export const within = <E, R>(
  node: Described,
  thought: Thought<any>,
  body: Effect.Effect<Thought<any>, E, R>
): Effect.Effect<Thought<any>, E, R> =>
  Effect.withFiber((fiber) => {
    const { kind, name } = node
    const run = fiber.getRef(Run)
    if (run.id !== undefined) run.thoughts.add(thought.id)
    const path = [...run.path, name]
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.currentTimeMillisUnsafe()
    const elapsed = () => clock.currentTimeMillisUnsafe() - start
    const waiting: Waiting | undefined = run.speculative ? new Map() : undefined
    const own = changed(run, {
      path,
      given: thought,
      waiting: waiting === undefined ? run.waiting : [waiting, ...run.waiting]
    })
    const whole = waiting === undefined ? body : keeping(run, waiting, thought, body)
    const outer = run.frame
    const { journal } = run
    const framed =
      journal === undefined || outer === undefined
        ? undefined
        : journaled(
            journal,
            outer,
            own,
            {
              kind,
              given: thought,
              startedMillis: start,
              step: { node, path: run.path, isRead: fiber.getRef(IsRead) }
            },
            name,
            whole
          )
    const inside = framed?.body ?? whole
    const inner = isHeard(fiber, ...ofSteps) ? announced(kind, thought, inside, elapsed) : inside
    const failing = Effect.catchCause(inner, (cause) => {
      const failed = Effect.failCause(located(cause, path, elapsed()))
      if (!isTraced(fiber)) return failed
      return Effect.withFiber(({ cache: { span } }) => {
        if (span?._tag === "Span") span.attribute("error.type", describe(cause))
        return failed
      })
    })
    const placed = Effect.provideService(failing, Run, framed?.run ?? own)
    return traced(fiber, placed, `cogito.${kind}`, () => ({
      "cogito.step": path.join("/"),
      "cogito.thought": thought.id,
      ...(run.id !== undefined && { "cogito.run": run.id.text(start) })
    }))
  })

/** A step that may still be discarded: its thought gets what runs on forks within it have left, however it ends. */
const keeping = <E, R>(
  { commit }: Run,
  waiting: Waiting,
  given: Thought<any>,
  body: Effect.Effect<Thought<any>, E, R>
): Effect.Effect<Thought<any>, E, R> => {
  const kept = (after: Thought<any>) =>
    waiting.size === 0 ? Effect.succeed(after) : commit(withWaiting(after, waiting), false)
  return Effect.flatMap(
    Effect.onError(body, () => kept(given)),
    kept
  )
}

/** A step of a durable run in a frame of its own: it is passed over if an earlier execution has completed it. */
const journaled = <E, R>(
  journal: Journal,
  outer: Frame,
  run: Run,
  about: Entered,
  name: string,
  body: Effect.Effect<Thought<any>, E, R>
): { readonly run: Run; readonly body: Effect.Effect<Thought<any>, E, R> } => {
  const frame = journal.enter(outer, name, about)
  const inner = changed(run, { frame, free: false })
  const end = (outcome: Ended["outcome"], after?: Thought<any>, error?: string) =>
    Effect.map(Clock.currentTimeMillis, (endedMillis) => {
      // what may still be discarded is no result
      const thought = run.speculative ? undefined : after
      journal.ended(frame, outer, { outcome, error, endedMillis, thought })
    })
  const entered = Effect.provideService(body, IdSource, () => journal.nextId(frame)).pipe(
    Effect.provideService(IsRead, false),
    Effect.tap((after) => end("completed", after)),
    Effect.onError((cause) =>
      Cause.hasInterrupts(cause)
        ? end(isWaiting(cause) ? "waiting" : "interrupted")
        : end("failed", undefined, describe(cause))
    )
  )
  const taken = Effect.flatMap(journal.done(frame, about.given), (done) => {
    if (done === undefined) return entered
    run.progress.thought = done
    return Effect.succeed(done)
  })
  return { run: inner, body: run.speculative ? entered : taken }
}

const ofSteps = ["StepStarted", "StepCompleted", "StepFailed"] as const

/** Tells listeners how a step begins and ends: once each, also if it is interrupted while they are told. */
const announced = <E, R>(
  kind: string,
  thought: Thought<any>,
  body: Effect.Effect<Thought<any>, E, R>,
  elapsed: () => number
): Effect.Effect<Thought<any>, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* emit(thought, "StepStarted", () => ({ kind, unpublished: unpublished(stateOf(thought)).length }))
      const exit = yield* Effect.exit(restore(body))
      if (Exit.isFailure(exit)) {
        const error = describe(exit.cause)
        yield* emit(thought, "StepFailed", () => ({ kind, durationMillis: elapsed(), error }))
        return yield* exit
      }
      const after = exit.value
      const { journal } = yield* Run
      yield* emit(after, "StepCompleted", () => ({
        kind,
        durationMillis: elapsed(),
        notes: after.length,
        ...(journal?.isReplayed(after) === true && { replayed: true as const })
      }))
      return after
    })
  )

/** The tag of an error, or how the step ended without one. */
export const describe = (cause: Cause.Cause<unknown>): string => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return tagOf(failure.error)
  const refused = cause.reasons.find((reason) => Cause.isDieReason(reason) && reason.defect instanceof CommitFailed)
  if (refused !== undefined) return "MemoryError"
  if (isWaiting(cause)) return "Waiting"
  return Cause.hasInterrupts(cause) ? "Interrupted" : "Defect"
}
