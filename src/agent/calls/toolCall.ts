/** One call of a tool, as the model wrote it: read and checked. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Tool from "effect/ai/Tool"
import type { ToolCall } from "../../Provider.ts"
import { hasExactNumbers } from "../../synapse/answer/marred/scan/exact.ts"
import { readJson } from "../../schema/fromJsonSchema.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import { quoted } from "../../text/legible.ts"
import type { Source } from "../../thought/origin.ts"
import type { Settings } from "../model/settings.ts"
import { attempt, codecOf, decodedBy, jsonSchemaOf } from "./toolJson.ts"

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
  if (json === undefined) {
    return Effect.succeed(failed("The parameters are not valid JSON. Call the tool again with JSON of its form."))
  }
  if (!hasExactNumbers(params)) {
    return Effect.succeed(
      failed("The parameters have a number with more digits than can be kept. Call the tool again without it.")
    )
  }
  return fitting(tool, call, json.value)
}

/** A call with parameters of its tool's form, or what is wrong with them. */
export const fitting = (
  tool: Tool.Any,
  call: ToolCall,
  json: unknown
): Effect.Effect<Readable | Outcome, never, any> => {
  if (!isObject(json)) return Effect.succeed(failed(misfit(call.name, notAnObject)))
  return Effect.match(decodedBy(tool, json), {
    onFailure: ({ message }) => failed(misfit(call.name, message)),
    onSuccess: (params) => ({ call, tool, json, params })
  })
}

const notAnObject = "Expected an object"

const misfit = (name: string, message: string): string =>
  `The parameters do not fit the form of ${quoted(name)}: ${message}`

/** Why parameters do not fit, if that can be said without services. */
export const misfitOf = (name: string, tool: Tool.Any, json: unknown): string | undefined => {
  if (!isObject(json)) return misfit(name, notAnObject)
  const { parametersSchema } = tool
  const codec = Schema.isSchema(parametersSchema) ? codecOf(parametersSchema) : undefined
  const read = attempt(() =>
    Result.andThen(readJson(jsonSchemaOf(tool), json), () =>
      // one that needs services throws
      codec === undefined ? Result.succeed(json) : Schema.decodeResult(codec as Schema.Codec<unknown>)(json)
    )
  )
  return read !== undefined && Result.isFailure(read) ? misfit(name, read.failure.message) : undefined
}
