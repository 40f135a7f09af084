/** The JSON form of a Standard Schema's values, as an Effect Schema. */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { canonicalJson } from "./canonicalJson.ts"
import { eased, isObject, type JsonSchema as Json, namesIn } from "./jsonSchema.ts"
import type { StandardSchema } from "./standardSchema.ts"

type Side = "input" | "output"

/** The JSON Schema of the input or output (draft 2020-12). Throws the library's own error if it has none. */
const written = (schema: StandardSchema<unknown>, side: Side): JsonSchema.Document<"draft-2020-12"> => {
  const { jsonSchema } = schema["~standard"]
  const recent = Result.try(() => jsonSchema[side]({ target: "draft-2020-12" }))
  return renumbered(
    Result.isSuccess(recent)
      ? JsonSchema.fromSchemaDraft2020_12(recent.success)
      : JsonSchema.fromSchemaDraft07(jsonSchema[side]({ target: "draft-07" }))
  )
}

/**
 * The document with the definitions numbered from 0 in the order of their first use. Some libraries number all definitions of a
 * process, so that equal schemas have different names.
 */
const renumbered = (document: JsonSchema.Document<"draft-2020-12">): JsonSchema.Document<"draft-2020-12"> => {
  const text = JSON.stringify([document.schema, document.definitions])
  const used = Array.from(text.matchAll(/"#\/\$defs\/([\w-]*?)(\d+)"/g), ([, stem = "", n = ""]) => ({
    stem,
    name: stem + n
  }))
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { name, stem } of used) {
    if (names.has(name) || !Object.hasOwn(document.definitions, name)) continue
    const count = counts.get(stem) ?? 0
    names.set(name, `${stem}${count}`)
    counts.set(stem, count + 1)
  }
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, inner]) => {
      if (literal.has(key)) return [key, inner]
      const [name] = key === "$ref" ? namesIn(inner) : []
      const other = name === undefined ? undefined : names.get(name)
      return [key, other === undefined ? renamed(inner) : `#/$defs/${other}`]
    })
    return Object.fromEntries(entries)
  }
  const definitions = Object.entries(document.definitions).map(([name, one]) => [names.get(name) ?? name, renamed(one)])
  // a JSON Schema whose references have other names
  return {
    ...document,
    schema: renamed(document.schema),
    definitions: Object.fromEntries(definitions)
  } as typeof document
}

/** Whether an object schema declares which keys it accepts besides those it lists. */
const saysOthers = (schema: Json): boolean =>
  ["additionalProperties", "patternProperties", "unevaluatedProperties"].some((key) => key in schema)

/**
 * The JSON Schema as a model should see it.
 *
 * - Objects accept only the properties that they list.
 * - `oneOf` becomes `anyOf`.
 * - References to the root become references to a definition.
 */
const portable = (value: unknown, isPart = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => portable(item, isPart))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]): readonly [string, unknown] => {
    if (key === "oneOf") return ["anyOf", portable(inner)]
    if (key === "$ref" && inner === "#") return [key, `#/$defs/${root}`]
    if (literal.has(key)) return [key, inner]
    if (named.has(key) && isObject(inner)) return [key, portableAll(inner)]
    return [key, portable(inner, key === "allOf")]
  })
  const isClosed = isPart || !isObject(value["properties"]) || saysOthers(value) || "allOf" in value
  return { ...Object.fromEntries(entries), ...(isClosed ? {} : { additionalProperties: false }) }
}

/** Makes each schema of a record portable. */
const portableAll = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, portable(schema)]))

/** The names of definitions that an `allOf` refers to. `isPart`: whether the value itself stands in one. */
const partsIn = (value: unknown, isPart = false): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item) => partsIn(item, isPart))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "$ref") return isPart ? namesIn(inner) : []
    if (literal.has(key)) return []
    return named.has(key) && isObject(inner)
      ? Object.values(inner).flatMap((one) => partsIn(one))
      : partsIn(inner, key === "allOf")
  })
}

/** The definitions, each portable. Those that are parts of objects stay open, as parts in place do. */
const definitionsOf = ({ definitions, schema }: JsonSchema.Document<"draft-2020-12">): JsonSchema.Definitions => {
  const parts = new Set([schema, ...Object.values(definitions)].flatMap((one) => partsIn(one)))
  // a part may only refer to another one
  for (const name of parts) for (const next of partsIn(definitions[name], true)) parts.add(next)
  const entries = Object.entries(definitions).map(([name, one]) => [name, portable(one, parts.has(name))])
  // `portable` maps a JSON Schema to a JSON Schema
  return Object.fromEntries(entries) as JsonSchema.Definitions
}

const root = "__root"
/** Keywords whose value is not a schema. */
const literal = new Set(["const", "enum", "default", "examples", "required"])
/** Keywords that hold schemas by name. */
const named = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"])

const imported = (schema: JsonSchema.JsonSchema, definitions: JsonSchema.Definitions): Schema.Codec<unknown> => {
  const holdsItself = JSON.stringify([schema, definitions]).includes(`"#/$defs/${root}"`)
  const document: JsonSchema.Document<"draft-2020-12"> = {
    dialect: "draft-2020-12",
    schema: holdsItself ? { $ref: `#/$defs/${root}` } : schema,
    definitions: holdsItself ? { ...definitions, [root]: schema } : definitions
  }
  const as = (...how: [Parameters<typeof SchemaRepresentation.fromJsonSchemaDocument>[1]]) =>
    Result.try(() => SchemaRepresentation.fromJsonSchemaDocument(document, ...how) as Schema.Codec<unknown>)
  // What cannot be imported, such as a pattern that is invalid in Unicode mode, is left out: the library's own schema checks it.
  return as({ patterns: "apply" }).pipe(
    Result.orElse(() => as({ patterns: "ignore" })),
    Result.orElse(() => as({ patterns: "ignore", onEnter: eased })),
    Result.getOrThrow
  )
}

/**
 * The parts of a JSON Schema that determine the types of its values. The output may require more, and defaults may
 * differ.
 */
const essence = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(essence)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(
    ([key, inner]) => !["required", "default", "additionalProperties", "$schema"].includes(key) || isObject(inner)
  )
  return Object.fromEntries(kept.map(([key, inner]) => [key, essence(inner)]))
}

const same = (one: unknown, other: unknown): boolean => canonicalJson(essence(one)) === canonicalJson(essence(other))

export interface StandardForm {
  /** The JSON that a model writes, with the limits that JSON Schema can express. */
  readonly wire: Schema.Codec<unknown>
  /** Whether the output differs from the input, as far as the JSON Schemas tell. */
  readonly transforms: boolean
  /** Whether the JSON is an object or a list. */
  readonly isCompound: boolean
}

/** Throws if the library or Effect has no JSON form for the schema. */
export const formOf = (schema: StandardSchema<unknown>): StandardForm => {
  const input = written(schema, "input")
  const output = Result.try(() => written(schema, "output"))
  return {
    // `portable` maps a JSON Schema to a JSON Schema
    wire: imported(portable(input.schema) as JsonSchema.JsonSchema, definitionsOf(input)),
    transforms: Result.isFailure(output) || !same(input, output.success),
    isCompound: input.schema["type"] === "object" || input.schema["type"] === "array"
  }
}
