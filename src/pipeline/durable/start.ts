/** Begins a durable run, or goes on with the one that has its id. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { needed } from "../../arguments/needed.ts"
import { positionOf } from "../../memory/asOf.ts"
import { pendingCommit } from "../../memory/commit.ts"
import { Memory } from "../../memory/Memory.ts"
import type { NewRun } from "../../memory/model/Ledger.ts"
import { MemoryError } from "../../memory/model/error.ts"
import { checkRunId } from "../../memory/model/ledgerLimits.ts"
import { Run } from "../../run/run.ts"
import { settledBy } from "../../run/waiting.ts"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import type * as Step from "../../step/runtime/model.ts"
import { hash128 } from "../../text/hash.ts"
import { quoted } from "../../text/legible.ts"
import * as ids from "../../thought/ids.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { stateOf, visible } from "../../thought/state.ts"
import { PipelineError } from "../run/PipelineError.ts"
import type { Unwrapped } from "../run/wrap.ts"
import { Earlier } from "./earlier.ts"
import { type PipelineChanged, ReplayMismatch, type RunError } from "./errors.ts"
import * as Execution from "./execution.ts"
import { type DurableOptions, leaseOf } from "./options.ts"
import { goOn, ofRun } from "./resume.ts"
import { resolverOf } from "./resolver.ts"
import { changed, shapeOf } from "./shape.ts"
import { States } from "./states.ts"

/** The hash of a note and of those before it, by the note: only what a thought has gained since its last run is read. */
const hashes = new WeakMap<Note, { readonly before: string; readonly hash: string }>()

const hashOf = (notes: ReadonlyArray<Note>): string => {
  let before = ""
  for (const note of notes) {
    const known = hashes.get(note)
    if (known?.before === before) {
      before = known.hash
      continue
    }
    const { content, key, metadata, source, trust } = note
    const hash = hash128(canonicalJson([before, key, content, source, trust, metadata]))
    hashes.set(note, { before, hash })
    before = hash
  }
  return before
}

/** A hash of the start of a run, without the ids of its notes. */
const startHashOf = (thought: Thought<any>): string =>
  hash128(canonicalJson([thought.intent, thought.taskId, hashOf(visible(stateOf(thought)))]))

/** Makes the row of a new run from its stored start. */
const beginning = Effect.fnUntraced(function* (
  step: Step.Any,
  startHash: string,
  own: Pick<NewRun, "id" | "keep" | "onInterrupted" | "status">
) {
  const createdMillis = yield* Clock.currentTimeMillis
  const seed = (yield* ids.next).id
  const shape = yield* shapeOf(step)
  const run = { ...own, seed, ...shape, startHash, fork: false, parent: undefined, createdMillis }
  return (stored: Thought<any>): NewRun => ({ ...run, start: positionOf(stored) })
})

/** The error for an id that belongs to a run with another start. */
const otherStart = (runId: string) =>
  new ReplayMismatch({ runId, frame: "", differs: ["start"], before: "the start", now: "the start" })

/** Throws if a durable run would store notes that a connector around it may discard: those that its fork is based on. */
const refuseDiscarding = ({ name }: Step.Any, thought: Thought<any>, around: Run): void => {
  if (stateOf(thought).unstoredParent === undefined || settledBy(thought, around) === undefined) return
  throw new Error(
    `The durable run of ${quoted(name)} is on a fork with notes that a connector may still discard, such as retry, recover, ` +
      `fallback, enrich or concurrent: begin it outside of the connector, or with { durable: false }.`
  )
}

export const start = <E, R>(
  step: Step.Step<any, any, E, R>,
  thought: Thought<any>,
  options: DurableOptions
): Effect.Effect<Thought<any>, PipelineError<Unwrapped<E> | MemoryError> | RunError, R | Memory> => {
  // checked when it is called
  const own = leaseOf(options)
  return Effect.gen(function* () {
    refuseDiscarding(step, thought, yield* Run)
    const memory = yield* needed(Memory)
    const startHash = startHashOf(thought)
    const id = options.id ?? (yield* ids.next).id
    yield* ofRun(step, thought, checkRunId(id))
    const known = options.id === undefined ? undefined : yield* ofRun(step, thought, memory.ledger.load(id))
    if (known !== undefined) {
      if (known.run.startHash !== startHash) return yield* otherStart(id)
      return yield* goOn(step, id, options, { given: thought })
    }
    const lease = yield* own
    const { keep = "nothing", onInterrupted } = options
    const newRun = yield* beginning(step, startHash, { id, keep, onInterrupted, status: "running" })
    const { createdMillis, seed } = newRun(thought)
    const begins = (stored: Thought<any>) => [{ ...newRun(stored), lease }]
    const isNew = pendingCommit(thought) !== undefined
    const resolver = resolverOf(step.node)
    const about = { runId: id, epoch: 1 }
    const begun = isNew ? Effect.void : memory.ledger.record({ ...about, begins: begins(thought) })
    const unused = { status: "interrupted", end: undefined, error: undefined, endedMillis: createdMillis } as const
    // a redaction from before it has begun is seen here, and a later one finds the run; the first commit sees what is new
    const states = new States(memory, resolver)
    const from = isNew ? states.readableFork(thought) : states.readable(thought)
    return yield* Execution.holding(ofRun(step, thought, begun), {
      giveBack: () => (isNew ? Effect.void : memory.ledger.record({ ...about, ends: unused })),
      prepare: () => ofRun(step, thought, from),
      execute: (readable, restore) =>
        Execution.run(step, readable, {
          run: { id, seed, createdMillis, keep, fork: false, epoch: 1 },
          earlier: new Earlier(undefined),
          lease,
          onInterrupted,
          resolver,
          begins: isNew ? begins : undefined,
          restore
        })
    }).pipe(
      // a run with this id may have begun in the meantime
      Effect.catchIf(
        (error) => error instanceof PipelineError && error.cause instanceof MemoryError,
        (error) =>
          Effect.flatMap(
            Effect.orElseSucceed(memory.ledger.load(id), () => undefined),
            (stored) => {
              if (stored === undefined || stored.run.seed === seed) return Effect.fail(error)
              return stored.run.startHash === startHash ? goOn(step, id, options, { given: thought }) : otherStart(id)
            }
          )
      )
    )
  })
}

/** Stores a pending run for another process. Does nothing if the run exists with an equal start. */
export const enlist = (
  step: Step.Any,
  thought: Thought<any>,
  { id: runId, ...own }: Pick<NewRun, "id" | "keep" | "onInterrupted">
): Effect.Effect<void, MemoryError | PipelineChanged | ReplayMismatch, Memory> =>
  Effect.gen(function* () {
    const { commit, ledger } = yield* needed(Memory)
    const startHash = startHashOf(thought)
    const isThere = Effect.gen(function* () {
      const known = yield* ledger.load(runId)
      if (known === undefined) return false
      const change = yield* changed(runId, known.run, step)
      if (change !== undefined) return yield* change
      return known.run.startHash === startHash ? true : yield* otherStart(runId)
    })
    if (yield* isThere) return
    const newRun = yield* beginning(step, startHash, { id: runId, ...own, status: "pending" })
    const rows = (stored: Thought<any>) => ({ runId, epoch: 0, begins: [newRun(stored)] })
    yield* (pendingCommit(thought) === undefined ? ledger.record(rows(thought)) : commit(thought, rows)).pipe(
      // another process may have stored or started it in the meantime
      Effect.catch((error) => Effect.flatMap(isThere, (there) => (there ? Effect.void : Effect.fail(error))))
    )
  })
