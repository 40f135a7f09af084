/** The form of an answer: the JSON Schema for the provider and the decoder of the reply, compiled once. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { dereferenced, type JsonSchema } from "../schema/jsonSchema.ts"
import { formInWords } from "../schema/notation.ts"
import { isTransformed, shownOf, wireOf } from "../schema/schemaOf.ts"
import { seenText } from "../thought/render.ts"
import type { Output } from "../provider/task.ts"
import type { Parsing } from "./answer/marred/align/Coercion.ts"
import { deepest, isTooDeep, jsonOf, longNumber } from "./answer/marred/scan/json.ts"
import type { Issue } from "./answer/ResponseError.ts"
import type * as Marred from "./marred.ts"
import { withTextForms } from "./texts.ts"

export interface Form<out A> {
  readonly output: Output
  /** Whether the request asks for the value inside an object, as its property `value`. */
  readonly wrapped: boolean
  /** Decodes JSON to a value, or returns all issues. */
  readonly decode: (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>
  /** Decodes a text that is valid as it is. Returns `undefined` for any other text. */
  readonly plain: (text: string, parsing: Parsing) => { readonly value: A; readonly json: unknown } | undefined
  /** What to show of a value while it is being written. */
  readonly shown: {
    readonly schema: Schema.Codec<any, any>
    readonly hidden: ReadonlyArray<string>
    readonly inFull: boolean
  }
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Compiles the schema of a model's reply. `amountsTo` converts the reply to the value.
 *
 * A reply that is not an object is requested inside one, because providers demand objects. `hidden` are fields of the
 * reply that differ in the value.
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
  return {
    output: {
      name,
      jsonSchema,
      instructions: formInWords(jsonSchema)
    },
    wrapped,
    decode: (value) =>
      // collecting all issues takes time, and most answers are valid
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
      ),
    plain: (text, parsing) => {
      const json = jsonOf(parsing === "strict" ? text : text.trim())
      if (json === undefined || longNumber.test(text)) return undefined
      // each level of nesting takes two brackets, so no shorter text exceeds the limit
      if (text.length > 2 * deepest && isTooDeep(json.value)) return undefined
      const alone = wrapped ? unwrapped(json.value) : json
      const decoded = alone && decode(alone.value)
      return decoded && Result.isSuccess(decoded) ? { value: amountsTo(decoded.success), json: alone.value } : undefined
    },
    shown: { schema: shownOf(schema), hidden, inFull: isTransformed(schema) }
  }
}

/** The content of an object whose only property is `value`, or JSON without such a property. */
const unwrapped = (json: unknown): { readonly value: unknown } | undefined => {
  if (typeof json !== "object" || json === null || !Object.hasOwn(json, "value")) return { value: json }
  return Object.keys(json).length === 1 ? (json as { readonly value: unknown }) : undefined
}

/**
 * A note as the reply of a conversation: its text without the fields that the answer did not have. These are known to
 * all readers of the conversation, such as that the confidence was stated.
 */
export const replyOf = (note: Parameters<typeof seenText>[0], form: Form<unknown> | undefined): string => {
  const { content } = note
  const asked = form === undefined || form.wrapped ? undefined : form.output.jsonSchema["properties"]
  if (typeof asked !== "object" || asked === null) return seenText(note)
  const fields = Object.entries(JSON.parse(content) as Readonly<Record<string, unknown>>)
  const kept = fields.filter(([name]) => Object.hasOwn(asked, name))
  return seenText(kept.length === fields.length ? note : { ...note, content: JSON.stringify(Object.fromEntries(kept)) })
}

let loaded: typeof Marred | undefined

/** Loaded with the first answer that is not valid as it is. A failure to load is a defect. */
const marred: Effect.Effect<typeof Marred> = Effect.suspend(() =>
  loaded === undefined ? Effect.uninterruptible(Effect.promise(load)) : Effect.succeed(loaded)
)

const load = async (): Promise<typeof Marred> => {
  try {
    return (loaded = await import("./marred.ts"))
  } catch (cause) {
    throw new Error(
      "The part of cogito that reads malformed answers could not be loaded. Include all files of the package when you deploy it.",
      {
        cause
      }
    )
  }
}

/** A value, the JSON that it was decoded from, and the changes that were made to read it. */
interface Read<out A> extends Marred.Decoded<A> {
  readonly json: unknown
}

/** Reads an answer, or returns its issues. */
export const read = <A>(form: Form<A>, text: string, parsing: Parsing): Effect.Effect<Read<A>, Marred.Rejected> => {
  const plain = form.plain(text, parsing)
  return plain === undefined
    ? Effect.flatMap(marred, (reader) => Effect.fromResult(readMarred(reader, form, text, parsing)))
    : Effect.succeed({ ...plain, coercions: [] })
}

const readMarred = <A>(
  { readMarred }: typeof Marred,
  form: Form<A>,
  text: string,
  parsing: Parsing
): Result.Result<Read<A>, Marred.Rejected> => {
  const jsonOf = new Map<A, unknown>()
  const decode = (json: unknown) =>
    Result.map(form.decode(json), (value) => {
      jsonOf.set(value, json)
      return value
    })
  const decoded = readMarred({ ...form, decode, jsonSchema: form.output.jsonSchema }, text, parsing)
  return Result.map(decoded, (one) => ({ ...one, json: jsonOf.get(one.value) }))
}
