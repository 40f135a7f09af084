/** Plain data as a text that is the same for equal data, and a short stand-in for it. */
import * as Effect from "effect/Effect"

/** JSON of plain data with sorted keys; a number that JSON has no word for stands as a text, with what it is. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "number" && !Number.isFinite(inner)) return { number: String(inner) }
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(byName))
  })

/** Properties by their names. */
export const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** The SHA-256 of a text, as 64 hexadecimal digits. */
export const sha256 = (text: string): Effect.Effect<string> =>
  Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).pipe(
    Effect.map((hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join(""))
  )
