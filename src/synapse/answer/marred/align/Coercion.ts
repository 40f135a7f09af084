/**
 * How much may be changed to read an answer that is not quite valid.
 *
 * - `"strict"`: nothing. Only the bare JSON of the form is accepted. For values such as amounts, where a guess costs
 *   more than another call
 * - `"lenient"`: changes that leave no doubt about the value, such as to remove a code fence or to read `"42"` as a
 *   number
 * - `"lossy"`: also changes that lose something, such as to read `"1,234"` or `"$12"` as a number, or `"yes"` as true
 *
 * @category models
 */
export type Parsing = "strict" | "lenient" | "lossy"

/**
 * One change that was made to read an answer.
 *
 * `path` consists of property names and array positions.
 *
 * @category models
 */
export interface Coercion {
  readonly path: ReadonlyArray<string>
  /** A short name such as `"fence"`, `"trailing-comma"`, `"number-from-text"`. */
  readonly kind: string
  /** Whether something was lost; only with `"lossy"`. */
  readonly lossy: boolean
}
