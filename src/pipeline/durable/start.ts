/** Begins a durable run, or goes on with the one that has its id. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { needed } from "../../arguments/needed.ts"
import { positionOf } from "../../memory/asOf.ts"
import { pendingCommit } from "../../memory/commit.ts"
import { Memory } from "../../memory/Memory.ts"
import type { Lease, NewRun } from "../../memory/model/Ledger.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import type * as Step from "../../step/runtime/model.ts"
import { hash128 } from "../../text/hash.ts"
import * as ids from "../../thought/ids.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf, visible } from "../../thought/state.ts"
import type { PipelineError } from "../run/PipelineError.ts"
import type { Unwrapped } from "../run/wrap.ts"
import { Earlier } from "./earlier.ts"
import { ReplayMismatch, type RunError } from "./errors.ts"
import * as Execution from "./execution.ts"
import { type DurableOptions, leaseOf } from "./options.ts"
import { goOn, ofRun } from "./resume.ts"
import { shapeOf } from "./shape.ts"

/** A hash of what a run starts from, whatever the ids of its notes are. */
const startHashOf = (thought: Thought<any>): string =>
  hash128(
    canonicalJson([
      thought.intent,
      thought.taskId,
      visible(stateOf(thought)).map(({ content, key, metadata, source, trust }) => [
        key,
        content,
        source,
        trust,
        metadata
      ])
    ])
  )

export const start = <E, R>(
  step: Step.Step<any, any, E, R>,
  thought: Thought<any>,
  options: DurableOptions
): Effect.Effect<Thought<any>, PipelineError<Unwrapped<E> | MemoryError> | RunError, R | Memory> =>
  Effect.gen(function* () {
    const memory = yield* needed(Memory)
    const startHash = startHashOf(thought)
    const id = options.id ?? (yield* ids.next).id
    const known = options.id === undefined ? undefined : yield* ofRun(step, thought, memory.ledger.load(id))
    if (known !== undefined) {
      if (known.run.startHash !== startHash) {
        const about = { frame: "", differs: ["start"], before: "the start", now: "the start" }
        return yield* new ReplayMismatch({ runId: id, ...about })
      }
      return yield* goOn(step, id, options, { given: thought })
    }
    const lease = yield* leaseOf(options)
    const createdMillis = yield* Clock.currentTimeMillis
    const { keep = "nothing", onInterrupted } = options
    const seed = (yield* ids.next).id
    const shape = yield* shapeOf(step)
    const begins = (stored: Thought<any>): ReadonlyArray<NewRun & { readonly lease: Lease }> => [
      {
        id,
        seed,
        ...shape,
        start: positionOf(stored),
        startHash,
        fork: false,
        parent: undefined,
        keep,
        status: "running",
        createdMillis,
        lease
      }
    ]
    const isNew = pendingCommit(thought) !== undefined
    if (!isNew) yield* ofRun(step, thought, memory.ledger.record({ runId: id, epoch: 1, begins: begins(thought) }))
    return yield* Execution.run(step, thought, {
      run: { id, seed, createdMillis, keep, fork: false, epoch: 1 },
      earlier: new Earlier(undefined),
      lease,
      onInterrupted,
      begins: isNew ? begins : undefined
    })
  })
