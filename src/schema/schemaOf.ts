/** Makes an Effect Schema from any accepted schema. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import { foreignIssue, plainIssue } from "./foreignIssues.ts"
import { formOf, type StandardForm } from "./standardForm.ts"
import { type AnySchema, isStandard, type StandardSchema, vendorOf } from "./standardSchema.ts"

interface Known extends StandardForm {
  readonly codec: Schema.Codec<any, any>
}

/** Each schema is converted once, so two handles with the same schema share the result. */
const made = new WeakMap<StandardSchema<unknown>, Known>()
const origins = new WeakMap<Schema.Codec<any, any>, Known>()

/**
 * The Effect Schema for any accepted schema; `owner` begins the error message.
 *
 * Throws if the value is not a schema, has no JSON form, or validates asynchronously.
 */
export const schemaOf = <A>(owner: string, schema: AnySchema<A>): Schema.Codec<A, any> => {
  if (Schema.isSchema(schema)) return schema as Schema.Codec<A, any>
  if (!isStandard(schema)) throw new Error(`${owner} ${refusal(schema)}`)
  const known = made.get(schema) ?? make(owner, schema)
  made.set(schema, known)
  origins.set(known.codec, known)
  // it decodes to the output of the Standard Schema, which has this type
  return known.codec as Schema.Codec<A, any>
}

/**
 * The Effect Schema for values that are written as notes or shown to a model.
 *
 * Also throws if the schema transforms a plain value, such as a text into a number: the result alone cannot be turned
 * back.
 */
export const writableSchemaOf = <A>(owner: string, schema: AnySchema<A>): Schema.Codec<A, any> => {
  const codec = schemaOf(owner, schema)
  const { isCompound = true, transforms = false } = origins.get(codec) ?? {}
  if (isCompound || !transforms) return codec
  throw new Error(
    `${owner} has a schema that transforms a plain value, so the original cannot be restored from the result: wrap it in an object, or use an Effect Schema.`
  )
}

/** The schema of the JSON that a model writes. */
export const wireOf = (schema: Schema.Codec<any, any>): Schema.Codec<any, any> =>
  origins.get(schema)?.wire ?? Schema.toCodecJson(schema)

/** Whether a Standard Schema's output differs from its input. */
export const isTransformed = (schema: Schema.Codec<any, any>): boolean => origins.get(schema)?.transforms ?? false

/** For a Standard Schema, the schema of its JSON, whose form its values share; otherwise the schema itself. */
export const shownOf = (schema: Schema.Codec<any, any>): Schema.Codec<any, any> => origins.get(schema)?.wire ?? schema

const refusal = (value: unknown): string => {
  const vendor = vendorOf(value)
  return vendor === undefined
    ? `needs a schema: an Effect Schema, or a Standard Schema with its JSON Schema, such as one of Zod from 4.2, but got ${kindOf(value)}.`
    : `has a schema of ${vendor} that does not give its JSON Schema: use Zod from 4.2, a recent ArkType, or toStandardJsonSchema of @valibot/to-json-schema.`
}

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return "none"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object that is not a schema" : `a ${typeof value}`
}

const make = (owner: string, schema: StandardSchema<unknown>): Known => {
  const { vendor } = schema["~standard"]
  const form = Result.try({ try: () => formOf(schema), catch: (error) => error })
  if (Result.isFailure(form)) {
    const { message } = form.failure instanceof Error ? form.failure : new Error(String(form.failure))
    throw new Error(`${owner} has a schema of ${vendor} that has no form in JSON: ${message}`)
  }
  // a schema that is always asynchronous is so for any value
  const probe = Result.try(() => schema["~standard"].validate(undefined))
  if (Result.isSuccess(probe) && isLate(probe.success)) {
    throw new Error(`${owner} has a schema of ${vendor} that validates asynchronously: make its checks synchronous.`)
  }
  const { wire } = form.success
  return { ...form.success, codec: codecOf(schema, isText(wire.ast) ? Schema.String : Schema.Json, wire.ast) }
}

type Judged = ReturnType<StandardSchema<unknown>["~standard"]["validate"]>

const isLate = (judged: Judged): judged is Extract<Judged, Promise<unknown>> => {
  if (!(judged instanceof Promise)) return false
  // nobody awaits the promise
  judged.catch(() => {})
  return true
}

const codecOf = (
  schema: StandardSchema<unknown>,
  raw: Schema.Codec<any>,
  form: SchemaAST.AST
): Schema.Codec<any, any> => {
  const { validate } = schema["~standard"]
  /**
   * The input that each object was read from. It is written again if the object's own JSON does not lead back to it.
   */
  const sources = new WeakMap<object, unknown>()

  const read = (written: unknown): Result.Result<unknown, SchemaIssue.Issue> => {
    const tried = Result.try(() => validate(written))
    // Zod turns errors thrown by custom checks into a promise. The error is left out of the message, as it may repeat
    // the value.
    if (Result.isFailure(tried) || isLate(tried.success)) return Result.fail(issueOf(unread))
    const judged = tried.success
    if (judged.issues === undefined) return Result.succeed(judged.value)
    const [first, ...rest] = judged.issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => (typeof part === "object" ? part.key : part))
      const issue = foreignIssue(message, form)
      return keys.length === 0 ? issue : new SchemaIssue.Pointer(keys, issue)
    })
    if (first === undefined) return Result.fail(issueOf("Expected another value"))
    return Result.fail(rest.length === 0 ? first : new SchemaIssue.Composite(raw.ast, [first, ...rest]))
  }

  const decode = (written: unknown) => {
    const result = read(written)
    if (Result.isSuccess(result) && isObject(result.success)) sources.set(result.success, written)
    return Effect.fromResult(result)
  }

  const encode = (value: unknown) => {
    const known = isObject(value) ? sources.get(value) : undefined
    const plain = asJson(value)
    const isText = raw !== Schema.String || typeof Option.getOrUndefined(plain) === "string"
    const found = [...(isText ? Option.toArray(plain) : []), ...(known === undefined ? [] : [known])].find(
      (written) => {
        const again = read(written)
        if (Result.isFailure(again)) return false
        // an object that the schema gives for several inputs may have come from the input of another run
        const isShared = again.success === value && written === known && known !== value
        return !isShared && Equal.equals(present(again.success), present(value))
      }
    )
    return found === undefined ? Effect.fail(noWayBack(value, Option.map(plain, read), form)) : Effect.succeed(found)
  }

  return raw.pipe(
    Schema.decodeTo(
      Schema.declare<unknown>((_value): _value is unknown => true),
      { decode: SchemaGetter.transformEffect(decode), encode: SchemaGetter.transformEffect(encode) }
    )
  )
}

const unread = "Expected a value that the schema's own code reads without throwing and without waiting"

/** Explains why a value does not fit: its JSON is invalid, or the schema reads another value from that JSON. */
const noWayBack = (
  value: unknown,
  read: Option.Option<Result.Result<unknown, SchemaIssue.Issue>>,
  form: SchemaAST.AST
): SchemaIssue.Issue => {
  if (Option.isNone(read)) return issueOf("Expected a value that JSON can hold")
  if (Result.isFailure(read.value)) return read.value.failure
  const path = changed(present(value), present(read.value.success))
  const issue = plainIssue("Expected a value that the schema gives again when it reads the value's JSON", form)
  return path.length === 0 ? issue : new SchemaIssue.Pointer(path, issue)
}

/** Where two values first differ. */
const changed = (a: unknown, b: unknown): ReadonlyArray<PropertyKey> => {
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return []
  const [from, to] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  const key = [...from.keys(), ...to.keys()].find((key) => !Equal.equals(from.get(key), to.get(key)))
  if (key === undefined) return []
  return [Array.isArray(a) ? Number(key) : key, ...changed(from.get(key), to.get(key))]
}

const issueOf = (message: string) => new SchemaIssue.InvalidValue({ message })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const asJson = Option.liftThrowable((value: unknown): unknown => JSON.parse(JSON.stringify(value)))

/** The value without undefined properties, which JSON drops. */
const present = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(present)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, present(inner)]))
}

/** Whether every value of a schema is a text. */
export const isText = (ast: SchemaAST.AST): boolean => {
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
