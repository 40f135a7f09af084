/** Whether a number is the one that is written. */

import { longNumber } from "./json.ts"

const decimal = /^[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i
const based = /^0[xob][\da-f]+$/i

/** A number beyond the whole numbers that are exact may not be longer. */
const longest = 400

/** Programs print a double with up to 17 digits. A fraction with as many or more was calculated. */
const mostDigits = 17
/** Below it, a fraction changes by less than a millionth. */
const largestCalculated = 1e9
/** Below it, a double has fewer digits. */
const leastNormal = 2.2250738585072014e-308

/** The digits of a value without its sign and without zeros around them, and how many of them stand before the point. */
interface Digits {
  readonly digits: string
  readonly point: number
}

const digitsOf = (text: string): Digits | undefined => {
  const [all, whole = "", fraction = "", exponent = "0"] = decimal.exec(text) ?? []
  if (all === undefined) return undefined
  const written = whole + fraction
  const zeros = /^0*/.exec(written)?.[0].length ?? 0
  const digits = written.slice(zeros).replace(/0+$/, "")
  return { digits, point: digits === "" ? 0 : whole.length - zeros + Number(exponent) }
}

/**
 * Whether a number is the one that is written: it is printed with the same digits, or it is a whole number that has exactly this
 * value. A calculated fraction may lose what is beyond the digits of a double.
 */
export const isExact = (text: string, value: number): boolean => {
  if (!Number.isFinite(value)) return false
  if (text.length <= 15 && !/e/i.test(text)) return true
  const plain = text.replaceAll("_", "")
  if (based.test(plain)) return plain.length <= longest && BigInt(plain) === BigInt(value)
  const written = digitsOf(plain)
  // digits of another script, of which no more are read than a double keeps
  if (written === undefined) return true
  const size = Math.abs(value)
  if (plain.length > longest && size > Number.MAX_SAFE_INTEGER) return false
  const hasDigitsOf = (printed: string) => {
    const { digits, point } = digitsOf(printed) ?? {}
    return digits === written.digits && point === written.point
  }
  if (hasDigitsOf(String(value))) return true
  if (Number.isInteger(value)) return hasDigitsOf(BigInt(value).toString())
  return size < largestCalculated && size >= leastNormal && written.digits.length >= mostDigits
}

/** Whether every number of a JSON text keeps its value. */
export const hasExactNumbers = (json: string): boolean => {
  if (!longNumber.test(json)) return true
  const bare = json.replaceAll(/"(?:[^"\\]+|\\.)*"/g, '""')
  return !longNumber.test(bare) || (bare.match(/-?\d[\d.eE+-]*/g) ?? []).every((text) => isExact(text, Number(text)))
}
