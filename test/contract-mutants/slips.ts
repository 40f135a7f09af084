/** Stores with a fault so small that one line of the contract alone finds it: what they write and list. */
import * as Effect from "effect/Effect"
import { MemoryError, type Space } from "../../src/Memory.ts"
import type { Store, StoreQuery } from "../../src/Store.ts"
import type { Note } from "../../src/Note.ts"
import type { Mutant } from "./mutants.ts"

/** More than any store of a test has. */
const all = 1_000_000

const refused = ({ reason }: MemoryError) => reason._tag === "Query"

/** `update notes set derived_from = $1 where thought_id = $2 and derived_from = '{}'`. */
const sourcesForAll = (store: Store): Store => ({
  ...store,
  load: (scope, ref) =>
    Effect.map(store.load(scope, ref), (stored) => {
      if (stored === undefined) return undefined
      let above: Note["derivedFrom"] = []
      const notes = stored.notes.map((note) => {
        if (note.derivedFrom.length > 1) above = note.derivedFrom
        return note.derivedFrom.length === 0 ? { ...note, derivedFrom: above } : note
      })
      return { ...stored, notes }
    })
})

/** `key like '%' || $1`. */
const copiesByEnd = (store: Store): Store => ({
  ...store,
  redact: (scope, noteId, millis, what) =>
    Effect.gen(function* () {
      const rows = yield* store.thoughts(scope, { taskId: undefined, order: "oldest", limit: all, after: undefined })
      const stored = yield* Effect.forEach(rows, ({ id }) => store.load(scope, { id }))
      const notes = stored.flatMap((one) => one?.notes ?? [])
      const made = notes.find(({ id }) => id === noteId)
      const gone = yield* store.redact(scope, noteId, millis, what)
      if (what !== "copies" || gone === undefined || made === undefined) return gone
      const copies = notes.filter(
        ({ content, created, derivedFrom, key, source, step }) =>
          derivedFrom.includes(noteId) &&
          made.key.endsWith(key) &&
          [content, source, step].join() === [made.content, made.source, made.step].join() &&
          created.epochMilliseconds === made.created.epochMilliseconds
      )
      const more = yield* Effect.forEach(copies, ({ id }) => store.redact(scope, id, millis, what))
      return [...new Set([...gone, ...more.flatMap((ids) => ids ?? [])])].toSorted()
    })
})

const anythingForced = (store: Store): Store => ({
  ...store,
  dropSpace: (space, options) =>
    Effect.catchIf(
      store.dropSpace(space, options),
      (error) => options?.force === true && refused(error),
      () => Effect.void
    )
})

/** `from vectors join notes using (note_id) where content = $1`. */
const copiedFromAnyScope = (store: Store): Store => {
  const contents = new Map<string, string>()
  const known = new Map<string, Parameters<Store["putVectors"]>[2]>()
  const nameOf = ({ dimensions, embedder }: Space, content: string) => JSON.stringify([embedder, dimensions, content])
  const learn = (space: Space, scope: string) =>
    Effect.map(store.pending(space, { scope, limit: all }), (pending) => {
      for (const { content, id } of pending) contents.set(id, content)
      return pending
    })
  return {
    ...store,
    putVectors: (scope, space, vectors) =>
      Effect.gen(function* () {
        yield* learn(space, scope)
        for (const { noteId } of vectors) {
          const of = vectors.filter((one) => one.noteId === noteId)
          known.set(nameOf(space, contents.get(noteId) ?? noteId), of)
        }
        return yield* store.putVectors(scope, space, vectors)
      }),
    copyVectors: (scope, space, ids) =>
      Effect.gen(function* () {
        const copied = yield* store.copyVectors(scope, space, ids)
        const rest = (yield* learn(space, scope)).flatMap(({ content, id }) => {
          const of = known.get(nameOf(space, content))
          return of === undefined || !ids.includes(id) ? [] : [of.map((one) => ({ ...one, noteId: id }))]
        })
        yield* store.putVectors(scope, space, rest.flat())
        return [...copied, ...rest.flatMap(([one]) => one?.noteId ?? [])]
      })
  }
}

/** Takes other signs that nobody sees for blanks. */
const unseenIsBlank = (store: Store): Store => ({
  ...store,
  pending: (...given) =>
    Effect.map(store.pending(...given), (found) => found.filter(({ content }) => /[^\u0085\u180e\u200b]/.test(content)))
})

/** `select … limit 20`, in no order. */
const someCopiesNamed = (store: Store): Store => {
  const oldest = new Map<string, { readonly millis: number; readonly thoughtId: string }>()
  return {
    ...store,
    commit: (scope, commit) => {
      for (const { content, created, thoughtId } of commit.notes) {
        const before = oldest.get(`${scope} ${content}`)?.millis ?? Infinity
        const millis = created.epochMilliseconds
        if (millis < before) oldest.set(`${scope} ${content}`, { millis, thoughtId })
      }
      return store.commit(scope, commit)
    },
    search: (scope, space, query) =>
      Effect.map(store.search(scope, space, query), (found) => ({
        ...found,
        matches: found.matches.map((match) => {
          const first = oldest.get(`${scope} ${match.note.content}`)?.thoughtId
          const { alsoIn = [] } = match
          return alsoIn.length < 20 || first === undefined
            ? match
            : { ...match, alsoIn: [first, ...alsoIn.filter((id) => id !== first).slice(-19)] }
        })
      }))
  }
}

const apostropheCounted = (store: Store): Store => ({
  ...store,
  search: (scope, space, query) =>
    Effect.map(store.search(scope, space, query), (found) => ({
      ...found,
      terms: found.terms + (/\w's\b/.test(query.text) ? 1 : 0)
    }))
})

/** `1 - distance`. */
const oppositeBelowZero = (store: Store): Store => ({
  ...store,
  survey: (scope, space, query: StoreQuery) =>
    Effect.map(store.survey(scope, space, query), (found) => ({
      ...found,
      tasks: found.tasks.map((task) => {
        const isOpposite = task.matches.every(({ scores, similarity }) => similarity === 0 && scores.vector === 0)
        return isOpposite ? { ...task, similarity: -1 } : task
      })
    }))
})

const forkNamed = (store: Store): Store => ({
  ...store,
  remove: (scope, ref, options) =>
    Effect.catchTag(store.remove(scope, ref, options), "MemoryError", (error) =>
      Effect.flatMap(store.children(scope, ref, { limit: 1, after: undefined }), (children) => {
        const { reason } = error
        const thoughtId = children?.[0]?.id ?? ""
        return reason._tag === "HasForks" ? new MemoryError({ reason: { ...reason, thoughtId } }) : error
      })
    )
})

const childrenByIdOnly = (store: Store): Store => ({
  ...store,
  children: (scope, ref, page) =>
    Effect.map(store.children(scope, ref, page), (rows) => rows && ("traceId" in ref ? [] : rows))
})

/** `duplicate key value: Key (scope, trace_id)=(a, ticket 7) already exists.` */
const traceTold = (store: Store): Store => ({
  ...store,
  commit: (scope, commit) =>
    Effect.mapError(store.commit(scope, commit), ({ reason }) => {
      const message = `${reason.message} Key (trace_id)=(${commit.thought.traceId}) already exists.`
      return new MemoryError({ reason: reason._tag === "Query" ? { ...reason, message } : reason })
    })
})

/** `where metadata = $1`, if nothing is demanded. */
const withoutMetadata = (store: Store): Store => ({
  ...store,
  search: (scope, space, query) =>
    Effect.map(store.search(scope, space, query), (found) => {
      const { metadata } = query.filter
      if (metadata === undefined || Object.keys(metadata).length > 0) return found
      return { ...found, matches: found.matches.filter(({ note }) => Object.keys(note.metadata).length === 0) }
    })
})

export const slipMutants: ReadonlyArray<Mutant> = [
  {
    name: "sources for all",
    breaks: "remove passes sources on to what was derived from its notes: other notes of that thought get them too.",
    mutate: sourcesForAll
  },
  {
    name: "copies by the end of the key",
    breaks: "redact as copies takes a key after a dot for that of a copy: it takes any end of it.",
    mutate: copiesByEnd
  },
  {
    name: "anything forced",
    breaks: "dropSpace refuses the active space, also by force: it only leaves it.",
    mutate: anythingForced
  },
  {
    name: "copied from any scope",
    breaks: "copyVectors copies within a scope: it copies from others too.",
    mutate: copiedFromAnyScope
  },
  {
    name: "unseen is blank",
    breaks: "pending leaves out blank notes: it leaves out those of other unseen signs too.",
    mutate: unseenIsBlank
  },
  {
    name: "some copies named",
    breaks: "alsoIn names the newest copies: of more than 20 it names the oldest too.",
    mutate: someCopiesNamed
  },
  {
    name: "apostrophe counted",
    breaks: "terms counts the words that were searched for: it counts the s after an apostrophe.",
    mutate: apostropheCounted
  },
  {
    name: "opposite below zero",
    breaks: "The similarity of a task is at least 0: that of an opposite one is -1.",
    mutate: oppositeBelowZero
  },
  {
    name: "fork named",
    breaks: "HasForks names the thought that was to be removed: it names its fork.",
    mutate: forkNamed
  },
  {
    name: "children by id only",
    breaks: "children accepts a trace id: it returns no thoughts for one.",
    mutate: childrenByIdOnly
  },
  {
    name: "trace told",
    breaks: "An error of a commit holds no text of the thought: it holds the trace id.",
    mutate: traceTold
  },
  {
    name: "without metadata",
    breaks: "A filter with empty metadata matches all notes: it matches only notes without metadata.",
    mutate: withoutMetadata
  }
]
