/** The meaning of unquoted words and numbers. */
import { nothingDone, type Tree } from "./Tree.ts"

const literals: ReadonlyMap<string, readonly [value: boolean | null, kind: string | undefined]> = new Map([
  ["true", [true, undefined]],
  ["false", [false, undefined]],
  ["null", [null, undefined]],
  ["True", [true, "literal"]],
  ["False", [false, "literal"]],
  ["None", [null, "literal"]],
  ["TRUE", [true, "literal"]],
  ["FALSE", [false, "literal"]],
  ["NULL", [null, "literal"]],
  ["Null", [null, "literal"]],
  ["nil", [null, "literal"]],
  ["undefined", [null, "literal"]]
])

const json = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i
const decimal = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const grouped = /^[+-]?[1-9]\d{0,2}(?:_\d{3})+$/
const based = /^0(?:x[\da-f]+|o[0-7]+|b[01]+)$/i

/** Whole numbers in digits of other scripts, with at most 15 digits, which are exact. */
const scripts = [/^[０-９]{1,15}$/, /^[٠-٩]{1,15}$/, /^[۰-۹]{1,15}$/, /^[०-९]{1,15}$/]
const zeros = "０٠۰०"

const inDigits = (text: string): number | undefined => {
  const zero = zeros.charCodeAt(scripts.findIndex((script) => script.test(text)))
  const digits = Array.from(text, (digit) => digit.charCodeAt(0) - zero)
  // With a leading zero it is a code, not a number.
  return Number.isNaN(zero) || (digits[0] === 0 && digits.length > 1) ? undefined : Number(digits.join(""))
}

/** Reads a number in the notations of programming languages. `kind` is undefined for that of JSON. */
export const numberOf = (text: string): { readonly value: number; readonly kind: string | undefined } | undefined => {
  if (json.test(text)) return { value: Number(text), kind: undefined }
  if (decimal.test(text) || based.test(text)) return { value: Number(text), kind: "number-form" }
  const value = inDigits(text)
  if (value !== undefined) return { value, kind: "number-form" }
  return grouped.test(text) ? { value: Number(text.replaceAll("_", "")), kind: "number-form" } : undefined
}

/** The value of a word. It is text if it is neither a literal nor a number. */
export const wordOf = (text: string): Tree => {
  const literal = literals.get(text)
  if (literal !== undefined) {
    const [value, kind] = literal
    return { _tag: "Literal", text, value, kinds: kind === undefined ? nothingDone : [kind] }
  }
  const number = numberOf(text)
  if (number !== undefined) {
    const kinds = number.kind === undefined ? nothingDone : [number.kind]
    return { _tag: "Numeral", text, value: number.value, kinds }
  }
  return { _tag: "Bare", text, kinds: ["unquoted"] }
}
