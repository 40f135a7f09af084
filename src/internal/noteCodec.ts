/** How a typed value becomes a note's text and back: as it is when it encodes to a string, else as JSON. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { isText } from "./isText.ts"

export interface Codec<out A> {
  readonly decode: (content: string) => Result.Result<A, Schema.SchemaError>
  /** Takes an `A`; typed as unknown so that a handle stays covariant in its value. */
  readonly encode: (value: unknown) => Result.Result<string, Schema.SchemaError>
}

/** Compiles a schema once. What does not fit is reported under the note's key. */
export const compile = <A>(key: string, schema: Schema.Codec<A, any>): Codec<A> => {
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
