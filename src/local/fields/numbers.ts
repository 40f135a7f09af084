/** Finds the number in a text that a field asks for. */
import * as Effect from "effect/Effect"
import { type Field, kindOf, wordsOf } from "../mind/field.ts"
import { asksFor, isName, unitAfter } from "../language/nearby.ts"
import type { Value, ValueKind } from "../language/values.ts"
import type { Mind, Passage } from "../mind/meaning.ts"
import { besideOf, tellingOf, valuesOf } from "./nearest.ts"
import { statedKind, statedNumber } from "./stated.ts"
import { partsIn, postcodesIn } from "../language/addresses.ts"
import { overlaps } from "../language/placed.ts"
import { labelledFor } from "../language/labelled.ts"
import { qualified } from "../language/qualifiers.ts"

const amounts: ReadonlyArray<ValueKind> = ["money", "percent", "number"]

/** Postcodes that are written in digits. */
const postcodesOf = ({ words }: Field, { text }: Passage): ReadonlyArray<Value> =>
  qualified(words, text, postcodesIn(text))
    .filter((postcode) => /^\d+$/u.test(postcode))
    .map((postcode) => ({ kind: "number", text: postcode, start: text.indexOf(postcode), amount: Number(postcode) }))

/**
 * Amounts for a field, the best first. Left out are numbers that name something, such as that of an order or a house, and those in a
 * unit that the field does not ask for.
 */
export const amountsOf = Effect.fnUntraced(function* (mind: Mind, field: Field, passage: Passage) {
  if (statedKind(field) === "postcode") return postcodesOf(field, passage)
  const wanted = tellingOf(field)
  const { text } = passage
  const parts = partsIn(text)
  const fits = (value: Value): boolean => {
    if (value.kind !== "number") return true
    if (parts.some((part) => overlaps(part, value)) && besideOf(field, passage, value) === 0) return false
    const unit = unitAfter(text, value.start + value.text.length)
    if (asksFor(wanted, unit)) return besideOf(field, passage, value) > 0 || !isName(text, value.start)
    return besideOf(field, passage, value) > 0 && (unit === undefined || asksFor([...wanted, unit], unit))
  }
  const label = field.path === "value" ? undefined : labelledFor(text, field.words)
  const isLabelled = ({ start }: Value) =>
    label !== undefined && start >= label.start && start < label.start + label.text.length
  const found = (yield* valuesOf(mind, field, passage, amounts)).filter((value) => isLabelled(value) || fits(value))
  return [...found.filter(isLabelled), ...found.filter((value) => !isLabelled(value))]
})

/** The amounts that other fields name: for each of them the one that its words stand nearest to. */
const namedBy = (others: ReadonlyArray<string>, passage: Passage, found: ReadonlyArray<Value>): ReadonlySet<Value> =>
  new Set(
    others.flatMap((other) => {
      const field: Field = { path: other, words: wordsOf(other) }
      const near = found.map((value) => besideOf(field, passage, value))
      const best = near.reduce((most, one) => Math.max(most, one), 0)
      return best === 0 ? [] : found.slice(near.indexOf(best)).slice(0, 1)
    })
  )

/**
 * The best amount that is admitted: of the kind that the field holds, or one that the words of the field stand beside. An
 * amount of another field is not taken unless the words of this one stand beside it, too.
 */
export const amountOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  admits: (amount: number) => boolean,
  others: ReadonlyArray<string> = []
) {
  if (statedKind(field) === "postcode") {
    return postcodesOf(field, passage).find(({ amount }) => amount !== undefined && admits(amount))?.amount
  }
  const stated = statedNumber(field)
  const kind = stated ?? (yield* kindOf(mind, field, "number", ["money", "percent", "number"]))
  const found = yield* amountsOf(mind, field, passage)
  const inOrder = found.toSorted((a, b) => a.start - b.start)
  const taken = namedBy(others, passage, inOrder)
  const fitting = found.filter(
    (value) =>
      value.amount !== undefined && admits(value.amount) && (!taken.has(value) || besideOf(field, passage, value) > 0)
  )
  const near = fitting.find((value) => besideOf(field, passage, value) > 0)
  const own = fitting.filter((value) => value.kind === kind)
  const best =
    own.find((value) => besideOf(field, passage, value) > 0) ??
    (stated === undefined ? near : undefined) ??
    own[0] ??
    near ??
    (stated === undefined && kind !== "money" ? fitting[0] : undefined)
  return best?.amount
})

const rating =
  /(?<![\w.,/-])(\d(?:\.\d)?|one|two|three|four|five|six|seven|eight|nine|ten)\s*(?:\/\s?(?:5|10)\b|out of (?:\d+|five|ten)\b|[- ]?stars?\b|★)|\b(?:rating|score|rated?|stars?):?\s*(?:of\s+|is\s+|it\s+|a\s+)?(\d+|one|two|three|four|five)\b/giu

const digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

/** Ratings that a text gives in numbers: "4 out of 5", "five stars". */
export const ratingsIn = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(rating), ([, before, after]) => {
    const said = (before ?? after ?? "").toLowerCase()
    const word = digits.indexOf(said)
    return word < 0 ? Number(said) : word
  })
