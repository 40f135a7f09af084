/** What a durable run has added to the thoughts that it has come to. */
import * as Effect from "effect/Effect"
import type { Stretch } from "../../logs/recorded.ts"
import { asOf } from "../../memory/asOf.ts"
import { fail, type MemoryError } from "../../memory/model/error.ts"
import type { Position, StoredRun } from "../../memory/model/Ledger.ts"
import type { Shape } from "../../memory/model/Shape.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Thought } from "../../thought/model.ts"
import * as Session from "../../thought/Session.ts"
import { notes } from "../../thought/Thought.ts"
import { firstOf, lastOf } from "../durable/earlier.ts"

/**
 * The notes and entries of a run, thought by thought: what it was given, and what its steps have written. Fails if the thought that it
 * has come to was removed; those before it may be.
 */
export const stretchesOf = (
  { ledger }: Pick<Shape, "ledger">,
  stored: StoredRun
): Effect.Effect<ReadonlyArray<Stretch>, MemoryError> =>
  Effect.gen(function* () {
    const thoughtAt = Effect.fnUntraced(function* (position: Position) {
      const history = yield* ledger.history(position.thoughtId)
      return history === undefined ? undefined : yield* Effect.fromResult(asOf(history, position))
    })
    const first = firstOf(stored)
    const last = lastOf(stored)
    const begun = yield* thoughtAt(first)
    const seen = new Set(begun === undefined ? [] : Session.entries(begun.session).map(identity))
    const stretches: Array<Stretch> = begun === undefined ? [] : [{ notes: givenIn(begun), entries: [] }]
    for (const position of lastPositions(stored, first)) {
      const thought = yield* thoughtAt(position)
      if (thought === undefined && position.thoughtId === last.thoughtId) {
        return yield* fail({
          _tag: "NotFound",
          message: `The thought ${last.thoughtId} of the run is not in this scope any more.`
        })
      }
      if (thought === undefined) continue
      const since = position.thoughtId === first.thoughtId ? first.seq : 0
      // notes without a step were appended by others
      const written = notes(thought).filter(
        ({ seq, step, thoughtId }) => step !== "" && thoughtId === thought.id && seq > since
      )
      const entries = Session.entries(thought.session).filter((entry) => !seen.has(identity(entry)))
      for (const entry of entries) seen.add(identity(entry))
      stretches.push({ notes: written, entries })
    }
    return stretches
  })

/** The notes at the end of a thought that no step has written: those that the next run is given. */
const givenIn = (thought: Thought): Stretch["notes"] => {
  const all = notes(thought)
  return all.slice(all.findLastIndex(({ step }) => step !== "") + 1)
}

/** Of each thought that a run has stored, the last position, in the order in which the run has come to them. */
const lastPositions = ({ run, steps }: StoredRun, first: Position): ReadonlyArray<Position> => {
  const found = new Map([[first.thoughtId, first]])
  const inTime = steps.toSorted((a, b) => timeOf(a) - timeOf(b))
  for (const position of [...inTime.map(({ position }) => position), run.end]) {
    if (position === undefined) continue
    const { thoughtId, version } = position
    if (version >= (found.get(thoughtId)?.version ?? 0)) found.set(thoughtId, position)
  }
  return [...found.values()]
}

const timeOf = ({ endedMillis, startedMillis }: StoredRun["steps"][number]): number => endedMillis ?? startedMillis

/** An entry that a fork has taken over is the same one. */
const identity = ({ carries, covers, kind, role, text }: Entry): string =>
  JSON.stringify([kind, role, text, carries, covers])
