/** Work that can never end, because the process has nothing left to wait for. */
import * as Effect from "effect/Effect"
import { CommandError } from "./failure.ts"

const waiting: Array<() => void> = []

/** Fails with a message where the process would end because work waits for something that cannot happen any more. */
export const orNothingLeft =
  (message: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandError, R> =>
    Effect.raceFirst(
      work,
      Effect.callback<never, CommandError>((resume) => {
        const fail = () => resume(Effect.fail(new CommandError({ message })))
        waiting.push(fail)
        return Effect.sync(() => {
          if (waiting.includes(fail)) waiting.splice(waiting.indexOf(fail), 1)
        })
      })
    )

/** Ends the innermost work that waits. Returns false if nothing waits. */
export const endWaiting = (): boolean => {
  const fail = waiting.pop()
  fail?.()
  return fail !== undefined
}
