/** What code of the caller returns: a value, an effect or a promise. */
import * as Effect from "effect/Effect"
import { isPromiseLike } from "effect/Predicate"

/**
 * What a function that may be asynchronous receives: a signal that is aborted if the step is interrupted.
 *
 * @category types
 */
export interface Interruptible {
  readonly signal: AbortSignal
}

/** The signal is made only if the function reads it. */
class Lazily implements Interruptible {
  controller: AbortController | undefined
  get signal(): AbortSignal {
    return (this.controller ??= new AbortController()).signal
  }
}

/**
 * The value of what a function returns.
 *
 * @category types
 */
export type Settled<B> = B extends Effect.Effect<infer A, any, any> ? A : B extends PromiseLike<infer A> ? A : B

/**
 * How it fails: a promise with whatever it rejects with, as an `Error`.
 *
 * @category types
 */
export type Failing<B> = B extends Effect.Effect<any, infer E, any> ? E : B extends PromiseLike<any> ? Error : never

/**
 * What it needs.
 *
 * @category types
 */
export type Needing<B> = B extends Effect.Effect<any, any, infer R> ? R : never

/** Calls a function and waits for what it returns. What it throws is a defect; a rejection is a failure. */
export const settled = (call: (given: Interruptible) => unknown): Effect.Effect<unknown, unknown, unknown> =>
  Effect.suspend(() => {
    const given = new Lazily()
    const value = call(given)
    if (Effect.isEffect(value)) return value
    if (!isPromiseLike(value)) return Effect.succeed(value)
    return Effect.callback<unknown, Error>((resume) => {
      value.then(
        (done) => resume(Effect.succeed(done)),
        (reason: unknown) => resume(Effect.fail(asError(reason)))
      )
      return Effect.sync(() => given.controller?.abort())
    })
  })

/** A promise may reject with anything. The message leaves it out, as it may be a text of a note. */
const asError = (reason: unknown): Error =>
  reason instanceof Error
    ? reason
    : new Error(`A promise rejected with ${reason === null ? "null" : `a value of type ${typeof reason}`}.`, {
        cause: reason
      })
