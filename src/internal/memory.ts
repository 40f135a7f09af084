/** What every memory does on top of its store: checks, embedding after a commit, search by meaning. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type { Shape as EmbedderShape } from "../Embedder.ts"
import type { Commit, Relative, Shape, Space, Store, StoredThought, ThoughtRow } from "../Memory.ts"
import type { Note } from "../Note.ts"
import * as Session from "../Session.ts"
import type { Thought } from "../Thought.ts"
import { committed, hydrate, pendingCommit } from "./commit.ts"
import { makeEmbedding } from "./memoryEmbedding.ts"
import { countUpTo, CurrentScope, fail, type MemoryError } from "./memoryError.ts"
import { makeSearch } from "./memorySearch.ts"
import { stateOf } from "./thought.ts"

/** In UTF-16 units: beyond it an embedded database blocks for seconds. */
const maxNoteLength = 4_000_000
const maxLimit = 500

export const make = Effect.fnUntraced(function* (options: {
  readonly store: Store
  readonly scope: string
  readonly embedder: EmbedderShape
}): Effect.fn.Return<Shape, MemoryError> {
  const { embedder, store } = options
  const space: Space = { embedder: embedder.id, dimensions: embedder.dimensions, metric: embedder.metric }
  yield* store.openSpace(space)
  const currentScope = Effect.map(CurrentScope, (scope) => scope ?? options.scope)

  const embedding = makeEmbedding(store, space, embedder)
  const { search, survey } = makeSearch(store, space, currentScope, embedding)

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
    yield* Effect.exit(embedding.embed(scope, newNotes(pending)))
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

  return { commit, load, search, survey, ancestors, children, embedPending: embedding.embedPending }
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
