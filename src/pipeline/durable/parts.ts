/** What the parts of a durable run share. */
import type * as Effect from "effect/Effect"
import type { LedgerRows } from "../../memory/model/Ledger.ts"
import type { Resolver } from "./resolver.ts"
import type { Thought } from "../../thought/model.ts"
import type { Earlier } from "./earlier.ts"
import type { Reuse } from "./reuse.ts"
import type { States } from "./states.ts"
import type { Writer } from "./writer.ts"

export interface Parts {
  readonly id: string
  /** From which the ids of its notes are derived, with the time in them. */
  readonly seed: string
  readonly createdMillis: number
  /** How often the run was taken. */
  readonly epoch: number
  /** Whether responses stay in the ledger. */
  readonly keep: "answers" | "nothing"
  /** What becomes of effects of which it is not known whether they were carried out. Default: only steps that may are repeated. */
  readonly onInterrupted: "rerun" | "fail" | undefined
  /** Whether the run has ended, and is only executed to give its notes their types. */
  readonly isOver: boolean
  readonly earlier: Earlier
  /** The run that this one repeats with a change. */
  readonly reuse: Reuse | undefined
  readonly writer: Writer
  readonly states: States
  readonly resolver: Resolver
  readonly store: (thought: Thought<any>, rows: (stored: Thought<any>) => LedgerRows) => Effect.Effect<Thought<any>>
}
