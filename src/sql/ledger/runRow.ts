/** Runs as the database has them. */
import { type RawBuilder, sql } from "kysely"
import type { Position, RunRow } from "../../memory/model/Ledger.ts"
import { millisOf } from "../database/values.ts"
import { decode } from "../database/text.ts"

/** A position as JSON. */
export const written = (position: Position | undefined): string | null =>
  position === undefined ? null : JSON.stringify(position)

/** A position from JSON, which has no field for token counts that are unknown. */
export const positionOf = (stored: Position | null): Position | undefined =>
  stored === null ? undefined : { ...stored, usage: stored.usage }

export const textOf = (stored: string | null): string | undefined => (stored === null ? undefined : decode(stored))

/** A run as `runColumns` selects it. */
export interface RunRecord {
  readonly id: string
  readonly seed: string
  readonly pipeline: string
  readonly fingerprint: string
  readonly outline: string
  readonly start_position: Position
  readonly start_hash: string
  readonly fork: boolean
  readonly parent_id: string | null
  readonly parent_frame: string | null
  readonly keep: RunRow["keep"]
  readonly on_interrupted: Exclude<RunRow["onInterrupted"], undefined> | null
  readonly status: RunRow["status"]
  readonly owner: string | null
  readonly epoch: number
  readonly lease_ms: number | null
  readonly end_position: Position | null
  readonly error: string | null
  readonly created_ms: number
  readonly ended_ms: number | null
}

/** Columns of the runs `r`. */
export const runColumns: RawBuilder<unknown> = sql`r.id, r.seed, r.pipeline, r.fingerprint, r.outline, r.start_position,
  r.start_hash, r.fork, r.parent_id, r.parent_frame, r.keep, r.on_interrupted, r.status, r.owner, r.epoch,
  ${millisOf("r.lease_until")} as lease_ms, r.end_position, r.error, ${millisOf("r.created_at")} as created_ms, ${millisOf("r.ended_at")} as ended_ms`

export const runOf = (row: RunRecord): RunRow => ({
  id: decode(row.id),
  seed: decode(row.seed),
  pipeline: decode(row.pipeline),
  fingerprint: decode(row.fingerprint),
  outline: decode(row.outline),
  start: { ...row.start_position, usage: row.start_position.usage },
  startHash: decode(row.start_hash),
  fork: row.fork,
  parent:
    row.parent_id === null || row.parent_frame === null
      ? undefined
      : { runId: decode(row.parent_id), frame: decode(row.parent_frame) },
  keep: row.keep,
  onInterrupted: row.on_interrupted ?? undefined,
  status: row.status,
  owner: textOf(row.owner),
  epoch: row.epoch,
  leaseUntilMillis: row.lease_ms ?? undefined,
  end: positionOf(row.end_position),
  error: textOf(row.error),
  createdMillis: row.created_ms,
  endedMillis: row.ended_ms ?? undefined
})
