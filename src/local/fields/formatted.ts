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

/** Forms of texts that machines write. Each has what no word has, since a word such as "this" could also be base64. */
const tokens: Readonly<Record<string, RegExp>> = {
  base64: /^(?=[^=]*=|(?=.*\d).*[a-z\d][A-Z])(?=.{8})(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/u,
  base64url: /^(?=.*\d)(?=.*[a-z\d][A-Z])[\w-]{8,}$/u,
  jwt: /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/u,
  cuid: /^c(?=.*\d)[\da-z]{24,}$/iu,
  cuid2: /^[a-z](?=.*\d)[\da-z]{9,31}$/u,
  nanoid: /^(?=.*[\d_-])[\w-]{21}$/u,
  ulid: /^[0-7][\dA-HJKMNP-TV-Z]{25}$/iu,
  xid: /^(?=.*\d)[\da-v]{20}$/iu,
  ksuid: /^(?=.*\d)[\dA-Za-z]{27}$/u,
  hex: /^(?=.*\d)(?=.*[a-f])[\da-f]{4,}$/iu,
  ipv4: /^\d{1,3}(?:\.\d{1,3}){3}$/u,
  ipv6: /^(?=.*:.*:)[\da-f:.]+$/iu,
  cidrv4: /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/u,
  cidrv6: /^(?=.*:.*:)[\da-f:.]+\/\d{1,3}$/iu,
  mac: /^[\da-f]{2}(?:[:.-][\da-f]{2}){5}$/iu,
  emoji: /^(?=.*\p{Extended_Pictographic})(?:\p{Extended_Pictographic}|\p{Emoji_Component})+$/u
}

/** What stands around a word and is no part of it: quotation marks, brackets, and the end of a sentence. */
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu
/** The same around a text that may begin or end with another sign. */
const marks = /^["'“”‘’«»([{<]+|["'“”‘’«»)\]}>.,;!?]+$/gu

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

/** The words of a passage, without what stands around them. */
const wordsIn = (passage: string, around: RegExp): ReadonlyArray<Formatted> =>
  Array.from(passage.matchAll(/\S+/gu), ({ 0: word, index }) => {
    const text = word.replaceAll(around, "")
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
  if (format === "hostname") return asWritten("host")
  if (format === "e164") {
    const international = all("phone").filter(({ text }) => text.startsWith("+"))
    return international.map(({ start, text }) => ({ start, text, spellings: [text.replaceAll(/[^+\d]/gu, "")] }))
  }
  const form = formats[format]
  if (form !== undefined) return wordsIn(passage.text, edges).filter(({ text }) => form.test(text))
  const token = tokens[format]
  return token === undefined ? undefined : wordsIn(passage.text, marks).filter(({ text }) => token.test(text))
})
