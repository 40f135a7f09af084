/** Names as one reads them: plain words as they are, all else quoted and on one line. */
import { replaceInvisible } from "./invisible.ts"

const plain = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .,/()-]*[\p{L}\p{N}_.)])?$/u

/** A text in one line that begins and ends where it seems to: in quotes unless it is plain, without hidden characters. */
export const legible = (text: string): string => (plain.test(text) && escapeHidden(text) === text ? text : quoted(text))

/** A text among others with commas between them. */
export const item = (text: string): string => (/[,()]/.test(text) ? quoted(text) : legible(text))

/** A text in quotes, on one line and without hidden characters: for the names in messages. */
export const quoted = (text: string): string => escapeHidden(JSON.stringify(text))

/** Characters that cannot be seen by their number, `\\u{200b}`, ends of lines among them. */
export const escapeHidden = (text: string): string =>
  replaceInvisible(text, /(?!)/, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)
