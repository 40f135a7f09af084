/** Names as one reads them: plain words as they are, all else quoted and on one line. */

const plain = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .,/()-]*[\p{L}\p{N}_.)])?$/u

/** A text in one line that begins and ends where it seems to: in quotes unless it is plain, without hidden characters. */
export const legible = (text: string): string => (plain.test(text) ? text : quoted(text))

/** A text among others with commas between them. */
export const item = (text: string): string => (/[,()]/.test(text) ? quoted(text) : legible(text))

const quoted = (text: string): string => escapeHidden(JSON.stringify(text))

/** Control, format and unassigned characters and line separators by their number. */
export const escapeHidden = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
