/** A thought and a scope, as the in-memory store holds them. */
import type { CallRow, RunRow, StepRow, WaitRow } from "../model/Ledger.ts"
import type { ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Usage } from "../../thought/usage.ts"

export interface Row {
  readonly thought: ThoughtRow
  readonly version: number
  /** Own notes only. */
  readonly notes: Array<Note>
  readonly entries: Array<Entry>
  /** Entries that are no longer live, with the version from which on they are not. */
  readonly past: Array<Past>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

export interface Past {
  readonly entry: Entry
  readonly version: number
}

/** What a commit writes of one thought: additions to its row, if it has one. */
export interface Addition extends Row {
  /** Indexes of stored entries that are no longer live, each with the version from which on they are not. */
  readonly removed: ReadonlyMap<number, number>
  /** How many notes the thought has then, those it begins with included. */
  readonly length: number
}

/** A durable run with its rows: steps and waits by frame, calls by frame and number. */
export interface RunState {
  run: RunRow
  /** Whether its responses are no longer kept: a note that it may repeat was redacted since it was taken. */
  muted: boolean
  readonly steps: Map<string, StepRow>
  readonly calls: Map<string, CallRow>
  readonly waits: Map<string, WaitRow>
}

/** The rows of a scope. */
export interface Tenant {
  readonly rows: Map<string, Row>
  readonly idOfTrace: Map<string, string>
  /** The texts of the notes, by id. */
  readonly texts: Map<string, string>
  /** Those of them that are redacted. */
  readonly redacted: Set<string>
  readonly runs: Map<string, RunState>
}

/** The order of texts by their UTF-16 units. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
