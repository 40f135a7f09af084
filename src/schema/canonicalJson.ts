/** Canonical JSON of plain data, and its hash: the same for equal data. */
import * as Effect from "effect/Effect"

/**
 * JSON of plain data with sorted keys. A number that JSON cannot express becomes `{ number: "Infinity" }` and the like.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "number" && !Number.isFinite(inner)) return { number: String(inner) }
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(byName))
  })

/** Orders properties by name. */
export const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** The SHA-256 of a text, as 64 hexadecimal digits. */
export const sha256 = (text: string): Effect.Effect<string> =>
  Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).pipe(
    Effect.map((hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join(""))
  )
