/** How a run stores a thought, even if others have added notes to it meanwhile. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import { type Batch, gather } from "../../thought/batch.ts"
import { caughtUp } from "../../memory/catchUp.ts"
import { commitFailed } from "../../run/failure.ts"
import { isLeft, parentsFirst, pendingCommit } from "../../memory/commit.ts"
import { carried, type Changed } from "./leaving.ts"
import { isUnsure } from "../../memory/model/again.ts"
import { emit, isHeard } from "../../run/run.ts"
import { stateOf, withState } from "../../thought/state.ts"
import { MemoryError } from "../../memory/model/error.ts"
import type { Shape } from "../../memory/model/Shape.ts"
import type { Thought } from "../../thought/model.ts"

/** How many attempts there are while others keep adding to the thoughts. */
const mostTries = 20

/** Stores a thought for a run. A failure of the store is a defect, which the run turns into its error. */
export const storing =
  (memory: Shape) =>
  (thought: Thought<any>, rows?: Rows, meanwhile: Effect.Effect<void> = Effect.void): Effect.Effect<Thought<any>> =>
    Effect.catch(store(memory, thought, { rows, meanwhile }), commitFailed)

/** Rows of a durable run to write with the thought, given the thought as it will be stored. */
type Rows = Parameters<Shape["commit"]>[1]

interface How {
  readonly rows: Rows
  /** Executed before the thought is stored on top of what others have added. */
  readonly meanwhile: Effect.Effect<void>
}

const store = (memory: Shape, thought: Thought<any>, how: How): Effect.Effect<Thought<any>, MemoryError> =>
  Effect.flatMap(gather(thought), (batch) => attempt(memory, how, batch, 1))

/**
 * If the store's response is lost, it may have stored everything: then the run continues. Otherwise the run fails, and
 * the store has what it had before.
 */
const attempt = (memory: Shape, how: How, batch: Batch, number: number): Effect.Effect<Thought<any>, MemoryError> => {
  const { thought } = batch
  return Effect.catch(
    Effect.tap(memory.commit(thought, how.rows), () => tellAll(thought)),
    (failure) => {
      if (isUnsure(failure)) {
        return Effect.flatMap(
          Effect.mapError(goneOn(memory, batch, failure), () => failure),
          (now) =>
            pendingCommit(now.thought) === undefined ? Effect.as(tellAll(thought), now.thought) : Effect.fail(failure)
        )
      }
      return failure.reason._tag !== "ConcurrencyConflict" || number === mostTries
        ? Effect.fail(failure)
        : Effect.flatMap(goneOn(memory, batch, failure), (next) =>
            Effect.andThen(how.meanwhile, attempt(memory, how, next, number + 1))
          )
    }
  )
}

/** Emits the signals for a stored thought and for those stored with it. */
const tellAll = (thought: Thought<any>): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    isHeard(fiber, "ThoughtCreated", "NoteStored")
      ? Effect.forEach(parentsFirst([...stateOf(thought).left, thought]), tell, { discard: true })
      : Effect.void
  )

/** Emits the signals for what was stored of a thought. */
const tell = Effect.fnUntraced(function* (thought: Thought<any>): Effect.fn.Return<void> {
  const { log, stored } = stateOf(thought)
  if (stored.version === 0) yield* emit(thought, { _tag: "ThoughtCreated" })
  for (const { id, key, seq, source, step } of Chunk.drop(log, stored.seq)) {
    yield* emit(thought, { _tag: "NoteStored", noteId: id, key, source, seq, step })
  }
})

/** What is to be stored, on top of notes that others have added. Fails if that is impossible. */
const goneOn = Effect.fnUntraced(function* (
  memory: Shape,
  { above, thought }: Batch,
  conflict: MemoryError
): Effect.fn.Return<Batch, MemoryError> {
  const next: Array<Changed> = []
  let changed = false
  const all = [...stateOf(thought).left, withState(thought, { left: [] })]
  for (const value of all) {
    const left = isLeft(value, all)
    const changes = pendingCommit(value) !== undefined
    const there =
      !changes && !left
        ? undefined
        : yield* memory.load(value.id).pipe(
            Effect.catchIf(
              ({ reason }) => reason._tag === "NotFound",
              () => Effect.undefined
            )
          )
    const now = there === undefined ? value : caughtUp(value, there, { appended: true })
    if (left && !changes && (now === undefined || now === "past")) {
      // there is nothing to store: leaving a thought that others have extended does not change it
      next.push({ before: value, now: withState(value, { leaving: undefined }) })
      changed = true
      continue
    }
    if (now === undefined || (now === "past" && !above.has(value.id))) return yield* passed(value.id)
    changed ||= now !== value
    if (now !== "past") next.push({ before: value, now })
  }
  const left = [...(yield* carried(next))]
  const own = left.pop()
  // nobody has added anything: the store refuses for another reason
  if (!changed || own === undefined) return yield* conflict
  const { thought: gathered } = yield* gather(withState(own, { left }))
  return { thought: gathered, above }
})

const passed = (thoughtId: string) =>
  Effect.fail(
    new MemoryError({
      reason: {
        _tag: "ConcurrencyConflict",
        thoughtId,
        message:
          `The thought ${thoughtId} is outdated: the store already has newer notes of it. Continue with the thought that ` +
          `the earlier run returned, with \`error.thought\` if it failed, or with a \`Thought.fork\` of this value.`
      }
    })
  )
