/** Rewrites answers that were encoded for another reader: as a string in JSON, or as HTML. */

const unescaped = /(?:^|[^\\])"/
const escaped = /[{[]\s{0,64}\\["n]/
const escape = /\\(["\\/nrt])/g
const meant: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** The text without the backslashes of a string in JSON. Undefined if it is not one. */
export const withoutEscapes = (text: string): string | undefined =>
  escaped.test(text) && !unescaped.test(text)
    ? text.replace(escape, (_, char: string) => meant[char] ?? char)
    : undefined

const marked = /[{[]\s{0,64}&(?:quot|apos|#34|#39|#x22|#x27);/i
const entity = /&(?:(quot|apos|amp|lt|gt)|#(\d{1,6})|#x([\da-f]{1,6}));/gi
const named: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: "&", lt: "<", gt: ">" }

/** The text with its entities decoded. Undefined unless its quotes are entities. */
export const withoutEntities = (text: string): string | undefined =>
  marked.test(text)
    ? text.replace(entity, (_, name?: string, decimal?: string, hexadecimal?: string) => {
        const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal)
        return name === undefined ? String.fromCodePoint(Math.min(code, 0x10ffff)) : (named[name.toLowerCase()] ?? "")
      })
    : undefined
