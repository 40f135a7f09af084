/** Standard JSON, and the limit of its depth. */
import * as Result from "effect/Result"
import type { Issue } from "../../ResponseError.ts"

/** The value of a JSON text. Checks its beginning first, because an exception is far more expensive. */
export const jsonOf = (text: string): { readonly value: unknown } | undefined => {
  if (!/^\s*(?:\[\s*["{[\]\-\dtfn]|[{"\-\dtfn])/.test(text)) return undefined
  return Result.getOrUndefined(Result.try(() => ({ value: JSON.parse(text) as unknown })))
}

/** Matches text that may have a number that a double does not keep, in JSON or anywhere else. Fewer digits are always kept. */
export const longNumber = /\d[\d.]{15}|[eE][+-]?\d{3}/

export const deepest = 256

export const tooDeep = "Values are nested too deeply here"

/** Whether the JSON is nested deeper than the limit. Every answer is checked, so nothing is copied. */
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

/** The decoder, with an error for values that are nested too deeply. */
export const bounded =
  <A>(decode: (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>) =>
  (json: unknown): Result.Result<A, ReadonlyArray<Issue>> =>
    isTooDeep(json) ? Result.fail([{ path: [], message: tooDeep }]) : decode(json)
