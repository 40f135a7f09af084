/** The options of durable runs. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { longerThanZero } from "../../arguments/durations.ts"
import type { Lease } from "../../memory/model/Ledger.ts"
import { oneOf, duration, maybe, notEmpty } from "../../arguments/forms.ts"

/**
 * How a run is made durable.
 *
 * **Details**
 *
 * - `id`: names the run, so that running the same step on the same start again goes on with it. 1 to 200 characters. Default:
 *   a new id
 * - `keep`: `"answers"` keeps the answers of models in the ledger, which `Pipeline.rerun` and `Pipeline.toFixture` need.
 *   Default: an answer is deleted once its step is stored
 * - `onInterrupted`: what a resumed run does about an effect of which it is not known whether it was carried out, as its
 *   process ended meanwhile. `"rerun"` repeats it, `"fail"` fails with `OutcomeUnknown`. Default: an effect of `Step.make` is
 *   repeated, one of `Step.once` is not
 * - `lease`: how long after the end of its process the run is free for another one, on a server. It is renewed while the run is
 *   in progress. Default 30 seconds
 *
 * @category models
 */
export interface DurableOptions {
  readonly id?: string
  readonly keep?: "answers"
  readonly onInterrupted?: "rerun" | "fail"
  readonly lease?: Duration.Input
}

/** Their forms. */
export const durableForms = {
  id: maybe("Names the run.", notEmpty),
  keep: maybe("What stays in the ledger.", oneOf("answers")),
  onInterrupted: maybe("What becomes of effects whose outcome is not known.", oneOf("rerun", "fail")),
  lease: maybe("How long after the end of its process another one may not take it.", duration, "30 seconds")
}

/** Who takes runs: this process. */
export const Owner = Context.Reference<string>("cogito/Pipeline/Owner", { defaultValue: () => thisProcess })

/** How long a process has a run, and which one this is. */
export const leaseOf = ({ lease = "30 seconds" }: DurableOptions): Effect.Effect<Lease> =>
  Effect.map(Owner, (owner) => ({ owner, millis: Duration.toMillis(longerThanZero("run", "lease", lease)) }))

const thisProcess: string = globalThis.crypto.randomUUID()
