/** Books the usage of calls that have ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Usage } from "../thought/tokens.ts"
import { mostNanos, toNanos } from "./bounds.ts"
import { costOf, type Prices } from "./capabilities.ts"
import { crossed } from "./exceeded.ts"
import type { ProviderError, Reason } from "./ProviderError.ts"
import type { CallEnd } from "../limits/budget/meter.ts"
import type { Account, Limit, Reservation } from "../limits/budget/reservation.ts"
import { costKnown, counted, isNothing } from "./spent.ts"

/** Books the tokens that a provider reports. Counts that are missing are booked as reserved. */
export const charge = (
  reservation: Reservation,
  { usage, usd }: { readonly usage: Usage; readonly usd?: number },
  prices: Prices | undefined,
  failed = false
): Effect.Effect<void> => {
  const reported = counted(usage)
  const { inputTokens, outputTokens = reservation.output, ...cached } = reported
  const gratis = prices !== undefined && reservation.nanos === 0 ? 0 : undefined
  const cost = usd ?? costKnown(reported, prices) ?? gratis
  const end = { failed, usage: isNothing(reported) ? undefined : reported, usd: cost }
  if (inputTokens === undefined) {
    const { input } = reservation
    const nanos = prices === undefined ? 0 : mostNanos(prices, input, outputTokens)
    return book(reservation, input + outputTokens, nanos, end)
  }
  const nanos = prices === undefined ? 0 : toNanos(costOf({ ...cached, inputTokens, outputTokens }, prices))
  return book(reservation, inputTokens + outputTokens, nanos, end)
}

/** Books all that was reserved, as all of it may have been used. */
export const chargeAll = (reservation: Reservation): Effect.Effect<void> =>
  book(reservation, reservation.input + reservation.output, reservation.nanos, {
    failed: true,
    usage: undefined,
    usd: undefined
  })

/** Failures of calls that generated nothing, and so cost nothing. */
const free: ReadonlySet<Reason["_tag"]> = new Set([
  "RateLimited",
  "QuotaExhausted",
  "Authentication",
  "InvalidRequest",
  "ContextTooLong",
  "Connection",
  "Overloaded",
  "Unsupported",
  "CircuitOpen",
  "ReplayMismatch"
] as const)

const freeEnd: CallEnd = { failed: true, usage: {}, usd: 0 }

/** Books a call that failed or was interrupted. `hasBegun`: a part of its answer had arrived. */
export const chargeFailure = (
  reservation: Reservation,
  cause: Cause.Cause<ProviderError>,
  prices: Prices | undefined,
  hasBegun: boolean
): Effect.Effect<void> => {
  const [first, ...others] = cause.reasons
  if (first === undefined || !Cause.isFailReason(first) || others.length > 0) return chargeAll(reservation)
  const { reason, usage = {} } = first.error
  if (Object.keys(usage).length > 0) return charge(reservation, { usage }, prices, true)
  return free.has(reason._tag) && !hasBegun ? book(reservation, 0, 0, freeEnd) : chargeAll(reservation)
}

/** Settles the reservation, and reports the accounts that this call took over a limit. */
const book = (reservation: Reservation, tokens: number, nanos: number, end: CallEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = new Set(reservation.accounts.filter(overrun))
    reservation.settle(tokens, nanos, end)
    return Effect.forEach(
      reservation.accounts,
      (account) => {
        const limit = overrun(account)
        return limit === undefined || before.has(account) ? Effect.void : crossed(account, limit, "overrun")
      },
      { discard: true }
    )
  })

const overrun = ({ limits, spent }: Account): Limit | undefined => {
  if (spent.tokens > limits.tokens) return "tokens"
  return spent.nanos > limits.nanos ? "usd" : undefined
}
