/** Steps, calls and waits as the database has them. */
import { type RawBuilder, sql } from "kysely"
import type { CallRow, Position, RunSketch, StepRow, WaitRow } from "../../memory/model/Ledger.ts"
import { millisOf } from "../database/values.ts"
import { decode, decodeMap } from "../database/text.ts"
import { positionOf, textOf } from "./runRow.ts"

/** When a row began and ended. */
const times = (alias: string): RawBuilder<unknown> =>
  sql`${millisOf(`${alias}.started_at`)} as started_ms, ${millisOf(`${alias}.ended_at`)} as ended_ms`

interface Times {
  readonly started_ms: number
  readonly ended_ms: number | null
}

const timesOf = (row: Times) => ({ startedMillis: row.started_ms, endedMillis: row.ended_ms ?? undefined })

/** A step as `stepColumns` selects it. */
export interface StepRecord extends Times {
  readonly frame: string
  readonly kind: string
  readonly outcome: StepRow["outcome"]
  readonly position: Position | null
  readonly error: string | null
  readonly epoch: number
}

/** Columns of the steps `s`. */
export const stepColumns: RawBuilder<unknown> = sql`s.frame, s.kind, s.outcome, s.position, s.error, s.epoch, ${times("s")}`

export const stepOf = (row: StepRecord): StepRow => ({
  frame: decode(row.frame),
  kind: decode(row.kind),
  outcome: row.outcome,
  position: positionOf(row.position),
  error: textOf(row.error),
  epoch: row.epoch,
  ...timesOf(row)
})

/** A call as `callColumns` selects it. */
export interface CallRecord extends Times {
  readonly frame: string
  readonly n: number
  readonly kind: CallRow["kind"]
  readonly attempt: number
  readonly hash: string
  readonly parts: Readonly<Record<string, string>>
  readonly state: CallRow["state"]
  readonly request: string | null
  readonly response: string | null
  readonly provider: string | null
  readonly model: string | null
  readonly usage: CallRow["usage"] | null
  readonly usd: number | null
  readonly epoch: number
}

/** Columns of the calls `c`. */
export const callColumns: RawBuilder<unknown> = sql`c.frame, c.n, c.kind, c.attempt, c.hash, c.parts, c.state,
  c.request, c.response, c.provider, c.model, c.usage, c.usd, c.epoch, ${times("c")}`

export const callOf = (row: CallRecord): CallRow => ({
  frame: decode(row.frame),
  n: row.n,
  kind: row.kind,
  attempt: row.attempt,
  hash: decode(row.hash),
  parts: decodeMap(row.parts),
  state: row.state,
  request: textOf(row.request),
  response: textOf(row.response),
  provider: textOf(row.provider),
  model: textOf(row.model),
  usage: row.usage ?? undefined,
  usd: row.usd ?? undefined,
  epoch: row.epoch,
  ...timesOf(row)
})

/** A wait as `waitColumns` selects it. */
export interface WaitRecord {
  readonly run_id: string
  readonly thought: string
  readonly frame: string
  readonly key: string
  readonly prompt: string
  readonly schema: unknown
  readonly bound: string
  readonly created_ms: number
  readonly due_ms: number | null
  readonly answer: string | null
  readonly answered_by: string | null
  readonly answered_ms: number | null
}

/** Columns of the waits `w`. */
export const waitColumns: RawBuilder<unknown> = sql`w.run_id, w.thought, w.frame, w.key, w.prompt, w.schema, w.bound,
  ${millisOf("w.created_at")} as created_ms, ${millisOf("w.due_at")} as due_ms, w.answer, w.answered_by,
  ${millisOf("w.answered_at")} as answered_ms`

export const waitOf = (row: WaitRecord): WaitRow => ({
  runId: decode(row.run_id),
  thoughtId: row.thought,
  frame: decode(row.frame),
  key: decode(row.key),
  prompt: decode(row.prompt),
  schema: row.schema,
  bound: decode(row.bound),
  createdMillis: row.created_ms,
  dueMillis: row.due_ms ?? undefined,
  answer: textOf(row.answer),
  answeredBy: textOf(row.answered_by),
  answeredMillis: row.answered_ms ?? undefined
})

/** What a sketch has of the steps `s`, the calls `c` and the waits `w`. */
export const sketchedStep: RawBuilder<unknown> = sql`s.frame, s.kind, ${millisOf("s.ended_at")} as ended_ms`
export const sketchedCall: RawBuilder<unknown> = sql`c.frame, c.kind, c.state, c.usage, c.usd, c.epoch`
export const sketchedWait: RawBuilder<unknown> = sql`w.frame, ${millisOf("w.answered_at")} as answered_ms`

interface OfRun {
  readonly run_id: string
}
export interface SketchedStep extends OfRun, Pick<StepRecord, "frame" | "kind" | "ended_ms"> {}
export interface SketchedCall extends OfRun, Pick<CallRecord, "frame" | "kind" | "state" | "usage" | "usd" | "epoch"> {}
export interface SketchedWait extends OfRun, Pick<WaitRecord, "frame" | "answered_ms"> {}

export const stepSketchOf = ({ ended_ms, frame, kind }: SketchedStep): RunSketch["steps"][number] => ({
  frame: decode(frame),
  kind: decode(kind),
  endedMillis: ended_ms ?? undefined
})

export const callSketchOf = ({ epoch, frame, kind, state, usage, usd }: SketchedCall): RunSketch["calls"][number] => ({
  frame: decode(frame),
  kind,
  state,
  usage: usage ?? undefined,
  usd: usd ?? undefined,
  epoch
})

export const waitSketchOf = ({ answered_ms, frame }: SketchedWait): RunSketch["waits"][number] => ({
  frame: decode(frame),
  answeredMillis: answered_ms ?? undefined
})
