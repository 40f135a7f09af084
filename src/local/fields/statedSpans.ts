/** Finds the spans of a text for a field whose name states its kind: its date, its street, its order number. */
import * as Effect from "effect/Effect"
import type { Field, FieldKind } from "../mind/field.ts"
import type { Mind, Passage } from "../mind/meaning.ts"
import { nearestOf, tellingOf } from "./nearest.ts"
import { peopleOf } from "./people.ts"
import { spansOf } from "./phrases.ts"
import { addressesIn, countriesIn, postcodesIn, statesIn, streetsIn, townsIn } from "../language/addresses.ts"
import { codesBeside } from "../language/nearby.ts"
import { onSide, sideOf } from "../language/ranges.ts"
import { qualified } from "../language/qualifiers.ts"
import { momentsIn, type Value, type ValueKind } from "../language/values.ts"

export const unique = (texts: ReadonlyArray<string>) => Array.from(new Set(texts))

/** Values in the order in which they fit the field, those of the other end of a range left out. */
const textsOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage, values: ReadonlyArray<Value>) {
  const nearest = yield* nearestOf(mind, field, passage, values)
  return onSide(nearest, passage.text, sideOf(field.words)).map(({ text }) => text)
})

/** Places that a text names: towns of addresses first. */
export const placesOf = (mind: Mind, { words }: Field, { text }: Passage): ReadonlyArray<string> => {
  const countries = countriesIn(text)
  const towns = townsIn(text)
  const named = mind.language.places(text).filter((place) => !/\d/u.test(place))
  const found = unique([...towns, ...named]).map((place) => ({ text: place, start: text.indexOf(place) }))
  const sided = onSide(found, text, sideOf(words)).map((place) => place.text)
  const ordered = qualified(words, text, sided)
  return /\b(?:cit|town)/u.test(words) ? ordered.filter((place) => !countries.includes(place)) : ordered
}

/** Codes of one form, by a word of the name. */
const forms: ReadonlyArray<readonly [name: RegExp, form: RegExp]> = [
  [/\beir ?codes?\b/u, /^[A-Z]\d[\dW]\s?[\dA-Z]{4}$/iu],
  [/\bibans?\b/u, /^[A-Z]{2}\d{2}(?:\s?[A-Z\d]){11,30}$/u],
  [/\buuids?\b/u, /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu],
  [/\bisbns?\b/u, /^(?:\d-?){9}[\dX]$|^(?:\d-?){12}\d$/u],
  [/\bvat\b/u, /^[A-Z]{2}[A-Z\d.]{8,13}$/u]
]

/** Those of the form that the name says, and those that stand beside its words. */
export const inFormOf = (
  { words }: Pick<Field, "words">,
  found: ReadonlyArray<string>,
  beside: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const form = forms.find(([name]) => name.test(words))?.[1]
  return form === undefined ? found : found.filter((one) => form.test(one) || beside.includes(one))
}

const currencyText = /\b[A-Z]{3}\b|[€£¥$]|\b(?:euros?|dollars?|pounds?|francs?|yen)\b/gu

/** Candidates of a kind that the name of a field states. Undefined if the kind has no form. */
export const statedOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage, kind: FieldKind) {
  const { text } = passage
  const all = mind.language.values(text)
  const of = (...kinds: ReadonlyArray<ValueKind>) => all.filter((value) => kinds.includes(value.kind))
  switch (kind) {
    case "moment": {
      const moments = momentsIn(text, all)
      const timed = moments.filter((value) => isTimed(value.text))
      return yield* textsOf(mind, field, passage, timed.length > 0 ? timed : moments)
    }
    case "date":
      return yield* textsOf(mind, field, passage, isOfBirth(field) && !birth.test(text) ? [] : datesIn(of("date")))
    case "time":
      return yield* textsOf(mind, field, passage, of("time"))
    case "identifier": {
      const near = codesBeside(text, tellingOf(field))
      return inFormOf(field, unique([...near, ...(yield* textsOf(mind, field, passage, of("identifier")))]), near)
    }
    case "url":
      return yield* textsOf(mind, field, passage, of("url", "host"))
    case "host":
      return yield* textsOf(mind, field, passage, of("host").length > 0 ? of("host") : of("ip"))
    case "email":
    case "phone":
    case "ip":
    case "version":
    case "handle":
      return qualified(field.words, text, yield* textsOf(mind, field, passage, of(kind)))
    case "address":
      return qualified(field.words, text, addressesIn(text))
    case "street":
      return qualified(field.words, text, streetsIn(text))
    case "postcode":
      return qualified(field.words, text, inFormOf(field, postcodesIn(text)))
    case "path":
      return spansOf("path", text, field).map((span) => span.text)
    case "state": {
      const found = statesIn(text)
      return found.length === 0 ? undefined : found
    }
    case "country":
      return countriesIn(text)
    case "currency": {
      const known = new Set(Intl.supportedValuesOf("currency"))
      return Array.from(text.matchAll(currencyText), ([found]) => found).filter(
        (found) => !/^[A-Z]{3}$/u.test(found) || known.has(found)
      )
    }
    case "given name":
      return peopleOf(mind, field, passage).flatMap((name) => name.split(" ").slice(0, 1))
    case "family name":
      return peopleOf(mind, field, passage).flatMap((name) => name.split(" ").slice(1).slice(-1))
    default:
      return undefined
  }
})

/** Dates with a number, or else days such as "Monday". */
const datesIn = (dates: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const numbered = dates.filter((value) => /\d/u.test(value.text))
  return numbered.length > 0 ? numbered : dates
}

const birth = /\b(?:born|birth\w*|dob)\b/iu
const isOfBirth = ({ words }: Field): boolean => birth.test(words)

const isTimed = (text: string): boolean => /\d:\d{2}|\d\s?[ap]\.?m\b/iu.test(text)
