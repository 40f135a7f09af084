/** How a typed value becomes a note's text and back: as it is when it encodes to a string, else as JSON. */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

export interface Codec<out A> {
  readonly decode: (content: string) => Result.Result<A, Schema.SchemaError>
  /** Takes an `A`; typed as unknown so that a handle stays covariant in its value. */
  readonly encode: (value: unknown) => Result.Result<string, Schema.SchemaError>
}

/** Compiles a schema once. Throws when it cannot be stored as JSON at all. */
export const compile = <A>(schema: Schema.Codec<A, any>): Codec<A> => {
  const json = Schema.toCodecJson(schema)
  const stored: Schema.Codec<A, string> = isText(Schema.toEncoded(json).ast)
    ? // a JSON codec whose encoded side is a string has string as its `Encoded`
      (json as unknown as Schema.Codec<A, string>)
    : Schema.fromJsonString(json)
  return { decode: Schema.decodeUnknownResult(stored), encode: Schema.encodeUnknownResult(stored) }
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
