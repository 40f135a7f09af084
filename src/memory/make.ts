/** The memory on top of a store: checks, embedding after a commit, search by meaning. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Shape as EmbedderShape } from "../thought/Embedder.ts"
import type { Arms, Match } from "./model/Search.ts"
import type { Commit, Store } from "./model/Store.ts"
import type { EmbedderChange } from "./model/EmbedderChange.ts"
import type { Relative, Shape } from "./model/Shape.ts"
import type { Note } from "../thought/Note.ts"
import type { Thought } from "../thought/model.ts"
import { caughtUp } from "./catchUp.ts"
import { committed, hydrate, pendingCommit } from "./commit.ts"
import { gather } from "../thought/gathered.ts"
import { onceMore } from "./model/again.ts"
import { CurrentScope, fail, type MemoryError } from "./model/error.ts"
import { makeLedger } from "./ledger.ts"
import { checkRows } from "./model/ledgerLimits.ts"
import { makeLifecycle } from "./archive/lifecycle.ts"
import { checkCommit, checkScope, commitsOf } from "./model/limits.ts"
import { withEmbedder, wordsOnly } from "./embedding/meaning.ts"
import { keyOf, pageOf, type Ref, relativeOf, unknown } from "./model/reference.ts"
import { makeSearch } from "./search/search.ts"
import { wholeOf } from "../thought/origin.ts"
import { stateOf, withState } from "../thought/state.ts"

export const make = Effect.fnUntraced(function* (
  options: EmbedderChange & {
    readonly store: Store
    readonly scope: string
    /** Without one the memory finds notes by words alone. */
    readonly embedder: EmbedderShape | undefined
  }
): Effect.fn.Return<Shape, MemoryError, Scope.Scope> {
  const { embedder, store } = options
  yield* checkScope(options.scope)
  const ownScope = Effect.succeed(options.scope)
  const currentScope = Effect.withFiber((fiber) => {
    const scope = fiber.getRef(CurrentScope)
    return scope === undefined ? ownScope : checkScope(scope)
  })

  const meaning = embedder === undefined ? yield* wordsOnly(store) : yield* withEmbedder(store, embedder, options)
  const found = makeSearch(store, currentScope, meaning)
  /** Reports pending notes to the worker. If another program dropped the vectors in use, the search fails with that reason. */
  const watched = <A extends { readonly arms: Arms }>(
    asked: Effect.Effect<A, MemoryError>,
    matchesOf: (found: A) => ReadonlyArray<Match>
  ) =>
    asked.pipe(
      Effect.tap(({ arms }) => (arms.pending > 0 ? meaning.notice : Effect.void)),
      Effect.tapError(({ reason }) => (reason._tag === "Query" ? meaning.check : Effect.void)),
      Effect.tap((result) => gather(() => matchesOf(result).map(({ note }) => note)))
    )
  const search: Shape["search"] = (query, how) => watched(found.search(query, how), ({ matches }) => matches)
  const survey: Shape["survey"] = (query, how) =>
    watched(found.survey(query, how), ({ tasks }) => tasks.flatMap(({ matches }) => matches))

  const ledger = makeLedger(store, currentScope)

  const commit: Shape["commit"] = (thought, rowsOf) =>
    Effect.suspend(() => {
      const changes = pendingCommit(thought)
      const rows = rowsOf?.(changes === undefined ? thought : committed(thought))
      if (changes === undefined) {
        // as durable as a commit
        return rows === undefined
          ? Effect.succeed(thought)
          : Effect.as(ledger.record({ ...rows, urgent: true }), thought)
      }
      return Effect.flatMap(currentScope, (scope) =>
        Effect.catch(written(scope, thought, rows === undefined ? changes : { ...changes, ledger: rows }), (error) =>
          Effect.flatMap(isConflict(error) ? onStored(scope, thought) : Effect.undefined, (again) =>
            again === undefined ? Effect.fail(error) : commit(again, rowsOf)
          )
        )
      )
    })

  const written = <N>(scope: string, thought: Thought<N>, pending: Commit): Effect.Effect<Thought<N>, MemoryError> => {
    const checked = checkCommit(pending)
    const checks = pending.ledger === undefined ? checked : Effect.andThen(checked, checkRows(pending.ledger))
    // a note without a vector is pending, never lost: searches report it, and `embedPending` embeds it
    const stored = Effect.map(onceMore(store.commit(scope, pending)), () => {
      meaning.offer(scope, newNotes(pending))
      return committed(thought)
    })
    return Effect.andThen(checks, Effect.uninterruptible(stored))
  }

  /** The thought and those above it, based on what the store received of them with their forks; undefined if that is nothing. */
  const onStored = Effect.fnUntraced(function* <N>(
    scope: string,
    thought: Thought<N>
  ): Effect.fn.Return<Thought<N> | undefined, MemoryError> {
    const { left, stored, unstoredParent } = stateOf(thought)
    const row = yield* store.load(scope, { id: thought.id })
    const there = row === undefined ? undefined : Result.getOrUndefined(hydrate(row))
    const own = there === undefined ? thought : caughtUp(thought, there, { appended: false })
    if (own === undefined || own === "past") return undefined
    const above = unstoredParent === undefined ? undefined : yield* onStored(scope, unstoredParent)
    const others = yield* Effect.forEach(left, (one) => onStored(scope, one))
    if ([above, ...others].every((one) => one === undefined) && stateOf(own).stored === stored) return undefined
    const rest = left.map((one, i) => others[i] ?? one)
    const isStored = stateOf(own).stored.version > 0
    return withState(own, {
      unstoredParent: isStored ? undefined : (above ?? unstoredParent),
      left: rest
    }) as Thought<N>
  })

  const load: Shape["load"] = Effect.fnUntraced(function* (ref) {
    const stored = yield* store.load(yield* currentScope, keyOf(ref))
    if (stored === undefined) return yield* unknown(ref)
    const thought = hydrate(stored)
    if (Result.isSuccess(thought)) {
      yield* gather(() => wholeOf(thought.success))
      return thought.success
    }
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

  const children: Shape["children"] = Effect.fnUntraced(function* (ref, options = {}) {
    const page = yield* pageOf(options)
    return yield* relatives(ref, (scope) => store.children(scope, keyOf(ref), page))
  })

  const pending: Shape["pending"] = Effect.flatMap(currentScope, meaning.pending)

  const lifecycle = makeLifecycle(store, currentScope, meaning.offer)
  const { dropSpace, embedPending, flush, spaces } = meaning
  return {
    embedder: meaning.embedder,
    commit,
    load,
    search,
    survey,
    ancestors,
    children,
    ...lifecycle,
    ledger,
    pending,
    embedPending,
    flush,
    spaces,
    dropSpace,
    optimize: (how = {}) => store.optimize(how)
  }
})

/** The notes of a commit and of the ancestors it writes. */
const newNotes = (commit: Commit): ReadonlyArray<Note> => commitsOf(commit).flatMap(({ notes }) => notes)

const isConflict = (error: MemoryError): boolean => error.reason._tag === "ConcurrencyConflict"
