/** What the store holds of a thought, and of a scope. */
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
  /** Entries that are no longer live, without their texts: what they showed and stood for counts in redactions. */
  readonly past: ReadonlyArray<Entry>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

/** What is there of a scope, or what a commit would add to it. */
export interface Tenant {
  readonly rows: Map<string, Row>
  readonly idOfTrace: Map<string, string>
  readonly noteIds: Set<string>
  /** Those of them whose content was taken away. */
  readonly redacted: Set<string>
}
