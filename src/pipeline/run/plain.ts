/** Converts values of any kind to plain data that can be written as JSON and is small enough to log. */
import { hasProperty, isFunction } from "effect/Predicate"
import * as Result from "effect/Result"
import { cut } from "../../text/legible.ts"
import { TypeId } from "../../thought/model.ts"

const mostText = 2_000
const mostKey = 200
const mostItems = 100
const mostValues = 1_000
const mostDepth = 8

/** The largest number of values within a value, and of characters in total. */
export interface Most {
  readonly values: number
  readonly text: number
}

/** Omitted values become three dots; cycles and unreadable values become words in brackets. */
export const plain = (value: unknown, most: Most = { values: mostValues, text: Infinity }): unknown => {
  let left = most.values
  let room = most.text
  const fitting = (text: string, limit: number): string => {
    const short = cut(text, Math.min(limit, room))
    room = Math.max(0, room - short.length)
    return short
  }
  const convert = (inner: unknown, around: ReadonlyArray<unknown>): unknown => {
    if (typeof inner === "string") return fitting(inner, mostText)
    if (inner === undefined || inner === null || typeof inner === "boolean") return inner
    if (typeof inner === "number") return Number.isFinite(inner) ? inner : String(inner)
    if (typeof inner === "bigint" || typeof inner === "symbol") return String(inner)
    if (typeof inner !== "object") return "[function]"
    if (around.includes(inner)) return "[cycle]"
    if (around.length >= mostDepth || left <= 0) return "..."
    const within = [...around, inner]
    const data = readable(() => dataOf(inner))
    if (data === undefined) return "[not readable]"
    if (typeof data !== "object" || data === null) return convert(data, within)
    // `toJSON` may return the object itself or one around it
    if (data !== inner && around.includes(data)) return "[cycle]"
    const keys = Object.keys(data)
    const entries = keys.slice(0, Math.min(mostItems, left))
    left -= entries.length
    const converted = entries.map((key) => {
      const got = readable(() => [(data as Record<string, unknown>)[key]])
      const name = Array.isArray(data) ? key : fitting(key, mostKey)
      return [name, got === undefined ? "[not readable]" : convert(got[0], within)] as const
    })
    const more = keys.length > entries.length
    if (Array.isArray(data)) return [...converted.map(([, item]) => item), ...(more ? ["..."] : [])]
    return Object.fromEntries([...converted, ...(more ? [["...", "..."]] : [])])
  }
  return convert(value, [])
}

/** The result of foreign code, or `undefined` if it throws. */
export const readable = <A>(read: () => A): A | undefined => Result.getOrUndefined(Result.try(read))

/** An object as data: the result of `toJSON`; for other errors, their fields with name and message. */
const dataOf = (value: object): unknown => {
  // notes are for the program only
  if (hasProperty(value, TypeId) && "id" in value) return { thoughtId: value.id }
  if (hasProperty(value, "toJSON") && isFunction(value.toJSON))
    return (value as { readonly toJSON: () => unknown }).toJSON()
  return value instanceof Error ? Object.assign({ name: value.name, message: value.message }, value) : value
}
