/**
 * Text that Postgres can hold, and back again exactly.
 *
 * Postgres has no NUL in text, a lone surrogate would silently become U+FFFD, and a byte order mark at the beginning is
 * left out when a text is read. These are written as U+001A (substitute) with four hex digits; U+001A itself too, so that
 * no two texts are written alike and equality in SQL is equality here.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unstorable = /[\u0000\u001a\ud800-\udfff]|^\ufeff/gu
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const written = /\u001a([0-9a-f]{4})/g

/** How a text is written in the database. */
export const encode = (text: string): string =>
  text.replace(unstorable, (char) => `\u001a${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The text that was written. */
export const decode = (stored: string): string =>
  stored.includes("\u001a")
    ? stored.replace(written, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : stored

/** A map of texts as JSON, keys and values written as texts are. */
export const encodeMap = (map: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(map).map(([key, value]) => [encode(key), encode(value)])))

/** The map that was written. */
export const decodeMap = (stored: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(stored).map(([key, value]) => [decode(key), decode(value)]))
