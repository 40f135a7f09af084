/** What every memory does on top of its store: checks, embedding after a commit, search by meaning. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import { EmbedderError, type Shape as EmbedderShape } from "../Embedder.ts"
import type { Commit, SearchOptions, Shape, Space, Store, StoredThought } from "../Memory.ts"
import type { Note } from "../Note.ts"
import * as Session from "../Session.ts"
import type { Thought } from "../Thought.ts"
import { committed, hydrate, pendingCommit } from "./commit.ts"
import { CurrentScope, MemoryError, type Reason } from "./memoryError.ts"
import { stateOf } from "./thought.ts"

/** In UTF-16 units: beyond it an embedded database blocks for seconds. */
const maxNoteLength = 4_000_000
const embedBatch = 64
const maxLimit = 500

const fail = (reason: Reason, cause?: unknown) =>
  Effect.fail(new MemoryError(cause === undefined ? { reason } : { reason, cause }))

export const make = Effect.fnUntraced(function* (options: {
  readonly store: Store
  readonly scope: string
  readonly embedder: EmbedderShape
}): Effect.fn.Return<Shape, MemoryError> {
  const { embedder, store } = options
  const space: Space = { embedder: embedder.id, dimensions: embedder.dimensions, metric: embedder.metric }
  yield* store.openSpace(space)
  const currentScope = Effect.map(CurrentScope, (scope) => scope ?? options.scope)

  /** One vector for each text, or a failure. */
  const vectorsOf = (texts: ReadonlyArray<string>) =>
    Effect.filterOrFail(
      embedder.embedMany(texts),
      (vectors) => vectors.length === texts.length && vectors.every((vector) => vector.length === space.dimensions),
      () =>
        new EmbedderError({
          embedder: embedder.id,
          message: `The embedder ${embedder.id} did not give one vector of ${space.dimensions} numbers for each text.`,
          retryable: false
        })
    )

  const embed = Effect.fnUntraced(function* (scope: string, notes: ReadonlyArray<Pick<Note, "id" | "content">>) {
    for (let i = 0; i < notes.length; i += embedBatch) {
      const batch = notes.slice(i, i + embedBatch)
      const vectors = yield* vectorsOf(batch.map((note) => note.content))
      yield* store.putVectors(
        scope,
        space,
        Arr.zipWith(batch, vectors, ({ id }, vector) => ({ noteId: id, vector }))
      )
    }
  })

  const commit: Shape["commit"] = Effect.fnUntraced(function* (thought) {
    const pending = pendingCommit(thought)
    if (pending === undefined) return thought
    yield* check(pending)
    const scope = yield* currentScope
    const version = yield* Effect.uninterruptible(store.commit(scope, pending)).pipe(
      Effect.catch((error) =>
        Effect.flatMap(isConflict(error) ? store.load(scope, { id: thought.id }) : Effect.undefined, (stored) =>
          holds(stored, thought, pending.version + 1) ? Effect.succeed(pending.version + 1) : Effect.fail(error)
        )
      )
    )
    // a note without a vector is pending, never lost: search says so and `embedPending` makes up for it
    yield* Effect.exit(embed(scope, newNotes(pending)))
    return committed(thought, version)
  })

  const load: Shape["load"] = Effect.fnUntraced(function* (ref) {
    const stored = yield* store.load(yield* currentScope, typeof ref === "string" ? { id: ref } : ref)
    if (stored === undefined) {
      const named = typeof ref === "string" ? `id ${JSON.stringify(ref)}` : `trace id ${JSON.stringify(ref.traceId)}`
      return yield* fail({ _tag: "NotFound", message: `There is no thought with the ${named} in this scope.` })
    }
    const thought = hydrate(stored)
    if (Result.isSuccess(thought)) return thought.success
    return yield* fail({
      _tag: "Corrupt",
      message: `The stored thought ${stored.thought.id} cannot be rebuilt: ${thought.failure}.`
    })
  })

  const search: Shape["search"] = Effect.fnUntraced(function* (query, searchOptions = {}) {
    const scope = yield* currentScope
    const limit = searchOptions.limit ?? 10
    if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
      return yield* fail({ _tag: "Query", message: `A search's limit is a whole number from 1 to ${maxLimit}.` })
    }
    const { minSimilarity = 0 } = searchOptions
    if (!(minSimilarity >= 0 && minSimilarity <= 1)) {
      return yield* fail({ _tag: "Query", message: "A search's minSimilarity is a number from 0 to 1." })
    }
    const pending = yield* store.countPending(scope, space)
    const arms = { vector: pending === 0 ? "ok" : "partial", lexical: "unavailable", pending } as const
    if (query.trim() === "") return { matches: [], arms }
    const [vector = new Float32Array()] = yield* Effect.catch(vectorsOf([query]), (error) =>
      fail(
        {
          _tag: "EmbedderFailed",
          message: `The query could not be embedded: ${error.message}`,
          retryable: error.retryable
        },
        error
      )
    )
    const filter: SearchOptions & { readonly limit: number } = {
      // unless sources are asked for by name, what was found before is not found again
      ...(searchOptions.sources === undefined ? { excludeSources: ["seek", "survey"] } : {}),
      ...searchOptions,
      limit
    }
    const found = yield* store.nearest(scope, space, vector, filter)
    return {
      matches: found.map((match, i) => ({ ...match, score: match.similarity, ranks: { vector: i + 1 } })),
      arms
    }
  })

  const embedPending: Shape["embedPending"] = Effect.gen(function* () {
    let done = 0
    while (true) {
      const notes = yield* store.pending(space, { limit: embedBatch })
      if (notes.length === 0) return done
      for (const scope of new Set(notes.map((note) => note.scope))) {
        yield* Effect.catchTag(
          embed(
            scope,
            notes.filter((note) => note.scope === scope)
          ),
          "EmbedderError",
          (error) =>
            fail(
              {
                _tag: "EmbedderFailed",
                message: `Notes could not be embedded: ${error.message}`,
                retryable: error.retryable
              },
              error
            )
        )
      }
      done += notes.length
    }
  })

  return { commit, load, search, embedPending }
})

/** The notes of a commit and of the ancestors it writes. */
const newNotes = (commit: Commit): ReadonlyArray<Note> =>
  commit.parent === undefined ? commit.notes : [...newNotes(commit.parent), ...commit.notes]

const isConflict = (error: MemoryError): boolean => error.reason._tag === "ConcurrencyConflict"

/** Whether a commit that was refused had been made before: by a run that is repeated, or with a fork of the thought. */
const holds = (stored: StoredThought | undefined, thought: Thought<any>, version: number): boolean =>
  stored?.version === version &&
  stored.nextIndex === thought.session.nextIndex &&
  Equal.equals(
    stored.notes.map((note) => note.id),
    Array.from(stateOf(thought).log, (note) => note.id)
  ) &&
  Equal.equals(stored.entries, Session.entries(thought.session))

/** Refuses what no store should take, before anything is written. */
const check = (commit: Commit): Effect.Effect<void, MemoryError> => {
  for (const note of commit.notes) {
    if (note.content.length > maxNoteLength) {
      return fail({
        _tag: "TooLarge",
        field: note.key,
        limit: maxNoteLength,
        message: `The note ${JSON.stringify(note.key)} is longer than ${maxNoteLength} characters: split it.`
      })
    }
  }
  return commit.parent === undefined ? Effect.void : check(commit.parent)
}
