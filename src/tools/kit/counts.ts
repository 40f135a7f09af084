/** Limits of tools. */
import { quoted } from "../../text/legible.ts"

/** The limits, those that were given in place of the defaults. Throws if one is not a whole number from 1. */
export const counts = <const D extends Readonly<Record<string, number>>>(
  owner: string,
  defaults: D,
  given: { readonly [P in keyof D]?: number | undefined }
): { readonly [P in keyof D]: number } => {
  const all = Object.entries(defaults).map(([name, byDefault]) => {
    const value = given[name] ?? byDefault
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new Error(`${owner} needs a whole number from 1 as ${name}, not ${quoted(value)}.`)
    }
    return [name, value] as const
  })
  // it has the names of the defaults
  return Object.fromEntries(all) as { readonly [P in keyof D]: number }
}
