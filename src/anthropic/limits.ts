/** What the headers of an answer say of the rate limits. */
import * as Duration from "effect/Duration"
import type { RateLimits, RateWindow } from "../Provider.ts"

const countOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

/** From a moment such as `2026-11-22T08:00:00Z`; one that is past counts as now. */
const waitOf = (text: string | null, now: number): Duration.Duration | undefined => {
  const moment = text !== null && /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(moment) ? Duration.millis(Math.max(0, moment - now)) : undefined
}

const windows = [
  ["requests", "requests"],
  ["tokens", "tokens"],
  ["inputTokens", "input-tokens"],
  ["outputTokens", "output-tokens"]
] as const

const windowOf = (headers: Headers, name: string, now: number): RateWindow | undefined => {
  const header = (part: string) => headers.get(`anthropic-ratelimit-${name}-${part}`)
  const limit = countOf(header("limit"))
  const remaining = countOf(header("remaining"))
  const resetAfter = waitOf(header("reset"), now)
  const found: RateWindow = {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetAfter !== undefined && { resetAfter })
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** `now` is the time in milliseconds. */
export const limitsOf = (headers: Headers, now: number): { readonly limits?: RateLimits } => {
  const found = windows.flatMap(([field, name]) => {
    const window = windowOf(headers, name, now)
    return window === undefined ? [] : [[field, window] as const]
  })
  return found.length > 0 ? { limits: Object.fromEntries(found) } : {}
}
