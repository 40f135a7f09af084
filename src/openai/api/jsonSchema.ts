/**
 * JSON Schemas as OpenAI's structured output takes them.
 */
import * as Option from "effect/Option"

export type JsonSchema = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const prefix = "#/$defs/"

const decodeUri = Option.liftThrowable(decodeURIComponent)

/** What a reference to a definition names; its name may be escaped as in a JSON pointer. */
const lookup = (root: JsonSchema, reference: unknown): JsonSchema | undefined => {
  const definitions = root["$defs"]
  if (typeof reference !== "string" || !reference.startsWith(prefix) || !isObject(definitions)) return undefined
  const escaped = reference.slice(prefix.length)
  const name = Option.getOrElse(decodeUri(escaped), () => escaped)
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")
  const target = definitions[name] ?? definitions[escaped]
  return isObject(target) ? target : undefined
}

/** What a schema is, with the references at its top followed; undefined where they lead nowhere or to themselves. */
export const resolve = (root: JsonSchema, schema: unknown): JsonSchema | undefined => {
  const seen = new Set<unknown>()
  let at = isObject(schema) ? schema : undefined
  while (at !== undefined && at["$ref"] !== undefined) {
    if (seen.has(at)) return undefined
    seen.add(at)
    at = lookup(root, at["$ref"])
  }
  return at
}

/** The schema with an object at its root: a reference there is replaced by what it names. Else undefined. */
export const withObjectRoot = (schema: JsonSchema): JsonSchema | undefined => {
  const { $schema: _, ...root } = schema
  const definitions = root["$defs"]
  if (root["$ref"] !== undefined) {
    const target = lookup(root, root["$ref"])
    return target?.["type"] === "object" ? { ...target, $defs: definitions } : undefined
  }
  return root["type"] === "object" ? root : undefined
}

/** The members of `anyOf`. */
export const membersOf = (schema: JsonSchema): ReadonlyArray<unknown> =>
  Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []

// Unions that only name each other.
const deepest = 32

/** Whether null fits. */
export const takesNull = (root: JsonSchema, schema: unknown, depth = 0): boolean => {
  const resolved = depth > deepest ? undefined : resolve(root, schema)
  if (resolved === undefined) return false
  const values = resolved["enum"]
  if (Array.isArray(values)) return values.includes(null)
  const members = membersOf(resolved)
  return members.length > 0
    ? members.some((member) => takesNull(root, member, depth + 1))
    : [resolved["type"]].flat().includes("null")
}

/** The properties of an object, each with whether it must be there. */
export const propertiesOf = ({
  properties,
  required
}: JsonSchema): ReadonlyArray<readonly [name: string, schema: unknown, required: boolean]> => {
  const names = new Set<unknown>(Array.isArray(required) ? required : [])
  return isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => [name, schema, names.has(name)] as const)
    : []
}
