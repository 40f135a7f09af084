/** The signals of a program as a stream. */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { whole } from "../arguments/checked.ts"
import { quoted } from "../text/legible.ts"
import { checkTag, Listeners, withReader } from "./listeners.ts"
import type { Of, Signal, Tag } from "./Signal.ts"

const owner = "Signal.stream"
const strategies = { dropOldest: "sliding", dropNewest: "dropping", wait: "suspend" } as const

/**
 * Runs a program and returns its signals as a stream, which ends when the program ends.
 *
 * **Details**
 *
 * The program starts when the stream is read. If it fails, so does the stream, after the last signal. If the stream is
 * closed early, the program is interrupted. Signals of work in the background that comes after the program's end are not in
 * the stream.
 *
 * At most `capacity` signals wait for the reader. With `"wait"` the program continues at the pace of the reader. Otherwise a
 * signal `SignalsDropped` has the number of signals that are missing at its place. Throws if `capacity` is not a whole number
 * from 1.
 *
 * **Example** (The steps in the order of their ends)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema, Stream } from "effect"
 * import { Pipeline, Signal, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
 * const both = Pipeline.sequence("both", [one, Step.make("two", { schema: Schema.Finite, run: () => 2 })])
 *
 * const program = Effect.flatMap(Thought.make("count"), (thought) => Pipeline.run(both, thought))
 * const ends = Signal.stream(program, { tags: ["StepCompleted"], capacity: 16, whenFull: "dropOldest" }).pipe(
 *   Stream.filter((signal) => signal._tag === "StepCompleted"),
 *   Stream.map(({ path }) => path.join("/"))
 * )
 *
 * const paths = await Effect.runPromise(Stream.runCollect(ends).pipe(Effect.provide(Testing.memory)))
 * assert.deepEqual(paths, ["both/one", "both/two", "both"])
 * ```
 *
 * @category listening
 */
export const stream: <A, E, R, const T extends Tag = Tag>(
  program: Effect.Effect<A, E, R>,
  options?: {
    /** The tags of the signals. Default: all. */
    readonly tags?: ReadonlyArray<T>
    /** How many signals wait for the reader. Default: 256. */
    readonly capacity?: number
    /**
     * What happens to the next signal if as many wait: the oldest one is dropped, it is dropped itself, or the step waits for
     * the reader. Default: `"wait"`.
     */
    readonly whenFull?: "dropOldest" | "dropNewest" | "wait"
  }
) => Stream.Stream<Of<T> | Of<"SignalsDropped">, E, R> = taking(owner, {
  args: [kinds.effect],
  options: 1,
  optional: true,
  known: ["capacity", "tags", "whenFull"]
})(<A, E, R>(
  program: Effect.Effect<A, E, R>,
  { capacity = 256, tags, whenFull = "wait" }: NonNullable<Parameters<typeof stream>[1]> = {}
): Stream.Stream<any, E, R> => {
  whole(owner, "capacity", 1, capacity)
  if (tags !== undefined) {
    if (!kinds.tags.is(tags) || typeof tags === "string") throw new Error(`${owner} needs an array of tags as tags.`)
    for (const tag of tags) checkTag(owner, tag)
  }
  if (!Object.hasOwn(strategies, whenFull)) {
    throw new Error(`${owner} needs "dropOldest", "dropNewest" or "wait" as whenFull, but got ${quoted(whenFull)}.`)
  }
  return Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.make<Signal, E | Cause.Done>({ capacity, strategy: strategies[whenFull] })
      const clock = yield* Clock.Clock
      let dropped = 0
      let open = true
      const receive = (signal: Signal): void => {
        if (!open) return
        if (whenFull === "dropOldest" && Queue.isFullUnsafe(queue)) dropped++
        if (!Queue.offerUnsafe(queue, signal)) dropped++
      }
      const reader = whenFull === "wait" ? { receive, wait: (one: Signal) => Queue.offer(queue, one) } : { receive }
      const listening = withReader(yield* Listeners, tags, reader)
      yield* Effect.provideService(program, Listeners, listening).pipe(
        Effect.onExit((exit) => {
          open = false
          return Exit.isSuccess(exit) ? Queue.end(queue) : Queue.failCause(queue, exit.cause)
        }),
        Effect.forkScoped
      )
      // before the program is interrupted, which may wait for room
      yield* Effect.addFinalizer(() => Queue.shutdown(queue))
      return Stream.mapArray(Stream.fromQueue(queue), (signals) => {
        if (dropped === 0) return signals
        const gap = gapOf(dropped, clock.currentTimeMillisUnsafe())
        dropped = 0
        const all = whenFull === "dropOldest" ? [gap, ...signals] : [...signals, gap]
        return isReadonlyArrayNonEmpty(all) ? all : signals
      })
    }).pipe(Effect.uninterruptible)
  )
})

const gapOf = (dropped: number, millis: number): Signal => ({
  _tag: "SignalsDropped",
  dropped,
  runId: undefined,
  thoughtId: undefined,
  traceId: undefined,
  path: [],
  millis
})
