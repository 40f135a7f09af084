/** How a memory finds notes by meaning: with an embedder, whose vectors it keeps current; or not at all. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Shape as EmbedderShape } from "../../thought/Embedder.ts"
import type { EmbedderChange } from "../model/EmbedderChange.ts"
import type { Shape } from "../model/Shape.ts"
import type { Store } from "../model/Store.ts"
import { quoted } from "../../text/legible.ts"
import { isFound } from "../../thought/found.ts"
import type { Note } from "../../thought/Note.ts"
import { type Embedding, nothing, type Report } from "./embed.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { type Draft, keyOf } from "./job.ts"
import { openSpaces } from "./spaces.ts"
import { makeWorker, type Worker } from "./worker.ts"

/**
 * How long a search waits for the vectors of what its scope has just committed, unless more commits than these wait: a
 * backlog of others must not delay it.
 */
const searchWait = "5 seconds"
const mostCommits = 16

/** How many results of searches are embedded for a search that asks for them. */
const resultsAtATime = 256

/** The vectors that searches use, and how a query becomes one. */
export type InUse = Pick<Embedding, "space" | "ofQuery">

export interface Meaning
  extends Pick<Worker, "notice">, Pick<Shape, "embedder" | "spaces" | "dropSpace" | "embedPending" | "flush"> {
  /** Takes notes that were just committed. Results of searches are embedded only when a search asks for them. */
  readonly offer: (scope: string, notes: ReadonlyArray<Note>) => void
  /** Begins to embed results of searches, as a search asks for them. */
  readonly wantResults: (scope: string) => Effect.Effect<void, MemoryError>
  /** How many of them have no vector, as far as they are embedded at a time. */
  readonly pendingResults: (scope: string) => Effect.Effect<number, MemoryError>
  /** Waits a while for the notes that the scope has committed. */
  readonly settled: (scope: string) => Effect.Effect<void>
  /** Nothing without an embedder. */
  readonly inUse: () => InUse | undefined
  readonly pending: (scope: string) => Effect.Effect<number, MemoryError>
  /** Fails when another program has changed the memory to another embedder. */
  readonly check: Effect.Effect<void, MemoryError>
}

export const withEmbedder = Effect.fnUntraced(function* (
  store: Store,
  embedder: EmbedderShape,
  change: EmbedderChange
): Effect.fn.Return<Meaning, MemoryError, Scope.Scope> {
  const { built, check, current, dropSpace, previous, replaced, spaces } = yield* openSpaces(store, embedder, change)
  /** Notes that are in the old space, but not yet in the new one. */
  const inOld = new Set<string>()

  /** New notes go into both spaces, first into the one that searches use. */
  const embedNew = Effect.fnUntraced(function* (notes: ReadonlyArray<Draft>): Effect.fn.Return<Report, MemoryError> {
    // no search uses these vectors any more; the notes are pending for the programs with the new embedder
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
  const { flush, flushScope, notice, offer, offered, sweep } = yield* makeWorker({
    embed: embedNew,
    makeUp: current.embed,
    pending: (page) => store.pending(current.space, page),
    ready: check,
    swept: built
  })

  const results = (scope: string) => store.pending(current.space, { scope, limit: resultsAtATime, results: true })

  /** One at a time, so that no result is offered twice: what is being embedded is still pending. */
  const wanting = Semaphore.makeUnsafe(1)

  const wantResults: Meaning["wantResults"] = Effect.fnUntraced(function* (scope) {
    const before = offered()
    const notes = yield* results(scope)
    offer(
      scope,
      notes.filter((note) => !before.has(keyOf(note)))
    )
  }, wanting.withPermits(1))

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
    embedder: embedder.id,
    inUse: () => previous() ?? current,
    pending: (scope) => store.countPending(scope, current.space),
    check,
    spaces,
    dropSpace,
    offer: (scope, notes) =>
      offer(
        scope,
        notes.filter((note) => !isFound(note))
      ),
    wantResults,
    pendingResults: (scope) => Effect.map(results(scope), (notes) => notes.length),
    flush,
    notice,
    settled: (scope) =>
      Effect.suspend(() => {
        const soon = flushScope(scope, mostCommits)
        return soon === undefined ? Effect.void : Effect.asVoid(Effect.timeoutOption(soon, searchWait))
      }),
    embedPending
  }
})

/** By words alone: no note is embedded here, and none waits for it. */
export const wordsOnly = Effect.fnUntraced(function* (store: Store): Effect.fn.Return<Meaning, MemoryError> {
  const active = (yield* store.spaces).find(({ state }) => state === "active")
  if (active !== undefined) {
    yield* Effect.logWarning(
      `The memory has vectors of the embedder ${quoted(active.embedder)}, but is open without an embedder: searches ` +
        "use words alone, and new notes wait for a program with that embedder."
    )
  }
  return {
    embedder: undefined,
    inUse: () => undefined,
    pending: () => Effect.succeed(0),
    check: Effect.void,
    wantResults: () => Effect.void,
    pendingResults: () => Effect.succeed(0),
    offer: () => {},
    notice: Effect.void,
    settled: () => Effect.void,
    flush: Effect.void,
    embedPending: fail({
      _tag: "Query",
      message:
        'This memory has no embedder. To embed its notes, open it without the option embedder: "none" and provide an embedder.'
    }),
    spaces: store.spaces,
    dropSpace: store.dropSpace
  }
})
