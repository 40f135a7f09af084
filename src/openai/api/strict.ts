/**
 * Rewrites schemas to the rules of OpenAI's strict mode. What the rules do not allow is relaxed, and checked by our
 * decoder only.
 */
import { isObject, type JsonSchema, membersOf, propertiesOf, takesNull, uniformItems } from "../../schema/jsonSchema.ts"
import { isSmallEnough } from "./size.ts"

const keywords = new Set([
  "$ref",
  "$defs",
  "type",
  "title",
  "description",
  "enum",
  "anyOf",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems"
])

const formats = new Set<unknown>(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])

// Lookaround, backreferences, boundaries and Unicode classes.
const beyond = /\(\?(?!:)|\\[bBkpP1-9]/

// Limits of a value. Those that strict mode does not accept go into the description.
const limits = new Set([
  "minLength",
  "maxLength",
  "uniqueItems",
  "contentEncoding",
  "contentMediaType",
  "contentSchema"
])
const remarks = new Set(["default", "examples", "readOnly", "writeOnly", "deprecated", "$comment"])
const inAllOf = new Set([
  ...limits,
  ...remarks,
  "title",
  "description",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems"
])

const isLimit = (keyword: string, value: unknown): boolean => {
  switch (keyword) {
    case "pattern":
      return typeof value === "string" && beyond.test(value)
    case "format":
      return !formats.has(value)
    case "allOf":
      return (
        Array.isArray(value) &&
        value.every((member) => isObject(member) && Object.keys(member).every((inside) => inAllOf.has(inside)))
      )
    default:
      return limits.has(keyword)
  }
}

/**
 * Removes the keywords that strict mode does not accept and that our decoder can check. The description names them, but
 * not that a text must not be empty.
 */
const withoutLimits = (schema: JsonSchema): JsonSchema => {
  const entries = Object.entries(schema).filter(([keyword]) => !remarks.has(keyword))
  const dropped = entries.filter(([keyword, value]) => isLimit(keyword, value))
  if (dropped.length === 0) return Object.fromEntries(entries)
  const { description, ...kept } = Object.fromEntries(entries.filter((entry) => !dropped.includes(entry)))
  const limits = dropped.filter(([keyword, value]) => keyword !== "minLength" || value !== 1)
  if (limits.length === 0) return description === undefined ? kept : { ...kept, description }
  const rules = `Must fit ${JSON.stringify(Object.fromEntries(limits))}.`
  return { ...kept, description: typeof description === "string" ? `${description} ${rules}` : rules }
}

const nullable = (schema: JsonSchema): JsonSchema => {
  const nothing = { type: "null" }
  const members = membersOf(schema)
  return members.length > 0 ? { ...schema, anyOf: [...members, nothing] } : { anyOf: [schema, nothing] }
}

/**
 * Rewrites a schema to the rules of OpenAI's strict mode. Undefined if that is impossible: for a record, a tuple, a
 * value of any form, or a schema that is too large.
 *
 * Every object is closed. An optional property becomes required, and is null if it has no value; `restore` removes
 * these nulls. Limits that strict mode does not accept, such as `minLength`, go into the description.
 */
export const toStrict = (root: JsonSchema): JsonSchema | undefined => {
  const strictOf = (schema: unknown): JsonSchema | undefined => {
    if (!isObject(schema)) return undefined
    const strict: Record<string, unknown> = { ...withoutLimits(uniformItems(schema)) }
    if (!Object.keys(strict).every((keyword) => keywords.has(keyword))) return undefined
    if (strict["$ref"] !== undefined) return Object.keys(strict).length === 1 ? strict : undefined
    if (strict["type"] === undefined && strict["anyOf"] === undefined && strict["enum"] === undefined) return undefined
    const types = new Set([strict["type"]].flat())
    if (types.has("object")) {
      const { additionalProperties: rest, properties } = schema
      if (!isObject(properties) || (rest !== undefined && typeof rest !== "boolean")) return undefined
      strict["properties"] = mapValues(
        propertiesOf(schema).map(([name, property, required]) => {
          const own = strictOf(property)
          return [name, own === undefined || required || takesNull(root, property) ? own : nullable(own)]
        })
      )
      strict["required"] = Object.keys(properties)
      strict["additionalProperties"] = false
      if (strict["properties"] === undefined) return undefined
    }
    if (types.has("array")) {
      strict["items"] = strictOf(strict["items"])
      if (strict["items"] === undefined) return undefined
    }
    if (strict["anyOf"] !== undefined) {
      const members = membersOf(strict).map(strictOf)
      if (members.length === 0 || members.includes(undefined)) return undefined
      strict["anyOf"] = members
    }
    const definitions = strict["$defs"]
    if (definitions !== undefined) {
      strict["$defs"] = isObject(definitions)
        ? mapValues(Object.entries(definitions).map(([name, definition]) => [name, strictOf(definition)]))
        : undefined
      if (strict["$defs"] === undefined) return undefined
    }
    return strict
  }
  const strict = strictOf(root)
  return strict && isSmallEnough(strict) ? strict : undefined
}

const mapValues = (entries: ReadonlyArray<readonly [string, JsonSchema | undefined]>): JsonSchema | undefined =>
  entries.every(([, schema]) => schema !== undefined) ? Object.fromEntries(entries) : undefined
