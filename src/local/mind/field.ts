/** Describes a property of an answer: its name in words, its description, and the kind of text or value it holds. */
import * as Effect from "effect/Effect"
import type { Mind } from "./meaning.ts"
import type { ValueKind } from "../language/values.ts"

/** A property: its path, its name in words, and what else is known about it. */
export interface Field {
  readonly path: string
  readonly words: string
  readonly description?: string
  /** The part of the instruction that is about it. */
  readonly hint?: string
  /** The instruction of the whole answer, of a bare `name`. */
  readonly instruction?: string
}

/** The kind of text that a property holds. */
export type FieldKind =
  | ValueKind
  | "moment"
  | "path"
  | "address"
  | "street"
  | "postcode"
  | "state"
  | "country"
  | "currency"
  | "given name"
  | "family name"
  | "person"
  | "organization"
  | "place"
  | "thing"
  | "summary"
  | "problem"
  | "request"
  | "statement"

// Kinds are distinguished by similarity to these property names.
const kinds: ReadonlyArray<readonly [FieldKind, ReadonlyArray<string>]> = [
  [
    "person",
    [
      "name of the person",
      "customer",
      "customer name",
      "who wrote the message",
      "contact person",
      "author",
      "people",
      "seller or buyer",
      "sender"
    ]
  ],
  ["organization", ["company", "name of the organisation", "employer"]],
  ["place", ["city", "country", "address", "location"]],
  ["money", ["amount of money", "price", "cost", "total amount", "charged amount", "refund amount"]],
  ["percent", ["percentage", "rate in percent"]],
  ["date", ["date", "day when it happened", "deadline", "due date", "invoice date"]],
  ["email", ["e-mail address", "email"]],
  ["phone", ["phone number", "telephone"]],
  ["url", ["link", "website address"]],
  ["identifier", ["order number", "invoice number", "ticket id", "reference code"]],
  ["number", ["number of items", "quantity", "how many"]],
  ["thing", ["product", "name of the device", "software", "brand", "tool"]],
  ["summary", ["summary", "key points", "main facts", "highlights"]],
  ["problem", ["issue", "problem description", "what happened", "complaint", "error message", "what is broken"]],
  ["request", ["request", "what the customer wants", "question", "desired outcome", "feature requests"]],
  ["statement", ["reason", "cause", "signs", "topic", "subject", "quote", "steps"]]
]
const leastKind = 0.55
const leastHint = 0.35
const sharedLetters = 4

const notBlank = (text: string | undefined) => text !== undefined && text.trim() !== ""

/** Splits a name into words: "invoiceNumber" and "invoice_number" become "invoice number". */
export const wordsOf = (name: string): string =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/[_.-]+/gu, " ")
    .trim()
    .toLowerCase()

/** The names and descriptions of a field, the most specific last. */
export const phrases = ({ description, hint, words }: Field): ReadonlyArray<string> =>
  [words, hint, description].filter((text) => text !== undefined).filter(notBlank)

/** The field in one phrase. */
export const phraseOf = (field: Field): string => phrases(field).at(-1) ?? field.words

const fieldFrom = (
  { instruction, path, words }: Pick<Field, "path" | "words" | "instruction">,
  description: string | undefined,
  hint: string | undefined
): Field => ({
  path,
  words,
  ...(instruction === undefined ? {} : { instruction }),
  ...(description === undefined ? {} : { description }),
  ...(hint === undefined ? {} : { hint })
})

/**
 * Finds the part of an instruction that is about a property: it is near in meaning, or has a word with the same
 * beginning.
 */
export const fieldOf = Effect.fnUntraced(function* (
  mind: Mind,
  instruction: string,
  path: string,
  name: string,
  description: string | undefined
) {
  const words = wordsOf(name)
  // A form that is not an object is wrapped in one with only this property, so the whole instruction is about it.
  if (path === "value") return fieldFrom({ path, words }, description, instruction)
  const parts = instruction
    .split(/[,;:.\n]|\band\b/u)
    .map((part) => part.trim())
    .filter((part) => part !== "")
  const [row = []] = parts.length < 2 ? [] : yield* mind.compare([words], parts)
  const start = words.slice(0, sharedLetters)
  const near = parts.map(
    (part, i) =>
      (row[i] ?? 0) +
      (part
        .toLowerCase()
        .split(/\W+/u)
        .some((word) => word.startsWith(start))
        ? 0.2
        : 0)
  )
  const best = Math.max(-1, ...near)
  const hint = best >= leastHint ? parts[near.indexOf(best)] : undefined
  return fieldFrom(words === "name" ? { path, words, instruction } : { path, words }, description, hint)
})

/** The kind of a field, among those allowed; `fallback` if none is near. */
export const kindOf = Effect.fnUntraced(function* (
  mind: Mind,
  field: Field,
  fallback: FieldKind,
  allowed?: ReadonlyArray<FieldKind>
) {
  const candidates = kinds.filter(([kind]) => allowed === undefined || allowed.includes(kind))
  const rows = yield* mind.compare(
    phrases(field),
    candidates.flatMap(([, names]) => names)
  )
  let from = 0
  let best: readonly [FieldKind, number] = [fallback, leastKind]
  for (const [kind, names] of candidates) {
    const near = Math.max(...rows.flatMap((row) => row.slice(from, from + names.length)))
    from += names.length
    if (near > best[1]) best = [kind, near]
  }
  return best[0]
})
