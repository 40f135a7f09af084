/** One execution of a durable run, from its start or from where an earlier one has ended. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { positionOf } from "../../memory/asOf.ts"
import { Memory } from "../../memory/Memory.ts"
import type { Lease, LedgerRows, NewRun, Position, RunRow } from "../../memory/model/Ledger.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import { maxRows } from "../../memory/model/ledgerLimits.ts"
import { carryOver } from "../../limits/budget/carriedOver.ts"
import { InForce } from "../../limits/budget/inForce.ts"
import { commitFailed, Halt, isWaiting, tagOf } from "../../run/failure.ts"
import type * as Step from "../../step/runtime/model.ts"
import { takesOver } from "../../step/runtime/takingOver.ts"
import { nodeOf, type Resolver } from "./resolver.ts"
import { fork } from "../../thought/fork.ts"
import { IdSource } from "../../thought/ids.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf } from "../../thought/state.ts"
import { needed } from "../../arguments/needed.ts"
import { Remembering } from "../../provider/service.ts"
import type { Journal } from "../../run/journal.ts"
import { changed, Run } from "../../run/run.ts"
import { placesIn } from "../draw/steps.ts"
import { execute } from "../run/execute.ts"
import type { PipelineError } from "../run/PipelineError.ts"
import { storing } from "../run/storing.ts"
import type { Unwrapped } from "../run/wrap.ts"
import { makeCommits } from "./commits.ts"
import type { Earlier } from "./earlier.ts"
import { RunBusy, type RunError, Suspended } from "./errors.ts"
import { asAsked, asFirst, firstFrame, frameOf, framesAround, idIn, isWithin } from "./frame.ts"
import { makeJournal } from "./journal.ts"
import { remembering } from "./models.ts"
import type { DurableOptions } from "./options.ts"
import type { Parts } from "./parts.ts"
import type { Reuse } from "./reuse.ts"
import { States } from "./states.ts"
import { makeWaits, type Open, Questions } from "./waits.ts"
import { Writer } from "./writer.ts"

/** Claims of executions that have ended without the ledger having that, as the store failed. */
const unended = new Set<string>()

/** States of runs that are not over. */
const open = ["pending", "running", "waiting", "interrupted"] as const

/** How many runs of a thought that are not over are read, the newest first. */
const most = 100

const claimOf = ({ epoch, seed }: Pick<RunRow, "epoch" | "seed">): string => `${seed} ${epoch}`

/** Whether the execution that holds a run has ended in this process, though the ledger does not have its end. */
export const isUnended = (run: Pick<RunRow, "epoch" | "seed">): boolean => unended.has(claimOf(run))

export interface Execution {
  readonly run: Pick<NewRun, "id" | "seed" | "createdMillis" | "keep" | "fork"> & { readonly epoch: number }
  readonly earlier: Earlier
  readonly lease: Lease
  readonly onInterrupted: DurableOptions["onInterrupted"]
  /** The run that this one repeats, how the thought that it begins with is changed, and what follows once this one has begun. */
  readonly repeats?: {
    readonly reuse: Reuse
    readonly change: (forked: Thought<any>) => Effect.Effect<Thought<any>>
    readonly begun: Effect.Effect<void, MemoryError>
  }
  readonly resolver: Resolver
  /** Whether the run is completed, so that it writes nothing and makes no calls. */
  readonly isOver?: boolean
  /** The rows of the run itself, written with its first commit, given the thought as it is stored then. */
  readonly begins: ((stored: Thought<any>) => NonNullable<LedgerRows["begins"]>) | undefined
  /** Where the steps may be interrupted. The rest may not: whoever has the run gives it back with its end. */
  readonly restore: Restore
}

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Takes a run, reads what its execution needs, and executes it. If it does not come to that, the run is given back. Once it is taken,
 * nothing but reads and the steps can be interrupted.
 */
export const holding = <T, P, A, E, E2, E3, R, R2>(
  take: Effect.Effect<T, E>,
  {
    execute: executed,
    giveBack,
    prepare
  }: {
    readonly prepare: (taken: T) => Effect.Effect<P, E2, R>
    readonly giveBack: (taken: T) => Effect.Effect<void, MemoryError>
    readonly execute: (prepared: P, restore: Restore) => Effect.Effect<A, E3, R2>
  }
): Effect.Effect<A, E | E2 | E3, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(take, (taken) => {
      const prepared = Effect.onError(restore(prepare(taken)), () => Effect.ignore(giveBack(taken)))
      return Effect.flatMap(prepared, (own) => executed(own, restore))
    })
  )

export const run = <E, R>(
  step: Step.Step<any, any, E, R>,
  given: Thought<any>,
  { begins, earlier, isOver = false, lease, onInterrupted, repeats, resolver, restore, run: row }: Execution
): Effect.Effect<Thought<any>, PipelineError<Unwrapped<E> | MemoryError> | RunError, R | Memory> =>
  Effect.gen(function* () {
    const memory = yield* needed(Memory)
    const foreignIds = yield* IdSource
    const { createdMillis, epoch, id, seed } = row
    const own = frameOf("fork")
    const forked = Effect.flatMap(fork(given), (thought) => repeats?.change(thought) ?? Effect.succeed(thought))
    const thought = row.fork
      ? yield* Effect.provideService(forked, IdSource, () => idIn(own, seed, createdMillis))
      : given
    const record = isOver ? () => Effect.void : memory.ledger.record
    const writer = new Writer({ runId: id, epoch }, record)
    const store = storing(memory)
    // a later execution would take them, if this one waits before it makes them again
    for (const call of earlier.outdated) {
      const isKnown = call.hash !== "" && call.kind !== "decision"
      writer.call({ ...call, state: isKnown ? call.state : "interrupted", response: undefined, epoch })
    }
    const states = new States(memory, resolver)
    const reuse = repeats?.reuse
    const passed = new Set(row.keep === "nothing" ? earlier.passed : [])
    const parts: Parts = { ...row, earlier, isOver, onInterrupted, passed, resolver, reuse, states, store, writer }
    const questions = new Questions()
    let last: Thought<any> = thought
    let first = begins
    const apart = new Set<string>()
    const reached = (stored: Thought<any>): void => {
      first = undefined
      // a fork of a thought that is apart is so too
      if (apart.has(stored.id) || (stored.parent !== undefined && apart.has(stored.parent.id))) apart.add(stored.id)
      else last = stored
    }
    const refuse = (value: Thought<any>) =>
      Effect.suspend(() => (first === undefined ? Effect.void : refuseBegun(memory, value)))
    const commits = makeCommits(parts, { begins: (stored) => first?.(stored), reached, refuse })
    const begun = (stored: Thought<any>) => Effect.andThen(repeats?.begun ?? Effect.void, states.readable(stored))
    const commit: Run["commit"] = (next, isLast) => {
      // a new fork shares the notes of an older thought, and may have the text of one that was redacted since
      const isNewFork = first !== undefined && next.parent !== undefined
      const stored = Effect.tap(commits(next, isLast), (one) => Effect.sync(() => reached(one)))
      if (!isNewFork) return stored
      return Effect.flatMap(stored, (one) => Effect.catch(begun(one), commitFailed))
    }
    const ask = makeWaits(parts, memory.ledger, () => last.id, questions)
    const journal: Journal = makeJournal(parts, {
      apart,
      ask,
      discard: (frame) => questions.discard(frame),
      foreignIds,
      // a generator may ask steps that its outline does not have
      passedOver: ({ key, step: entered }, given) =>
        entered?.step === undefined ? Effect.void : takeOver(nodeOf(entered.step.node), journal, key, given),
      reached,
      settings: { lease, onInterrupted }
    })
    const end = (status: Ends["status"], position: Position | undefined, error?: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (endedMillis) =>
        writer.writing((rows) => {
          const left = status === "waiting" || status === "failed" ? questions.left(parts, status, endedMillis) : []
          const passes = status === "completed" ? [...passed].slice(0, maxRows) : []
          return record({
            ...rows,
            steps: [...(rows.steps ?? []), ...left],
            passes,
            ends: { status, end: position, error, endedMillis }
          })
        })
      )

    yield* carryOver(journal, "", yield* InForce)
    if (earlier.all.length > 0) yield* takeOver(step.node, journal, "", thought)
    const executed = restore(execute(step, thought, { commit, journal })).pipe(
      Effect.provideService(Remembering, remembering),
      // fails without effect if another process holds the run
      Effect.onExit((exit) => {
        // a run that has not begun has no end: another one may have its id
        if (Exit.isSuccess(exit) || first !== undefined) return Effect.void
        const { error, status } = endOf(exit.cause)
        return Effect.catch(end(status, positionOf(last), error), () => Effect.sync(() => unended.add(claimOf(row))))
      }),
      Effect.catchCause((cause) => turned(cause, { runId: id, thoughtId: last.id, waits: questions.open })),
      Effect.tap((done) => Effect.catch(end("completed", positionOf(done)), commitFailed)),
      Effect.tap(() => Effect.sync(() => journal.holders.forEach((holder) => holder.forget(id))))
    )
    if (isOver) return yield* executed
    return yield* Effect.scoped(Effect.andThen(Effect.forkScoped(renewed(memory, id, epoch, lease)), executed))
  })

/** Ends a run that has not begun if another one has begun on the thought since, so that each shows its own message only. */
const refuseBegun = ({ ledger }: Memory["Service"], given: Thought<any>): Effect.Effect<void> => {
  const { version } = stateOf(given).stored
  return Effect.matchEffect(ledger.runs({ thoughtId: given.id, status: open, limit: most }), {
    onFailure: commitFailed,
    onSuccess: (runs) => {
      const other = runs.find(({ start }) => start.version > version)
      if (other === undefined) return Effect.void
      const isOpen = other.status === "waiting" || other.status === "interrupted"
      return Effect.die(new Halt(new RunBusy({ runId: other.id, ...(isOpen ? { isOpen } : {}) })))
    }
  })
}

/**
 * Lets steps take over what earlier executions have done in them, before the run goes on and passes over some of them: the step of this
 * node, at this frame, or the whole run, and all steps in it.
 */
const takeOver = (root: Step.Node, journal: Journal, at: string, given: Thought<any>): Effect.Effect<void> => {
  const [around = ""] = framesAround(asFirst(at)).slice(1)
  const takers = new Map<string, NonNullable<ReturnType<typeof takesOver>>>()
  for (const { node, path } of placesIn(root)) {
    const takes = takesOver(node)
    if (takes !== undefined) takers.set(around + firstFrame(path), takes)
  }
  if (takers.size === 0) return Effect.void
  const frames = new Set(journal.callsWithin(at).flatMap(({ frame }) => framesAround(frame)))
  const within = Array.from(frames).filter((frame) => isWithin(at, frame))
  const taken = Effect.forEach(within, (frame) => {
    const first = asFirst(frame)
    return (takers.get(first) ?? takers.get(asAsked(first)))?.(journal, frame) ?? Effect.void
  })
  return Effect.asVoid(Effect.updateService(taken, Run, (run) => changed(run, { given })))
}

type Ends = NonNullable<LedgerRows["ends"]>

/** Renews the lease while the run is in progress. */
const renewed = (memory: Memory["Service"], id: string, epoch: number, lease: Lease): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(Duration.millis(lease.millis / 3))
      // a failure is retried; the next write detects a lost lease
      const held = yield* Effect.orElseSucceed(memory.ledger.renew(id, epoch, lease), () => true)
      if (!held) return
    }
  })

/** Whether the run waits, as opposed to having been interrupted. */
const waits = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.length > 0 && cause.reasons.every((reason) => isWaiting(Cause.fromReasons([reason])))

const endOf = (cause: Cause.Cause<unknown>): Pick<Ends, "status"> & { readonly error?: string } => {
  if (waits(cause)) return { status: "waiting" }
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return { status: "failed", error: tagOf((failure.error as { cause: unknown }).cause) }
  const halt = cause.reasons.find((reason) => Cause.isDieReason(reason) && reason.defect instanceof Halt)
  if (halt !== undefined || Cause.hasInterrupts(cause)) return { status: "interrupted" }
  return { status: "failed", error: "Defect" }
}

/** Turns defects and interruptions that no step may catch into errors of the run. */
const turned = <E>(
  cause: Cause.Cause<E>,
  about: { readonly runId: string; readonly thoughtId: string; readonly waits: ReadonlyArray<Open> }
): Effect.Effect<never, E | RunError> => {
  for (const reason of cause.reasons) {
    // only errors of this room are halted with
    if (Cause.isDieReason(reason) && reason.defect instanceof Halt) return Effect.fail(reason.defect.error as RunError)
  }
  if (!waits(cause)) return Effect.failCause(cause)
  const { runId, thoughtId } = about
  return Effect.fail(
    new Suspended({
      runId,
      thoughtId,
      waits: about.waits.map(({ dueMillis, frame, key, prompt }) => ({
        frame,
        key,
        prompt,
        ...(dueMillis === undefined ? {} : { dueMillis })
      }))
    })
  )
}
