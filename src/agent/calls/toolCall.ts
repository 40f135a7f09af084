/** One call of a tool: what the model wrote is checked, judged and carried out. Whatever fails becomes a result. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import { CommitFailed, Halt } from "../../run/failure.ts"
import { foreign, recorded } from "../../run/run.ts"
import { describe } from "../../run/within.ts"
import { inToolSpan, withoutParameters } from "./toolSpan.ts"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import { hash128 } from "../../text/hash.ts"
import { quoted } from "../../text/legible.ts"
import { gatherInto } from "../../thought/gathered.ts"
import type { Source } from "../../thought/origin.ts"
import type { ToolCall } from "../../Provider.ts"
import { nestedIn } from "../model/nested.ts"
import { reasonOf } from "../model/reason.ts"
import { Listening, tell } from "../model/events.ts"
import type { Settings } from "../model/settings.ts"
import { isReadonly, isRepeatable } from "../model/verdict.ts"

/** What a call came to, as the model reads it. `from` are the notes that its handler got from elsewhere, such as a search. */
export interface Outcome {
  readonly text: string
  readonly isFailure: boolean
  readonly from?: ReadonlyArray<Source>
}

/** An outcome in the ledger, with the call that it belongs to. */
export const Recorded = Schema.Struct({
  text: Schema.String,
  isFailure: Schema.Boolean,
  from: Schema.optionalKey(
    Schema.Array(Schema.Struct({ id: Schema.String, trust: Schema.Literals(["trusted", "untrusted"]) }))
  ),
  call: Schema.String
})

export const failed = (text: string): Outcome => ({ text, isFailure: true })

/** The longest result. A note can hold no more. */
const longest = 3_900_000

/** A call of a tool that exists, with the JSON of its parameters. */
export interface Readable {
  readonly call: ToolCall
  readonly tool: Tool.Any
  readonly json: unknown
  /** The parameters as a handler sees them. */
  readonly params: unknown
}

/** Reads a call of one of these tools. Parameters that are cut, malformed or do not fit are never carried out. */
export const readable = (
  { toolkit: { tools } }: Pick<Settings, "toolkit">,
  names: ReadonlyArray<string>,
  call: ToolCall
): Effect.Effect<Readable | Outcome, never, any> => {
  const { name, params } = call
  const tool = names.includes(name) ? tools[name] : undefined
  if (tool === undefined) {
    return Effect.succeed(failed(`There is no tool ${quoted(name)}. There are: ${names.join(", ") || "none"}.`))
  }
  const json = attempt(() => ({ value: JSON.parse(params) as unknown }))
  return json === undefined
    ? Effect.succeed(failed("The parameters are not valid JSON. Call the tool again with JSON of its form."))
    : fitting(tool, call, json.value)
}

/** A call with parameters of its tool's form, or what is wrong with them. */
export const fitting = (tool: Tool.Any, call: ToolCall, json: unknown): Effect.Effect<Readable | Outcome, never, any> =>
  Effect.match(decodedBy(tool, json), {
    onFailure: ({ message }) => failed(misfit(call.name, message)),
    onSuccess: (params) => ({ call, tool, json, params })
  })

const misfit = (name: string, message: string): string =>
  `The parameters do not fit the form of ${quoted(name)}: ${message}`

/** Why parameters do not fit, if that can be said without services. */
export const misfitOf = (name: string, { parametersSchema }: Tool.Any, json: unknown): string | undefined => {
  if (!Schema.isSchema(parametersSchema)) return undefined
  const read = attempt(() =>
    Schema.decodeUnknownResult(codecOf(parametersSchema) as Schema.Codec<unknown, unknown>)(json)
  )
  return read !== undefined && Result.isFailure(read) ? misfit(name, read.failure.message) : undefined
}

/** JSON of the encoded side of a schema. Its services are those of the tool's handler, which are in the type of the agent. */
const codecOf = (schema: Schema.Constraint): Schema.Codec<unknown, unknown, any, any> =>
  Schema.toCodecJson(schema as Schema.Codec<unknown>)

/** What a tool gave, as text: JSON of its schema, or the text itself. */
const outcomeOf = (
  tool: Tool.Any,
  { encodedResult, isFailure, result }: Pick<Tool.HandlerResult<any>, "encodedResult" | "isFailure" | "result">
): Effect.Effect<Outcome, never, any> =>
  Effect.gen(function* () {
    const encoded = isFailure
      ? encodedResult
      : yield* Effect.orElseSucceed(
          Schema.encodeUnknownEffect(codecOf(tool.successSchema))(result),
          () => encodedResult
        )
    const text = typeof encoded === "string" ? encoded : attempt(() => JSON.stringify(encoded) ?? "")
    if (text === undefined) return failed("It was carried out, but its result cannot be written as JSON.")
    return text.length > longest
      ? failed(
          `It was carried out. Its result has ${text.length} characters, and no note can hold more than ${longest}.`
        )
      : { text, isFailure }
  })

const attempt = <A>(compute: () => A): A | undefined => {
  try {
    return compute()
  } catch {
    return undefined
  }
}

/** The parameters as the toolkit takes them: it decodes values that are not JSON, such as dates, from values. */
const encodedFor = ({ parametersSchema }: Tool.Any, json: unknown): Effect.Effect<unknown, Schema.SchemaError, any> =>
  Schema.isSchema(parametersSchema)
    ? Effect.flatMap(
        Schema.decodeUnknownEffect(codecOf(parametersSchema))(json),
        Schema.encodeUnknownEffect(parametersSchema as Schema.Codec<unknown, unknown, any, any>)
      )
    : Effect.succeed(json)

/** The parameters as a handler sees them. */
const decodedBy = ({ parametersSchema }: Tool.Any, json: unknown): Effect.Effect<unknown, Schema.SchemaError, any> =>
  Schema.isSchema(parametersSchema) ? Schema.decodeUnknownEffect(codecOf(parametersSchema))(json) : Effect.succeed(json)

/** The result of a tool from what the model was shown of it. */
export const resultOf = ({ successSchema }: Tool.Any, text: string): Effect.Effect<unknown, never, any> => {
  const read = Schema.decodeUnknownEffect(codecOf(successSchema))
  const json = attempt(() => ({ value: JSON.parse(text) as unknown }))
  const asText = Effect.orElseSucceed(read(text), () => text)
  return json === undefined ? asText : Effect.catch(read(json.value), () => asText)
}

/** What the model reads of a failure: its message, or JSON of the schema of the tool's failures. */
const failureText = (tool: Tool.Any, error: unknown): Effect.Effect<string, never, any> => {
  const tag = reasonTag(error)
  if (tag !== undefined && misfits.has(tag)) {
    return Effect.succeed(`It was carried out, but its result does not fit: ${reasonOf(error)}`)
  }
  if (typeof error !== "object" || error === null || hasMessage(error)) return Effect.succeed(reasonOf(error))
  return Schema.encodeUnknownEffect(codecOf(tool.failureSchema))(error).pipe(
    Effect.map((encoded) => attempt(() => JSON.stringify(encoded)) ?? reasonOf(error)),
    Effect.orElseSucceed(() => reasonOf(error))
  )
}

/** Errors of a toolkit about results. */
const misfits: ReadonlySet<string> = new Set(["InvalidToolResultError", "ToolResultEncodingError"])

const reasonTag = (error: unknown): string | undefined =>
  hasProperty(error, "reason") && hasProperty(error.reason, "_tag") ? String(error.reason._tag) : undefined

const hasMessage = (error: object): boolean =>
  ("message" in error && typeof error.message === "string" && error.message !== "") || hasProperty(error, "reason")

/** Runs the handler of a tool. A defect is logged and becomes a failed result. */
const handled = (
  toolkit: Toolkit.WithHandler<Record<string, Tool.Any>>,
  { call, json, tool }: Readable
): Effect.Effect<Outcome, never, any> => {
  const got: Array<Source> = []
  return Effect.gen(function* () {
    const params = yield* encodedFor(tool, json)
    const { id, name } = call
    // an agent within a tool has events of its own
    const handle = withoutParameters(params, toolkit.handle(name, params, id))
    const results = yield* Effect.provideService(handle, Listening, undefined)
    const reported = Stream.tap(results, ({ preliminary, result }) =>
      preliminary ? tell({ _tag: "Progress", id, name, result }) : Effect.void
    )
    const last = yield* Stream.runLast(reported)
    return yield* Option.match(last, {
      onNone: () => Effect.succeed(failed("It gave no result.")),
      onSome: (result) => outcomeOf(tool, result)
    })
  }).pipe(
    Effect.tapCause((cause) => Effect.annotateCurrentSpan("error.type", describe(cause))),
    Effect.catchCauseIf(isDefect, (cause) =>
      Effect.as(
        Effect.logError(`The handler of the tool ${quoted(call.name)} has a defect.`, cause),
        failed("The tool has failed unexpectedly. It may have done something before.")
      )
    ),
    Effect.catch((error: unknown) => Effect.map(failureText(tool, error), failed)),
    (handling) => inToolSpan(call, gatherInto(got, handling), ({ text }) => text),
    Effect.map((outcome) =>
      got.length === 0 ? outcome : { ...outcome, from: got.map(({ id, trust }) => ({ id, trust })) }
    )
  )
}

/** Whether a handler has a defect of its own, as opposed to being interrupted or to one that ends the run. */
const isDefect = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasDies(cause) &&
  !Cause.hasInterrupts(cause) &&
  !cause.reasons.some(
    (reason) => Cause.isDieReason(reason) && (reason.defect instanceof Halt || reason.defect instanceof CommitFailed)
  )

const unknown = (): Outcome =>
  failed("It is not known whether this was carried out: it was interrupted. Find out before you call the tool again.")

const removed: Outcome = failed(
  "It was not carried out: the run has carried out a call of this tool in this place before, and a redaction has removed what " +
    "that call was and what came of it. Find out whether it is still needed before you call the tool again."
)

const notInRerun = (): Outcome => failed("It was not carried out: this run only tries what would have happened.")

/** Carries out a call: in a durable run at most once, unless the tool may be repeated, and in a rerun only if it reads. */
export const carriedOut = (
  toolkit: Toolkit.WithHandler<Record<string, Tool.Any>>,
  readable: Readable
): Effect.Effect<Outcome, never, any> => {
  // what a step does within the run is recorded by itself
  if (nestedIn(readable.tool) !== undefined) return handled(toolkit, readable)
  return recorded<Outcome, never, any>(
    () => {
      const { call, json, tool } = readable
      const hash = hash128(canonicalJson([tool.name, json]))
      return {
        kind: "effect",
        value: { encode: (outcome) => ({ ...outcome, call: call.id }), decode: (outcome) => outcome as Outcome },
        acts: isReadonly(tool) ? "call" : "effect",
        asked: Effect.succeed({ hash, parts: { parameters: hash } }),
        ...(isRepeatable(tool) ? {} : { lost: unknown, emptied: () => removed }),
        ...(isReadonly(tool) ? {} : { inRerun: notInRerun })
      }
    },
    foreign(handled(toolkit, readable))
  )
}
