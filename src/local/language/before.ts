/** Tests what stands before a place in a text. */

/**
 * Whether a pattern matches the text before a place. The pattern is a sticky lookbehind (`(?<=…)`), so that only the words beside the
 * place are read, however long the text is.
 */
export const isBefore = (pattern: RegExp, text: string, place: number): boolean => {
  pattern.lastIndex = place
  return pattern.test(text)
}
