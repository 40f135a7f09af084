/** Finds the values of a list that a text names. */
import { isExcluded } from "../language/excluded.ts"
import { literally } from "../language/literally.ts"
import { wordsOf } from "../mind/field.ts"
import type { Span } from "../language/placed.ts"

/** Every place where a text names a value, also as a plural, apart from those that exclude it: "but not the red one". */
export const labelsIn = (text: string, value: string): ReadonlyArray<Span> => {
  const label = new RegExp(String.raw`(?<![\p{L}\d])${literally(wordsOf(value))}(?:s|es)?(?![\p{L}\d])`, "giu")
  return Array.from(text.matchAll(label), ({ 0: found, index }) => ({ text: found, start: index })).filter(
    (span) => !isExcluded(text, span.start, span.start + span.text.length)
  )
}
