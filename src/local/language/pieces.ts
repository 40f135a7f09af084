/** Cuts a long text into pieces, for readers whose time grows with the square of the length. */

/** Longer than a sentence of everyday text. */
const longest = 1_000

// In order: where to cut is where the last of the first kind is.
const ends: ReadonlyArray<RegExp> = [
  /(?<=\n)/gu,
  /(?<=[.!?]["”')\]]*\s)(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St|No)\.\s)(?=\P{Ll})/gu,
  /(?<=[,;:]\s)/gu,
  /(?<=\s)/gu
]

/** Where the first piece of a window ends. A character is never cut in two. */
const endIn = (window: string): number => {
  for (const end of ends) {
    const at = Array.from(window.matchAll(end), ({ index }) => index).findLast((index) => index > 0)
    if (at !== undefined) return at
  }
  return /[\uD800-\uDBFF]$/u.test(window) ? window.length - 1 : window.length
}

/**
 * Cuts a text into pieces of at most 1,000 characters, which joined are the text. A piece ends with a line if possible, or else with a
 * sentence, a clause or a word.
 */
export const piecesOf = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let start = 0
  while (text.length - start > longest) {
    const end = start + endIn(text.slice(start, start + longest))
    pieces.push(text.slice(start, end))
    start = end
  }
  return [...pieces, text.slice(start)]
}
