/** The largest texts of durable runs that every store can keep. Anything larger is refused before a store is called. */
import * as Effect from "effect/Effect"
import { quoted } from "../../text/legible.ts"
import { fail, type MemoryError } from "./error.ts"
import type { CallRow, LedgerRows, NewRun, StepRow } from "./Ledger.ts"
import {
  first,
  type Found,
  maxContent,
  maxEntry,
  maxKey,
  maxMetadata,
  metadataLength,
  refuse,
  tooLong
} from "./limits.ts"

const maxRunId = 200
/** Of a frame, a name, a hash or a tag. */
const maxName = 2000
/** Of each kind that is written at once. */
export const maxRows = 10_000
/** Of all texts that are written at once. */
const maxTexts = 64_000_000

const inRunId = (runId: string): Found => tooLong("id of a run", "runId", runId, maxRunId)

const inFrame = (frame: string): Found =>
  tooLong("frame of a step", "frame", frame, maxName, "shorten the names of steps")

/** Hashes, tags and names. */
const inNames = (names: Readonly<Record<string, string | undefined>>): Found =>
  first(Object.entries(names), ([field, name = ""]) => tooLong(`${field} of a run`, field, name, maxName))

const inRun = ({ fingerprint, id, outline, parent, pipeline, seed, startHash }: NewRun): Found =>
  inRunId(id) ??
  tooLong("name of a pipeline", "pipeline", pipeline, maxName) ??
  tooLong("outline of a pipeline", "outline", outline, maxContent) ??
  inNames({ fingerprint, seed, startHash }) ??
  (parent && (inRunId(parent.runId) ?? inFrame(parent.frame)))

const inStep = ({ error, frame, kind }: StepRow): Found => inFrame(frame) ?? inNames({ kind, error })

const inCall = ({ frame, hash, model, parts, provider, request = "", response = "" }: CallRow): Found =>
  inFrame(frame) ??
  inNames({ hash, model, provider }) ??
  tooLong("request of a call", "request", request, maxEntry) ??
  tooLong("response of a call", "response", response, maxEntry) ??
  (metadataLength({ metadata: parts }) > maxMetadata
    ? { field: "parts", limit: maxMetadata, message: `The hashes of a call have more than ${maxMetadata} characters.` }
    : undefined)

const inWait = ({ bound, frame, key, prompt, schema }: NonNullable<LedgerRows["waits"]>[number]): Found =>
  inFrame(frame) ??
  tooLong("key of a question", "key", key, maxKey) ??
  tooLong(`prompt of ${quoted(key)}`, "prompt", prompt, maxContent) ??
  tooLong(`schema of ${quoted(key)}`, "schema", JSON.stringify(schema) ?? "", maxContent) ??
  inNames({ bound })

const lengthOf = ({ begins = [], calls = [], waits = [] }: LedgerRows): number =>
  [
    ...begins.map(({ outline }) => outline.length),
    ...calls.map(({ request = "", response = "" }) => request.length + response.length),
    ...waits.map(({ prompt }) => prompt.length)
  ].reduce((sum, length) => sum + length, 0)

const atOnce = (rows: LedgerRows): Found => {
  const { begins = [], calls = [], drops = [], passes = [], steps = [], waits = [] } = rows
  if ([begins, calls, drops, passes, steps, waits].some(({ length }) => length > maxRows)) {
    return { field: "rows", limit: maxRows, message: `More than ${maxRows} rows of a run at once: add them in parts.` }
  }
  return lengthOf(rows) > maxTexts
    ? {
        field: "rows",
        limit: maxTexts,
        message: `More than ${maxTexts} characters of a run at once: add them in parts.`
      }
    : undefined
}

const isNamed = (runId: unknown): boolean => typeof runId === "string" && runId.trim() !== ""

/** The id of a run, or a failure if it is empty, too long or not a text. */
export const checkRunId = (runId: string): Effect.Effect<string, MemoryError> =>
  isNamed(runId)
    ? Effect.as(refuse(inRunId(runId)), runId)
    : fail({
        _tag: "Query",
        message: `The id of a run must have 1 to ${maxRunId} characters, and must not be blank: pass another one.`
      })

/** Fails if rows of a run exceed a limit. */
export const checkRows = (rows: LedgerRows): Effect.Effect<void, MemoryError> => {
  const { begins = [], calls = [], drops = [], ends, passes = [], runId, steps = [], waits = [] } = rows
  const found =
    first(begins, inRun) ??
    first(begins, ({ lease }) => inNames({ owner: lease?.owner })) ??
    first(steps, inStep) ??
    first(calls, inCall) ??
    first(waits, inWait) ??
    first(drops, ({ frame }) => inFrame(frame)) ??
    first(passes, inFrame) ??
    inNames({ error: ends?.error }) ??
    atOnce(rows)
  return Effect.andThen(
    Effect.forEach([runId, ...begins.map(({ id }) => id)], checkRunId, { discard: true }),
    refuse(found)
  )
}

/** Fails if an answer exceeds a limit. */
export const checkAnswer = (json: string, by: string | undefined): Effect.Effect<void, MemoryError> =>
  refuse(tooLong("answer", "answer", json, maxContent) ?? inNames({ answeredBy: by }))
