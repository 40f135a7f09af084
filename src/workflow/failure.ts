/** How the failure of a run gets from the process that executed it to one that waits for it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type Failure,
  OutcomeUnknown,
  PipelineChanged,
  PipelineError,
  ReplayMismatch,
  type RunBusy,
  type Suspended
} from "../Pipeline.ts"
import { anyError } from "../pipeline/durable/errorCodec.ts"
import type { RunError } from "../pipeline/durable/errors.ts"
import { bounded } from "../pipeline/run/bounded.ts"

/** What ends a run for good besides the failure of a step. Whoever executes it deals with the rest. */
export type Final = Exclude<RunError, Suspended | RunBusy>

/** The failure of a step as JSON. */
class Failed extends Schema.TaggedClass<Failed>()("PipelineError", { json: Schema.String }) {}

/** The failure of a workflow. */
export const WorkflowFailure = Schema.Union([Failed, PipelineChanged, ReplayMismatch, OutcomeUnknown])
export type WorkflowFailure = typeof WorkflowFailure.Type

/** Writes and reads causes: those that the schema has as it says, others as the ledger does. */
export interface Causes {
  readonly encode: (cause: unknown) => unknown
  readonly decode: (json: unknown) => unknown
}

export const causesOf = (errors: Schema.Codec<any, any> | undefined): Causes => {
  if (errors === undefined) return anyError
  const codec = Schema.toCodecJson(errors)
  const write = Schema.encodeUnknownResult(codec)
  const read = Schema.decodeUnknownResult(codec)
  const isOne = Schema.is(errors)
  return {
    encode: (cause) => {
      const json = isOne(cause) ? write(cause) : undefined
      return json !== undefined && Result.isSuccess(json) ? { typed: json.success } : anyError.encode(cause)
    },
    decode: (json) => {
      if (typeof json !== "object" || json === null || !("typed" in json)) return anyError.decode(json) as unknown
      const cause: Result.Result<unknown, unknown> = read(json.typed)
      // written by a process with another schema
      return Result.isSuccess(cause) ? cause.success : json.typed
    }
  }
}

const mapped = ({ before, beside, cause, durationMillis, path }: Failure, f: (cause: unknown) => unknown): Failure => ({
  path,
  cause: f(cause),
  durationMillis,
  before: before.map((one) => mapped(one, f)),
  beside: beside.map((one) => mapped(one, f))
})

export const encode = (error: PipelineError<unknown> | Final, causes: Causes): WorkflowFailure =>
  error._tag === "PipelineError" ? new Failed({ json: JSON.stringify(mapped(bounded(error), causes.encode)) }) : error

export const decode = (failure: WorkflowFailure, causes: Causes): PipelineError<any> | Final =>
  failure._tag === "PipelineError"
    ? new PipelineError({ ...mapped(JSON.parse(failure.json) as Failure, causes.decode), thought: undefined })
    : failure
