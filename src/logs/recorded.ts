/** What was recorded of a run besides its thought. */
import type { StoredRun } from "../memory/model/Ledger.ts"
import type { Signal } from "../signal/Signal.ts"

export interface Recorded {
  readonly signals?: ReadonlyArray<Signal>
  readonly run?: StoredRun
}

/** Says what a thought on its own does not know, if nothing else was given. */
export const unknownWithout = ({ run, signals }: Recorded, what: string): ReadonlyArray<string> =>
  run === undefined && signals === undefined ? [`A thought does not keep ${what}: pass \`signals\` or \`run\`.`] : []
