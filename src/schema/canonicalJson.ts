/** Canonical JSON of plain data: the same for equal data. */

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
