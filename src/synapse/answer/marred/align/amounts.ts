/** Reads numbers as people write them for people. Their meaning is a guess. */
import { isExact } from "../scan/exact.ts"

const grouped = /^([+-]?\d{1,3})((?:[,\u00a0\u202f ']\d{3})+)(\.\d+)?$/
const currency =
  /^([+-]?)\s*(?:[$€£¥₹]|(?:EUR|USD|GBP|JPY|CHF|INR)\b)\s*|\s*(?:[$€£¥₹]|\b(?:EUR|USD|GBP|JPY|CHF|INR))$/gi
/** A comma before one or two digits, behind thousands with full stops. Without these, it could separate two numbers. */
const decimalComma = /^([+-]?[1-9]\d{0,2}(?:\.\d{3})+),(\d{1,2})$/
/** Words for an estimate before a percentage. Other numbers with such words are not read. */
const about = /^(?:(?:about|approximately|approx\.?|around|roughly|circa|ca\.?)\s+|[~≈]\s*)(?=\d[\d.,]*\s?%$)/i
const plain = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)$/

/** The number that a text such as "1,234", "1.234,5", "$12" or "85%" seems to mean, and the kind of notation. */
export const amountOf = (
  text: string,
  maximum: number | undefined
): { readonly value: number; readonly kind: string } | undefined => {
  if (text.length > 64) return undefined
  const rest = text.replace(about, "")
  if (rest !== text) {
    const amount = exactAmountOf(rest, maximum)
    return amount === undefined ? undefined : { ...amount, kind: "approximate" }
  }
  return exactAmountOf(text, maximum)
}

const exactAmountOf = (
  text: string,
  maximum: number | undefined
): { readonly value: number; readonly kind: string } | undefined => {
  if (text.endsWith("%")) {
    const share = plainOf(text.slice(0, -1).trim())
    return share === undefined ? undefined : { value: maximum === 1 ? share / 100 : share, kind: "percent" }
  }
  const bare = text.replace(currency, "$1")
  const comma = decimalComma.exec(bare)
  if (comma !== null) {
    const value = plainOf(`${(comma[1] ?? "").replaceAll(/[^\d+-]/g, "")}.${comma[2] ?? ""}`)
    return value === undefined ? undefined : { value, kind: "decimal-comma" }
  }
  const value = plainOf(bare)
  return value === undefined ? undefined : { value, kind: bare === text ? "thousands-separator" : "currency" }
}

const plainOf = (text: string): number | undefined => {
  const parts = grouped.exec(text)
  const digits = parts === null ? text : `${parts[1] ?? ""}${(parts[2] ?? "").replaceAll(/\D/g, "")}${parts[3] ?? ""}`
  return plain.test(digits) && isExact(digits, Number(digits)) ? Number(digits) : undefined
}
