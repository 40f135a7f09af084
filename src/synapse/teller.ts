/** What those who watch answers are told, in its order, at their pace. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

export interface Teller<A> {
  /** Waits until there is room for it. */
  readonly tell: (event: A) => Effect.Effect<void>
  /** Never waits: what there is no room for now is told before the next. For work that is being stopped. */
  readonly leave: (event: A) => Effect.Effect<void>
}

export const tellerOf = <A, E>(queue: Queue.Queue<A, E | Cause.Done>): Teller<A> => {
  const left: Array<A> = []
  const tell = (event: A): Effect.Effect<void> =>
    Effect.suspend(() => {
      const first = left.shift()
      return first === undefined
        ? Effect.asVoid(Queue.offer(queue, event))
        : Queue.offer(queue, first).pipe(
            // it is still to be told, by whoever comes next
            Effect.onInterrupt(() => Effect.sync(() => left.unshift(first))),
            Effect.andThen(tell(event))
          )
    })
  return {
    tell,
    leave: (event) =>
      Effect.sync(() => {
        if (left.length > 0 || !Queue.offerUnsafe(queue, event)) left.push(event)
      })
  }
}
