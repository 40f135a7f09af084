/**
 * The role of an entry's author.
 */
type Role = "system" | "user" | "assistant"

/**
 * The kind of an entry: an ordinary message, a summary of removed messages, a mark for omitted ones, or the results of the tools
 * that the message before it calls.
 */
type Kind = "message" | "summary" | "omission" | "result"

/**
 * One message of the conversation. Immutable.
 *
 * @category models
 */
export interface Entry {
  /** Index in the session. Indexes increase and are never reused. */
  readonly index: number
  readonly kind: Kind
  readonly role: Role
  readonly text: string
  /** Ids of the notes that the text shows. */
  readonly carries: ReadonlyArray<string>
  /** Ids of the notes that the text represents without showing them. */
  readonly covers: ReadonlyArray<string>
}

/**
 * An entry without an index.
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
