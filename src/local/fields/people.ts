/** Finds the people that a text names for a field. */
import { type Field, phrases } from "../mind/field.ts"
import { writersOf } from "../language/writers.ts"
import type { Mind, Passage } from "../mind/meaning.ts"

const introduces = /(?:\bmy name is|\bI am|\bI['’]m|\bthis is|\bfrom|\bcustomer:?|\bname:)\s*$/iu
const greets = /(?:^|\n)\s*(?:hi|hello|hey|dear)\s*$/iu
const tail = 40
const writes = /\b(?:customer|client|user|buyer|writer|author|sender|wrote|writes|who)\b/iu
const firstPerson = /\b(?:I|me|my|mine|we|us|our)\b/u

/**
 * People that the text names, the probable writer first. People it greets are left out. If the field is about the writer and the text
 * is in the first person, so are people it only mentions, as in "thanks to Marco".
 */
export const peopleOf = (mind: Mind, field: Field, { text }: Passage): ReadonlyArray<string> => {
  const writers = writersOf(mind.language, text)
  const weight = (name: string) => {
    const start = text.indexOf(name)
    const before = text.slice(0, start)
    if (introduces.test(before)) return 2
    return text.length - start - name.length < tail && /[.!?,;:\n–—-]\s*$/u.test(before) ? 1 : 0
  }
  const isMentioned = phrases(field).some((phrase) => writes.test(phrase)) && firstPerson.test(text)
  const others = mind.language
    .people(text)
    .filter((name) => !greets.test(text.slice(0, text.indexOf(name))))
    .filter((name) => !writers.some((writer) => writer.includes(name) || name.includes(writer)))
    .filter((name) => !isMentioned || weight(name) > 0)
    .toSorted((a, b) => weight(b) - weight(a))
  return [...writers, ...others].map((name) => name.replace(/^(?:by|from)\s+(?=\p{Lu})/iu, ""))
}
