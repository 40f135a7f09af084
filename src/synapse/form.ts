/** The form of an answer: its JSON Schema for the provider and its decoder for what comes back, compiled once. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { dereferenced, type JsonSchema } from "../schema/jsonSchema.ts"
import { isTransformed, shownOf, wireOf } from "../schema/schemaOf.ts"
import type { Output } from "../provider/task.ts"
import { type PartialReader, partialReader } from "./answer/partial/reader.ts"
import type { Coercion, Parsing } from "./answer/marred/align/Coercion.ts"
import { reader } from "./answer/marred/read.ts"
import { redacted } from "./answer/marred/redacted.ts"
import { rootOf } from "./answer/marred/align/Root.ts"
import type { Issue } from "./answer/ResponseError.ts"
import { withTextForms } from "./texts.ts"

/** A value, and what was done to its text to read it. */
interface Decoded<out A> {
  readonly value: A
  readonly coercions: ReadonlyArray<Coercion>
}

export interface Form<out A> {
  readonly output: Output
  readonly decode: (text: string, parsing: Parsing) => Result.Result<Decoded<A>, ReadonlyArray<Issue>>
  /** Reads an answer while it is written; each call of it begins a new one. */
  readonly partial: () => PartialReader
  /** The issue without keys that the model made up: those of a record may be text of a note. */
  readonly redact: (issue: Issue) => Issue
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Compiles the schema of what a model writes, and what that amounts to. An answer that is no object is asked for inside
 * one, as providers demand. `hidden` are fields of the reply whose value is another one in what it amounts to.
 */
export const compile = <A, B>(
  name: string,
  schema: Schema.Codec<A, any>,
  amountsTo: (reply: A) => B,
  hidden: ReadonlyArray<string> = []
): Form<B> => {
  const json = Schema.toCodecJson(schema)
  const document = Schema.toJsonSchemaDocument(withTextForms(wireOf(schema)), { onExcessProperty: "error" })
  const definitions = Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions }
  const root: JsonSchema = dereferenced(definitions, document.schema) ?? document.schema
  const wrapped = root["type"] !== "object"
  const body: JsonSchema = wrapped
    ? { type: "object", properties: { value: root }, required: ["value"], additionalProperties: false }
    : root
  const jsonSchema = { ...body, ...definitions }
  const decode = Schema.decodeUnknownResult(json)
  const decodeAll = Schema.decodeUnknownResult(json, { errors: "all" })
  const form = rootOf(jsonSchema, wrapped)
  const read = reader(form, (value) =>
    // to collect what is wrong costs time, and most answers are right
    Result.mapBoth(
      Result.orElse(decode(value), () => decodeAll(value)),
      {
        onSuccess: amountsTo,
        onFailure: (error) =>
          formatIssues(error.issue).issues.map((issue) => ({
            path: (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)),
            message: issue.message
          }))
      }
    )
  )
  return {
    output: {
      name,
      jsonSchema,
      instructions:
        "Answer with one JSON object and nothing else. It must fit this JSON Schema:\n" + JSON.stringify(jsonSchema)
    },
    decode: read,
    partial: partialReader(shownOf(schema), { hidden, wrapped, inFull: isTransformed(schema) }),
    redact: ({ message, path }) => ({ path: redacted(form.shape, path), message })
  }
}
