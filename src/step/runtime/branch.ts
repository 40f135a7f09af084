/** Steps that are tried beside each other: nothing is stored until it is known which of them survive. */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type Handle, HandleTypeId, type Note } from "../../thought/Note.ts"
import { type Step, TypeId } from "./model.ts"
import type { Thought } from "../../thought/model.ts"
import { BranchesFailed } from "./BranchesFailed.ts"
import type { BranchResult } from "./BranchResult.ts"
import {
  type Failure,
  failing,
  failureOf,
  isWaiting,
  located,
  tagOf,
  withoutFailures,
  withOthers
} from "../../run/failure.ts"
import { quoted } from "../../text/legible.ts"
import type { Entry } from "../../run/journal.ts"
import { emit, recorded, Run, speculative } from "../../run/run.ts"
import * as thoughts from "../../thought/state.ts"
import { apart } from "./unfinished.ts"

/** A branch that has come to its end. */
export interface Survivor {
  readonly _tag: "Success"
  readonly name: string
  readonly thought: Thought<any>
}

/** A branch that failed, with the reason as it was raised. */
export interface Failed<E> {
  readonly _tag: "Failure"
  readonly name: string
  readonly failure: Failure<E>
  readonly reason: Cause.Fail<E>
}

/** A branch that waits for an answer, in a durable run. */
interface Waiting {
  readonly _tag: "Waiting"
  readonly name: string
  readonly cause: Cause.Cause<never>
}

/** How a branch ended. */
export type Outcome<E> = Survivor | Failed<E>

/** What has become of a branch that the others do not wait for. */
type Arrival<E> = Outcome<E> | Waiting

/**
 * Runs a step speculatively, with a typed failure as one of its ends. Interruption stays interruption, and a defect a
 * defect, which outweighs a failure beside it.
 */
export const attempt = <E, R>(
  base: Thought<any>,
  step: Step<any, any, E, R>,
  options: { readonly beside?: boolean } = {}
): Effect.Effect<Outcome<E>, never, R> => {
  const { name } = step
  const run = step[TypeId].run(base) as Effect.Effect<Thought<any>, E, R>
  return speculative(run, options).pipe(
    Effect.map((thought): Outcome<E> => ({ _tag: "Success", name, thought })),
    Effect.catchCause((cause) => {
      const reason = failing(cause)
      return reason === undefined
        ? Effect.failCause(withoutFailures(cause))
        : Effect.succeed<Outcome<E>>({ _tag: "Failure", name, failure: failureOf(reason, [name]), reason })
    })
  )
}

/** Runs a step as one of several branches whose notes are put together, so it must stay with the thought it is given. */
export const branch = <E, R>(base: Thought<any>, step: Step<any, any, E, R>): Effect.Effect<Arrival<E>, never, R> =>
  attempt(base, step, { beside: true }).pipe(
    Effect.map((outcome): Arrival<E> => {
      if (outcome._tag === "Success") added(base, outcome.thought, outcome.name)
      return outcome
    }),
    // the branches beside it finish first
    Effect.catchCauseIf(
      (cause: Cause.Cause<never>) => isWaiting(cause),
      (cause) => Effect.succeed<Arrival<E>>({ _tag: "Waiting", name: step.name, cause })
    )
  )

/** The outcomes of branches that have all come to their ends. If one waits, the whole waits. */
export const arrived = <E>(arrivals: ReadonlyArray<Arrival<E>>): Effect.Effect<ReadonlyArray<Outcome<E>>> => {
  const waiting = arrivals.find((one) => one._tag === "Waiting")
  if (waiting !== undefined) return Effect.failCause(waiting.cause)
  return Effect.succeed(arrivals.filter((one) => one._tag !== "Waiting"))
}

/**
 * Runs all branches at the same time until `settles` accepts an outcome, and interrupts the others. Returns the outcomes in
 * the order of declaration, `undefined` for interrupted branches, and the outcome that settled it.
 */
export const together = <E, R, E2, R2>(
  runs: ReadonlyArray<Effect.Effect<Arrival<E>, never, R>>,
  settles: (outcome: Outcome<E>) => Effect.Effect<boolean, E2, R2>,
  concurrency: number | "unbounded"
): Effect.Effect<
  { readonly outcomes: ReadonlyArray<Outcome<E> | undefined>; readonly settledBy: Outcome<E> | undefined },
  E2,
  R | R2
> =>
  Effect.gen(function* () {
    const outcomes: Array<Outcome<E> | undefined> = runs.map(() => undefined)
    const waiting: Array<Waiting> = []
    const settled = yield* Deferred.make<Outcome<E>>()
    const all = (each: typeof runs) =>
      Effect.forEach(
        each,
        (run, i) =>
          Effect.gen(function* () {
            // the others are interrupted a moment after the matter is settled: none begins in it
            if (yield* Deferred.isDone(settled)) return yield* Effect.never
            const outcome = yield* run
            if (outcome._tag === "Waiting") return void waiting.push(outcome)
            const last = yield* settles(outcome)
            outcomes[i] = outcome
            if (!last) return undefined
            yield* Deferred.succeed(settled, outcome)
            return yield* Effect.never
          }),
        { concurrency, discard: true }
      )
    const racing = Effect.gen(function* () {
      yield* apart(runs, (each) => Effect.raceFirst(Effect.as(all(each), undefined), Deferred.await(settled)))
      if (yield* Deferred.isDone(settled)) return yield* Deferred.await(settled)
      yield* arrived(waiting)
      return undefined
    })
    let isLive = false
    const place = yield* recorded<Settled, E2, R | R2>(
      () => settledEntry,
      Effect.map(racing, (outcome) => {
        isLive = true
        return outcome && { branch: outcomes.indexOf(outcome), succeeded: outcome._tag === "Success" }
      })
    )
    const winner = place === undefined ? undefined : runs[place.branch]
    // an earlier execution of a durable run knows which branch it was: only that one runs again
    if (!isLive && place !== undefined && winner !== undefined) {
      const [outcome] = yield* arrived([yield* winner])
      outcomes[place.branch] = outcome
    }
    return { outcomes, settledBy: place && outcomes[place.branch] }
  })

/** The branch that settled a matter, by its place. */
type Settled = { readonly branch: number; readonly succeeded: boolean } | undefined

const settledEntry: Entry<Settled, any> = {
  kind: "decision",
  value: { encode: (settled) => settled, decode: (json) => json as Settled }
}

/** The failures among the outcomes, in their order. */
const failuresOf = <E>(outcomes: ReadonlyArray<Outcome<E> | undefined>): ReadonlyArray<Failed<E>> =>
  outcomes.filter((outcome) => outcome?._tag === "Failure")

/** Fails as one of the failures among the outcomes did (default: the first of them), with the others beside it. */
export const failTogether = <E>(
  outcomes: ReadonlyArray<Outcome<E> | undefined>,
  first: Outcome<E> | undefined = failuresOf(outcomes)[0]
): Effect.Effect<never, E> => {
  if (first?._tag !== "Failure") return Effect.die(new Error("no branch has failed"))
  const others = failuresOf(outcomes).filter((outcome) => outcome !== first)
  return Effect.failCause(withOthers(first.reason, { beside: others.map(({ failure }) => failure) }))
}

/** Fails with an error of the running step, which began at `start`, with the failures among the outcomes beside it. */
export const failBeside = <E>(
  error: E,
  outcomes: ReadonlyArray<Outcome<unknown> | undefined>,
  start: number
): Effect.Effect<never, E> =>
  Effect.gen(function* () {
    const { path } = yield* Run
    const cause = located(Cause.fail(error), path, (yield* Clock.currentTimeMillis) - start)
    const reason = failing(cause)
    if (reason === undefined) return yield* Effect.failCause(cause)
    return yield* Effect.failCause(withOthers(reason, { beside: failuresOf(outcomes).map(({ failure }) => failure) }))
  })

/** Tells listeners how many branches succeeded and failed; those that were stopped did neither. */
export const completed = (
  thought: Thought<any>,
  outcomes: ReadonlyArray<Outcome<unknown> | undefined>
): Effect.Effect<void> => {
  const failed = failuresOf(outcomes).length
  const succeeded = outcomes.filter((outcome) => outcome?._tag === "Success").length
  return emit(thought, { _tag: "BranchesCompleted", succeeded, failed })
}

/** Tells listeners of the branches whose failures do not fail the step. */
export const ignored = (
  thought: Thought<any>,
  outcomes: ReadonlyArray<Outcome<unknown> | undefined>
): Effect.Effect<void> =>
  Effect.forEach(
    failuresOf(outcomes),
    ({ failure, name }) => emit(thought, { _tag: "FailureIgnored", step: name, error: tagOf(failure.cause) }),
    { discard: true }
  )

/** The branches that succeeded, when they are enough for the running step, which began at `start`. */
export const enough = <E>(
  step: string,
  outcomes: ReadonlyArray<Outcome<E>>,
  needed: number,
  start: number
): Effect.Effect<ReadonlyArray<Survivor>, BranchesFailed<E>> => {
  const survivors = outcomes.filter((outcome) => outcome._tag === "Success")
  if (survivors.length >= needed) return Effect.succeed(survivors)
  const failures = failuresOf(outcomes).map(({ failure, name }) => ({
    branch: name,
    path: failure.path,
    cause: failure.cause
  }))
  return failBeside(new BranchesFailed<E>({ step, succeeded: survivors.length, needed, failures }), outcomes, start)
}

/** How a branch ended, without its words. */
export const resultOf = (base: Thought<any>, outcome: Outcome<unknown>): BranchResult =>
  outcome._tag === "Success"
    ? { name: outcome.name, outcome: "success", keys: keysOf(base, outcome) }
    : { name: outcome.name, outcome: "failure", keys: [], error: tagOf(outcome.failure.cause) }

/** A note that a branch has added. */
interface AddedNote {
  readonly note: Note
  /** What reads it, when it is typed. */
  readonly handle: Handle<any, unknown> | undefined
}

/** The notes that a branch has added to the thought it was given. A branch that gives another thought is a defect. */
const added = (base: Thought<any>, after: Thought<any>, name: string): ReadonlyArray<AddedNote> => {
  if (after.id !== base.id) {
    throw new Error(
      `The branch ${quoted(name)} returned another thought than the one it was given. ` +
        `Use checkpoint, restore and forget before or after the branches, not in one.`
    )
  }
  const state = thoughts.stateOf(after)
  return Array.from(Chunk.drop(state.log, base.length), (note) => ({
    note,
    handle: thoughts.handleOf(state, note)
  }))
}

/** Keys of the notes that a branch has added, each once. */
const keysOf = (base: Thought<any>, { name, thought }: Survivor): ReadonlyArray<string> => [
  ...new Set(added(base, thought, name).map(({ note }) => note.key))
]

/**
 * The thought with the notes of its branches, in the order of the branches, numbered anew. Its conversation is the one
 * from before the branches, so all of these notes are unpublished. `rename` gives the note another key, and what reads it.
 */
export const merge = (
  base: Thought<any>,
  branches: ReadonlyArray<Survivor>,
  rename: (added: AddedNote, branch: string) => AddedNote = (same) => same
): Thought<any> => {
  let state = thoughts.stateOf(base)
  const { deferred, left } = state
  for (const { name, thought } of branches) {
    for (const one of added(base, thought, name)) {
      const { handle, note } = rename(one, name)
      state = thoughts.addNote(state, Object.freeze({ ...note, seq: Chunk.size(state.log) + 1 }), handle)
    }
    const after = thoughts.stateOf(thought)
    state = {
      ...state,
      deferred: [...state.deferred, ...after.deferred.slice(deferred.length)],
      left: [...state.left, ...after.left.slice(left.length)]
    }
  }
  return new thoughts.ThoughtImpl(state)
}

/** What a branch has added, under another key. */
export const rekeyed = ({ handle, note }: AddedNote, key: string): AddedNote => ({
  note: { ...note, key },
  handle: handle && { [HandleTypeId]: handle[HandleTypeId], key, schema: handle.schema }
})
