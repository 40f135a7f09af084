/** Reads JSON Schemas (draft 2020-12): references, `allOf`, unions, listed values and properties. */
import * as Option from "effect/Option"

/** A schema object. */
export type JsonSchema = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const texts = (value: unknown): ReadonlyArray<string> =>
  [value].flat().filter((item): item is string => typeof item === "string")

const decodeUri = Option.liftThrowable(decodeURIComponent)

/** Unescapes a part of a JSON pointer. */
const unescaped = (part: string): string =>
  Option.getOrElse(decodeUri(part), () => part)
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined

const definitions = "#/$defs/"

/** The names that a reference to a definition may mean. Some libraries do not escape them. */
export const namesIn = (reference: unknown): ReadonlyArray<string> => {
  if (typeof reference !== "string" || !reference.startsWith(definitions)) return []
  const name = reference.slice(definitions.length)
  return [unescaped(name), name]
}

/** Resolves a reference. */
const lookup = (root: JsonSchema, reference: string): unknown => {
  for (const name of namesIn(reference)) {
    const definition = at(root["$defs"], name)
    if (definition !== undefined) return definition
  }
  const [start, ...parts] = reference.split("/")
  return start === "#" ? parts.map(unescaped).reduce(at, root) : undefined
}

/** One pattern that matches if all patterns match. */
const patternOfAll = (parts: ReadonlyArray<JsonSchema>): JsonSchema => {
  const patterns = [...new Set(parts.flatMap((part) => texts(part["pattern"])))]
  return patterns.length < 2 ? {} : { pattern: `^${patterns.map((one) => `(?=[\\s\\S]*?(?:${one}))`).join("")}` }
}

/** Merges schemas: own keywords override those of the parts, and all patterns apply. */
const merged = (parts: ReadonlyArray<JsonSchema>, own: JsonSchema): JsonSchema => ({
  ...Object.fromEntries(parts.flatMap(Object.entries)),
  ...own,
  ...patternOfAll([own, ...parts])
})

/**
 * The schema with its reference resolved. Undefined if the reference leads nowhere or back to itself. `passed` holds
 * the references already followed.
 */
export const dereferenced = (
  root: JsonSchema,
  schema: unknown,
  passed: ReadonlySet<unknown> = new Set()
): JsonSchema | undefined => {
  if (!isObject(schema)) return undefined
  const { $ref: reference, ...own } = schema
  if (reference === undefined) return schema
  if (typeof reference !== "string" || passed.has(reference)) return undefined
  const target = dereferenced(root, lookup(root, reference), new Set([...passed, reference]))
  return target === undefined || Object.keys(own).length === 0 ? target : merged([target], own)
}

/** The schema with its reference resolved and the members of `allOf` merged into it. */
export const resolve = (
  root: JsonSchema,
  schema: unknown,
  passed: ReadonlySet<unknown> = new Set()
): JsonSchema | undefined => {
  const found = passed.has(schema) ? undefined : dereferenced(root, schema)
  if (found?.["allOf"] === undefined) return found
  const { allOf, ...own } = found
  const inside = new Set([...passed, schema])
  const parts = Array.isArray(allOf) ? allOf.map((part) => resolve(root, part, inside)) : []
  return merged(parts.filter(isObject), own)
}

/** The members of a union. */
export const membersOf = ({ anyOf, oneOf }: JsonSchema): ReadonlyArray<unknown> =>
  [anyOf, oneOf].flatMap((members: unknown) => (Array.isArray(members) ? members : []))

/** The types that a schema names. */
export const typesOf = ({ type }: JsonSchema): ReadonlyArray<string> => texts(type)

/** The values that a schema lists: `enum`, or one `const`. Undefined if it lists none. */
export const listedIn = (schema: JsonSchema): ReadonlyArray<unknown> | undefined =>
  Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined

/** The properties of an object, and whether each is required. */
export const propertiesOf = ({
  properties,
  required
}: JsonSchema): ReadonlyArray<readonly [name: string, schema: unknown, required: boolean]> => {
  const names = new Set(texts(required))
  return isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => [name, schema, names.has(name)] as const)
    : []
}

/** The pattern of a text that is decoded to a number, and that of a whole number. */
export const numberText = String.raw`^-?\d+(?:\.\d+)?$`
export const wholeNumberText = String.raw`^-?\d+$`

/** The value of a numeric keyword, or the fallback. */
export const numberOf = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback)

/** Whether the schema accepts null. */
export const takesNull = (root: JsonSchema, schema: unknown, passed: ReadonlySet<unknown> = new Set()): boolean => {
  const resolved = passed.has(schema) ? undefined : resolve(root, schema)
  if (resolved === undefined) return false
  const values = listedIn(resolved)
  if (values !== undefined) return values.includes(null)
  const members = membersOf(resolved)
  const inside = new Set([...passed, schema])
  return members.length > 0
    ? members.some((member) => takesNull(root, member, inside))
    : typesOf(resolved).includes("null")
}

/** The schema without `prefixItems` if all of them equal `items`, as `Schema.NonEmptyArray` writes them. */
export const uniformItems = (schema: JsonSchema): JsonSchema => {
  const { prefixItems, ...rest } = schema
  if (!Array.isArray(prefixItems) || rest["items"] === undefined) return schema
  const items = JSON.stringify(rest["items"])
  return prefixItems.every((item) => JSON.stringify(item) === items) ? rest : schema
}

/** Keywords that no Effect Schema can express. */
const withoutEquivalent: ReadonlySet<string> = new Set(
  (
    "contains dependentRequired dependentSchemas if maxContains minContains not patternProperties propertyNames unevaluatedItems " +
    "unevaluatedProperties"
  ).split(" ")
)

/** A schema without keywords that no Effect Schema can express. If they are about other properties, it accepts these. */
export const eased = (schema: JsonSchema): JsonSchema => {
  const entries = Object.entries(schema).filter(([key]) => !withoutEquivalent.has(key))
  const isOpen =
    "patternProperties" in schema || "unevaluatedProperties" in schema || isObject(schema["additionalProperties"])
  return { ...Object.fromEntries(entries), ...(isOpen ? { additionalProperties: true } : {}) }
}
