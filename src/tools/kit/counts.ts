/** Limits of tools. */
import { whole } from "../../arguments/checked.ts"

/** The limits, those that were given in place of the defaults. Throws if one is not a whole number from 1. */
export const counts = <const D extends Readonly<Record<string, number>>>(
  owner: string,
  defaults: D,
  given: { readonly [P in keyof D]?: number | undefined }
): { readonly [P in keyof D]: number } => {
  const all = Object.entries(defaults).map(([name, byDefault]) => [
    name,
    whole(owner, name, 1, given[name] ?? byDefault)
  ])
  // it has the names of the defaults
  return Object.fromEntries(all) as { readonly [P in keyof D]: number }
}
