import { isPromiseLike } from "effect/Predicate"
import { quoted } from "../text/legible.ts"

/**
 * Describes a value that should have been the text of a note. Undefined if it is a text. The description contains
 * nothing of the value.
 */
const otherThanText = (value: unknown): string | undefined => {
  if (typeof value === "string") return undefined
  if (value === null || value === undefined) return String(value)
  if (isPromiseLike(value)) return "a promise: await it first"
  if (Array.isArray(value)) return "an array: give its JSON"
  return typeof value === "object" ? "an object: give its JSON, or { content: its text }" : `a ${typeof value}`
}

/** Why a value cannot be the text of a note. Undefined if it can. */
export const contentProblem = (key: string, value: unknown): string | undefined => {
  const other = otherThanText(value)
  return other === undefined ? undefined : `The note ${quoted(key)} needs a string as its content, and has ${other}.`
}

/** Returns the text of a note. Throws an error that names the key if the value is not a text. */
export const checkContent = (key: string, value: unknown): string => {
  const problem = contentProblem(key, value)
  if (problem !== undefined) throw new Error(problem)
  // a value without a problem is a text
  return value as string
}

/** Returns the metadata of a note. Throws an error that names the key if a value in it is not a text. */
export const checkMetadata = <M extends Readonly<Record<string, string>> | undefined>(key: string, metadata: M): M => {
  const isObject = typeof metadata === "object" && metadata !== null
  const strange = isObject
    ? Object.entries<unknown>(metadata).find(([, value]) => typeof value !== "string")?.[0]
    : undefined
  if (isObject ? strange === undefined : metadata === undefined) return metadata
  const what =
    strange === undefined ? "an object of texts as its metadata" : `a text as ${quoted(strange)} in its metadata`
  throw new Error(`The note ${quoted(key)} needs ${what}.`)
}
