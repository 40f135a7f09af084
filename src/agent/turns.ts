/** Turns of a running agent: each runs in a fiber of the agent, and its events go to all who listen. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Memory } from "../Memory.ts"
import * as ids from "../thought/ids.ts"
import type { Thought } from "../thought/model.ts"
import * as Thoughts from "../thought/Thought.ts"
import { ending } from "./ending.ts"
import { AgentDestroyed } from "./host/errors.ts"
import type { Place } from "./host/Presenter.ts"
import type { Agent } from "./make.ts"
import type { AnyEvent } from "./model/events.ts"
import { resume } from "./resume.ts"
import { stream } from "./stream.ts"

/** What the turns of a running agent need. The types of the agent are known where it is created. */
export interface Turns {
  readonly id: string
  readonly agent: Agent<any, any, any, any, any, any>
  readonly memory: Memory["Service"]
  /** The fibers of the turns in progress. */
  readonly runs: FiberSet.FiberSet<void>
  readonly services: Context.Context<any>
  readonly isOpen: () => boolean
  /** Passes an event on. Never waits for a presenter. */
  readonly emit: (event: AnyEvent, place: Place) => void
}

/** A run that a turn consists of. */
interface Turn {
  readonly runId: string
  readonly thoughtId: string
  readonly events: Stream.Stream<AnyEvent, any, any>
}

export const receiving =
  (turns: Turns) =>
  (text: string, thoughtId?: string, options: { readonly user?: string } = {}): Stream.Stream<AnyEvent, any> =>
    turn(
      turns,
      Effect.gen(function* () {
        const { agent, memory } = turns
        const thought: Thought<any> = yield* thoughtId === undefined
          ? Thoughts.make(agent.name)
          : memory.load(thoughtId)
        const { id: runId } = yield* ids.next
        const events = stream(agent, thought, text, { ...options, durable: { id: runId } })
        return { runId, thoughtId: thought.id, events }
      })
    )

export const resuming =
  (turns: Turns) =>
  (runId: string): Stream.Stream<AnyEvent, any> =>
    turn(
      turns,
      Effect.gen(function* () {
        const { agent, memory } = turns
        const stored = yield* memory.ledger.load(runId)
        const { thoughtId } = stored?.run.end ?? stored?.run.start ?? { thoughtId: "" }
        return { runId, thoughtId, events: resume(agent, runId) }
      })
    )

const turn = (turns: Turns, begin: Effect.Effect<Turn, any, any>): Stream.Stream<AnyEvent, any> =>
  Stream.callback<AnyEvent, any>(
    Effect.fnUntraced(function* (queue) {
      const { id, isOpen, runs, services } = turns
      if (!isOpen()) return yield* new AgentDestroyed({ id })
      const running = Effect.provideContext(inTurn(turns, begin, queue), services)
      const fiber = yield* FiberSet.run(
        runs,
        Effect.onExit(running, (exit) => {
          if (exit._tag === "Success") return Queue.end(queue)
          return !isOpen() && Cause.hasInterrupts(exit.cause)
            ? Queue.fail(queue, new AgentDestroyed({ id }))
            : Queue.failCause(queue, exit.cause)
        })
      )
      yield* Effect.addFinalizer(() => Fiber.interrupt(fiber))
      return yield* Effect.never
    }),
    { bufferSize: 64, strategy: "suspend" }
  )

const inTurn = Effect.fnUntraced(function* (
  { emit, id: agentId, memory }: Turns,
  begin: Effect.Effect<Turn, any, any>,
  queue: Queue.Queue<AnyEvent, any>
): Effect.fn.Return<void, any, any> {
  const { events, runId, thoughtId } = yield* begin
  const place: Place = { agentId, thoughtId }
  let written = ""
  yield* Stream.runForEach(events, (event) => {
    if (event._tag === "Text") written += event.delta
    // the conversation has the text of a round that has ended
    if (event._tag === "Round" || event._tag === "Discarded") written = ""
    emit(event, place)
    return Queue.offer(queue, event)
  }).pipe(
    Effect.onInterrupt(() =>
      Effect.catchCause(cancelled(memory, runId, written), (cause) =>
        Effect.logWarning(`What was written of the cancelled run ${runId} is not in its session.`, cause)
      )
    )
  )
})

/** Gives up a run that was interrupted. One that waits, has ended or has not begun stays as it is. */
const cancelled = Effect.fnUntraced(function* (memory: Memory["Service"], runId: string, written: string) {
  const stored = yield* memory.ledger.load(runId)
  if (stored?.run.status === "interrupted") yield* ending(memory, runId, written)
})
