/** The options of durable runs. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { time } from "../../arguments/checked.ts"
import type { Lease, RunRow } from "../../memory/model/Ledger.ts"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import { oneOf, duration, maybe, notEmpty } from "../../arguments/forms.ts"

/**
 * How a run is made durable.
 *
 * **Details**
 *
 * - `id`: names the run. A run with the id of a stored run on an equal start continues that run. 1 to 200 characters, not blank.
 *   Default: a new id
 * - `keep`: `"answers"` keeps the answers of models in the ledger, which `Pipeline.rerun` and `Pipeline.toFixture` need.
 *   Default: an answer is deleted once its step is stored
 * - `onInterrupted`: what a resumed run does with an effect that has begun and whose outcome is unknown, because its process died
 *   or it was interrupted. `"rerun"` repeats it, `"fail"` fails with `OutcomeUnknown`. The run keeps it; `Pipeline.resume` and
 *   `Pipeline.resumeAll` can override it. Default: an effect of `Step.make` is repeated, one of `Step.once` is not
 * - `lease`: how long a server keeps the run for a process that has died. A running process renews it. Default 30 seconds
 *
 * @category models
 */
export interface DurableOptions {
  readonly id?: string
  readonly keep?: "answers"
  readonly onInterrupted?: "rerun" | "fail"
  readonly lease?: Duration.Input
}

/** Forms of these options. */
export const durableForms = {
  id: maybe("Names the run.", notEmpty),
  keep: maybe("What stays in the ledger.", oneOf("answers")),
  onInterrupted: maybe("What becomes of effects whose outcome is not known.", oneOf("rerun", "fail")),
  lease: maybe("How long after the end of its process another one may not take it.", duration, "30 seconds")
}

/** The name of this process in leases. */
export const Owner = Context.Reference<string>("cogito/Pipeline/Owner", { defaultValue: () => thisProcess })

const millisOf = ({ lease = "30 seconds" }: DurableOptions): number => time("A durable run", "lease", lease)

/** Throws if the lease is not a finite duration above zero. */
export const checkLease = (options: DurableOptions): void => void millisOf(options)

/** The lease that this process requests. Throws as `checkLease` does. */
export const leaseOf = (options: DurableOptions): Effect.Effect<Lease> => {
  const millis = millisOf(options)
  return Effect.map(Owner, (owner) => ({ owner, millis }))
}

const thisProcess: string = globalThis.crypto.randomUUID()

/** Tells at this moment whether the process of a running run has ended without a trace. */
export const leftNow = Effect.fnUntraced(function* ({
  exclusive
}: Pick<LedgerShape, "exclusive">): Effect.fn.Return<(run: RunRow) => boolean> {
  const owner = yield* Owner
  const now = yield* Clock.currentTimeMillis
  return (run) =>
    run.status === "running" &&
    // no other process can work on a run of a store that this one has for itself
    ((exclusive && run.owner !== owner) || (run.leaseUntilMillis ?? 0) < now)
})
