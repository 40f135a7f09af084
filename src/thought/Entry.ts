/**
 * Who speaks in an entry.
 *
 * @category models
 */
export type Role = "system" | "user" | "assistant"

/**
 * What an entry is: an ordinary message, a summary of removed ones, or a mark that some were left out.
 *
 * @category models
 */
export type Kind = "message" | "summary" | "omission"

/**
 * One message of the conversation. Immutable.
 *
 * @category models
 */
export interface Entry {
  /** Number in the session, growing and never used again. */
  readonly index: number
  readonly kind: Kind
  readonly role: Role
  readonly text: string
  /** Ids of the notes that the text shows. */
  readonly carries: ReadonlyArray<string>
  /** Ids of the notes that the text stands for without showing them. */
  readonly covers: ReadonlyArray<string>
}

/**
 * An entry yet without its number.
 *
 * @category models
 */
export interface Draft {
  readonly role: Role
  readonly text: string
  /** Default `"message"`. */
  readonly kind?: Kind
  readonly carries?: ReadonlyArray<string>
  readonly covers?: ReadonlyArray<string>
}
