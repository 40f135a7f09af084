/** Texts and names as a person reads them: shortened, on one line, quoted where they are not plain words. */
import { replaceInvisible } from "./invisible.ts"

const plain = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .,/()-]*[\p{L}\p{N}_.)])?$/u

/** A text in one line that begins and ends where it seems to: in quotes unless it is plain, without hidden characters. */
export const legible = (text: string): string =>
  plain.test(text) && escapeHidden(text) === text ? text : inQuotes(text)

/** A text among others with commas between them. */
export const item = (text: string): string => (/[,()]/.test(text) ? inQuotes(text) : legible(text))

const inQuotes = (text: string): string => escapeHidden(JSON.stringify(text))

const isSimple = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "number" || typeof value === "boolean"

/** How much of a name a message shows; what is taken as a name is not longer. */
const most = 200

/**
 * A string in quotes, on one line, without hidden characters and cut if it is long: for the names in messages. JavaScript
 * callers may pass any value: a number, boolean, null or undefined is shown as it is, anything else by its type.
 */
export const quoted = (text: unknown): string => {
  if (typeof text !== "string") return isSimple(text) ? String(text) : typeof text
  return inQuotes(text.length > most ? `${text.slice(0, most)}…` : text)
}

/** Characters that cannot be seen by their number, `\\u{200b}`, ends of lines among them. */
export const escapeHidden = (text: string): string =>
  replaceInvisible(text, /(?!)/, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)

/** At most `limit` code points of a text; a longer one ends in "..." within the limit. No code point is split. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  // a code point has at most two units, so this holds all that may stay and one more
  const points = Array.from(text.slice(0, 2 * limit + 2))
  return points.length <= limit ? text : `${points.slice(0, Math.max(0, limit - 3)).join("")}...`
}

/** A count with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
