/** What every memory does on top of its store: checks, embedding after a commit, search by meaning. */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import { EmbedderError, type Shape as EmbedderShape } from "../Embedder.ts"
import type {
  Commit,
  Match,
  Relative,
  SearchOptions,
  Shape,
  Space,
  Store,
  StoredThought,
  TaskMatch,
  ThoughtRow
} from "../Memory.ts"
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
const maxTasks = 100
/** Notes of each task. */
const taskNotes = 3

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
    const stored = yield* store.load(yield* currentScope, keyOf(ref))
    if (stored === undefined) return yield* unknown(ref)
    const thought = hydrate(stored)
    if (Result.isSuccess(thought)) return thought.success
    return yield* fail({
      _tag: "Corrupt",
      message: `The stored thought ${stored.thought.id} cannot be rebuilt: ${thought.failure}.`
    })
  })

  const relatives = Effect.fnUntraced(function* (
    ref: Ref,
    list: (scope: string) => ReturnType<Store["ancestors"]>
  ): Effect.fn.Return<ReadonlyArray<Relative>, MemoryError> {
    const rows = yield* list(yield* currentScope)
    return rows === undefined ? yield* unknown(ref) : rows.map(relativeOf)
  })

  const ancestors: Shape["ancestors"] = (ref) => relatives(ref, (scope) => store.ancestors(scope, keyOf(ref)))

  const children: Shape["children"] = Effect.fnUntraced(function* (ref, { after, limit = 100 } = {}) {
    const page = {
      limit: yield* countUpTo("A page's limit", maxLimit, limit),
      after: after === undefined ? undefined : { id: after.id, createdMillis: after.created.epochMilliseconds }
    }
    return yield* relatives(ref, (scope) => store.children(scope, keyOf(ref), page))
  })

  /** The nearest notes, and how the search did. */
  const find = Effect.fnUntraced(function* (query: string, options: SearchOptions & { readonly limit: number }) {
    const scope = yield* currentScope
    const { minSimilarity = 0 } = options
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
    const found = yield* store.nearest(scope, space, vector, {
      // unless sources are asked for by name, what was found before is not found again
      ...(options.sources === undefined ? { excludeSources: ["seek", "survey"] } : {}),
      ...options
    })
    return {
      matches: found.map((match, i): Match => ({ ...match, score: match.similarity, ranks: { vector: i + 1 } })),
      arms
    }
  })

  const search: Shape["search"] = Effect.fnUntraced(function* (query, searchOptions = {}) {
    const limit = yield* countUpTo("A search's limit", maxLimit, searchOptions.limit ?? 10)
    return yield* find(query, { ...searchOptions, limit })
  })

  const survey: Shape["survey"] = Effect.fnUntraced(function* (query, searchOptions = {}) {
    const limit = yield* countUpTo("A survey's limit", maxTasks, searchOptions.limit ?? 5)
    const candidates = Math.min(maxLimit, Math.max(100, 20 * limit))
    const { arms, matches } = yield* find(query, { ...searchOptions, limit: candidates })
    return { tasks: tasksOf(matches).slice(0, limit), arms }
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

  return { commit, load, search, survey, ancestors, children, embedPending }
})

type Ref = string | { readonly traceId: string }

const keyOf = (ref: Ref) => (typeof ref === "string" ? { id: ref } : ref)

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const identifier = /^[\w.:-]{1,64}$/

/** Says the id only where it has an id's form: what else is passed for one may be anybody's text. */
const unknown = (ref: Ref) => {
  const [named, id, form] = typeof ref === "string" ? ["id", ref, uuid] : ["trace id", ref.traceId, identifier]
  const which = form.test(id) ? `the ${named} ${JSON.stringify(id)}` : `the ${named} that was given`
  return fail({ _tag: "NotFound", message: `There is no thought with ${which} in this scope.` })
}

const relativeOf = ({ createdMillis, id, intent, parent, taskId, traceId }: ThoughtRow): Relative => ({
  id,
  traceId,
  taskId,
  intent,
  created: DateTime.makeUnsafe(createdMillis),
  parent
})

const countUpTo = (what: string, most: number, value: number) =>
  Number.isInteger(value) && value >= 1 && value <= most
    ? Effect.succeed(value)
    : fail({ _tag: "Query", message: `${what} is a whole number from 1 to ${most}.` })

/** The notes by task, in the order of each task's best one. */
const tasksOf = (matches: ReadonlyArray<Match>): ReadonlyArray<TaskMatch> => {
  const tasks = new Map<string, TaskMatch>()
  for (const match of matches) {
    const { id, intent, taskId } = match.thought
    if (taskId === undefined) continue
    const known = tasks.get(taskId)
    const { score, similarity } = known ?? match
    // ids grow with the time they were made at
    const newest = known !== undefined && known.thoughtId > id ? known : { thoughtId: id, intent }
    tasks.set(taskId, {
      taskId,
      thoughtId: newest.thoughtId,
      intent: newest.intent,
      score,
      similarity,
      matches: [...(known?.matches ?? []), match].slice(0, taskNotes)
    })
  }
  return [...tasks.values()]
}

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
