/** A thought and a scope, as the in-memory store holds them. */
import type { ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Usage } from "../../thought/usage.ts"

export interface Row {
  readonly thought: ThoughtRow
  readonly version: number
  /** Own notes only. */
  readonly notes: ReadonlyArray<Note>
  readonly entries: ReadonlyArray<Entry>
  /** Entries that are no longer live, without their texts. Redactions need to know which notes they showed and covered. */
  readonly past: ReadonlyArray<Entry>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

/** The rows of a scope, or those that a commit would add to it. */
export interface Tenant {
  readonly rows: Map<string, Row>
  readonly idOfTrace: Map<string, string>
  readonly noteIds: Set<string>
  /** Those of them that are redacted. */
  readonly redacted: Set<string>
}

/** The order of texts by their UTF-16 units. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
