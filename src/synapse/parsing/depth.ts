/** How deep values may be: deeper ones would exhaust the stack of the schema's decoder. */
import * as Result from "effect/Result"
import type { Issue } from "../answer/ResponseError.ts"
import { deepest } from "./Cursor.ts"

export const tooDeep = "There are more values inside one another here than can be read"

/** Whether the JSON has objects and lists inside one another beyond the limit. */
export const isTooDeep = (json: unknown, depth = 0): boolean => {
  if (typeof json !== "object" || json === null) return false
  if (depth >= deepest) return true
  if (Array.isArray(json)) return json.some((item) => isTooDeep(item, depth + 1))
  return Object.values(json).some((value) => isTooDeep(value, depth + 1))
}

/** The decoder, which refuses what is too deep. */
export const bounded =
  <A>(decode: (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>) =>
  (json: unknown): Result.Result<A, ReadonlyArray<Issue>> =>
    isTooDeep(json) ? Result.fail([{ path: [], message: tooDeep }]) : decode(json)
