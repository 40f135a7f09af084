/** Streams as async iterables. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/**
 * The elements of a stream, which begins at the first `next` and runs while they are read. `return` interrupts it at once, also while
 * a `next` waits, which then ends. An async generator would answer `return` only after that `next`.
 */
export const iterated = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  signal: AbortSignal | undefined,
  run: (program: Effect.Effect<void, E, R>, signal: AbortSignal) => Promise<void>
): AsyncIterableIterator<A, void, undefined> => {
  const stop = new AbortController()
  const queue = Effect.runSync(Queue.bounded<A, Cause.Done>(1))
  const end = () => Effect.runSync(Queue.end(queue))
  let running: Promise<void> | undefined
  let isOver = false

  const begin = (): Promise<void> => {
    const abort = () => stop.abort(signal?.reason)
    if (signal?.aborted === true) abort()
    signal?.addEventListener("abort", abort)
    const feeding = Effect.ensuring(
      Stream.runForEach(stream, (element) => Queue.offer(queue, element)),
      Queue.end(queue)
    )
    const begun = run(feeding, stop.signal).finally(() => {
      signal?.removeEventListener("abort", abort)
      // a run that was interrupted before it began has not ended the queue
      end()
    })
    // it is awaited when the queue has ended, perhaps long after it has failed
    begun.catch(() => {})
    return begun
  }

  const over = { done: true, value: undefined } as const
  const iterator: AsyncIterableIterator<A, void, undefined> = {
    next: async () => {
      if (isOver) return over
      running ??= begin()
      const taken = await Effect.runPromiseExit(Queue.take(queue))
      // another call may have ended it in the meantime
      if (isOver as boolean) return over
      if (Exit.isSuccess(taken)) return { done: false, value: taken.value }
      isOver = true
      await running
      return over
    },
    return: async () => {
      isOver = true
      stop.abort()
      end()
      await running?.catch(() => {})
      return over
    },
    [Symbol.asyncIterator]: () => iterator
  }
  return iterator
}
