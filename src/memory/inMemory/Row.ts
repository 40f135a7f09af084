/** A thought and a scope, as the in-memory store holds them. */
import type { CallRow, RunRow, StepRow, WaitRow } from "../model/Ledger.ts"
import type { ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Usage } from "../../thought/tokens.ts"

export interface Row {
  readonly thought: ThoughtRow
  readonly version: number
  /** Own notes only. */
  readonly notes: Array<Note>
  readonly entries: Array<Entry>
  /** Removed entries, with the version that removed each. */
  readonly past: Array<Past>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

export interface Past {
  readonly entry: Entry
  readonly version: number
}

/** What a commit writes of one thought: additions to its row, if it has one. */
export interface Addition extends Omit<Row, "notes" | "entries" | "past"> {
  readonly notes: ReadonlyArray<Note>
  readonly entries: ReadonlyArray<Entry>
  readonly past: ReadonlyArray<Past>
  /** Indexes of removed entries, with the version that removed each. */
  readonly removed: ReadonlyMap<number, number>
  /** How many notes the thought has then, those it begins with included. */
  readonly length: number
}

/** A durable run with its rows: steps and waits by frame, calls by frame and number. */
export interface RunState {
  run: RunRow
  /** Whether responses are discarded, because a note that they may repeat was redacted since the last claim. */
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
