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

/**
 * The values in the passage for a text of a given `format`, each in all spellings that the format allows.
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
) {
  if (typeof format !== "string") return undefined
  const values = mind.language.values(passage.text)
  const all = (kind: ValueKind) => values.filter((value) => value.kind === kind)
  const texts = (kind: ValueKind) => all(kind).map(({ text }) => [text])
  const written = dates[format]
  if (written !== undefined) {
    const dated = format === "date" ? all("date") : momentsIn(passage.text, values).filter((one) => one.kind === "date")
    const found =
      order === "passage"
        ? dated
        : onSide(yield* nearestOf(mind, field, passage, dated), passage.text, sideOf(field.words))
    return found.map(({ text }) => written(text))
  }
  if (format === "email") return texts("email")
  if (format === "uri" || format === "url") return texts("url").filter(([url = ""]) => URL.canParse(url))
  const form = formats[format]
  return form === undefined
    ? undefined
    : passage.text
        .split(/\s+/u)
        .map((word) => word.replaceAll(edges, ""))
        .filter((word) => form.test(word))
        .map((word) => [word])
})
