/** How long a server asks to wait. */
import * as Duration from "effect/Duration"

const toNumber = (text: string): number => (/^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN)

// Date.parse reads signed numbers as years, and accepts other texts that are not HTTP dates.
const toDate = (text: string): number =>
  /^\s*(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN

/**
 * The time to wait, from `retry-after-ms`, or from `retry-after` in seconds or as a date. Empty if the headers name no time
 * in the future; the caller then uses its own backoff.
 */
export const toRetryAfter = (
  headers: Headers | undefined,
  now: number
): { readonly retryAfter?: Duration.Duration } => {
  const precise = headers?.get("retry-after-ms") ?? ""
  const plain = headers?.get("retry-after") ?? ""
  const waits = [toNumber(precise), toNumber(plain) * 1000, toDate(plain) - now]
  const wait = waits.find((millis) => Number.isFinite(millis) && millis > 0)
  return wait === undefined ? {} : { retryAfter: Duration.millis(wait) }
}
