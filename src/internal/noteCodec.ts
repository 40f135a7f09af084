/** How a typed value becomes a note's text and back: as it is when it encodes to a string, else as JSON. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

export interface Codec<out A> {
  readonly decode: (content: string) => Result.Result<A, Schema.SchemaError>
  /** Takes an `A`; typed as unknown so that a handle stays covariant in its value. */
  readonly encode: (value: unknown) => Result.Result<string, Schema.SchemaError>
}

/** Compiles a schema once. What does not fit is reported under the note's key. Throws when there is no schema. */
export const compile = <A>(key: string, schema: Schema.Codec<A, any>): Codec<A> => {
  if (!Schema.isSchema(schema)) throw new Error(`The note ${JSON.stringify(key)} needs a schema.`)
  const json = Schema.toCodecJson(schema)
  const stored: Schema.Codec<A, string> = isText(Schema.toEncoded(json).ast)
    ? // a JSON codec whose encoded side is a string has string as its `Encoded`
      (json as unknown as Schema.Codec<A, string>)
    : Schema.fromJsonString(json)
  const named = <B>(result: Result.Result<B, Schema.SchemaError>) =>
    Result.mapError(result, ({ issue }) => new Schema.SchemaError(new SchemaIssue.Pointer([key], issue)))
  const decode = Schema.decodeUnknownResult(stored)
  const encode = Schema.encodeUnknownResult(stored)
  return { decode: (content) => named(decode(content)), encode: (value) => named(encode(value)) }
}

const isText = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
      return true
    case "Literal":
      return typeof ast.literal === "string"
    case "Union":
      return ast.types.length > 0 && ast.types.every(isText)
    default:
      return false
  }
}
