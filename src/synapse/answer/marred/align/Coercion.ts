/**
 * How much may be done to read an answer that is not quite what was asked for.
 *
 * - `"strict"`: nothing; an answer that is not the bare JSON of the form is rejected. For values such as amounts, where a
 *   guess costs more than another call
 * - `"lenient"`: what leaves no doubt about the value, such as a code fence taken off or `"42"` read as a number
 * - `"lossy"`: also what loses something, such as `"1,234"` or `"$12"` read as a number, or `"yes"` as true
 *
 * @category models
 */
export type Parsing = "strict" | "lenient" | "lossy"

/**
 * One thing that was done to read an answer: where, by the names of properties and the positions in arrays, and what.
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
