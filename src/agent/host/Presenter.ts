/** Consumers of events that run beside an agent, each with a buffer of its own. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { quoted } from "../../text/legible.ts"

/**
 * Where an event happened: in which running agent, and on which thought, which is the session.
 *
 * @category models
 */
export interface Place {
  readonly agentId: string
  readonly thoughtId: string
}

/**
 * A named consumer of the events of a running agent, such as a log, a screen or a metric.
 *
 * **Details**
 *
 * It gets every event in order, one at a time. A failure or a defect is logged, and the next event follows. Events wait in a buffer
 * of `buffer` events (default 1,024). If that is full, the oldest one is dropped, which is logged once. So neither a slow nor a
 * broken presenter holds up the run or another presenter.
 *
 * @category models
 */
export interface Presenter<Ev> {
  readonly name: string
  readonly present: (event: Ev, place: Place) => Effect.Effect<unknown, unknown>
  readonly buffer?: number
}

/** How long presenters may take for what is in their buffers once their agent is destroyed. */
const grace = "1 second"

/** Starts presenters until the scope closes. Returns what passes an event to them, which never waits. */
export const presenting = <Ev>(
  presenters: ReadonlyArray<Presenter<Ev>>,
  scope: Scope.Scope
): Effect.Effect<(event: Ev, place: Place) => void> =>
  Effect.map(
    Effect.forEach(presenters, (presenter) => started(presenter, scope)),
    (passes) => (event, place) => {
      for (const pass of passes) pass(event, place)
    }
  )

const started = Effect.fnUntraced(function* <Ev>({ buffer = 1024, name, present }: Presenter<Ev>, scope: Scope.Scope) {
  const queue = yield* Queue.sliding<readonly [Ev, Place], Cause.Done>(buffer)
  const each = Effect.flatMap(Queue.take(queue), ([event, place]) =>
    // it may throw as well
    Effect.suspend(() => present(event, place)).pipe(
      Effect.catchCause((cause) => Effect.logWarning(`The presenter ${quoted(name)} has failed for an event.`, cause))
    )
  )
  const fiber = yield* Effect.forkDetach(Effect.ignore(Effect.forever(each)))
  yield* Scope.addFinalizer(
    scope,
    Effect.gen(function* () {
      yield* Queue.end(queue)
      yield* Effect.timeoutOption(Fiber.await(fiber), grace)
      yield* Fiber.interrupt(fiber)
    })
  )
  const warn = yield* warning(name)
  return (event: Ev, place: Place): void => {
    if (Queue.sizeUnsafe(queue) >= buffer) warn()
    Queue.offerUnsafe(queue, [event, place])
  }
})

/** Logs once that events are dropped. */
const warning = Effect.fnUntraced(function* (name: string) {
  const run = Effect.runForkWith(yield* Effect.context())
  let hasWarned = false
  return (): void => {
    if (hasWarned) return
    hasWarned = true
    run(Effect.logWarning(`The presenter ${quoted(name)} is too slow: the oldest events are dropped.`))
  }
})
