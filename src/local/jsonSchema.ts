/** Reads a JSON Schema (draft 2020-12) as the form of an answer to fill in. */
import { remainder } from "effect/Number"
import * as Option from "effect/Option"
import {
  isObject,
  type JsonSchema,
  listedIn,
  membersOf,
  numberOf,
  propertiesOf,
  resolve,
  typesOf
} from "../schema/jsonSchema.ts"

/** One place of the form, with references and `allOf` resolved. */
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

const isLabel = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** Whether a schema admits only words for numbers that JSON cannot write. They stand beside numbers, and no text says them. */
const isUnwritten = (schema: JsonSchema): boolean => {
  const values = listedIn(schema)
  return values !== undefined && values.length > 0 && values.every((value) => unwritten.has(value))
}

const unwritten: ReadonlySet<unknown> = new Set(["Infinity", "-Infinity", "NaN"])

const enumOf = (values: ReadonlyArray<unknown>, orNull = false): Form => {
  const nullable = orNull || values.includes(null)
  const labels = values.filter(isLabel)
  const flags = new Set(values.filter((value) => typeof value === "boolean"))
  if (labels.length > 0 && flags.size > 0) {
    return { _tag: "Union", members: [{ enum: labels }, { enum: [...flags] }], nullable }
  }
  if (flags.size > 1) return { _tag: "Boolean", nullable }
  return labels.length > 1
    ? { _tag: "Enum", values: labels, nullable }
    : { _tag: "Const", value: labels[0] ?? values.find((value) => value !== null) ?? null, nullable }
}

const anything: JsonSchema = {}

const orAnything = (schema: unknown): JsonSchema => (isObject(schema) ? schema : anything)

const objectOf = (schema: JsonSchema, nullable: boolean): Form => {
  const properties = propertiesOf(schema)
  return {
    _tag: "Object",
    properties: properties.map(([name, property]) => [name, orAnything(property)] as const),
    required: new Set(properties.filter(([, , required]) => required).map(([name]) => name)),
    nullable
  }
}

const arrayOf = ({ items, maxItems, minItems, prefixItems }: JsonSchema, nullable: boolean): Form =>
  Array.isArray(prefixItems) && prefixItems.length > 0
    ? { _tag: "Tuple", items: prefixItems.filter(isObject), nullable }
    : {
        _tag: "Array",
        items: orAnything(items),
        minItems: numberOf(minItems, 0),
        maxItems: numberOf(maxItems, Infinity),
        nullable
      }

/** Whether an open schema excludes null, as that of an object without properties does. */
const refusesNull = ({ not }: JsonSchema): boolean => isObject(not) && typesOf(not).includes("null")

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
      return isObject(schema["properties"])
        ? objectOf(schema, nullable)
        : { _tag: "Any", nullable: !refusesNull(schema) }
  }
}

const shapeOf = (root: JsonSchema, schema: JsonSchema): Form => {
  const values = listedIn(schema)
  if (values !== undefined) return enumOf(values)
  const { anyOf: _, oneOf: __, ...rest } = schema
  const all = membersOf(schema).map((member) => resolve(root, member) ?? anything)
  if (all.length === 0) {
    const types = typesOf(schema)
    return typed(schema, types.find((type) => type !== "null") ?? types[0], types.includes("null"))
  }
  const hasNumbers = all.some((member) => member["type"] === "number")
  const members = all.filter(
    (member) => member["type"] !== "null" && member["const"] !== null && !(hasNumbers && isUnwritten(member))
  )
  const nullable = all.some((member) => member["type"] === "null" || member["const"] === null)
  const [only = anything] = members
  if (members.length === 0) return { _tag: "Const", value: null, nullable: true }
  if (members.length === 1) return { ...shapeOf(root, { ...rest, ...only }), ...(nullable ? { nullable } : {}) }
  const labels = members.map(listedIn)
  return labels.every((values) => values !== undefined)
    ? enumOf(labels.flat(), nullable)
    : { _tag: "Union", members, nullable }
}

/** Reads one schema of the document `root`. */
export const formOf = (root: JsonSchema, schema: JsonSchema): Form => {
  const resolved = resolve(root, schema) ?? anything
  const description = resolved["description"] ?? resolved["title"]
  return { ...shapeOf(root, resolved), ...(typeof description === "string" ? { description } : {}) }
}

const compilePattern = Option.liftThrowable((source: string, flags: string) => new RegExp(source, flags))

const nothing = /(?!)/u

/** The pattern of a string schema, compiled with the flag `u` or without it. An invalid pattern matches nothing. */
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
    (typeof schema["multipleOf"] !== "number" || remainder(value, schema["multipleOf"]) === 0)
