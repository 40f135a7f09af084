/** Vectors for all notes: of those committed now, soon after; of those that are pending, when it is asked for. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { Shape } from "../model/Shape.ts"
import type { Store } from "../model/Store.ts"
import { nothing, type Report } from "./embed.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { type Draft, keyOf } from "./job.ts"
import type { Spaces } from "./spaces.ts"
import { makeWorker, type Worker } from "./worker.ts"

/** How long a search waits for the vectors of what its scope has just committed. */
const searchWait = "5 seconds"

export interface Upkeep extends Pick<Worker, "offer" | "notice">, Pick<Shape, "embedPending" | "flush"> {
  /** Waits a while for the notes that the scope has committed. */
  readonly settled: (scope: string) => Effect.Effect<void>
}

export const makeUpkeep = Effect.fnUntraced(function* (
  store: Store,
  { built, check, current, previous, replaced }: Spaces
): Effect.fn.Return<Upkeep, never, Scope.Scope> {
  /** Notes that are in the old space, but not yet in the new one. */
  const inOld = new Set<string>()

  /** New notes go into both spaces, first into the one that searches use. */
  const embedNew = Effect.fnUntraced(function* (notes: ReadonlyArray<Draft>): Effect.fn.Return<Report, MemoryError> {
    // nobody searches these vectors any more; the notes are pending for those who have changed the embedder
    if (replaced()) return nothing
    const old = previous()
    if (old === undefined) return yield* current.embed(notes)
    const exit = yield* Effect.exit(old.embed(notes.filter((note) => !inOld.has(keyOf(note)))))
    const unfinished = new Set(Exit.isSuccess(exit) ? exit.value.unfinished.map(keyOf) : [])
    const [ready, later] = [
      notes.filter((note) => !unfinished.has(keyOf(note))),
      notes.filter((note) => unfinished.has(keyOf(note)))
    ]
    const report = yield* Effect.onExit(current.embed(ready), (ended) =>
      Effect.sync(() => {
        for (const note of ready) inOld.delete(keyOf(note))
        for (const note of Exit.isSuccess(ended) ? ended.value.unfinished : []) inOld.add(keyOf(note))
      })
    )
    return { ...report, unfinished: [...report.unfinished, ...later] }
  })
  const { flush, flushScope, notice, offer, sweep } = yield* makeWorker({
    embed: embedNew,
    makeUp: current.embed,
    pending: (page) => store.pending(current.space, page),
    ready: check,
    swept: built
  })

  const embedPending: Shape["embedPending"] = Effect.gen(function* () {
    yield* flush
    const { down, embedded, error, failed } = yield* sweep
    if (error === undefined) return embedded
    return yield* fail(
      {
        _tag: "EmbedderFailed",
        message:
          `${failed} ${failed === 1 ? "note" : "notes"}${down ? " or more" : ""} could not be embedded, ` +
          `${embedded} ${embedded === 1 ? "was" : "were"}: ${error.message}`,
        retryable: error.retryable
      },
      error
    )
  })

  return {
    offer,
    flush,
    notice,
    settled: (scope) =>
      Effect.suspend(() => {
        const soon = flushScope(scope)
        return soon === undefined ? Effect.void : Effect.asVoid(Effect.timeoutOption(soon, searchWait))
      }),
    embedPending
  }
})
