/** Finds the values of a text for a JSON Schema `format`. */
import * as Effect from "effect/Effect"
import type { Field } from "../mind/field.ts"
import { onSide, sideOf } from "../language/ranges.ts"
import { isoDate, isoDateTimes, momentsIn, type ValueKind } from "../language/values.ts"
import type { Mind, Passage } from "../mind/meaning.ts"
import { nearestOf } from "./nearest.ts"

const formats: Readonly<Record<string, RegExp>> = {
  time: /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u,
  duration: /^P(?=.)(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$/u,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu
}

/** What stands around a word and is no part of it: quotation marks, brackets, and the end of a sentence. */
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

const dates: Readonly<Record<string, (text: string) => ReadonlyArray<string>>> = {
  date: (text) => [isoDate(text) ?? []].flat(),
  "date-time": isoDateTimes
}

/** A value for a format: what the passage has there, and all spellings that the format allows. */
interface Formatted {
  readonly text: string
  readonly start: number
  readonly spellings: ReadonlyArray<string>
}

/** The words of a passage, without punctuation around them. */
const wordsIn = (passage: string): ReadonlyArray<Formatted> =>
  Array.from(passage.matchAll(/\S+/gu), ({ 0: word, index }) => {
    const text = word.replaceAll(edges, "")
    return { text, start: index + word.indexOf(text), spellings: [text] }
  })

/**
 * The values in the passage for a text of a given `format`.
 *
 * They come in the order of the passage; with `nearest`, dates whose surroundings are nearest to the field come first.
 * Undefined if the format does not say what to look for.
 */
export const formattedOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  passage: Passage,
  format: unknown,
  order: "passage" | "nearest"
): Effect.fn.Return<ReadonlyArray<Formatted> | undefined> {
  if (typeof format !== "string") return undefined
  const values = mind.language.values(passage.text)
  const all = (kind: ValueKind) => values.filter((value) => value.kind === kind)
  const asWritten = (kind: ValueKind) => all(kind).map(({ start, text }) => ({ start, text, spellings: [text] }))
  const written = dates[format]
  if (written !== undefined) {
    const dated = format === "date" ? all("date") : momentsIn(passage.text, values).filter((one) => one.kind === "date")
    const found =
      order === "passage"
        ? dated
        : onSide(yield* nearestOf(mind, field, passage, dated), passage.text, sideOf(field.words))
    return found.map(({ start, text }) => ({ start, text, spellings: written(text) }))
  }
  if (format === "email") return asWritten("email")
  if (format === "uri" || format === "url") return asWritten("url").filter(({ text }) => URL.canParse(text))
  const form = formats[format]
  return form === undefined ? undefined : wordsIn(passage.text).filter(({ text }) => form.test(text))
})
