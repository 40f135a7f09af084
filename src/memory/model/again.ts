/** Retries of operations whose outcome is unknown, because the connection ended between the commit and its answer. */
import * as Effect from "effect/Effect"
import type { AppendedNote } from "./Shape.ts"
import * as ids from "../../thought/ids.ts"
import type { MemoryError } from "./error.ts"

/** Whether the store may have done the operation, or another transaction blocked it. Repeating it is safe and may help. */
export const isUnsure = ({ isRetryable, reason }: MemoryError): boolean => reason._tag === "Connection" && isRetryable

/** Retries an operation once. The store must recognise an operation that it has done already. */
export const onceMore = <A, R>(operation: Effect.Effect<A, MemoryError, R>): Effect.Effect<A, MemoryError, R> =>
  Effect.catchIf(operation, isUnsure, () => operation)

/**
 * Removes something. After a failure that leaves it open whether it was done, finding nothing to remove means that it was:
 * the effect can be run again.
 */
export const removing = <R>(remove: Effect.Effect<void, MemoryError, R>): Effect.Effect<void, MemoryError, R> => {
  let isOpen = false
  return Effect.tap(
    Effect.catch(remove, (error) => {
      if (isOpen && error.reason._tag === "NotFound") return Effect.void
      if (isUnsure(error)) isOpen = true
      return Effect.fail(error)
    }),
    () => {
      isOpen = false
      return Effect.void
    }
  )
}

/**
 * Adds notes with ids that are drawn once: run again after a failure, by `Effect.retry` for one, it is the same addition; run
 * again after a success, it is another.
 */
export const withIds = <A, R>(
  given: ReadonlyArray<AppendedNote>,
  add: (notes: ReadonlyArray<AppendedNote>) => Effect.Effect<A, MemoryError, R>
): Effect.Effect<A, MemoryError, R> => {
  const failed: Array<ReadonlyArray<string>> = []
  return Effect.gen(function* () {
    const drawn =
      failed.pop() ?? (yield* Effect.forEach(given, ({ id }) => (id === undefined ? newId : Effect.succeed(id))))
    const notes = given.map((note, i) => ({ ...note, id: drawn[i] ?? "" }))
    return yield* Effect.tapError(add(notes), ({ isRetryable }) =>
      Effect.sync(() => {
        if (isRetryable) failed.push(drawn)
      })
    )
  })
}

const newId = Effect.map(ids.next, ({ id }) => id)
