/** Finds the people that a text names for a field. */
import { type Field, phrases } from "../mind/field.ts"
import { isBefore } from "../language/before.ts"
import { writersOf } from "../language/writers.ts"
import type { Mind, Passage } from "../mind/meaning.ts"

const introduces = /(?<=(?:\bmy name is|\bI am|\bI['’]m|\bthis is|\bfrom|\bcustomer:?|\bname:)\s*)/iuy
const greets = /(?<=(?:^|\n)\s*(?:hi|hello|hey|dear)\s*)/iuy
const ends = /(?<=[.!?,;:\n–—-]\s*)/uy
const tail = 40
const writes = /\b(?:customer|client|user|buyer|writer|author|sender|wrote|writes|who)\b/iu
const firstPerson = /\b(?:I|me|my|mine|we|us|our)\b/u

/**
 * People that the text names, the probable writer first. People it greets are left out. If the field is about the writer and the text
 * is in the first person, so are people it only mentions, as in "thanks to Marco".
 */
export const peopleOf = (mind: Mind, field: Field, { text }: Passage): ReadonlyArray<string> => {
  const writers = writersOf(mind.language, text)
  const weightOf = (name: string) => {
    const start = text.indexOf(name)
    if (isBefore(introduces, text, start)) return 2
    return text.length - start - name.length < tail && isBefore(ends, text, start) ? 1 : 0
  }
  const isMentioned = phrases(field).some((phrase) => writes.test(phrase)) && firstPerson.test(text)
  const others = mind.language
    .people(text)
    .filter((name) => !isBefore(greets, text, text.indexOf(name)))
    .filter((name) => !writers.some((writer) => writer.includes(name) || name.includes(writer)))
    .map((name) => ({ name, weight: weightOf(name) }))
    .filter(({ weight }) => !isMentioned || weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  return [...writers, ...others.map(({ name }) => name)].map((name) => name.replace(/^(?:by|from)\s+(?=\p{Lu})/iu, ""))
}
