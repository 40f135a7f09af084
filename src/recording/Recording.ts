/**
 * The form of a recording: one JSON document that is meant to be read, with texts as lists of lines.
 *
 * It contains prompts and answers, but no keys or headers: a provider never sees those.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Reason } from "../provider/ProviderError.ts"
import { Calls, Carry, RecordedMessage } from "./messages.ts"

export { fromLines, toLines } from "./messages.ts"

const Lines = Schema.Array(Schema.String)
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Usage = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Finite),
  outputTokens: Schema.optionalKey(Schema.Finite),
  cachedInputTokens: Schema.optionalKey(Schema.Finite),
  cacheWriteTokens: Schema.optionalKey(Schema.Finite),
  reasoningTokens: Schema.optionalKey(Schema.Finite)
})

export const Sampling = Schema.Struct({
  temperature: Schema.optionalKey(Schema.Finite),
  effort: Schema.optionalKey(Schema.String),
  maxTokens: Schema.optionalKey(Schema.Finite),
  seed: Schema.optionalKey(Schema.Finite),
  stop: Schema.optionalKey(Schema.Array(Schema.String))
})

const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Distribution = Schema.Record(Schema.String, Probability)
const Reasons = Schema.optionalKey(Schema.Array(Schema.String))

export const Answer = Schema.Union([
  Schema.TaggedStruct("Predicate", { name: Schema.String, probability: Probability, reasons: Reasons }),
  Schema.TaggedStruct("Choice", {
    name: Schema.String,
    label: Schema.String,
    distribution: Distribution,
    reasons: Reasons
  }),
  Schema.TaggedStruct("Score", {
    name: Schema.String,
    value: Schema.Finite,
    distribution: Distribution,
    reasons: Reasons
  }),
  Schema.TaggedStruct("Refusal", {
    name: Schema.String,
    message: Schema.optionalKey(Schema.String),
    category: Schema.optionalKey(Schema.String)
  })
])

const Answered = {
  usage: Schema.optionalKey(Usage),
  model: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String),
  provider: Schema.optionalKey(Schema.String),
  /** What it cost, where only the provider that answered knows. */
  usd: Schema.optionalKey(Schema.Finite)
}

/** The tools of a request, and how they may be called. */
const Tools = Schema.Struct({
  tools: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      description: Schema.String,
      parameters: Schema.Record(Schema.String, Schema.Json)
    })
  ),
  choice: Schema.optionalKey(
    Schema.Union([Schema.Literals(["auto", "none", "required"]), Schema.Struct({ tool: Schema.String })])
  ),
  parallel: Schema.optionalKey(Schema.Boolean)
})

/**
 * One call. Fields of the request that a hand-written one leaves out match every request of its kind.
 */
export const Call = Schema.Struct({
  call: Count,
  /** The kind of the task, such as `"decide"`. */
  kind: Schema.String,
  asked: Schema.Literals(["text", "native"]),
  phase: Schema.optionalKey(Schema.Literals(["reason", "introspect"])),
  /** What was wished of the sampling; what was sent is in the answer. */
  wish: Schema.optionalKey(Sampling),
  /** The messages begin with that many of an earlier call, by its number. */
  begins: Schema.optionalKey(Schema.Struct({ like: Count, messages: Count })),
  messages: Schema.optionalKey(Schema.Array(RecordedMessage)),
  output: Schema.optionalKey(
    Schema.Struct({
      name: Schema.String,
      /** Left out where it is that of an earlier call. */
      schema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
      like: Schema.optionalKey(Count)
    })
  ),
  tools: Schema.optionalKey(Tools),
  answer: Schema.optionalKey(
    Schema.Union([
      Schema.Struct({
        ...Answered,
        text: Lines,
        calls: Schema.optionalKey(Calls),
        carry: Schema.optionalKey(Carry),
        sampling: Schema.optionalKey(Sampling)
      }),
      // how a hand-written answer is easiest to write
      Schema.Struct({ ...Answered, json: Schema.Json }),
      Schema.Struct({
        ...Answered,
        answers: Schema.Array(Answer),
        probabilitiesFrom: Schema.optionalKey(Schema.Literals(["measured", "logprobs"]))
      })
    ])
  ),
  failure: Schema.optionalKey(
    Schema.Struct({
      reason: Reason,
      usage: Schema.optionalKey(Usage),
      requestId: Schema.optionalKey(Schema.String),
      /** Whose failure it was; those of the recording where they are left out. */
      provider: Schema.optionalKey(Schema.String),
      model: Schema.optionalKey(Schema.String)
    })
  ),
  /** Whether it was interrupted before its end; what a stream had given until then is the text of the answer. */
  interrupted: Schema.optionalKey(Schema.Boolean),
  /** The lengths of the pieces in which that came, in UTF-16 units. */
  pieces: Schema.optionalKey(Schema.Array(Count))
})
export interface Call extends Schema.Schema.Type<typeof Call> {}

const Capabilities = Schema.Struct({
  temperature: Schema.Literals(["free", "without-effort", "never"]),
  efforts: Schema.Array(Schema.String),
  structuredOutput: Schema.Literals(["json-schema", "json", "none"]),
  seed: Schema.Boolean,
  tools: Schema.optionalKey(Schema.Boolean),
  contextTokens: Schema.optionalKey(Schema.Finite),
  outputTokens: Schema.optionalKey(Schema.Finite),
  boundsOutput: Schema.optionalKey(Schema.Boolean),
  prices: Schema.optionalKey(
    Schema.Struct({
      input: Schema.Finite,
      output: Schema.Finite,
      cachedInput: Schema.optionalKey(Schema.Finite),
      cacheWrite: Schema.optionalKey(Schema.Finite),
      asOf: Schema.String
    })
  )
})

export const Recording = Schema.Struct({
  cogito: Schema.Literal("recording"),
  version: Schema.Literal(1),
  /** Whether the answers come from a model or were written by hand. */
  source: Schema.Literals(["recorded", "scripted"]),
  provider: Schema.String,
  model: Schema.String,
  capabilities: Capabilities,
  /** Whether closed questions were answered natively. */
  decides: Schema.Boolean,
  /** In which order both ways of asking them were tried. */
  order: Schema.optionalKey(Schema.Array(Schema.Literals(["native", "text"]))),
  calls: Schema.Array(Call)
})
export interface Recording extends Schema.Schema.Type<typeof Recording> {}

const documentJson = Schema.fromJsonString(Schema.toCodecJson(Recording))
const callJson = Schema.toCodecJson(Call)

/** A call as it stands in the document. */
export const encodeCall = (call: Call): Result.Result<string, string> =>
  Result.mapBoth(Schema.encodeResult(callJson)(call), {
    onSuccess: (json) => JSON.stringify(json, undefined, 2),
    onFailure: (error) => `call ${call.call} has a value that cannot be recorded, at ${placeOf(error)}`
  })

/** The text of a document before its calls, and the text after them. */
export const encodeEnds = (head: Omit<Recording, "calls">): readonly [before: string, after: string] => {
  const empty = JSON.stringify({ ...head, calls: [] }, undefined, 2)
  return [empty.slice(0, -"]\n}".length), "\n  ]\n}\n"]
}

/** The path of the first value that does not fit. */
const placeOf = ({ issue }: Schema.SchemaError): string => {
  const [first] = formatIssues(issue).issues
  return (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The recording, or why the text is invalid. The reason never repeats the text. */
export const decode = (text: string): Result.Result<Recording, string> =>
  Result.mapError(Schema.decodeResult(documentJson, { onExcessProperty: "error" })(text), (error) => {
    const path = placeOf(error)
    return path === "" ? "it is not the JSON of a recording" : `it is no recording, as ${path} is invalid`
  })
