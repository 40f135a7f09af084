/** What OpenAI's headers say of rate limits. */
import * as Duration from "effect/Duration"
import type { RateLimits, RateWindow } from "../../Provider.ts"

const toCount = (text: string | null): number | undefined =>
  text !== null && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The milliseconds of a wait such as `6m0s`, `1.5s`, `120ms`, or a plain number of seconds. */
const toMillis = (text: string | null): number | undefined => {
  const trimmed = text?.trim() ?? ""
  if (/^\d{1,9}(\.\d{1,9})?$/.test(trimmed)) return Number(trimmed) * 1000
  if (!/^(\d{1,9}(\.\d{1,9})?(ms|s|m|h|d))+$/.test(trimmed)) return undefined
  return Array.from(trimmed.matchAll(/([\d.]+)(ms|s|m|h|d)/g)).reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0),
    0
  )
}

const windowOf = (headers: Headers, what: "requests" | "tokens"): RateWindow | undefined => {
  const limit = toCount(headers.get(`x-ratelimit-limit-${what}`))
  const remaining = toCount(headers.get(`x-ratelimit-remaining-${what}`))
  const reset = toMillis(headers.get(`x-ratelimit-reset-${what}`))
  if (limit === undefined && remaining === undefined && reset === undefined) return undefined
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(reset !== undefined && { resetAfter: Duration.millis(reset) })
  }
}

/** The part of a response that tells the limits, where the headers do. */
export const limitsOf = (headers: Headers): { readonly limits?: RateLimits } => {
  const requests = windowOf(headers, "requests")
  const tokens = windowOf(headers, "tokens")
  if (requests === undefined && tokens === undefined) return {}
  return { limits: { ...(requests && { requests }), ...(tokens && { tokens }) } }
}
