/** Orders the values of a text by how well they fit a field. */
import * as Effect from "effect/Effect"
import { type Field, phrases } from "../mind/field.ts"
import { contentOf, saidBeside } from "../language/nearby.ts"
import type { Value, ValueKind } from "../language/values.ts"
import type { Mind, Passage } from "../mind/meaning.ts"

const around = 60
/** A word of the field beside a value counts for more than any nearness in meaning. */
const beside = 10
const inOrder: ReadonlySet<ValueKind> = new Set<ValueKind>(["email", "phone", "url"])

/** The words of a field that say which of several values belongs to it. */
export const tellingOf = ({ hint = "", path, words }: Field): ReadonlyArray<string> =>
  contentOf(path === "value" ? hint : words)

/** How near the words of the field stand to a value. */
export const besideOf = (field: Field, { text }: Passage, value: Value): number =>
  saidBeside(text, value.start, value.start + value.text.length, tellingOf(field))

/**
 * Values of the wanted kinds: those first that the words of the field stand beside, then those whose surroundings are nearest in meaning.
 * E-mail addresses, phone numbers and URLs by themselves keep the order of the text.
 */
export const valuesOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  wanted: ReadonlyArray<ValueKind>
) {
  return yield* nearestOf(
    mind,
    field,
    passage,
    mind.language.values(passage.text).filter((value) => wanted.includes(value.kind))
  )
})

/** Values in the same order. */
export const nearestOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  found: ReadonlyArray<Value>
) {
  if (found.length < 2 || found.every(({ kind }) => inOrder.has(kind))) return found
  const surroundings = found.map(({ start, text }) =>
    passage.text.slice(Math.max(0, start - around), start + text.length + around / 2)
  )
  const rows = yield* mind.compare(surroundings, phrases(field))
  const order = new Map<Value, number>(
    found.map((value, i) => [value, besideOf(field, passage, value) * beside + Math.max(...(rows[i] ?? [0]))])
  )
  return found.toSorted((a, b) => (order.get(b) ?? 0) - (order.get(a) ?? 0))
})
