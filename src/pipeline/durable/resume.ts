/** Goes on with a durable run whose process has ended, or that waits, was interrupted or failed. */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { needed } from "../../arguments/needed.ts"
import { Memory } from "../../memory/Memory.ts"
import type { CallRow, Position, RunRow, StoredRun } from "../../memory/model/Ledger.ts"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import { fail, type MemoryError } from "../../memory/model/error.ts"
import type * as Step from "../../step/runtime/model.ts"
import { isTypedSince, resolverOf } from "./resolver.ts"
import { quoted } from "../../text/legible.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf } from "../../thought/state.ts"
import { PipelineError } from "../run/PipelineError.ts"
import type { Unwrapped } from "../run/wrap.ts"
import { Earlier, isEmptied, lastOf, loaded, unknownRun } from "./earlier.ts"
import { RunBusy, type RunError } from "./errors.ts"
import { cancelled, givenUp } from "./frame.ts"
import * as Execution from "./execution.ts"
import { type DurableOptions, leaseOf } from "./options.ts"
import { repeated, Reuse } from "./reuse.ts"
import { changed } from "./shape.ts"
import { States } from "./states.ts"

/** Reports a failure of the memory outside of any step as one of the run. */
export const ofRun = <A, R>(
  step: Step.Any,
  thought: Thought<any> | undefined,
  effect: Effect.Effect<A, MemoryError, R>
): Effect.Effect<A, PipelineError<MemoryError>, R> =>
  Effect.mapError(effect, (cause) => new PipelineError({ path: [step.name], cause, thought, durationMillis: 0 }))

const hasRedacted = (thought: Thought<any>): boolean =>
  Chunk.some(stateOf(thought).log, ({ redacted }) => redacted !== undefined)

/** Whether a redaction has emptied a call. A decision has no text that says what it was made from, at no time. */
const isWithoutText = (call: CallRow): boolean => isEmptied(call) && call.kind !== "decision" && call.kind !== "once"

/** Of a completed run whose steps are known only while it is executed, such as those of a generator. */
const needsRedacted = (runId: string, thoughtId: string): Effect.Effect<never, MemoryError> =>
  fail({
    _tag: "NotFound",
    message:
      `The run ${quoted(runId)} is completed, but a redaction has removed what it needs to give its notes their types: ` +
      `load its thought ${thoughtId} with Memory.load.`
  })

const isGivenUp = ({ steps }: StoredRun): boolean => steps.some(({ frame }) => frame === givenUp)

const refusesGivenUp = (runId: string): Effect.Effect<never, MemoryError> =>
  fail({
    _tag: "NotFound",
    message: `The run ${quoted(runId)} was given up: begin another one on its thought.`
  })

/**
 * Goes on with a run. `given` is a value of the thought that it began with, whose notes keep their types. With
 * `unlessFailed`, a run that failed in the meantime counts as busy instead of being retried.
 */
export const goOn = <E, R>(
  step: Step.Step<any, any, E, R>,
  runId: string,
  options: DurableOptions,
  { given, unlessFailed = false }: { readonly given?: Thought<any>; readonly unlessFailed?: boolean } = {}
): Effect.Effect<Thought<any>, PipelineError<Unwrapped<E> | MemoryError> | RunError, R | Memory> => {
  type Executed<A> = Effect.Effect<A | Thought<any>, PipelineError<Unwrapped<E> | MemoryError> | RunError, R | Memory>
  // checked when it is called
  const own = leaseOf(options)
  return Effect.gen(function* () {
    const memory = yield* needed(Memory)
    const { ledger } = memory
    const within = <A, R2>(effect: Effect.Effect<A, MemoryError, R2>) => ofRun(step, given, effect)
    const resolver = resolverOf(step.node)
    const states = new States(memory, resolver)
    const at = (position: Position) => within(states.at(position, given))

    const known = yield* within(loaded(ledger, runId))
    if (isGivenUp(known)) return yield* within(refusesGivenUp(runId))
    const change = yield* changed(runId, known.run, step)
    if (change !== undefined) return yield* change
    const ownLease = yield* own
    const isUnended = Execution.isUnended(known.run)
    // an owner of another name may take the run from this process
    const lease = isUnended ? { ...ownLease, owner: `${ownLease.owner} ${known.run.epoch}` } : ownLease
    /** The answers of the run that it reruns; empty if that run was removed. Either way a rerun has no effects outside. */
    const reuseOf = (run: RunRow, { calls }: StoredRun) => {
      const before = repeated(run.parent)
      if (before === undefined) return Effect.undefined
      const reuse = new Reuse(before.from)
      return Effect.as(within(reuse.fill(ledger, before.runId, calls)), reuse)
    }
    const prepared = Effect.fnUntraced(function* (run: RunRow, stored: StoredRun) {
      const [begun, reuse] = yield* Effect.all([at(run.start), reuseOf(run, stored)])
      return { begun, reuse, run, stored }
    })
    const executed = ({ begun, reuse, run, stored }: Prepared, restore: Execution.Restore) =>
      Execution.run(step, begun, {
        run,
        // its changes are stored with its fork
        ...(reuse === undefined
          ? {}
          : { repeats: { reuse, change: Effect.succeed<Thought<any>>, begun: Effect.void } }),
        // the rows have the status from before the claim, which says whether the run has failed
        earlier: new Earlier({ ...stored, run }),
        isOver: run.status === "completed",
        lease,
        onInterrupted: options.onInterrupted ?? run.onInterrupted,
        resolver,
        begins: undefined,
        restore
      })
    const again = (run: RunRow, stored: StoredRun) =>
      Execution.holding(Effect.void, {
        prepare: () => prepared(run, stored),
        giveBack: () => Effect.void,
        execute: executed
      })
    /** The thought that a run returned. Executes the steps again if the type of a note is unknown. */
    const ended = (run: RunRow, end: Position, stored: StoredRun) =>
      Effect.flatMap(Effect.all([at(run.start), at(end)]), ([begun, thought]) =>
        isTypedSince(resolver, thought, begun)
          ? Effect.succeed(thought)
          : Effect.catchCause(again(run, stored), (cause) => {
              if (isTypedSince(resolver, thought, begun)) return Effect.succeed(states.typed(thought, undefined))
              const isGone = hasRedacted(thought) || stored.calls.some(isWithoutText)
              return isGone ? within(needsRedacted(runId, thought.id)) : Effect.failCause(cause)
            })
      )
    if (known.run.status === "completed" && known.run.end !== undefined) {
      return yield* ended(known.run, known.run.end, known)
    }
    if (unlessFailed && known.run.status === "failed") return yield* new RunBusy({ runId })

    const epoch = unlessFailed || isUnended ? known.run.epoch : undefined
    const claim = within(ledger.claim(runId, { ...lease, seize: ledger.exclusive || isUnended, epoch }))
    const outcome = yield* Execution.holding(claim, {
      prepare: Effect.fnUntraced(function* (claimed) {
        const stored = claimed === undefined ? undefined : yield* within(ledger.load(runId))
        if (claimed === undefined || stored === undefined) return yield* within(unknownRun(runId))
        const { run } = claimed
        return claimed.claimed && !isGivenUp(stored) ? yield* prepared(run, stored) : new Left(claimed, stored)
      }),
      giveBack: (claimed) => (claimed?.claimed === true ? unused(ledger, claimed.run, known.run) : Effect.void),
      execute: (own: Prepared | Left, restore): Executed<Left> => {
        if (!(own instanceof Left)) return executed(own, restore)
        if (!own.claimed) return Effect.succeed(own)
        const before = { ...own.run, end: lastOf(own.stored), error: cancelled }
        return within(Effect.andThen(unused(ledger, own.run, before), refusesGivenUp(runId)))
      }
    })
    if (!(outcome instanceof Left)) return outcome
    const { run, stored } = outcome
    if (run.status === "completed" && run.end !== undefined) return yield* ended(run, run.end, stored)
    const { leaseUntilMillis } = run
    return yield* new RunBusy({ runId, ...(leaseUntilMillis === undefined ? {} : { leaseUntilMillis }) })
  })
}

/** What the execution of a run needs. */
interface Prepared {
  readonly run: RunRow
  readonly stored: StoredRun
  readonly begun: Thought<any>
  readonly reuse: Reuse | undefined
}

/** A run that does not go on here: it could not be claimed, or it was given up after it was read and before it was claimed. */
class Left {
  readonly claimed: boolean
  readonly run: RunRow
  readonly stored: StoredRun
  constructor({ claimed, run }: { readonly claimed: boolean; readonly run: RunRow }, stored: StoredRun) {
    this.claimed = claimed
    this.run = run
    this.stored = stored
  }
}

/** Gives a run back that was claimed, as it was before. */
export const unused = (
  { record }: Pick<LedgerShape, "record">,
  { epoch, id: runId, status }: RunRow,
  before: RunRow
): Effect.Effect<void, MemoryError> =>
  Effect.flatMap(Clock.currentTimeMillis, (millis) => {
    const { end, endedMillis = millis, error } = before
    const isEnded = status === "waiting" || status === "failed"
    return record({ runId, epoch, ends: { status: isEnded ? status : "interrupted", end, error, endedMillis } })
  })
