/** Looks at what stands before a place in a text. */

/**
 * Whether a text has what a pattern looks for before a place. The pattern looks behind (`(?<=…)`) and is sticky, so that only the words
 * beside the place are read, however long the text is.
 */
export const isBefore = (pattern: RegExp, text: string, place: number): boolean => {
  pattern.lastIndex = place
  return pattern.test(text)
}
