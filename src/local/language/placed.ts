/** Finds where texts stand in another. */

/** A text and where it stands. */
export interface Span {
  readonly text: string
  readonly start: number
}

/** Where each text stands, in turn: one that is there twice has two places. */
export const placed = (text: string, found: ReadonlyArray<string>): ReadonlyArray<Span> => {
  let from = 0
  return found.flatMap((value) => {
    const start = Math.max(text.indexOf(value, from), text.indexOf(value))
    from = start + value.length
    return start < 0 ? [] : [{ text: value, start }]
  })
}

/** Whether two places in a text share characters. */
export const overlaps = (one: Span, other: Span): boolean =>
  one.start < other.start + other.text.length && other.start < one.start + one.text.length
