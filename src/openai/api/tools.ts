/** Tools as OpenAI's APIs accept them. */
import { parametersOf } from "../../provider/turns.ts"
import type { Tool, ToolResult } from "../../Provider.ts"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import { toStrict } from "./strict.ts"

/** The schema with sorted keys and required properties, as their order has no meaning. */
const ordered = (schema: unknown): string =>
  canonicalJson(
    JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
      key === "required" && Array.isArray(value) ? value.map(String).toSorted((a, b) => (a < b ? -1 : 1)) : value
    )
  )

/** Worked out once for each tool, as every request has all of its tools. */
const made = new WeakMap<Tool, ReturnType<typeof functionOf>>()

/** The fields of a function. It is strict if its parameters follow the rules of strict mode as they are. */
export const toFunction = (tool: Tool): ReturnType<typeof functionOf> => {
  const known = made.get(tool) ?? functionOf(tool)
  made.set(tool, known)
  return known
}

const functionOf = (tool: Tool) => {
  const parameters = parametersOf(tool)
  const strict = toStrict(parameters)
  return {
    name: tool.name,
    description: tool.description,
    parameters,
    strict: strict !== undefined && ordered(strict) === ordered(parameters)
  }
}

/** The text of a result. These APIs have no field for a failure. */
export const toOutput = ({ isFailure, text }: ToolResult): string => (isFailure ? `Error: ${text}` : text)
