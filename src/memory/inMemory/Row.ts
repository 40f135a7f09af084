/** A thought and a scope, as the in-memory store holds them. */
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
  /** Entries that are no longer live, without their texts. Redactions need to know which notes they showed and covered. */
  readonly past: Array<Entry>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

/** What a commit writes of one thought: additions to its row, if it has one. */
export interface Addition extends Row {
  /** Indexes of stored entries that are no longer live. */
  readonly removed: Set<number>
  /** How many notes the thought has then, those it begins with included. */
  readonly length: number
}

/** The rows of a scope. */
export interface Tenant {
  readonly rows: Map<string, Row>
  readonly idOfTrace: Map<string, string>
  /** The texts of the notes, by id. */
  readonly texts: Map<string, string>
  /** Those of them that are redacted. */
  readonly redacted: Set<string>
}

/** The order of texts by their UTF-16 units. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
