/** The form of a Standard Schema's values in JSON, as an Effect Schema. */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { canonicalJson } from "./canonicalJson.ts"
import { isObject, type JsonSchema as Json } from "./jsonSchema.ts"
import type { StandardSchema } from "./standardSchema.ts"

type Side = "input" | "output"

/** The JSON Schema of one side (draft 2020-12). Throws the library's own error if it has no JSON Schema. */
const written = (schema: StandardSchema<unknown>, side: Side): JsonSchema.Document<"draft-2020-12"> => {
  const { jsonSchema } = schema["~standard"]
  const recent = Result.try(() => jsonSchema[side]({ target: "draft-2020-12" }))
  return Result.isSuccess(recent)
    ? JsonSchema.fromSchemaDraft2020_12(recent.success)
    : JsonSchema.fromSchemaDraft07(jsonSchema[side]({ target: "draft-07" }))
}

/** Whether an object says itself which keys it takes beside those that it lists. */
const saysOthers = (schema: Json): boolean =>
  ["additionalProperties", "patternProperties", "unevaluatedProperties"].some((key) => key in schema)

/**
 * The same, as a model should see it: objects hold no more than what they list, a choice is a choice even where two fit,
 * and what refers to the root refers to a definition.
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

/** Schemas by names of one's own. */
const portableAll = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, portable(schema)]))

const root = "__root"
/** Keywords whose value is no schema. */
const literal = new Set(["const", "enum", "default", "examples", "required"])
/** Keywords that hold schemas by names of one's own. */
const named = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"])

const imported = (schema: JsonSchema.JsonSchema, definitions: JsonSchema.Definitions): Schema.Codec<unknown> => {
  const holdsItself = JSON.stringify([schema, definitions]).includes(`"#/$defs/${root}"`)
  const document: JsonSchema.Document<"draft-2020-12"> = {
    dialect: "draft-2020-12",
    schema: holdsItself ? { $ref: `#/$defs/${root}` } : schema,
    definitions: holdsItself ? { ...definitions, [root]: schema } : definitions
  }
  const as = (patterns: "apply" | "ignore") =>
    SchemaRepresentation.fromJsonSchemaDocument(document, { patterns }) as Schema.Codec<unknown>
  // The schema itself checks a pattern that is invalid in Unicode mode.
  return Result.getOrElse(
    Result.try(() => as("apply")),
    () => as("ignore")
  )
}

/** What of a JSON Schema tells its values' types; the other side may require more and list defaults. */
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
  /** What a model writes, with the limits that JSON Schema can state. */
  readonly wire: Schema.Codec<unknown>
  /** Whether its values are another thing than what is written, as far as its JSON Schemas tell. */
  readonly transforms: boolean
  /** Whether what is written is an object or a list. */
  readonly isCompound: boolean
}

/** Throws where the library or Effect has no form for it. */
export const formOf = (schema: StandardSchema<unknown>): StandardForm => {
  const input = written(schema, "input")
  const output = Result.try(() => written(schema, "output"))
  return {
    // it maps a JSON Schema to a JSON Schema
    wire: imported(
      portable(input.schema) as JsonSchema.JsonSchema,
      portableAll(input.definitions) as JsonSchema.Definitions
    ),
    transforms: Result.isFailure(output) || !same(input, output.success),
    isCompound: input.schema["type"] === "object" || input.schema["type"] === "array"
  }
}
