/** Finds the spans of a text that can be the value of a parameter of a tool. Everything found is a span of the text. */
import { addressesIn, countriesIn, partsIn, postcodesIn, streetsIn, townsIn } from "../language/addresses.ts"
import { overlaps, placed, type Span } from "../language/placed.ts"
import type { Language } from "../language/language.ts"
import { qualified } from "../language/qualifiers.ts"
import type { Value, ValueKind } from "../language/values.ts"
import type { Field } from "../mind/field.ts"
import { spansOf, type Wanted } from "./phrases.ts"
import { inFormOf } from "./statedSpans.ts"

const valueKinds: Readonly<Partial<Record<Wanted, ReadonlyArray<ValueKind>>>> = {
  email: ["email"],
  url: ["url"],
  phone: ["phone"],
  host: ["host", "ip"],
  date: ["date"],
  time: ["time", "date"],
  identifier: ["identifier", "number"]
}

const without = (spans: ReadonlyArray<Span>, others: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  spans.filter((span) => !others.some((other) => overlaps(span, other)))

/** Those that the text says are for the parameter first, and none that it says are for something else of the kind. */
const own = ({ words }: Field, text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const order = qualified(
    words,
    text,
    spans.map((span) => span.text)
  )
  const rank = (span: Span) => order.indexOf(span.text)
  return spans.filter((span) => rank(span) >= 0).toSorted((a, b) => rank(a) - rank(b))
}

const cityStates: ReadonlySet<string> = new Set([
  "Singapore",
  "Monaco",
  "Luxembourg",
  "Gibraltar",
  "Hong Kong",
  "Macao"
])

/** Places without the countries after them: "London, UK" names one place. */
const placesIn = (language: Language, text: string, field: Field): ReadonlyArray<Span> => {
  const isCity = /\b(?:cit|town)/u.test(field.words)
  const countries = new Set(countriesIn(text))
  const whole = isCity ? placed(text, townsIn(text)) : placed(text, addressesIn(text))
  const named = [...placed(text, language.places(text)), ...spansOf("place", text, field)]
  const parts = [...partsIn(text), ...whole]
  const isAfterPlace = (span: Span) =>
    named.some((other) => /^,\s*$/u.test(text.slice(other.start + other.text.length, span.start)))
  const kept = without(named, parts).filter((span) =>
    countries.has(span.text) ? !(isCity && !cityStates.has(span.text)) && !isAfterPlace(span) : !isState(span, text)
  )
  return own(field, text, [...whole, ...kept])
}

/** A state after its town: "Boston, MA". */
const isState = (span: Span, text: string): boolean =>
  /^[A-Z]{2}$/u.test(span.text) && /\p{L},\s*$/u.test(text.slice(0, span.start))

const isOfBuilding = ({ words }: Field): boolean => /\b(?:house|building|door|flat|apartment|unit)\b/u.test(words)

/** Codes with a digit. The numbers of an address identify only its building. */
const codesIn = (text: string, field: Field, values: ReadonlyArray<Value>): ReadonlyArray<Span> => {
  const codes = [...spansOf("identifier", text, field), ...values].filter((span) => /\d/u.test(span.text))
  const houses = placed(text, streetsIn(text)).flatMap((street) =>
    placed(street.text, street.text.match(/(?<![\w])\d+[a-z]?\b/giu) ?? []).map((span) => ({
      text: span.text,
      start: street.start + span.start
    }))
  )
  const free = [...(isOfBuilding(field) ? houses : []), ...without(codes, partsIn(text))]
  const formed = inFormOf(
    field,
    free.map((span) => span.text)
  )
  return free.filter((span) => formed.includes(span.text))
}

/** Names of people, organisations and other things. A place is no person. */
const namesIn = (language: Language, text: string, field: Field): ReadonlyArray<Span> => {
  const named = placed(text, [...language.people(text), ...language.organizations(text)])
  const others = spansOf("name", text, field)
  const isOfThing = /\b(?:artist|band|company|team|product|brand)\b/iu.test(`${field.words} ${field.description ?? ""}`)
  const places = isOfThing ? [] : placed(text, language.places(text)).filter(({ start }) => text[start - 1] !== '"')
  return [...named, ...without(others, [...partsIn(text), ...without(places, named)])]
}

/** The spans of one text for what is wanted, the best first. */
export const candidatesIn = (language: Language, wanted: Wanted, text: string, field: Field): ReadonlyArray<Span> => {
  const kinds = valueKinds[wanted]
  if (kinds !== undefined) {
    const values = language
      .values(text)
      .filter(({ kind }) => kinds.includes(kind))
      .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    if (wanted === "identifier") return codesIn(text, field, values)
    return own(field, text, [...spansOf(wanted, text, field), ...values])
  }
  switch (wanted) {
    case "postcode":
      return own(field, text, placed(text, inFormOf(field, postcodesIn(text))))
    case "street":
      return own(field, text, placed(text, streetsIn(text)))
    case "country":
      return own(field, text, placed(text, countriesIn(text)))
    case "address": {
      const whole = placed(text, addressesIn(text))
      return own(field, text, [...whole, ...without(spansOf("address", text, field), whole)])
    }
    case "place":
      return placesIn(language, text, field)
    case "name":
      return namesIn(language, text, field)
    default:
      return spansOf(wanted, text, field)
  }
}
