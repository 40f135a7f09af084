/** What is known of what happened. */
import type { StoredRun } from "../memory/model/Ledger.ts"
import type { Signal } from "../signal/Signal.ts"
import type { Entry } from "../thought/Entry.ts"
import type { Note } from "../thought/Note.ts"

/** Notes and entries of one thought, in their order. */
export interface Stretch {
  readonly notes: ReadonlyArray<Note>
  readonly entries: ReadonlyArray<Entry>
}

/** What was recorded besides thoughts. */
export interface Recorded {
  readonly signals?: ReadonlyArray<Signal>
  readonly run?: StoredRun
}

/** Says what a thought on its own does not know, if nothing else was given. */
export const unknownWithout = ({ run, signals }: Recorded, what: string): ReadonlyArray<string> =>
  run === undefined && signals === undefined ? [`A thought does not keep ${what}: pass \`signals\` or \`run\`.`] : []
