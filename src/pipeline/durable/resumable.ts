/** The durable runs that can go on, with the steps that they began with. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { needed } from "../../arguments/needed.ts"
import { Memory } from "../../memory/Memory.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import type { RunRow, RunsQuery } from "../../memory/model/Ledger.ts"
import type { LedgerShape } from "../../memory/model/LedgerShape.ts"
import type * as Step from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import type { PipelineError } from "../run/PipelineError.ts"
import { withBackground } from "./background.ts"
import { type RunError, StepUnknown } from "./errors.ts"
import { type DurableOptions, Owner } from "./options.ts"
import { goOn } from "./resume.ts"
import { shapeOf } from "./shape.ts"

/** How many runs are read at a time. */
const page = 500

/** All runs that match a query, read page by page. */
const all = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  query: Omit<RunsQuery, "limit" | "after">
): Effect.fn.Return<ReadonlyArray<RunRow>, MemoryError> {
  const found: Array<RunRow> = []
  for (;;) {
    const after = found.at(-1)
    const more = yield* ledger.runs({ ...query, limit: page, after })
    found.push(...more)
    if (more.length < page) return found
  }
})

/** Runs that can continue: no process holds them, or their question was answered or is due. */
const due = Effect.fnUntraced(function* (ledger: LedgerShape): Effect.fn.Return<ReadonlyArray<RunRow>, MemoryError> {
  const owner = yield* Owner
  const free = yield* all(ledger, { dueMillis: yield* Clock.currentTimeMillis })
  if (!ledger.exclusive) return free
  // no other process can have a run of this store
  const left = yield* all(ledger, { status: ["running"] })
  const known = new Set(free.map(({ id }) => id))
  return [...free, ...left.filter((run) => run.owner !== owner && !known.has(run.id))]
})

/** A run that can continue, and the effect that continues it. */
export type Resumable<R> =
  | {
      readonly runId: string
      readonly step: Step.Any
      readonly resumed: Effect.Effect<Thought, PipelineError<any> | RunError, R | Memory>
    }
  | { readonly runId: string; readonly step: undefined; readonly resumed: Effect.Effect<never, StepUnknown> }

/** The runs that can go on. A run is matched by its step's name and fingerprint, or else by the name alone. */
export const resumable = Effect.fnUntraced(function* <S extends Step.Any>(
  steps: ReadonlyArray<S>,
  options: DurableOptions
): Effect.fn.Return<ReadonlyArray<Resumable<Step.Req<S>>>, MemoryError, Memory> {
  const { ledger } = yield* needed(Memory)
  const known = yield* Effect.forEach(withBackground(steps), (step) =>
    // a background step needs at most the services of the step around it
    Effect.map(shapeOf(step), (shape) => ({ step: step as Step.Step<any, any, any, Step.Req<S>>, ...shape }))
  )
  return (yield* due(ledger)).map(({ fingerprint, id: runId, pipeline }): Resumable<Step.Req<S>> => {
    const named = known.filter((one) => one.pipeline === pipeline)
    const found = named.find((one) => one.fingerprint === fingerprint) ?? named[0]
    return found === undefined
      ? { runId, step: undefined, resumed: Effect.fail(new StepUnknown({ runId, pipeline })) }
      : { runId, step: found.step, resumed: goOn(found.step, runId, options, { unlessFailed: true }) }
  })
})
