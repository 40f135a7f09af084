/** Text that is JSON as the standard has it, and how deep its values may be. */
import * as Result from "effect/Result"
import type { Issue } from "../../ResponseError.ts"

/** The value of a text that is JSON. It looks before it leaps: an exception costs far more than a glance. */
export const jsonOf = (text: string): { readonly value: unknown } | undefined => {
  if (!/^\s*(?:\[\s*["{[\]\-\dtfn]|[{"\-\dtfn])/.test(text)) return undefined
  return Result.getOrUndefined(Result.try(() => ({ value: JSON.parse(text) as unknown })))
}

/** Finds what may be a number of more digits than can be kept exactly, in a text of JSON or anywhere else. */
export const longNumber = /\d{16}|[eE]\+?\d{3}/

export const deepest = 256

export const tooDeep = "There are more values inside one another here than can be read"

/** Whether the JSON has objects and lists inside one another beyond the limit. Every answer is asked, so nothing is copied. */
export const isTooDeep = (json: unknown): boolean => isObject(json) && isDeeper(json, deepest)

const isObject = (json: unknown): json is object => typeof json === "object" && json !== null

const isDeeper = (json: object, limit: number): boolean => {
  if (limit === 0) return true
  if (Array.isArray(json)) {
    for (const item of json as ReadonlyArray<unknown>) if (isObject(item) && isDeeper(item, limit - 1)) return true
    return false
  }
  for (const key in json) {
    const value = (json as { readonly [key: string]: unknown })[key]
    if (isObject(value) && isDeeper(value, limit - 1)) return true
  }
  return false
}

/** The decoder, which refuses what is too deep. */
export const bounded =
  <A>(decode: (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>) =>
  (json: unknown): Result.Result<A, ReadonlyArray<Issue>> =>
    isTooDeep(json) ? Result.fail([{ path: [], message: tooDeep }]) : decode(json)
