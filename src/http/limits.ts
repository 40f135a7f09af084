/** Rate limits in the headers of a response. */
import * as Duration from "effect/Duration"
import type { RateLimits } from "../Provider.ts"

const toCount = (text: string | null): number | undefined =>
  text !== null && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds until a window is full again, from a duration such as `6m0s`, `1.5s` or `120ms`, a number of seconds, or
 * a time such as `2026-11-22T08:00:00Z`. A time in the past counts as now.
 */
const toMillis = (text: string | null, now: number): number | undefined => {
  const trimmed = text?.trim() ?? ""
  if (/^\d{1,9}(\.\d{1,9})?$/.test(trimmed)) return Number(trimmed) * 1000
  if (/^(\d{1,9}(\.\d{1,9})?(ms|s|m|h|d))+$/.test(trimmed)) {
    return Array.from(trimmed.matchAll(/([\d.]+)(ms|s|m|h|d)/g)).reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0),
      0
    )
  }
  const moment = /^\d{4}-\d\d-\d\dT/.test(trimmed) ? Date.parse(trimmed) : Number.NaN
  return Number.isFinite(moment) ? Math.max(0, moment - now) : undefined
}

const windows = {
  requests: "requests",
  tokens: "tokens",
  inputTokens: "input-tokens",
  outputTokens: "output-tokens"
}

/** The `limits` of a response, from OpenAI's or Anthropic's headers. `now` is in milliseconds. */
export const limitsOf = (headers: Headers, now: number): { readonly limits?: RateLimits } => {
  const found = Object.entries(windows).flatMap(([field, name]) => {
    const header = (part: string) =>
      headers.get(`x-ratelimit-${part}-${name}`) ?? headers.get(`anthropic-ratelimit-${name}-${part}`)
    const limit = toCount(header("limit"))
    const remaining = toCount(header("remaining"))
    const reset = toMillis(header("reset"), now)
    const window: RateLimits[keyof RateLimits] = {
      ...(limit !== undefined && { limit }),
      ...(remaining !== undefined && { remaining }),
      ...(reset !== undefined && { resetAfter: Duration.millis(reset) })
    }
    return Object.keys(window).length > 0 ? [[field, window] as const] : []
  })
  return found.length > 0 ? { limits: Object.fromEntries(found) } : {}
}
