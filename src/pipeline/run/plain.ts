/** Values of any kind as plain data that can be written as JSON and is not too large to be logged. */
import { hasProperty, isFunction } from "effect/Predicate"
import * as Result from "effect/Result"
import { cut } from "../../text/legible.ts"
import { TypeId } from "../../thought/model.ts"

const mostText = 2_000
const mostKey = 200
const mostItems = 100
const mostValues = 1_000
const mostDepth = 8

/** How many values within a value, and how many characters in all, are kept at most. */
export interface Most {
  readonly values: number
  readonly text: number
}

/** What is left out is said with three dots; a value within itself, and one that cannot be read, with words. */
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
    // what it says of itself may be itself or what is around it
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

/** What code of others gives, unless it throws. */
export const readable = <A>(read: () => A): A | undefined => Result.getOrUndefined(Result.try(read))

/** What an object is as data: as it says itself; an error without a word on that, with its name and message. */
const dataOf = (value: object): unknown => {
  // its notes are for the program only
  if (hasProperty(value, TypeId) && "id" in value) return { thoughtId: value.id }
  if (hasProperty(value, "toJSON") && isFunction(value.toJSON))
    return (value as { readonly toJSON: () => unknown }).toJSON()
  return value instanceof Error ? Object.assign({ name: value.name, message: value.message }, value) : value
}
