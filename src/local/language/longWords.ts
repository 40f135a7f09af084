/** Words that nobody has written, such as encoded data, and space that nobody reads. */

/** Longer than any address. */
const longest = 2_000

const tooLong = new RegExp(String.raw`(?<!\S)(\S{${longest}})\S+`, "gu")

const widest = 200

const tooWide = new RegExp(String.raw`(\s{${widest}})\s+`, "gu")

/**
 * A text of whose words none is longer than 2,000 characters: of a longer one the beginning stays. Reading a word takes time that
 * grows with the square of its length. So does white space, of which at most 200 characters stay.
 */
export const withoutLongWords = (text: string): string => text.replace(tooLong, "$1").replace(tooWide, "$1")
