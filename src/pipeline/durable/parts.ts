/** What the parts of a durable run share. */
import type * as Effect from "effect/Effect"
import type { LedgerRows } from "../../memory/model/Ledger.ts"
import type { Resolver } from "./resolver.ts"
import type { Thought } from "../../thought/model.ts"
import type { Earlier } from "./earlier.ts"
import type { Reuse } from "./reuse.ts"
import type { States } from "./states.ts"
import type { Writer } from "./writer.ts"
import { madeAgain } from "./frame.ts"

export interface Parts {
  readonly id: string
  /** Ids of notes are derived from the seed and the time. */
  readonly seed: string
  readonly createdMillis: number
  /** Number of claims of the run. */
  readonly epoch: number
  /** Whether responses stay in the ledger. */
  readonly keep: "answers" | "nothing"
  /** What happens to effects with an unknown outcome. Default: those of `Step.make` are repeated. */
  readonly onInterrupted: "rerun" | "fail" | undefined
  /** Whether the run has ended, and is only executed to give its notes their types. */
  readonly isOver: boolean
  readonly earlier: Earlier
  /** Places of what agents have stored on their way that have ended, which are needed until the run has. */
  readonly passed: Set<string>
  /** The run that this one repeats with a change. */
  readonly reuse: Reuse | undefined
  readonly writer: Writer
  readonly states: States
  readonly resolver: Resolver
  readonly store: (
    thought: Thought<any>,
    rows: (stored: Thought<any>) => LedgerRows,
    meanwhile: Effect.Effect<void>
  ) => Effect.Effect<Thought<any>>
}

/**
 * A call or a note of the frame is made again. The ledger has that from then on: what is made again may differ, and a later
 * execution comes to other calls and questions than those that were recorded, while nothing is empty any more.
 */
export const makeAgain = ({ createdMillis, earlier, epoch, writer }: Parts, frame: string): void => {
  if (!earlier.hasAgain) {
    writer.step({
      frame: madeAgain,
      kind: "commit",
      outcome: "committed",
      position: undefined,
      error: undefined,
      startedMillis: createdMillis,
      endedMillis: undefined,
      epoch
    })
  }
  earlier.makeAgain(frame)
}
