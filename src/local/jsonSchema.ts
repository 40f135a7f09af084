/**
 * Reading a JSON Schema (draft 2020-12) as the form of an answer to fill in.
 */
import * as Option from "effect/Option"

/** A schema object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** One place of the form, references and `allOf` resolved. */
export type Form = { readonly nullable: boolean; readonly description?: string } & (
  | { readonly _tag: "Const"; readonly value: unknown }
  | { readonly _tag: "Enum"; readonly values: ReadonlyArray<string | number> }
  | { readonly _tag: "Boolean" }
  | { readonly _tag: "String"; readonly schema: JsonSchema }
  | { readonly _tag: "Number"; readonly schema: JsonSchema; readonly integer: boolean }
  | { readonly _tag: "Array"; readonly items: JsonSchema; readonly minItems: number; readonly maxItems: number }
  | { readonly _tag: "Tuple"; readonly items: ReadonlyArray<JsonSchema> }
  | {
      readonly _tag: "Object"
      readonly properties: ReadonlyArray<readonly [name: string, schema: JsonSchema]>
      readonly required: ReadonlySet<string>
    }
  | { readonly _tag: "Union"; readonly members: ReadonlyArray<JsonSchema> }
  | { readonly _tag: "Any" }
)

const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemas = (value: unknown): ReadonlyArray<JsonSchema> => (Array.isArray(value) ? value.filter(isRecord) : [])

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** The number a keyword holds, or the fallback. */
export const numberOf = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback)

const lookup = (root: JsonSchema, reference: string): JsonSchema => {
  let at: unknown = root
  for (const part of reference
    .replace(/^#\/?/u, "")
    .split("/")
    .filter((part) => part !== "")) {
    at = isRecord(at) ? at[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")] : undefined
  }
  return isRecord(at) ? at : {}
}

const longestChain = 16

/** One pattern that matches where all of them match. */
const patternOfAll = (parts: ReadonlyArray<JsonSchema>): JsonSchema => {
  const patterns = Array.from(new Set(strings(parts.map((part) => part["pattern"]))))
  return patterns.length < 2 ? {} : { pattern: `^${patterns.map((one) => `(?=[\\s\\S]*?(?:${one}))`).join("")}` }
}

/** Follows `$ref` and merges `allOf`; keywords beside a reference win over those it points at, patterns all count. */
const resolve = (root: JsonSchema, schema: JsonSchema, depth = 0): JsonSchema => {
  if (depth > longestChain) return {}
  const { $ref, allOf, ...own } = schema
  const parts = [...(typeof $ref === "string" ? [lookup(root, $ref)] : []), ...schemas(allOf)].map((part) =>
    resolve(root, part, depth + 1)
  )
  return { ...Object.fromEntries(parts.flatMap(Object.entries)), ...own, ...patternOfAll([own, ...parts]) }
}

const isNull = (schema: JsonSchema) => schema["type"] === "null" || schema["const"] === null

const isLabel = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** The values a schema lists: `enum`, or one `const`; undefined when it lists none. */
const listed = (schema: JsonSchema): ReadonlyArray<unknown> | undefined =>
  Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined

const enumOf = (values: ReadonlyArray<unknown>, nullable: boolean): Form => {
  const labels = values.filter(isLabel)
  const [only] = values
  return labels.length > 1
    ? { _tag: "Enum", values: labels, nullable }
    : { _tag: "Const", value: labels[0] ?? only ?? null, nullable }
}

const objectOf = (schema: JsonSchema, nullable: boolean): Form => ({
  _tag: "Object",
  properties: Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {}).map(
    ([name, property]) => [name, isRecord(property) ? property : {}] as const
  ),
  required: new Set(strings(schema["required"])),
  nullable
})

const arrayOf = (schema: JsonSchema, nullable: boolean): Form => {
  const prefix = schemas(schema["prefixItems"])
  const minItems = numberOf(schema["minItems"], 0)
  return prefix.length > 0
    ? { _tag: "Tuple", items: prefix, nullable }
    : {
        _tag: "Array",
        items: isRecord(schema["items"]) ? schema["items"] : {},
        minItems,
        maxItems: numberOf(schema["maxItems"], Infinity),
        nullable
      }
}

const typed = (schema: JsonSchema, type: string | undefined, nullable: boolean): Form => {
  switch (type) {
    case "string":
      return { _tag: "String", schema, nullable }
    case "number":
    case "integer":
      return { _tag: "Number", schema, integer: type === "integer", nullable }
    case "boolean":
      return { _tag: "Boolean", nullable }
    case "array":
      return arrayOf(schema, nullable)
    case "object":
      return objectOf(schema, nullable)
    case "null":
      return { _tag: "Const", value: null, nullable: true }
    default:
      return isRecord(schema["properties"]) ? objectOf(schema, nullable) : { _tag: "Any", nullable: true }
  }
}

const shapeOf = (root: JsonSchema, schema: JsonSchema): Form => {
  const values = listed(schema)
  if (values !== undefined) return enumOf(values, values.includes(null))
  const { anyOf, oneOf, ...rest } = schema
  const all = [...schemas(anyOf), ...schemas(oneOf)].map((member) => resolve(root, member))
  if (all.length === 0) {
    const types = typeof schema["type"] === "string" ? [schema["type"]] : strings(schema["type"])
    return typed(schema, types.find((type) => type !== "null") ?? types[0], types.includes("null"))
  }
  const members = all.filter((member) => !isNull(member))
  const nullable = members.length < all.length
  const [only = {}] = members
  if (members.length === 0) return { _tag: "Const", value: null, nullable: true }
  if (members.length === 1) return { ...shapeOf(root, { ...rest, ...only }), ...(nullable ? { nullable } : {}) }
  const labels = members.map(listed)
  return labels.every((values) => values !== undefined)
    ? enumOf(labels.flat(), nullable)
    : { _tag: "Union", members, nullable }
}

/** Reads one schema of the document `root`. */
export const formOf = (root: JsonSchema, schema: JsonSchema): Form => {
  const resolved = resolve(root, schema)
  const description = resolved["description"] ?? resolved["title"]
  return { ...shapeOf(root, resolved), ...(typeof description === "string" ? { description } : {}) }
}

const compilePattern = Option.liftThrowable((source: string, flags: string) => new RegExp(source, flags))

const nothing = /(?!)/u

/** The pattern of a string schema, of JavaScript with or without its flag `u`; one that does not compile admits nothing. */
const patternOf = (source: unknown): RegExp | undefined =>
  typeof source === "string"
    ? Option.getOrElse(Option.firstSomeOf([compilePattern(source, "u"), compilePattern(source, "")]), () => nothing)
    : undefined

/** Whether a text meets the length and pattern limits of a string schema. */
export const admitsText = (schema: JsonSchema) => {
  const pattern = patternOf(schema["pattern"])
  const shortest = numberOf(schema["minLength"], 0)
  const longest = numberOf(schema["maxLength"], Infinity)
  return (text: string): boolean => {
    const length = Array.from(text).length
    return length >= shortest && length <= longest && (pattern === undefined || pattern.test(text))
  }
}

/** Whether a number meets the limits of a number schema. */
export const admitsNumber =
  (schema: JsonSchema, integer: boolean) =>
  (value: number): boolean =>
    (!integer || Number.isInteger(value)) &&
    value >= numberOf(schema["minimum"], -Infinity) &&
    value <= numberOf(schema["maximum"], Infinity) &&
    value > numberOf(schema["exclusiveMinimum"], -Infinity) &&
    value < numberOf(schema["exclusiveMaximum"], Infinity) &&
    (typeof schema["multipleOf"] !== "number" || Number.isInteger(value / schema["multipleOf"]))
