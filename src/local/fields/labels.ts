/** Finds the values of a list that a text names. */
import { isExcluded } from "../language/excluded.ts"
import { literally } from "../language/literally.ts"
import { wordsOf } from "../mind/field.ts"
import type { Span } from "../language/placed.ts"

const placesOf = (text: string, value: string): ReadonlyArray<Span> => {
  const label = new RegExp(String.raw`(?<![\p{L}\d])${literally(wordsOf(value))}(?:s|es)?(?![\p{L}\d])`, "giu")
  return Array.from(text.matchAll(label), ({ 0: found, index }) => ({ text: found, start: index }))
}

const isExcludedAt =
  (text: string) =>
  ({ start, text: { length } }: Span): boolean =>
    isExcluded(text, start, start + length)

/** Every place where a text names a value, also as a plural, apart from those that exclude it: "but not the red one". */
export const labelsIn = (text: string, value: string): ReadonlyArray<Span> =>
  placesOf(text, value).filter((span) => !isExcludedAt(text)(span))

/** Words that stand in any text, and letters. */
const common = /^(?:.|yes|no|on|off|in|or|to|all|any|other|first)$/iu

/** Whether a text names a value in a way that can mean nothing else. */
export const isNamed = (text: string, value: string): boolean => !common.test(value) && labelsIn(text, value).length > 0

/** Whether a text names a value only to exclude it. */
export const isExcludedLabel = (text: string, value: string): boolean => {
  const all = placesOf(text, value)
  return all.length > 0 && all.every(isExcludedAt(text))
}

const currencies: Readonly<Record<string, string>> = {
  EUR: "€|euros?",
  USD: String.raw`(?<![A-Z])\$|(?:US )?dollars?`,
  GBP: "£|pounds?",
  JPY: "¥|yen",
  CHF: "francs?",
  INR: "₹|rupees?"
}

/** Codes of currencies that a text names in any way, the first one first. Undefined if the values are no such codes. */
export const currenciesNamed = (text: string, values: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const known = new Set(Intl.supportedValuesOf("currency"))
  if (!values.every((value) => known.has(value))) return undefined
  const places = values.map((value) => {
    const words = currencies[value]
    const name = new RegExp(String.raw`(?<!\p{L})(?:${value}${words === undefined ? "" : `|${words}`})(?!\p{L})`, "u")
    return { value, start: text.search(name) }
  })
  return places
    .filter(({ start }) => start >= 0)
    .toSorted((a, b) => a.start - b.start)
    .map(({ value }) => value)
}
