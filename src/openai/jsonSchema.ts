/**
 * JSON Schemas as OpenAI's structured output takes them.
 */

type JsonSchema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const prefix = "#/$defs/"

/** The schema with an object at its root: a reference there is replaced by what it names. Else undefined. */
export const withObjectRoot = (schema: JsonSchema): JsonSchema | undefined => {
  const { $schema: _, ...root } = schema
  const definitions = root["$defs"]
  const reference = root["$ref"]
  if (typeof reference === "string" && reference.startsWith(prefix) && isObject(definitions)) {
    const target = definitions[reference.slice(prefix.length)]
    return isObject(target) && target["type"] === "object" ? { ...target, $defs: definitions } : undefined
  }
  return root["type"] === "object" ? root : undefined
}

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

const mapValues = (schemas: unknown): JsonSchema | undefined => {
  if (!isObject(schemas)) return undefined
  const entries = Object.entries(schemas).map(([name, schema]) => [name, toStrict(schema)] as const)
  return entries.every(([, schema]) => schema !== undefined) ? Object.fromEntries(entries) : undefined
}

const toStrictList = (schemas: unknown): ReadonlyArray<JsonSchema> | undefined => {
  const strict = Array.isArray(schemas) ? schemas.map(toStrict) : []
  return strict.length > 0 && strict.every((schema) => schema !== undefined) ? strict : undefined
}

const isClosed = (schema: JsonSchema): boolean => {
  const { additionalProperties: rest, properties, required } = schema
  if (!isObject(properties) || (rest !== undefined && typeof rest !== "boolean")) return false
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.keys(properties).every((name) => names.has(name))
}

/**
 * The same schema under the rules of OpenAI's strict mode, or undefined when it cannot be had without changing what
 * decodes: then an optional property, a record, a tuple or a keyword such as `minLength` is in it.
 *
 * All it adds is `additionalProperties: false`, so that whatever the model may write still decodes.
 */
export const toStrict = (schema: unknown): JsonSchema | undefined => {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => keywords.has(keyword))) return undefined
  if (schema["$ref"] !== undefined) return Object.keys(schema).length === 1 ? schema : undefined
  const strict: Record<string, unknown> = { ...schema }
  if (schema["type"] === undefined && schema["anyOf"] === undefined && schema["enum"] === undefined) return undefined
  if (schema["format"] !== undefined && !formats.has(schema["format"])) return undefined
  const types = new Set([schema["type"]].flat())
  if (types.has("object")) {
    if (!isClosed(schema)) return undefined
    strict["properties"] = mapValues(schema["properties"])
    strict["additionalProperties"] = false
    if (strict["properties"] === undefined) return undefined
  }
  if (types.has("array")) {
    strict["items"] = toStrict(schema["items"])
    if (strict["items"] === undefined) return undefined
  }
  if (schema["anyOf"] !== undefined) {
    strict["anyOf"] = toStrictList(schema["anyOf"])
    if (strict["anyOf"] === undefined) return undefined
  }
  if (schema["$defs"] !== undefined) {
    strict["$defs"] = mapValues(schema["$defs"])
    if (strict["$defs"] === undefined) return undefined
  }
  return strict
}
