/** Reads escapes: what follows a backslash in a text. */

const short: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t"
}

const partners: Readonly<Record<string, string>> = { "{": "}", "}": "{", "[": "]", "]": "[" }

const hasPartner = (text: string, at: number, char: string): boolean => {
  const partner = `\\${partners[char] ?? ""}`
  return (char === "{" || char === "[" ? text.slice(at, at + 256) : text.slice(Math.max(0, at - 256), at)).includes(
    partner
  )
}

export interface Escape {
  readonly text: string
  /** Where the text continues. */
  readonly end: number
  /** Whether JSON has this escape. */
  readonly known: boolean
  /**
   * Whether a letter follows the backslash: it is a control character such as a line break, or not meant as an escape.
   */
  readonly lettered: boolean
  /** Whether the backslash may be what is left of an escaped quote, because it is not a common use of a backslash. */
  readonly stray: boolean
}

/** Common uses of backslashes: words as in paths and formulas, and character classes in patterns. */
const usual = /\\(?:\p{L}\p{Ll}{2}|[dDwWsS](?:$|[+*?{}()[\].|\\,;\s-]))/uy

const isUsual = (text: string, at: number): boolean => {
  usual.lastIndex = at
  return usual.test(text) || /\p{L}:$/u.test(text.slice(Math.max(0, at - 2), at))
}

/** Whether a character is here that is often escaped needlessly: in a word, or before an amount or a name. */
const isSign = (text: string, at: number): boolean =>
  /^(?:\p{L}\\'\p{L}|[\p{L}\p{N}]\\_|.?\\\$[\d{])/u.test(text.slice(Math.max(0, at - 1), at + 3))

/** The escape that begins with the backslash here. Undefined if it is truncated or invalid. */
export const escapeAt = (text: string, at: number): Escape | undefined => {
  const char = text.charAt(at + 1)
  if (char === "") return undefined
  const own = Object.hasOwn(short, char) ? short[char] : undefined
  if (own !== undefined) return { text: own, end: at + 2, known: true, lettered: /[a-z]/.test(char), stray: false }
  if (char === "u" || char === "x") {
    const digits = char === "u" ? 4 : 2
    const code = text.slice(at + 2, at + 2 + digits)
    if (code.length === digits && /^[\da-f]+$/i.test(code)) {
      const value = String.fromCharCode(Number.parseInt(code, 16))
      return { text: value, end: at + 2 + digits, known: char === "u", lettered: false, stray: false }
    }
    const braced = /^\{([\da-f]{1,6})\}/i.exec(text.slice(at + 2, at + 10))
    const point = braced === null ? Number.NaN : Number.parseInt(braced[1] ?? "", 16)
    if (braced !== null && char === "u" && point <= 0x10ffff) {
      const end = at + 2 + braced[0].length
      return { text: String.fromCodePoint(point), end, known: false, lettered: false, stray: false }
    }
    // A code that contains a mark is invalid, and is not a path such as C:\\users either.
    return /^[\da-f{}[\]":,']/i.test(code)
      ? undefined
      : { text: `\\${char}`, end: at + 2, known: false, lettered: true, stray: !isUsual(text, at) }
  }
  if (char === "\n") return { text: "", end: at + 2, known: false, lettered: false, stray: false }
  // A mark in the place of the escaped character. Patterns and formulas escape brackets too, but in pairs.
  if (char === "," || char === ":" || (Object.hasOwn(partners, char) && !hasPartner(text, at, char))) return undefined
  if ("'`$_“”„«»".includes(char)) {
    const stray = "'`$_".includes(char) && !isSign(text, at)
    return { text: char, end: at + 2, known: false, lettered: false, stray }
  }
  return { text: `\\${char}`, end: at + 2, known: false, lettered: /\p{L}/u.test(char), stray: !isUsual(text, at) }
}
