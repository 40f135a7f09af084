/** Values checked with a JSON Schema, where the schema that it was made from is not at hand. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { isObject } from "./jsonSchema.ts"

/** The value, if it fits a JSON Schema (draft 2020-12) whose definitions are in `$defs`. */
export const readJson = (jsonSchema: unknown, value: unknown): Result.Result<unknown, Schema.SchemaError> => {
  if (!isObject(jsonSchema)) return Result.succeed(value)
  const { $defs = {}, ...schema } = jsonSchema
  const codec = SchemaRepresentation.fromJsonSchemaDocument({
    dialect: "draft-2020-12",
    schema,
    definitions: isObject($defs) ? ($defs as Record<string, Record<string, unknown>>) : {}
  }) as Schema.Codec<unknown>
  return Schema.decodeUnknownResult(codec, { onExcessProperty: "error" })(value)
}
