import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds of the monotonic clock, for delays that must not depend on changes of the date. */
export const now: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
