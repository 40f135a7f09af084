/** JSON Schemas as types of TypeScript, which take a third of the tokens and which models know as well. */
import { isObject, type JsonSchema, membersOf, propertiesOf } from "./jsonSchema.ts"

/** Keywords that a type expresses, or that say nothing about an answer. */
const typed = new Set([
  "type",
  "enum",
  "const",
  "anyOf",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "description",
  "$schema",
  "title",
  "default",
  "examples"
])

/** Keywords that a comment can hold. With any other one, the schema is written as it is. */
const said = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems"
])

const names: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "null"
}

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

const range = (least: unknown, most: unknown): ReadonlyArray<string> => {
  if (typeof least !== "number") return typeof most === "number" ? [`at most ${most}`] : []
  if (typeof most !== "number") return [`at least ${least}`]
  return [least === most ? `exactly ${least}` : `${least} to ${most}`]
}

const commentOf = (schema: JsonSchema): string => {
  const { description, maxItems, maximum, minItems, minLength, minimum, ...rest } = schema
  const words = [
    ...(typeof description === "string" && description !== "" ? [description] : []),
    ...range(minimum, maximum),
    ...range(minItems, maxItems),
    // that a text must not be empty goes without saying
    ...(minLength === undefined || minLength === 1 ? [] : [`minLength ${JSON.stringify(minLength)}`]),
    ...Object.entries(rest).flatMap(([keyword, value]) =>
      said.has(keyword) ? [`${keyword} ${JSON.stringify(value)}`] : []
    )
  ]
  // a comment must not end within a description, nor a line
  const text = words.join(", ").replaceAll("*/", "* /").replaceAll(/\s+/g, " ")
  return text === "" ? "" : ` /* ${text} */`
}

const all = (parts: ReadonlyArray<string | undefined>): ReadonlyArray<string> | undefined =>
  // none of them is undefined
  parts.includes(undefined) ? undefined : (parts as ReadonlyArray<string>)

const objectOf = (schema: JsonSchema): string | undefined => {
  const { additionalProperties: rest } = schema
  const open = isObject(rest) ? typeOf(rest) : undefined
  if ((isObject(rest) && open === undefined) || rest === true) return undefined
  const properties = propertiesOf(schema).map(([name, property, required]) => {
    const type = typeOf(property)
    const key = identifier.test(name) ? name : JSON.stringify(name)
    return type === undefined ? undefined : `${key}${required ? "" : "?"}: ${type}`
  })
  const lines = all([...properties, ...(open === undefined ? [] : [`[name: string]: ${open}`])])
  return lines && `{${lines.join(", ")}}`
}

const bareOf = (schema: JsonSchema): string | undefined => {
  const { const: constant, enum: listed, items, type } = schema
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(listed)) return listed.map((value) => JSON.stringify(value)).join(" | ")
  const members = membersOf(schema)
  if (members.length > 0) return all(members.map(typeOf))?.join(" | ")
  if (type === "object") return objectOf(schema)
  if (type === "array") {
    const item = isObject(items) ? typeOf(items) : undefined
    return item && (/[ |]/.test(item) ? `Array<${item}>` : `${item}[]`)
  }
  if (Array.isArray(type)) return all(type.map((one: unknown) => bareOf({ ...schema, type: one })))?.join(" | ")
  return typeof type === "string" ? names[type] : undefined
}

/** The type of a schema. Undefined if it needs more than types and comments. */
export const typeOf = (schema: unknown): string | undefined => {
  if (!isObject(schema)) return undefined
  if (!Object.keys(schema).every((keyword) => typed.has(keyword) || said.has(keyword))) return undefined
  const bare = bareOf(schema)
  return bare && `${bare}${commentOf(schema)}`
}

/**
 * The form of an answer in words: as a type if that says everything, else as its JSON Schema. Either describes every
 * limit but that a text must not be empty.
 */
export const formInWords = (schema: JsonSchema): string => {
  const type = typeOf(schema)
  return type === undefined
    ? `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
    : `Answer with JSON only: ${type}`
}
