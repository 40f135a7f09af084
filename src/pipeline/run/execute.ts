/** Runs a step on a thought, and turns its failures into one error. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Failure } from "../../run/failure.ts"
import type { Journal } from "../../run/journal.ts"
import { begin, beginWaiting, commit, Run } from "../../run/run.ts"
import { stateOf, withState } from "../../thought/state.ts"
import { collecting, handingUp } from "../../step/runtime/unfinished.ts"
import { settledBy } from "../../run/waiting.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import { AutomaticCompaction, DefaultIntrospection } from "../../primitive/reasoning/options.ts"
import * as Step from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import type { PipelineError } from "./PipelineError.ts"
import { fromWithin, type Unwrapped, wrap } from "./wrap.ts"

/** How a run stores its thoughts. `journal` is that of a durable run. */
export interface Storing {
  readonly commit: Run["commit"]
  readonly journal?: Journal
}

/** Runs a step. Its effect fails with a `PipelineError`; interruptions and defects stay what they are. */
export const execute = <E, R>(
  step: Step.Step<any, any, E, R>,
  thought: Thought<any>,
  storing: Storing
): Effect.Effect<Thought<any>, PipelineError<Unwrapped<E> | MemoryError>, R> =>
  Effect.gen(function* () {
    const around = yield* Run
    refuseInner(around, thought)
    const start = yield* Clock.currentTimeMillis
    const { journal } = storing
    const settling = journal === undefined ? settledBy(thought, around) : undefined
    const root = settling === undefined ? begin(storing.commit, around, journal) : beginWaiting(settling, around)
    const body = Effect.gen(function* () {
      const begun = yield* commit(settling === undefined ? withoutWaiting(thought) : thought)
      return yield* step[Step.TypeId].run(begun) as Effect.Effect<Thought<any>, E, R>
    })
    // the failures of attempts that are cut short from outside
    const unfinished: Array<Failure> = []
    return yield* body.pipe(
      collecting(unfinished),
      handingUp({ [Symbol.iterator]: () => fromWithin(around.path, unfinished)[Symbol.iterator]() }),
      Effect.provideService(Run, root),
      Effect.provideService(DefaultIntrospection, false),
      Effect.provideService(AutomaticCompaction, undefined),
      Effect.catchCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (end) =>
          Effect.failCause(wrap(cause, step, thought, root.progress.thought, end - start))
        )
      )
    )
  })

/** Commits that the thought still waits for belong to the run that started it. */
const withoutWaiting = (thought: Thought<any>): Thought<any> => {
  const { deferred, left } = stateOf(thought)
  return deferred.length + left.length === 0 ? thought : withState(thought, { deferred: [], left: [] })
}

/** Throws if a step runs a pipeline on its own thought: neither run would know what the other stores. */
const refuseInner = (around: Run, thought: Thought<any>): void => {
  for (let one: Run | undefined = around; one !== undefined; one = one.around) {
    if (one.given?.id !== thought.id) continue
    throw new Error(
      `The step ${one.path.join("/")} runs a pipeline on its own thought: make the pipeline a step beside it, or run it on ` +
        `a Thought.fork of the thought.`
    )
  }
}
