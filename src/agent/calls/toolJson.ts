/** JSON of the parameters, results and failures of tools. */
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Tool from "effect/ai/Tool"
import { readJson } from "../../schema/fromJsonSchema.ts"

/** Reads and writes JSON of a schema. Its services are those of the tool's handler, which are in the type of the agent. */
interface Json {
  readonly decode: (json: unknown) => Effect.Effect<unknown, Schema.SchemaError, any>
  readonly encode: (value: unknown) => Effect.Effect<unknown, Schema.SchemaError, any>
}

const made = new WeakMap<Schema.Constraint, Json>()

/** How JSON of a schema is read and written. */
export const jsonOf = (schema: Schema.Constraint): Json => {
  const known = made.get(schema)
  if (known !== undefined) return known
  const codec = codecOf(schema)
  const json = { decode: Schema.decodeUnknownEffect(codec), encode: Schema.encodeUnknownEffect(codec) }
  made.set(schema, json)
  return json
}

/** The schema with JSON as its encoded side. */
export const codecOf = (schema: Schema.Constraint): Schema.Codec<unknown, unknown, any, any> =>
  // a tool does not know the types of its schemas
  Schema.toCodecJson(schema as Schema.Codec<unknown>)

/** The JSON Schema of the parameters of a dynamic tool that has one. */
export const jsonSchemaOf = (tool: Tool.Any): unknown => (hasProperty(tool, "jsonSchema") ? tool.jsonSchema : undefined)

/** The parameters as a handler sees them. Those of a tool with a JSON Schema are the JSON itself. */
export const decodedBy = (tool: Tool.Any, json: unknown): Effect.Effect<unknown, Schema.SchemaError, any> => {
  const { parametersSchema } = tool
  const schema = jsonSchemaOf(tool)
  const decoded = Schema.isSchema(parametersSchema) ? jsonOf(parametersSchema).decode(json) : Effect.succeed(json)
  return schema === undefined ? decoded : Effect.andThen(Effect.fromResult(readJson(schema, json)), decoded)
}

/** The result of a tool from what the model was shown of it. */
export const resultOf = ({ successSchema }: Tool.Any, text: string): Effect.Effect<unknown, never, any> => {
  const { decode } = jsonOf(successSchema)
  const json = attempt(() => ({ value: JSON.parse(text) as unknown }))
  const asText = Effect.orElseSucceed(decode(text), () => text)
  return json === undefined ? asText : Effect.catch(decode(json.value), () => asText)
}

/** A value as the model reads it: a text as it is, and other values as JSON; undefined if JSON cannot hold it. */
export const textOf = (encoded: unknown): string | undefined => {
  if (typeof encoded === "string") return encoded
  if (typeof encoded === "function" || typeof encoded === "symbol") return undefined
  const text = attempt(() => JSON.stringify(encoded) ?? "")
  return text?.includes("{}") ? attempt(() => JSON.stringify(encoded, unlessEmptied) ?? "") : text
}

/** Throws for a `Map`, an error, an instance with private fields and the like, of which JSON would keep an empty object. */
const unlessEmptied = (_key: string, value: unknown): unknown => {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  if (isObject && Object.keys(value).length === 0 && !isPlain(value)) throw new TypeError("JSON does not hold this")
  return value
}

/** Whether it is an object without a class, in any realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** What a function returns, or undefined if it throws. */
export const attempt = <A>(compute: () => A): A | undefined => {
  try {
    return compute()
  } catch {
    return undefined
  }
}
