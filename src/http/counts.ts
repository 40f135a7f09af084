/**
 * Counts of tokens in the answer of a server. Each is read on its own, so an invalid one does not affect the others.
 */
import * as Predicate from "effect/Predicate"

/** The number at the end of a path of names. Undefined unless it is a finite number from 0. */
const countAt = (value: unknown, path: ReadonlyArray<string>): number | undefined => {
  const found = path.reduce(
    (at: unknown, name) => (Predicate.hasProperty(at, name) && Object.hasOwn(at, name) ? at[name] : undefined),
    value
  )
  return typeof found === "number" && found >= 0 && found < Infinity ? found : undefined
}

/** The valid counts at these places. The others are absent. */
export const countsAt = <Name extends string>(
  value: unknown,
  places: Readonly<Record<Name, ReadonlyArray<string>>>
): { readonly [K in Name]?: number } =>
  // the names are those of the places
  Object.fromEntries(
    Object.entries<ReadonlyArray<string>>(places).flatMap(([name, path]) => {
      const count = countAt(value, path)
      return count === undefined ? [] : [[name, count]]
    })
  ) as { readonly [K in Name]?: number }
