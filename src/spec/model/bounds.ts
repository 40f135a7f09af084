/** Limits on documents, checked before anything is built: plain data of a bounded size and depth. */
import { capped, mostProblems, type Path, problem, quote } from "./problems.ts"
import type { Problem } from "./SpecError.ts"

/**
 * A JSON value.
 *
 * @category models
 */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Longest text of a document, in UTF-16 units. */
export const mostText = 2_000_000
/** Limits on YAML, whose parser is slow on long texts, long lines and many lines. */
export const mostYaml = 100_000
export const mostLine = 2_000
export const mostLines = 10_000
/** Most values in a document. Values behind an alias count at each use. */
const mostValues = 100_000
/** Deepest nesting of values: a step in a branch of a step is three levels further in. */
const mostLevels = 1_000

/** Names that have a special meaning for objects. */
const reserved = new Set(["__proto__"])

/** A copy as plain data, or the problems that prevent it. Aliased values are copied and counted at each use. */
export const plain = (
  value: unknown
):
  | { readonly value: Json; readonly problems: readonly [] }
  | { readonly problems: readonly [Problem, ...Array<Problem>] } => {
  const problems: Array<Problem> = []
  let values = 0
  const copy = (given: unknown, path: Path): Json => {
    if (values > mostValues || problems.length >= mostProblems) return null
    values++
    if (values > mostValues) {
      problems.push(
        problem(
          [],
          `The document has more than ${mostValues} values. Aliases that repeat each other may be why: undo them.`
        )
      )
      return null
    }
    if (path.length > mostLevels) {
      problems.push(problem(path.slice(0, 6), `This is nested more than ${mostLevels} levels deep. Make it flatter.`))
      values = mostValues + 1
      return null
    }
    if (typeof given === "string" || typeof given === "boolean" || given === null) return given
    if (typeof given === "number") {
      if (!Number.isFinite(given)) problems.push(problem(path, `Write a finite number, not ${given}.`))
      return given
    }
    if (Array.isArray(given)) return given.map((inner: unknown, i) => copy(inner, [...path, i]))
    if (typeof given !== "object" || !isPlain(given)) {
      problems.push(problem(path, "Write plain data: text, numbers, true, false, null, lists and objects."))
      return null
    }
    const entries: Array<readonly [string, Json]> = []
    for (const [name, inner] of Object.entries(given)) {
      // an undefined option counts as absent
      if (inner === undefined) continue
      if (reserved.has(name)) problems.push(problem(path, `${quote(name)} cannot be a name: use another one.`))
      else entries.push([name, copy(inner, [...path, name])])
    }
    return Object.fromEntries(entries)
  }
  const copied = copy(value, [])
  const [first, ...others] = capped(problems)
  return first === undefined ? { value: copied, problems: [] } : { problems: [first, ...others] }
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
