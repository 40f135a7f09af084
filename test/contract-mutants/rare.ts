/** Stores that are right but in one case, which a single check of the contract is about. */
import * as Effect from "effect/Effect"
import { MemoryError } from "../../src/Memory.ts"
import type { Commit, Ledger, Store } from "../../src/Store.ts"
import { onLedger } from "./ledger.ts"
import type { Mutant } from "./mutants.ts"

/** What is new of the parent is written again if a row of the fork was refused. */
const parentKept = (store: Store): Store => ({
  ...store,
  commit: (scope, commit) =>
    Effect.tapError(store.commit(scope, commit), ({ reason }) =>
      reason._tag === "Query" && commit.parent !== undefined
        ? Effect.ignore(store.commit(scope, commit.parent))
        : Effect.void
    )
})

/** The version of the thought is looked at before the run: a process that has lost the run may hear of a conflict. */
const conflictFirst = (store: Store): Store => ({
  ...store,
  commit: (scope, { ledger, ...commit }) =>
    Effect.flatMap(store.load(scope, { id: commit.thought.id }), (stored) =>
      ledger === undefined || (stored?.version ?? 0) !== commit.version
        ? store.commit(scope, commit)
        : store.commit(scope, { ...commit, ledger })
    )
})

/** `where status <> 'running'`. */
const pendingRemoved = (store: Store): Store =>
  onLedger(store, ({ claim, load, record, remove }) => ({
    remove: (scope, runId) =>
      Effect.gen(function* () {
        if ((yield* load(scope, runId))?.run.status === "pending") {
          const taken = yield* claim(scope, runId, { owner: "remover", millis: 1000, seize: true })
          const ends = { status: "failed", end: undefined, error: undefined, endedMillis: 0 } as const
          yield* record(scope, { runId, epoch: taken?.run.epoch ?? 0, ends })
        }
        return yield* remove(scope, runId)
      })
  }))

/** `update … where run = $1 or frame = $2`, though it gives back the row of the frame alone. */
const anyAnswered = (store: Store): Store =>
  onLedger(store, ({ answer, load }) => ({
    answer: Effect.fnUntraced(function* (scope, wait, given) {
      const answered = yield* answer(scope, wait, given)
      if (answered !== undefined) return answered
      const { waits = [] } = (yield* load(scope, wait.runId)) ?? {}
      for (const { frame, runId } of waits) yield* answer(scope, { frame, runId }, given)
      return undefined
    })
  }))

/** Only the note itself is marked as redacted: those that lose their text with it are blank, and listed all the same. */
const summariesPending = (store: Store): Store => {
  const blank = new Map<string, ReadonlyArray<string>>()
  return {
    ...store,
    redact: (scope, noteId, ...rest) =>
      Effect.tap(store.redact(scope, noteId, ...rest), (redacted = []) =>
        Effect.sync(() =>
          blank.set(
            scope,
            redacted.filter((id) => id !== noteId)
          )
        )
      ),
    pending: (space, options) =>
      Effect.map(store.pending(space, options), (listed) => {
        const { after, scope } = options
        const ids = after === undefined && scope !== undefined ? (blank.get(scope) ?? []) : []
        return [...ids.map((id) => ({ scope: scope ?? "", id, content: "", createdMillis: 0 })), ...listed]
      })
  }
}

/** `lower(value) = lower($1)`. */
const metadataInAnyCase = (store: Store): Store => ({
  ...store,
  search: Effect.fnUntraced(function* (scope, space, query) {
    const found = yield* store.search(scope, space, query)
    const given = query.filter.metadata
    if (given === undefined || found.matches.length > 0) return found
    const metadata = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.toLowerCase()]))
    return yield* store.search(scope, space, { ...query, filter: { ...query.filter, metadata } })
  })
})

/** Compares the texts of notes with the same id, and not their keys. */
const keysNotCompared = (store: Store): Store => ({
  ...store,
  append: (scope, ref, notes) =>
    Effect.flatMap(store.load(scope, ref), (stored) => {
      const known = new Map(stored?.notes.map((note) => [note.id, note] as const))
      const asKnown = notes.map((note) => {
        const old = known.get(note.id)
        return old?.content === note.content ? { ...note, key: old.key } : note
      })
      return store.append(scope, ref, asKnown)
    })
})

const firstCopyOnly = (store: Store): Store => ({
  ...store,
  copyVectors: (...given) => Effect.map(store.copyVectors(...given), (ids) => ids.slice(0, 1))
})

/** Looks for redacted notes in some commits alone, and not in these. */
const shownAgain =
  (isPassed: (commit: Commit) => boolean) =>
  (store: Store): Store => {
    const redacted = new Set<string>()
    const isKept = (id: string) => !redacted.has(id)
    return {
      ...store,
      redact: (...given) =>
        Effect.tap(store.redact(...given), (gone = []) =>
          Effect.sync(() => {
            for (const id of gone) redacted.add(id)
          })
        ),
      commit: (scope, commit) =>
        store.commit(
          scope,
          !isPassed(commit)
            ? commit
            : {
                ...commit,
                entries: commit.entries.map((entry) => ({
                  ...entry,
                  carries: entry.carries.filter(isKept),
                  covers: entry.covers.filter(isKept)
                }))
              }
        )
    }
  }

/** `check (kind in (…) and state in (…))`, without some. */
const callsLeftOut =
  (isLeftOut: (call: Ledger.CallRow) => boolean) =>
  (store: Store): Store =>
    onLedger(store, ({ record }) => ({
      record: (scope, rows) =>
        rows.calls?.some(isLeftOut) === true
          ? Effect.fail(new MemoryError({ reason: { _tag: "Query", code: "23514", message: "calls_check" } }))
          : record(scope, rows)
    }))

/** Nothing to append is nothing to do. */
const nothingToUnknown = (store: Store): Store => ({
  ...store,
  append: (scope, ref, notes) =>
    Effect.map(store.append(scope, ref, notes), (stored) => stored ?? (notes.length === 0 ? [] : undefined))
})

/** Finds no thought by its trace, and takes the trace for a new one. */
const unknownTraceTaken = (store: Store): Store => ({
  ...store,
  append: (scope, ref, notes) =>
    Effect.map(store.append(scope, ref, notes), (stored) => stored ?? ("traceId" in ref ? [] : undefined))
})

/** `delete … returning id`, which returns no rows. */
const unknownRedacted = (store: Store): Store => ({
  ...store,
  redact: (scope, noteId, ...rest) =>
    Effect.map(store.redact(scope, noteId, ...rest), (gone) => gone ?? (noteId === "no id" ? [] : undefined))
})

/** `power(0.5, age / half_life)`, and the age may be below zero. */
const futurePreferred = (store: Store): Store => ({
  ...store,
  search: (scope, space, query) =>
    Effect.map(store.search(scope, space, query), (found) => {
      const { recency } = query
      if (recency === undefined) return found
      const { halfLifeMillis, nowMillis, weight } = recency
      const matches = found.matches.map((match) => {
        const age = nowMillis - match.note.created.epochMilliseconds
        const more = (1 + weight * (0.5 ** (age / halfLifeMillis) - 0.5)) / (1 + weight * 0.5)
        return age < 0 ? { ...match, score: match.score * more } : match
      })
      return { ...found, matches: matches.toSorted((a, b) => b.score - a.score) }
    })
})

export const rareMutants: ReadonlyArray<Mutant> = [
  {
    name: "conflict first",
    breaks:
      "A process that has lost the run is told so, whatever the version of the thought: it is told of a conflict.",
    mutate: conflictFirst
  },
  {
    name: "pending removed",
    breaks: "A run that is to begin is not removed: it is.",
    mutate: pendingRemoved
  },
  {
    name: "metadata in any case",
    breaks: "metadata demands the very values: capitals count as small letters.",
    mutate: metadataInAnyCase
  },
  {
    name: "keys not compared",
    breaks: "append refuses the id of another note: one with its text but another key counts as repeated.",
    mutate: keysNotCompared
  },
  {
    name: "first copy only",
    breaks: "copyVectors says which notes have a vector now: it says the first one.",
    mutate: firstCopyOnly
  },
  {
    name: "shown again",
    breaks: "No commit shows a redacted note again: that of a stored thought may.",
    mutate: shownAgain(({ version }) => version > 0)
  },
  {
    name: "shown again in a fork",
    breaks: "No commit shows a redacted note again: that of a new fork may.",
    mutate: shownAgain(({ version }) => version === 0)
  },
  ...(["decide", "search", "effect", "decision", "once"] as const).map((kind) => ({
    name: `no ${kind}`,
    breaks: `record keeps calls of every kind: those of the kind ${kind} are refused.`,
    mutate: callsLeftOut((call) => call.kind === kind)
  })),
  ...(["due", "failed", "interrupted"] as const).map((state) => ({
    name: `none ${state}`,
    breaks: `record keeps calls of every state: those that are ${state} are refused.`,
    mutate: callsLeftOut((call) => call.state === state)
  })),
  {
    name: "nothing to unknown",
    breaks: "append reports an unknown thought: it succeeds if no notes are given.",
    mutate: nothingToUnknown
  },
  {
    name: "unknown trace taken",
    breaks: "append reports an unknown trace id: it invents a thought for it.",
    mutate: unknownTraceTaken
  },
  {
    name: "unknown redacted",
    breaks: "redact reports an unknown note: it succeeds for a text that is not an id.",
    mutate: unknownRedacted
  },
  {
    name: "parent kept",
    breaks: "A commit that fails leaves nothing behind: the parent of a fork stays when a row of the fork is refused.",
    mutate: parentKept
  },
  {
    name: "future preferred",
    breaks: "A note of the future counts as one of now: the later it is, the more it counts.",
    mutate: futurePreferred
  },
  {
    name: "any answered",
    breaks: "answer changes nothing where there is no such question: it answers the others of the run.",
    mutate: anyAnswered
  },
  {
    name: "summaries pending",
    breaks: "A redacted note is never pending: those that are redacted with another one are listed without their text.",
    mutate: summariesPending
  }
]
