/** Builds the text of problems: path, message and suggestion. */
import { quoted } from "../../text/legible.ts"
import { distance } from "../../arguments/slips.ts"
import type { Problem } from "./SpecError.ts"

/** Keys and indices that lead from the document to a place in it. */
export type Path = ReadonlyArray<PropertyKey>

/** A path such as `step.steps[2].branches.billing`; keys that are not plain words are quoted in brackets. */
const pathText = (path: Path): string =>
  path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`
      const name = String(part)
      if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `[${quote(name)}]`
      return i === 0 ? name : `.${name}`
    })
    .join("")

export const problem = (path: Path, message: string): Problem => ({ path: pathText(path), message })

/** How many problems are reported. Checking stops after them. */
export const mostProblems = 100

/** The first problems, then one that says how many more there are at least. */
export const capped = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.length <= mostProblems
    ? problems
    : [...problems.slice(0, mostProblems), problem([], `And ${problems.length - mostProblems} more at least.`)]

/** A name in a message, cut when it is long. */
export const quote = (name: string): string => quoted(name.length > 80 ? `${name.slice(0, 80)}…` : name)

/** "Did you mean …?" if one of the names is similar; otherwise all of the names, if there are few. */
export const suggestion = (name: string, names: ReadonlyArray<string>, what: string): string => {
  const near = names
    .map((other) => ({ other, distance: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ distance, other }) => distance <= Math.max(1, Math.floor(Math.min(other.length, name.length) / 3)))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ other }) => quote(other))
  if (near.length > 0) return ` Did you mean ${near.join(" or ")}?`
  if (names.length === 0) return ` There are no ${what}.`
  const shown = names.slice(0, 40).map(quote).join(", ")
  return ` The ${what} are ${shown}${names.length > 40 ? " and others" : ""}.`
}

/** Describes a text without quoting it, as it may be a prompt. */
const textKind = (text: string): string => {
  if (text.trim() === "") return "an empty text"
  return `a text of ${text.length === 1 ? "one character" : `${text.length} characters`}`
}

/** Describes a value in a few words. */
export const kindOf = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  if (typeof value === "string") return textKind(value)
  if (typeof value === "object") return "an object"
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value
}
