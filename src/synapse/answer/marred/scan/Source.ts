/** A text, and how far its comments go, so that none is passed over again and again. */
export interface Source {
  readonly text: string
  /** Where the first thing stands that is no comment, by where a comment begins. */
  readonly ends: Map<number, number>
  /** The last ends of a line and of a comment in lines that were looked for, from where. */
  readonly last: { [mark: string]: { readonly from: number; readonly end: number } }
}

export const sourceOf = (text: string): Source => ({ text, ends: new Map(), last: {} })
