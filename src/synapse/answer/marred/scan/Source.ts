/** A text with caches of its comments and ends, so that no part is scanned repeatedly. */
export interface Source {
  readonly text: string
  /** By the start of a comment, the position of the first text after it that is not a comment. */
  readonly ends: Map<number, number>
  /** By mark, the last search for the end of a line or comment: where it began and what it found. */
  readonly last: { [mark: string]: { readonly from: number; readonly end: number } }
}

export const sourceOf = (text: string): Source => ({ text, ends: new Map(), last: {} })
