/** A store in plain memory, with the same promises as the databases. */
import * as Effect from "effect/Effect"
import type { Commit, Match, SearchOptions, Space, Store, ThoughtRow } from "../Memory.ts"
import type { Note } from "../Note.ts"
import type { Entry } from "../Session.ts"
import { MemoryError } from "./memoryError.ts"
import type { Usage } from "./usage.ts"

interface Row {
  readonly thought: ThoughtRow
  readonly version: number
  /** Own notes only. */
  readonly notes: ReadonlyArray<Note>
  readonly entries: ReadonlyArray<Entry>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

type Tenant = Map<string, Row>

const conflict = (thoughtId: string, why: string) =>
  new MemoryError({
    reason: {
      _tag: "ConcurrencyConflict",
      thoughtId,
      message: `The thought ${thoughtId} ${why}. Load it again and repeat what is missing.`
    }
  })

export const makeStore: Effect.Effect<Store> = Effect.sync(() => {
  const tenants = new Map<string, Tenant>()
  const spaces = new Map<string, Map<string, Float32Array>>()
  const tenant = (scope: string): Tenant => tenants.get(scope) ?? new Map()
  const vectorsOf = (space: Space) => spaces.get(spaceKey(space)) ?? new Map<string, Float32Array>()
  const notesOf = (scope: string) => [...tenant(scope).values()].flatMap((row) => row.notes.map((note) => ({ note, row })))

  /** Notes of the row and of those it descends from, or nothing when an ancestor is missing. */
  const lineage = (rows: Tenant, row: Row): ReadonlyArray<Note> => {
    const { parent } = row.thought
    const above = parent === undefined ? undefined : rows.get(parent.id)
    return above === undefined || parent === undefined
      ? row.notes
      : [...lineage(rows, above).filter((note) => note.seq <= parent.seq), ...row.notes]
  }

  /** Applies a commit to rows of its own, so that a refusal leaves nothing behind. */
  const apply = (rows: Tenant, commit: Commit): MemoryError | undefined => {
    const { thought } = commit
    const old = rows.get(thought.id)
    if (commit.parent !== undefined) {
      const above = rows.get(commit.parent.thought.id)
      if ((above?.version ?? 0) === commit.parent.version) {
        const failure = apply(rows, commit.parent)
        if (failure !== undefined) return failure
      } else {
        const last = commit.parent.notes.at(-1)
        if (above === undefined || (last !== undefined && !lineage(rows, above).some((note) => note.id === last.id))) {
          return conflict(thought.id, "was forked from notes that its parent does not have")
        }
      }
    }
    if ((old?.version ?? 0) !== commit.version) return conflict(thought.id, "has changed in the store")
    if (old === undefined && [...rows.values()].some((row) => row.thought.traceId === thought.traceId)) {
      return conflict(thought.id, "has a trace id that another thought already has")
    }
    const base: Row = old ?? { thought, version: 0, notes: [], entries: [], nextIndex: 0, usage: undefined }
    const next = lineage(rows, base).length + 1
    if (commit.notes.some((note, i) => note.seq !== next + i)) {
      return conflict(thought.id, "has notes whose numbers do not follow the stored ones")
    }
    const removed = new Set(commit.removed)
    rows.set(thought.id, {
      thought: base.thought,
      version: base.version + 1,
      notes: [...base.notes, ...commit.notes],
      entries: [...base.entries.filter((entry) => !removed.has(entry.index)), ...commit.entries],
      nextIndex: commit.nextIndex,
      usage: commit.usage
    })
    return undefined
  }

  return {
    commit: (scope, commit) =>
      Effect.suspend(() => {
        const rows = new Map(tenant(scope))
        const failure = apply(rows, commit)
        if (failure !== undefined) return Effect.fail(failure)
        tenants.set(scope, rows)
        return Effect.succeed(rows.get(commit.thought.id)!.version)
      }),
    load: (scope, ref) =>
      Effect.sync(() => {
        const rows = tenant(scope)
        const row = "id" in ref
          ? rows.get(ref.id)
          : [...rows.values()].find((candidate) => candidate.thought.traceId === ref.traceId)
        return row === undefined ? undefined : { ...row, notes: lineage(rows, row) }
      }),
    openSpace: (space) =>
      Effect.sync(() => {
        if (!spaces.has(spaceKey(space))) spaces.set(spaceKey(space), new Map())
      }),
    putVectors: (scope, space, vectors) =>
      Effect.sync(() => {
        const known = new Set(notesOf(scope).map(({ note }) => note.id))
        for (const { noteId, vector } of vectors) if (known.has(noteId)) vectorsOf(space).set(noteId, vector)
      }),
    pending: (space, options) =>
      Effect.sync(() =>
        (options.scope === undefined ? [...tenants.keys()] : [options.scope])
          .flatMap((scope) => notesOf(scope).map(({ note }) => ({ scope, id: note.id, content: note.content })))
          .filter((note) => !vectorsOf(space).has(note.id))
          .slice(0, options.limit)
      ),
    countPending: (scope, space) =>
      Effect.sync(() => notesOf(scope).filter(({ note }) => !vectorsOf(space).has(note.id)).length),
    nearest: (scope, space, vector, options) =>
      Effect.sync(() =>
        notesOf(scope)
          .filter(({ note, row }) => allows(options, note, row.thought))
          .flatMap(({ note, row }) => {
            const stored = vectorsOf(space).get(note.id)
            return stored === undefined ? [] : [matchOf(note, row.thought, cosine(vector, stored))]
          })
          .filter((match) => match.similarity >= (options.minSimilarity ?? 0))
          .sort((a, b) => b.similarity - a.similarity || (a.note.id < b.note.id ? -1 : 1))
          .slice(0, options.limit)
      )
  }
})

const spaceKey = (space: Space) => JSON.stringify([space.embedder, space.dimensions, space.metric])

const matchOf = (note: Note, thought: ThoughtRow, similarity: number): Omit<Match, "score" | "ranks"> => ({
  note,
  thought: { id: thought.id, traceId: thought.traceId, taskId: thought.taskId, intent: thought.intent },
  similarity: Math.min(1, Math.max(0, similarity))
})

const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

const allows = (options: SearchOptions, note: Note, thought: ThoughtRow): boolean =>
  (options.keys === undefined || options.keys.includes(note.key)) &&
  (options.sources === undefined || options.sources.includes(note.source)) &&
  !(options.excludeSources ?? []).includes(note.source) &&
  (options.taskId === undefined || thought.taskId === options.taskId) &&
  !(options.excludeThoughts ?? []).includes(note.thoughtId) &&
  (options.since === undefined || note.created.epochMilliseconds >= options.since.epochMilliseconds) &&
  (options.until === undefined || note.created.epochMilliseconds < options.until.epochMilliseconds) &&
  (options.trust === undefined || note.trust === options.trust) &&
  Object.entries(options.metadata ?? {}).every(([field, value]) => note.metadata[field] === value)
