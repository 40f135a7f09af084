/**
 * Stores with one fault each, of the kind that real ones have: a contract suite that is worth its name finds every one.
 *
 * A mutant wraps a correct store and breaks one promise of the interface; what it does else is correct.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Filter, MemoryError, Space } from "../../src/Memory.ts"
import type { ChunkVector, Commit, Store, StoredThought, StoreQuery } from "../../src/Store.ts"
import type { Note } from "../../src/Note.ts"
import type { Entry } from "../../src/Session.ts"

export interface Mutant {
  readonly name: string
  /** The promise that it breaks, and how. */
  readonly breaks: string
  readonly mutate: (store: Store) => Store
}

/** More than any store of a test has. */
const all = 1_000_000
const everything = { taskId: undefined, order: "oldest", limit: all, after: undefined } as const

/** The store with what it loads changed. */
const onLoad = (
  store: Store,
  change: (scope: string, stored: StoredThought) => Effect.Effect<StoredThought, MemoryError>
): Store => ({
  ...store,
  load: (scope, ref) =>
    Effect.gen(function* () {
      const stored = yield* store.load(scope, ref)
      return stored === undefined ? undefined : yield* change(scope, stored)
    })
})

/** The store with other filters than were asked for. */
const onFilter = (store: Store, change: (filter: Filter) => Filter): Store => ({
  ...store,
  search: (scope, space, query) => store.search(scope, space, { ...query, filter: change(query.filter) }),
  survey: (scope, space, query) => store.survey(scope, space, { ...query, filter: change(query.filter) })
})

// ---------------------------------------------------------------------------------------------------------- writing

/** Relies on the numbers of the notes to find a conflict: a commit of a conversation alone has none. */
const staleConversation = (store: Store): Store => ({
  ...store,
  commit: (scope, commit) =>
    commit.version === 0 || commit.notes.length > 0
      ? store.commit(scope, commit)
      : Effect.flatMap(store.load(scope, { id: commit.thought.id }), (stored) =>
          store.commit(scope, { ...commit, version: stored?.version ?? commit.version })
        )
})

/** Writes what comes before a commit in transactions of its own. */
const severalApart = (store: Store): Store => ({
  ...store,
  commit: (scope, { before = [], ...commit }) =>
    Effect.gen(function* () {
      for (const one of before) yield* store.commit(scope, one)
      return yield* store.commit(scope, commit)
    })
})

/** Writes what the parent lacks in a transaction of its own. */
const parentApart = (store: Store): Store => ({
  ...store,
  commit: (scope, commit) => {
    const { parent } = commit
    if (parent === undefined) return store.commit(scope, commit)
    return Effect.gen(function* () {
      const above = yield* store.load(scope, { id: parent.thought.id })
      if ((above?.version ?? 0) !== parent.version) return yield* store.commit(scope, commit)
      yield* store.commit(scope, parent)
      return yield* store.commit(scope, { ...commit, parent: undefined })
    })
  }
})

const restoredAsNew = (store: Store): Store => ({
  ...store,
  restore: (scope, stored) => store.restore(scope, { ...stored, version: 1 })
})

/** `on conflict (id) do nothing`. */
const takenIdsPassedOver = (store: Store): Store => ({
  ...store,
  append: (scope, ref, notes) =>
    store.append(scope, ref, notes).pipe(
      Effect.catchIf(isTaken, () =>
        Effect.map(
          Effect.forEach(notes, (note) =>
            store
              .append(scope, ref, [note])
              .pipe(Effect.catchIf(isTaken, () => Effect.succeed<ReadonlyArray<Note>>([])))
          ),
          (added) => added.flatMap((one) => one ?? [])
        )
      )
    )
})

const isTaken = ({ reason }: MemoryError) => reason._tag === "Query" && reason.code === "23505"

/** Text goes to the database as UTF-8, which has no halves of a surrogate pair. */
const appendedAsUtf8 = (store: Store): Store => ({
  ...store,
  append: (scope, ref, notes) =>
    store.append(
      scope,
      ref,
      notes.map((note) => ({ ...note, content: note.content.toWellFormed() }))
    )
})

/** Cleans the conversation of the thought that wrote the note, and not those of its forks. */
const redactedInOneConversation = (store: Store): Store => {
  const kept = new Map<string, ReadonlyArray<Entry>>()
  const keyOf = (scope: string, id: string) => JSON.stringify([scope, id])
  return {
    ...onLoad(store, (scope, stored) => {
      const live = new Set(stored.entries.map(({ index }) => index))
      const back = (kept.get(keyOf(scope, stored.thought.id)) ?? []).filter(({ index }) => !live.has(index))
      const entries = [...stored.entries, ...back].toSorted((a, b) => a.index - b.index)
      return Effect.succeed({ ...stored, entries })
    }),
    redact: Effect.fnUntraced(function* (scope, noteId, millis) {
      const ids = (yield* store.thoughts(scope, everything)).map(({ id }) => id)
      const before = yield* Effect.forEach(ids, (id) => store.load(scope, { id }))
      const redacted = yield* store.redact(scope, noteId, millis)
      for (const stored of before) {
        if (stored === undefined || redacted === undefined) continue
        const { entries, notes, thought } = stored
        if (notes.some((note) => note.id === noteId && note.thoughtId === thought.id)) continue
        const shown = entries.filter(({ carries, covers }) =>
          [...carries, ...covers].some((one) => redacted.includes(one))
        )
        if (shown.length > 0) kept.set(keyOf(scope, thought.id), shown)
      }
      return redacted
    })
  }
}

/** `set redacted_at = $1`: also of a note that is redacted already. */
const redactedAnew = (store: Store): Store => {
  const latest = new Map<string, number>()
  const keyOf = (scope: string, id: string) => JSON.stringify([scope, id])
  return {
    ...onLoad(store, (scope, stored) =>
      Effect.succeed({
        ...stored,
        notes: stored.notes.map((note) => {
          const millis = latest.get(keyOf(scope, note.id))
          return millis === undefined ? note : { ...note, redacted: DateTime.makeUnsafe(millis) }
        })
      })
    ),
    redact: (scope, noteId, millis, ...rest) =>
      Effect.tap(store.redact(scope, noteId, millis, ...rest), (ids = []) =>
        Effect.sync(() => {
          for (const id of ids) latest.set(keyOf(scope, id), millis)
        })
      )
  }
}

// ---------------------------------------------------------------------------------------------------------- reading

/** Looks a trace id up in the whole table. */
const traceOfAnyScope = (store: Store): Store => {
  const scopes = new Set<string>()
  return {
    ...store,
    commit: (scope, commit) => {
      scopes.add(scope)
      return store.commit(scope, commit)
    },
    load: (scope, ref) =>
      Effect.gen(function* () {
        const own = yield* store.load(scope, ref)
        if (own !== undefined || "id" in ref) return own
        for (const other of scopes) {
          const found = yield* store.load(other, ref)
          if (found !== undefined) return found
        }
        return undefined
      })
  }
}

/** Bounds the notes of all that a fork descends from by where it was forked itself. */
const oneBoundForAllAbove = (store: Store): Store =>
  onLoad(
    store,
    Effect.fnUntraced(function* (scope, stored) {
      const { id, parent } = stored.thought
      const above = (yield* store.ancestors(scope, { id })) ?? []
      if (parent === undefined || above.length < 2) return stored
      const own = (one: StoredThought | undefined) =>
        one === undefined ? [] : one.notes.filter((note) => note.thoughtId === one.thought.id)
      const loaded = yield* Effect.forEach(above, (one) => store.load(scope, { id: one.id }))
      const shared = loaded.flatMap(own).filter((note) => note.seq <= parent.seq)
      return { ...stored, notes: [...shared, ...own(stored)].toSorted((a, b) => a.seq - b.seq) }
    })
  )

/** Counts from the last live entry. */
const numbersUsedAgain = (store: Store): Store =>
  onLoad(store, (_, stored) => Effect.succeed({ ...stored, nextIndex: (stored.entries.at(-1)?.index ?? -1) + 1 }))

const hiddenForgotten = (store: Store): Store =>
  onLoad(store, (_, stored) => Effect.succeed({ ...stored, thought: { ...stored.thought, hidden: new Map() } }))

/** `where created > after.created`. */
const childrenAfterAMoment = (store: Store): Store => ({
  ...store,
  children: (scope, ref, { after, limit }) =>
    Effect.map(store.children(scope, ref, { after: undefined, limit: all }), (rows) =>
      rows?.filter(({ createdMillis }) => after === undefined || createdMillis > after.createdMillis).slice(0, limit)
    )
})

/** `order by created desc, id`. */
const newestByRisingId = (store: Store): Store => ({
  ...store,
  thoughts: (scope, page) => {
    if (page.order === "oldest") return store.thoughts(scope, page)
    const { after, limit, taskId } = page
    return Effect.map(store.thoughts(scope, { ...everything, taskId }), (rows) =>
      rows
        .filter(
          ({ createdMillis, id }) =>
            after === undefined ||
            createdMillis < after.createdMillis ||
            (createdMillis === after.createdMillis && id > after.id)
        )
        .toSorted((a, b) => b.createdMillis - a.createdMillis || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
    )
  }
})

// ---------------------------------------------------------------------------------------------------------- vectors

/** Which parts notes were given, by scope and space. */
const ledger = () => {
  const given = new Map<string, { readonly scope: string; readonly space: Space; parts: ReadonlyArray<ChunkVector> }>()
  return {
    of: (scope: string, space: Space) => {
      const key = JSON.stringify([scope, space.embedder, space.dimensions, space.metric])
      const page = given.get(key) ?? { scope, space, parts: [] }
      given.set(key, page)
      return page
    },
    pages: () => [...given.values()]
  }
}

/** The vectors have no foreign key: a note that comes again finds those it had. */
const vectorsOutliveAPurge = (store: Store): Store => {
  const { of, pages } = ledger()
  const purged = new Set<string>()
  const revive = (scope: string, notes: ReadonlyArray<{ readonly id: string }>) => {
    if (!purged.has(scope)) return Effect.void
    const ids = new Set(notes.map(({ id }) => id))
    const own = pages().filter((page) => page.scope === scope)
    return Effect.forEach(
      own,
      ({ parts, space }) =>
        store.putVectors(
          scope,
          space,
          parts.filter(({ noteId }) => ids.has(noteId))
        ),
      { discard: true }
    )
  }
  const notesOf = ({ notes, parent }: Commit): ReadonlyArray<Note> => [
    ...notes,
    ...(parent === undefined ? [] : notesOf(parent))
  ]
  return {
    ...store,
    commit: (scope, commit) => Effect.tap(store.commit(scope, commit), () => revive(scope, notesOf(commit))),
    restore: (scope, stored) => Effect.tap(store.restore(scope, stored), () => revive(scope, stored.notes)),
    putVectors: (scope, space, vectors) => {
      const page = of(scope, space)
      page.parts = [...page.parts, ...vectors]
      return store.putVectors(scope, space, vectors)
    },
    purge: (scope) => {
      purged.add(scope)
      return store.purge(scope)
    }
  }
}

/** `on conflict (note, chunk) do update`: a note that is cut into fewer parts than before keeps the rest of the old ones. */
const oldPartsStay = (store: Store): Store => {
  const { of, pages } = ledger()
  const forget = <A>(scope: string, done: A): A => {
    for (const page of pages()) if (page.scope === scope) page.parts = []
    return done
  }
  return {
    ...store,
    putVectors: (scope, space, vectors) => {
      const page = of(scope, space)
      const ids = new Set(vectors.map(({ noteId }) => noteId))
      const fresh = new Set(vectors.map(({ chunk = 0, noteId }) => `${noteId} ${chunk}`))
      const old = page.parts.filter(({ chunk = 0, noteId }) => ids.has(noteId) && !fresh.has(`${noteId} ${chunk}`))
      const merged = [...vectors, ...old]
      page.parts = [...page.parts.filter(({ noteId }) => !ids.has(noteId)), ...merged]
      return store.putVectors(scope, space, merged)
    },
    // what these take away is gone here as well
    remove: (scope, ref, options) => Effect.map(store.remove(scope, ref, options), (removed) => forget(scope, removed)),
    purge: (scope) => Effect.map(store.purge(scope), (count) => forget(scope, count)),
    redact: (scope, noteId, millis) => Effect.map(store.redact(scope, noteId, millis), (ids) => forget(scope, ids))
  }
}

/** `where (created, id) > after`: a note with the same id in a scope that comes later is passed over. */
const pendingWithoutScope = (store: Store): Store => ({
  ...store,
  pending: (space, { after, limit, ...options }) =>
    Effect.map(store.pending(space, { ...options, after, limit: limit + 100 }), (rows) =>
      rows.filter(({ createdMillis, id }) => createdMillis !== after?.createdMillis || id !== after.id).slice(0, limit)
    )
})

/** `order by created, id`: notes with the same id come in the order in which their scopes were first written to. */
const pendingInOrderOfWriting = (store: Store): Store => {
  const scopes: Array<string> = []
  return {
    ...store,
    commit: (scope, change) => {
      if (!scopes.includes(scope)) scopes.push(scope)
      return store.commit(scope, change)
    },
    pending: (space, { after, limit, ...options }) => {
      const early = after && { ...after, scope: "" }
      return Effect.map(store.pending(space, { ...options, after: early, limit: limit + 100 }), (rows) => {
        const isSame = (row: (typeof rows)[number]) => row.createdMillis === after?.createdMillis && row.id === after.id
        const place = ({ scope }: { readonly scope: string }) => scopes.indexOf(scope)
        return rows
          .filter((row) => after === undefined || !isSame(row) || place(row) > place(after))
          .toSorted((a, b) => (a.createdMillis === b.createdMillis && a.id === b.id ? place(a) - place(b) : 0))
          .slice(0, limit)
      })
    }
  }
}

// ----------------------------------------------------------------------------------------------------------- search

const untilIncluded = (store: Store): Store =>
  onFilter(store, ({ until, ...filter }) =>
    until === undefined ? filter : { ...filter, until: DateTime.makeUnsafe(until.epochMilliseconds + 1) }
  )

const firstFieldOnly = (store: Store): Store =>
  onFilter(store, ({ metadata, ...filter }) =>
    metadata === undefined ? filter : { ...filter, metadata: Object.fromEntries(Object.entries(metadata).slice(0, 1)) }
  )

/** An index gives its 40 nearest, as pgvector's does, and the filters choose among these. */
const filteredAfterwards = (store: Store): Store => ({
  ...store,
  search: Effect.fnUntraced(function* (scope, space, query) {
    const found = yield* store.search(scope, space, query)
    const size = Math.max(40, query.limit)
    const best = yield* store.search(scope, space, { ...query, filter: {}, limit: size, candidates: size })
    const contents = new Set(best.matches.map(({ note }) => note.content))
    return { ...found, matches: found.matches.filter(({ note }) => contents.has(note.content)) }
  })
})

/** `plainto_tsquery`. */
const everyWordDemanded = (store: Store): Store => ({
  ...store,
  search: Effect.fnUntraced(function* (scope, space, query) {
    const found = yield* store.search(scope, space, query)
    const words = query.text.split(/\s+/).filter((word) => word !== "")
    const alone = yield* Effect.forEach(words, (text) =>
      store.search(scope, space, { ...query, text, vector: undefined, limit: all, candidates: all })
    )
    const sets = alone
      .filter(({ terms }) => terms > 0)
      .map(({ matches }) => new Set(matches.map(({ note }) => note.content)))
    const matches = found.matches.flatMap((match) => {
      const { lexical, vector: rank } = match.ranks
      if (lexical === undefined || sets.every((contents) => contents.has(match.note.content))) return [match]
      const { vector: score } = match.scores
      return rank === undefined || score === undefined
        ? []
        : [{ ...match, ranks: { vector: rank }, scores: { vector: score } }]
    })
    return { ...found, matches }
  })
})

/** The store with other dates in its queries than were asked for. */
const onDates = (store: Store, change: (query: StoreQuery) => StoreQuery): Store => ({
  ...store,
  search: (scope, space, query) => store.search(scope, space, change(query)),
  survey: (scope, space, query) => store.survey(scope, space, change(query))
})

const datesIgnored = (store: Store): Store => onDates(store, (query) => ({ ...query, dates: undefined }))

/** Prefers notes of the first of several times only. */
const oneOfTheDates = (store: Store): Store =>
  onDates(store, (query) =>
    query.dates === undefined
      ? query
      : { ...query, dates: { ...query.dates, periods: query.dates.periods.slice(0, 1) } }
  )

/** A time has its last moment too. */
const datesUntilIncluded = (store: Store): Store =>
  onDates(store, (query) =>
    query.dates === undefined
      ? query
      : {
          ...query,
          dates: {
            ...query.dates,
            periods: query.dates.periods.map((period) => ({ ...period, untilMillis: period.untilMillis + 1 }))
          }
        }
  )

/** Prefers notes of the times only among the best notes. */
const datesAmongTheBest = (store: Store): Store => ({
  ...store,
  search: Effect.fnUntraced(function* (scope, space, query) {
    const found = yield* store.search(scope, space, query)
    if (query.dates === undefined) return found
    const best = yield* store.search(scope, space, { ...query, dates: undefined, limit: query.candidates })
    const contents = new Set(best.matches.map(({ note }) => note.content))
    return { ...found, matches: found.matches.filter(({ note }) => contents.has(note.content)) }
  })
})

/** Groups the best notes by task: a task with many notes leaves no room for others. */
const tasksOfBestNotes = (store: Store): Store => ({
  ...store,
  survey: Effect.fnUntraced(function* (scope, space, query) {
    const found = yield* store.survey(scope, space, query)
    const limit = 3 * query.limit
    const best = yield* store.search(scope, space, { ...query, limit, candidates: Math.max(limit, query.candidates) })
    const taskIds = new Set(best.matches.map(({ thought }) => thought.taskId))
    return { ...found, tasks: found.tasks.filter(({ taskId }) => taskIds.has(taskId)) }
  })
})

/** Keeps what a note of a commit was made from, but not what an appended one was. */
const appendedFromNothing = (store: Store): Store => ({
  ...store,
  append: (scope, ref, notes) =>
    store.append(
      scope,
      ref,
      notes.map((note) => ({ ...note, derivedFrom: [] }))
    )
})

/** Keeps one note that another was made from, where there may be several. */
const oneSource = (store: Store): Store => ({
  ...store,
  commit: (scope, commit) =>
    store.commit(scope, {
      ...commit,
      notes: commit.notes.map((note) => ({ ...note, derivedFrom: note.derivedFrom.slice(0, 1) }))
    })
})

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "dates ignored",
    breaks: "Notes of the times that a question names have a greater score: they have the same.",
    mutate: datesIgnored
  },
  {
    name: "one of the dates",
    breaks: "Notes of each of the times have a greater score: only those of the first have.",
    mutate: oneOfTheDates
  },
  {
    name: "dates until included",
    breaks: "A time ends before its last moment: a note of that moment is preferred too.",
    mutate: datesUntilIncluded
  },
  {
    name: "dates among the best",
    breaks: "Notes of the times are found behind any number of better ones: only among the candidates.",
    mutate: datesAmongTheBest
  },
  {
    name: "appended from nothing",
    breaks: "A note keeps what it was derived from: of an appended one, that is lost.",
    mutate: appendedFromNothing
  },
  {
    name: "one source",
    breaks: "A note keeps all that it was derived from: of several notes, the first is kept.",
    mutate: oneSource
  },
  {
    name: "stale conversation",
    breaks: "commit fails with ConcurrencyConflict on another version: one that adds no note passes with any.",
    mutate: staleConversation
  },
  {
    name: "several apart",
    breaks: "before is written in the same transaction: when a commit is refused, those before it stay.",
    mutate: severalApart
  },
  {
    name: "parent apart",
    breaks: "A commit is written at once or not at all: when the fork is refused, what is new of its parent stays.",
    mutate: parentApart
  },
  {
    name: "restored as new",
    breaks: "restore writes a thought with the version it had: it gets version 1.",
    mutate: restoredAsNew
  },
  {
    name: "taken ids passed over",
    breaks:
      "append refuses a note whose id is another note's and adds none: it leaves that note out and adds the others.",
    mutate: takenIdsPassedOver
  },
  {
    name: "appended as UTF-8",
    breaks: "Texts come back exactly: half a surrogate pair in an appended note becomes U+FFFD.",
    mutate: appendedAsUtf8
  },
  {
    name: "redacted in one conversation",
    breaks: "redact takes the entries that show the note away: those of other thoughts than its own stay.",
    mutate: redactedInOneConversation
  },
  {
    name: "trace of any scope",
    breaks: "No call crosses a scope: load by trace id finds the thought of another one.",
    mutate: traceOfAnyScope
  },
  {
    name: "one bound for all above",
    breaks:
      "A fork shares the notes up to its fork point: a fork of a fork sees what the first thought added after it.",
    mutate: oneBoundForAllAbove
  },
  {
    name: "numbers used again",
    breaks:
      "nextIndex is what was committed: it is counted anew, so that the number of a removed last entry is used again.",
    mutate: numbersUsedAgain
  },
  {
    name: "hidden forgotten",
    breaks: "A thought comes back as it was committed: which notes are out of its sight is lost.",
    mutate: hiddenForgotten
  },
  {
    name: "children after a moment",
    breaks: "A page has the rows that come after one by creation and id: children of the same moment are passed over.",
    mutate: childrenAfterAMoment
  },
  {
    name: "newest by rising id",
    breaks: "Newest first is the other way round in creation and id: thoughts of one moment come by rising id.",
    mutate: newestByRisingId
  },
  {
    name: "vectors outlive a purge",
    breaks: "purge deletes everything of the scope: vectors stay, and a note that is stored again has them.",
    mutate: vectorsOutliveAPurge
  },
  {
    name: "old parts stay",
    breaks: "Vectors replace what the note had: parts past the new ones stay.",
    mutate: oldPartsStay
  },
  {
    name: "pending without scope",
    breaks: "pending gives the notes after one by moment, id and scope: the same id in a later scope is passed over.",
    mutate: pendingWithoutScope
  },
  {
    name: "pending in the order of writing",
    breaks: "pending gives notes by moment, id and scope: those of the same id come in the order of their writing.",
    mutate: pendingInOrderOfWriting
  },
  {
    name: "redacted anew",
    breaks: "redact does nothing a second time: it moves the time of the redaction.",
    mutate: redactedAnew
  },
  {
    name: "until included",
    breaks: "until finds only notes created before it: one of that moment is found.",
    mutate: untilIncluded
  },
  {
    name: "first field only",
    breaks: "metadata demands all fields given: only the first one counts.",
    mutate: firstFieldOnly
  },
  {
    name: "filtered afterwards",
    breaks: "search gives as many as match up to the limit: only those among the 40 best without filters.",
    mutate: filteredAfterwards
  },
  {
    name: "every word demanded",
    breaks: "Notes are ranked by the words they have: one that lacks a word of the text is not found by words.",
    mutate: everyWordDemanded
  },
  {
    name: "tasks of the best notes",
    breaks:
      "limit counts tasks, however many notes one has: only tasks of the three times as many best notes are found.",
    mutate: tasksOfBestNotes
  }
]
