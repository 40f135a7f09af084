/** Converts a typed value to a note's text and back: unchanged if it encodes to a string, else as JSON. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as SchemaAST from "effect/SchemaAST"
import { anyKey, pathTo, withoutWords } from "./foreignIssues.ts"
import { isText } from "./schemaOf.ts"

export interface Codec<out A> {
  readonly schema: Schema.Codec<A, any>
  readonly decode: (content: string) => Result.Result<A, Schema.SchemaError>
  /** Takes an `A`. Typed as unknown so that a handle stays covariant in its value. */
  readonly encode: (value: unknown) => Result.Result<string, Schema.SchemaError>
  /** The JSON value of a note's text: a string if the notes are plain text. */
  readonly toJson: (content: string) => unknown
  /** The note's text of a JSON value. */
  readonly ofJson: (json: unknown) => string
  readonly fromJson: (json: unknown) => Result.Result<A, Schema.SchemaError>
  /** Whether a value is an `A`. */
  readonly is: (value: unknown) => value is A
}

/** Compiles a schema once. Issues are reported under the note's key and never contain keys of a record. */
export const compile = <A>(key: string, schema: Schema.Codec<A, any>): Codec<A> => {
  const json = Schema.toCodecJson(schema)
  const plain = isText(Schema.toEncoded(json).ast)
  const stored: Schema.Codec<A, string> = plain
    ? // a JSON codec whose encoded side is a string has string as its `Encoded`
      (json as unknown as Schema.Codec<A, string>)
    : Schema.fromJsonString(json)
  const named = <B>(result: Result.Result<B, Schema.SchemaError>) =>
    Result.mapError(result, ({ issue }) => new Schema.SchemaError(new SchemaIssue.Pointer([key], maskedKeys(issue))))
  const decode = Schema.decodeUnknownResult(stored)
  const written = Schema.encodeUnknownResult(stored)
  const isAnyText = isAnyString(schema.ast)
  // most notes are texts, which the compiled schema would only check once more
  const encode: typeof written = (value) =>
    isAnyText && typeof value === "string" ? Result.succeed(value) : written(value)
  const fromJson = Schema.decodeUnknownResult(json)
  return {
    schema,
    decode: (content) => named(decode(content)),
    encode: (value) => named(encode(value)),
    toJson: plain ? (content) => content : (content) => JSON.parse(content),
    ofJson: plain ? String : (value) => JSON.stringify(value),
    fromJson: (value) => named(fromJson(value)),
    is: Schema.is(schema)
  }
}

/** Whether every string fits a schema and is its own encoded form. */
const isAnyString = ({ _tag, checks, encoding }: SchemaAST.AST): boolean =>
  _tag === "String" && checks === undefined && encoding === undefined

/**
 * Reads a note's text, perhaps with another schema than the one that wrote it.
 *
 * The text `42` is not a number, and the number 42 is not a text. So if the writer is known, its own codec reads the
 * text first. It is unknown if the thought was loaded or began with the note. Then a text that is not JSON is taken as
 * it is, if the schema accepts text.
 */
export const decode = <A>(
  own: Codec<A>,
  writer: Codec<unknown> | undefined,
  content: string
): Result.Result<A, Schema.SchemaError> => {
  if (writer?.schema === own.schema) return own.decode(content)
  if (writer === undefined) {
    const decoded = own.decode(content)
    const asText = Result.isFailure(decoded) ? own.fromJson(content) : decoded
    return Result.isSuccess(asText) ? asText : decoded
  }
  const written = writer.decode(content)
  if (Result.isFailure(written)) return own.decode(content)
  const decoded = own.fromJson(writer.toJson(content))
  // the same value may have another form in the other schema, such as a number that is written as text
  return Result.isFailure(decoded) && own.is(written.success) ? Result.succeed(written.success) : decoded
}

const isDeclared = (within: SchemaAST.AST | undefined, key: PropertyKey): boolean =>
  within?._tag !== "Objects" || within.propertySignatures.some(({ name }) => name === key)

/**
 * Removes keys of records and messages of other libraries from an issue: both can reveal the value, which a note's text
 * must not. `within` is the schema of the value in which a path begins.
 */
const maskedKeys = (issue: SchemaIssue.Issue, within?: SchemaAST.AST): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Composite": {
      const [first, ...others] = issue.issues
      return new SchemaIssue.Composite(issue.ast, [
        maskedKeys(first, issue.ast),
        ...others.map((other) => maskedKeys(other, issue.ast))
      ])
    }
    case "AnyOf":
      return new SchemaIssue.AnyOf(
        issue.ast,
        issue.issues.map((one) => maskedKeys(one))
      )
    case "Pointer": {
      const [key, ...others] = issue.path
      const known = key === undefined || isDeclared(within, key)
      const path = known ? pathTo(issue.issue, issue.path) : [anyKey, ...others]
      return new SchemaIssue.Pointer(path, maskedKeys(issue.issue))
    }
    case "Filter":
      return new SchemaIssue.Filter(issue.filter, maskedKeys(issue.issue, within))
    case "Encoding":
      return new SchemaIssue.Encoding(issue.ast, maskedKeys(issue.issue, within))
    default:
      return withoutWords(issue)
  }
}
