/** Errors of steps as JSON, so that a resumed run fails as it did. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CircuitOpen } from "../../limits/CircuitBreaker.ts"
import { RateLimited } from "../../limits/RateLimiter.ts"
import { MemoryError } from "../../memory/model/error.ts"
import { ProviderError } from "../../provider/ProviderError.ts"
import type { Codec } from "../../run/journal.ts"
import { ResponseError } from "../../synapse/answer/ResponseError.ts"
import { NoteNotFound } from "../../thought/Note.ts"

/** The errors that are read as they were written. */
const known = { CircuitOpen, MemoryError, NoteNotFound, ProviderError, RateLimited, ResponseError }

const codecs = new Map(
  Object.entries(known).map(([tag, schema]) => {
    const codec = Schema.toCodecJson(schema)
    return [
      tag,
      { is: Schema.is(schema), write: Schema.encodeUnknownResult(codec), read: Schema.decodeUnknownResult(codec) }
    ] as const
  })
)

/** An error of the program as it is in the ledger. */
interface Foreign {
  readonly name: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** How deep the fields of an error may be, and how many values they may have: those of a cycle never end. */
const limits = { depth: 100, values: 10_000 }

/** Whether a value is the same after it was JSON. */
const isPlain = (value: unknown): boolean => {
  let left = limits.values
  const check = (inner: unknown, depth: number): boolean =>
    left-- > 0 &&
    depth < limits.depth &&
    (inner === null ||
      typeof inner === "string" ||
      typeof inner === "boolean" ||
      (typeof inner === "number" && Number.isFinite(inner)) ||
      (typeof inner === "object" &&
        (Array.isArray(inner) || Object.getPrototypeOf(inner) === Object.prototype) &&
        Object.values(inner).every((one) => check(one, depth + 1))))
  return check(value, 0)
}

/** Fields that every error has. */
const own = new Set(["name", "message", "stack", "cause"])

/** What code of the program computes, unless it throws. */
const attempted = <A>(compute: () => A): A | undefined => {
  try {
    return compute()
  } catch {
    return undefined
  }
}

/** The fields of an error that can be stored: its own fields, its tag and the computed `isRetryable`. */
const fieldsOf = (error: object): Readonly<Record<string, unknown>> => {
  const computed = ["_tag", "isRetryable"].filter((name) => attempted(() => name in error) === true)
  const names = [...(attempted(() => Object.keys(error)) ?? []), ...computed].filter((name) => !own.has(name))
  return Object.fromEntries(
    names.flatMap(
      (name) =>
        // a copy, as what was checked, since a getter may give something else each time
        attempted(() => {
          const value: unknown = Reflect.get(error, name)
          return isPlain(value) ? [[name, structuredClone(value)] as const] : []
        }) ?? []
    )
  )
}

const encodeUnsafe = (error: unknown): unknown => {
  const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""
  const codec = codecs.get(tag)
  if (codec?.is(error) === true) {
    const json = codec.write(error)
    if (Result.isSuccess(json)) return { own: tag, json: json.success }
  }
  if (!(error instanceof Error)) return { value: isPlain(error) ? error : fieldsOf(Object(error) as object) }
  const foreign: Foreign = { name: error.name, message: error.message, fields: fieldsOf(error) }
  return { error: foreign }
}

const unreadable: Foreign = { name: "Error", message: "The error cannot be read.", fields: {} }

const encode = (error: unknown): unknown => attempted(() => encodeUnsafe(error)) ?? { error: unreadable }

const decode = (json: unknown): unknown => {
  const written = json as {
    readonly own?: string
    readonly json?: unknown
    readonly error?: Foreign
    readonly value?: unknown
  }
  const read = written.own === undefined ? undefined : codecs.get(written.own)?.read(written.json)
  if (read !== undefined && Result.isSuccess(read)) return read.success
  if (written.error === undefined) return written.value
  const { fields, message, name } = written.error
  const error = new Error(message)
  Object.defineProperty(error, "name", { value: name, enumerable: false, configurable: true })
  return Object.assign(error, fields)
}

/**
 * Errors of this library are read as what they are. Those of the program become errors with the same name, message and plain
 * fields: their tag is theirs, but they are no longer instances of their class.
 */
export const anyError: Codec<any> = { encode, decode }
