/** How long a call may take. */
import * as Duration from "effect/Duration"

/**
 * - `total`: everything, until the last byte of the answer
 * - `connect`: until the headers of a stream. Those of a whole answer only come when it is written, so there `total` alone
 *   bounds them
 * - `idle`: between two pieces of a body
 */
export interface Deadlines {
  readonly connect: Duration.Duration
  readonly idle: Duration.Duration
  readonly total: Duration.Duration
}

/** The longest wait that a timer can have, in milliseconds. */
export const longestTimer = 2_147_483_647

/** Defaults: 60 seconds in total, 10 for the headers of a stream, 30 between two pieces of a body. */
export const deadlinesOf = (options: {
  readonly timeout?: Duration.Input | undefined
  readonly connectTimeout?: Duration.Input | undefined
  readonly idleTimeout?: Duration.Input | undefined
}): Deadlines => ({
  connect: Duration.fromInputUnsafe(options.connectTimeout ?? "10 seconds"),
  idle: Duration.fromInputUnsafe(options.idleTimeout ?? "30 seconds"),
  total: Duration.fromInputUnsafe(options.timeout ?? "60 seconds")
})
