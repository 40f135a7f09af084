/** Values checked with a JSON Schema, where the schema that it was made from is not at hand. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { eased, isObject, type JsonSchema as Json } from "./jsonSchema.ts"

const known = new WeakMap<Json, Schema.Codec<unknown> | undefined>()

/**
 * The value, if it fits a JSON Schema (draft 2020-12) whose definitions are in `$defs`. Patterns are not checked, as one that takes
 * long for a text could block the process; nor is what no Effect Schema can express.
 */
export const readJson = (jsonSchema: unknown, value: unknown): Result.Result<unknown, Schema.SchemaError> => {
  if (!isObject(jsonSchema)) return Result.succeed(value)
  if (!known.has(jsonSchema)) known.set(jsonSchema, imported(jsonSchema))
  const codec = known.get(jsonSchema)
  return codec === undefined
    ? Result.succeed(value)
    : Schema.decodeUnknownResult(codec, { onExcessProperty: "error" })(value)
}

/** The schema, or what can be imported of it. */
const imported = (jsonSchema: Json): Schema.Codec<unknown> | undefined =>
  Result.try(() => importedAs(jsonSchema, opened)).pipe(
    Result.orElse(() => Result.try(() => importedAs(jsonSchema, (schema) => opened(eased(schema))))),
    Result.getOrElse(() => undefined)
  )

/** A schema of objects that says nothing of other properties accepts them. */
const opened = (schema: Json): Json =>
  "properties" in schema && !("additionalProperties" in schema) && !("patternProperties" in schema)
    ? { ...schema, additionalProperties: true }
    : schema

const importedAs = ({ $defs = {}, ...schema }: Json, onEnter: (schema: Json) => Json): Schema.Codec<unknown> =>
  // what an imported schema accepts is known at run time only
  SchemaRepresentation.fromJsonSchemaDocument(
    {
      dialect: "draft-2020-12",
      schema,
      definitions: isObject($defs) ? ($defs as Record<string, Record<string, unknown>>) : {}
    },
    { patterns: "ignore", onEnter }
  ) as Schema.Codec<unknown>
