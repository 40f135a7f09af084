/** How long a call may take. */
import * as Duration from "effect/Duration"
import { time } from "../arguments/checked.ts"

/**
 * The time limits of a call.
 *
 * - `total`: the whole call, until the last byte of the answer
 * - `connect`: until the headers of a stream arrive. The headers of a whole answer arrive only when it is complete, so
 *   `total` alone limits them
 * - `idle`: between two pieces of a body
 */
export interface Deadlines {
  readonly connect: Duration.Duration
  readonly idle: Duration.Duration
  readonly total: Duration.Duration
}

/** The longest time that a timer can wait, in milliseconds. */
export const longestTimer = 2_147_483_647

// A model may reason for a long time without sending anything.
const idleOf = (total: Duration.Duration): Duration.Duration => {
  const half = Duration.toMillis(total) / 2
  return Duration.millis(Math.min(Math.max(30_000, half), 300_000))
}

interface Times {
  readonly timeout?: Duration.Input | undefined
  readonly connectTimeout?: Duration.Input | undefined
  readonly idleTimeout?: Duration.Input | undefined
}

/** Throws if a timeout is no valid duration, or is zero or negative. */
export const checkTimes = (owner: string, { connectTimeout, idleTimeout, timeout }: Times): void => {
  for (const [option, given] of Object.entries({ timeout, connectTimeout, idleTimeout })) {
    if (given !== undefined) time(owner, option, given, { endless: true })
  }
}

/**
 * Defaults: 60 seconds in total, 10 seconds until the headers of a stream, and between two pieces of a body half of the
 * total time, but at least 30 seconds and at most 5 minutes.
 */
export const deadlinesOf = (options: Times): Deadlines => {
  const total = Duration.fromInputUnsafe(options.timeout ?? "60 seconds")
  return {
    connect: Duration.fromInputUnsafe(options.connectTimeout ?? "10 seconds"),
    idle: options.idleTimeout === undefined ? idleOf(total) : Duration.fromInputUnsafe(options.idleTimeout),
    total
  }
}
