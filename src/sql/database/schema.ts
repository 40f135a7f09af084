/** The tables, as Kysely sees them. Texts are written by `text.ts`, moments are read through `millisOf`. */
import { type ColumnType, type RawBuilder, sql } from "kysely"
import type { Trust } from "../../Note.ts"
import type { Kind, Role } from "../../Session.ts"
import type { Usage } from "../../Provider.ts"

/** JSON that is written as text and read as a value. */
type Json<A> = ColumnType<A, string, string>
type Moment = ColumnType<Date, RawBuilder<Date>, never>

interface ThoughtTable {
  readonly scope: string
  readonly id: string
  readonly trace_id: string
  readonly task_id: string | null
  readonly intent: string
  readonly parent_id: string | null
  /** Seq of the last note that it shares with its parent; 0 without one. */
  readonly fork_seq: number
  /** Keys out of sight, each with the seq up to which. */
  readonly hidden: Json<ReadonlyArray<readonly [key: string, seq: number]>>
  readonly checkpoints: Json<ReadonlyArray<readonly [name: string, id: string, seq: number]>>
  readonly created_at: Moment
  readonly version: number
  /** Seq of its last note, shared ones included. */
  readonly last_seq: number
  readonly next_index: number
  readonly usage: ColumnType<Usage | null, string | null, string | null>
}

interface NoteTable {
  readonly scope: string
  readonly id: string
  readonly thought_id: string
  readonly seq: number
  readonly key: string
  readonly content: string
  readonly metadata: Json<Readonly<Record<string, string>>>
  readonly source: string
  readonly step: string
  readonly trust: Trust
  readonly derived_from: ReadonlyArray<string>
  readonly created_at: Moment
  /** When its content was taken away. */
  readonly redacted_at: ColumnType<Date | null, undefined, RawBuilder<Date>>
}

interface EntryTable {
  readonly scope: string
  readonly thought_id: string
  readonly index: number
  readonly kind: Kind
  readonly role: Role
  readonly text: string
  readonly carries: ReadonlyArray<string>
  readonly covers: ReadonlyArray<string>
  readonly live: ColumnType<boolean, undefined, false>
}

interface SpaceTable {
  readonly id: ColumnType<number, undefined, never>
  readonly embedder: string
  readonly dimensions: number
  readonly metric: "cosine"
  readonly state: "building" | "active" | "retired"
}

/** Every table but those of vectors, which are named from their space's id. */
export interface Tables {
  readonly "cogito.thought": ThoughtTable
  readonly "cogito.note": NoteTable
  readonly "cogito.entry": EntryTable
  readonly "cogito.space": SpaceTable
}

/** Milliseconds since 1970 as a moment, exact to the millisecond. */
export const moment = (millis: number): RawBuilder<Date> => sql<Date>`to_timestamp(${millis}::float8 / 1000)`

/** A column's moment as milliseconds since 1970. */
export const millisOf = (column: string): RawBuilder<number> =>
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is an id as the database writes it; any other is the id of nothing. */
export const isId = (text: string): boolean => uuid.test(text)
