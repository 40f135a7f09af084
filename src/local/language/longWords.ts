/** Words that nobody has written, such as encoded data. */

/** Longer than any address. */
const longest = 2_000

const tooLong = new RegExp(String.raw`(?<!\S)(\S{${longest}})\S+`, "gu")

/**
 * A text of whose words none is longer than 2,000 characters: of a longer one the beginning stays. Reading a word takes time that
 * grows with the square of its length.
 */
export const withoutLongWords = (text: string): string => text.replace(tooLong, "$1")
