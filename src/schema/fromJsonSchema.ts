/** Values checked with a JSON Schema, where the schema that it was made from is not at hand. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { eased, isObject, type JsonSchema as Json } from "./jsonSchema.ts"

/**
 * The value, if it fits a JSON Schema (draft 2020-12) whose definitions are in `$defs`. What no Effect Schema can express of it is not
 * checked.
 */
export const readJson = (jsonSchema: unknown, value: unknown): Result.Result<unknown, Schema.SchemaError> => {
  if (!isObject(jsonSchema)) return Result.succeed(value)
  const codec = imported(jsonSchema)
  return codec === undefined
    ? Result.succeed(value)
    : Schema.decodeUnknownResult(codec, { onExcessProperty: "error" })(value)
}

/** The schema with its patterns, or without those that are invalid, or without whatever cannot be imported. */
const imported = (jsonSchema: Json): Schema.Codec<unknown> | undefined => {
  const ways: ReadonlyArray<Parameters<typeof importedAs>[1]> = [
    { patterns: "apply" },
    { patterns: "ignore" },
    { patterns: "ignore", onEnter: eased }
  ]
  for (const how of ways) {
    const codec = Result.try(() => importedAs(jsonSchema, how))
    if (Result.isSuccess(codec)) return codec.success
  }
  return undefined
}

const importedAs = (
  { $defs = {}, ...schema }: Json,
  how: Parameters<typeof SchemaRepresentation.fromJsonSchemaDocument>[1]
): Schema.Codec<unknown> =>
  // what an imported schema accepts is known at run time only
  SchemaRepresentation.fromJsonSchemaDocument(
    {
      dialect: "draft-2020-12",
      schema,
      definitions: isObject($defs) ? ($defs as Record<string, Record<string, unknown>>) : {}
    },
    how
  ) as Schema.Codec<unknown>
