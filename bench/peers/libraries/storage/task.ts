/** The notes that every store keeps: texts of made-up words, the same on each side. */
export const notes = 200
const bytes = 1024

const letters = "abcdefghijklmnopqrstuvwxyz"

/** The text of a note: words of random letters, which the database cannot compress. `length` is in characters. */
export const text = (note: number, length = bytes): string => {
  let state = note * 7919 + 17
  const draw = (most: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * most)
  }
  let words = `Note ${note}:`
  while (words.length < length) {
    words += " "
    for (let i = 2 + draw(8); i > 0; i--) words += letters[draw(letters.length)] ?? ""
  }
  return `${words.slice(0, length - 1)}.`
}

export const payload = notes * bytes

/** What a store has of the notes. */
export interface Stored {
  /** Bytes by what they are for. */
  readonly bytes: { readonly data: number; readonly search: number; readonly vectors: number }
  /** The texts in order. */
  readonly texts: ReadonlyArray<string>
  /** Statements sent to the database while the notes were written, and those among them that write vectors later. */
  readonly statements: number
}

/** An empty store. */
export interface Store {
  /** Writes all notes one by one, each with what the library does for durability. */
  readonly write: () => Promise<void>
  readonly stored: () => Promise<Stored>
  readonly close: () => Promise<void>
}

export type Open = () => Promise<Store>
