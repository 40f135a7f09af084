/** A store in plain memory, with the same promises as the databases. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Commit, Match, SearchOptions, Space, Store, ThoughtRow } from "../Memory.ts"
import type { Note } from "../Note.ts"
import type { Entry } from "../Session.ts"
import { MemoryError } from "./memoryError.ts"
import { lifecycle } from "./memoryStoreLifecycle.ts"
import type { Usage } from "./usage.ts"

export interface Row {
  readonly thought: ThoughtRow
  readonly version: number
  /** Own notes only. */
  readonly notes: ReadonlyArray<Note>
  readonly entries: ReadonlyArray<Entry>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

/** What is there of a scope, or what a commit would add to it. */
export interface Tenant {
  readonly rows: Map<string, Row>
  readonly idOfTrace: Map<string, string>
  readonly noteIds: Set<string>
  /** Those of them whose content was taken away. */
  readonly redacted: Set<string>
}

const nobody = (): Tenant => ({ rows: new Map(), idOfTrace: new Map(), noteIds: new Set(), redacted: new Set() })

const conflict = (thoughtId: string, why: string) =>
  new MemoryError({
    reason: {
      _tag: "ConcurrencyConflict",
      thoughtId,
      message: `The thought ${thoughtId} ${why}. Load it again and repeat what is missing.`
    }
  })

const duplicate = (message: string) => new MemoryError({ reason: { _tag: "Query", code: "23505", message } })

export const makeStore: Effect.Effect<Store> = Effect.sync(() => {
  const tenants = new Map<string, Tenant>()
  /** Per scope and space, the vector of each note that has one. */
  const vectors = new Map<string, Map<string, Float32Array>>()
  const vectorsOf = (scope: string, space: Space) =>
    vectors.get(vectorsKey(scope, space)) ?? new Map<string, Float32Array>()
  const notesOf = (scope: string, space: Space) => {
    const known = vectorsOf(scope, space)
    return [...(tenants.get(scope) ?? nobody()).rows.values()].flatMap(({ notes, thought }) =>
      notes
        .filter((note) => note.redacted === undefined)
        .map((note) => ({ scope, note, thought, vector: known.get(note.id) }))
    )
  }

  const write = (scope: string, commit: Commit) => {
    const there = tenants.get(scope) ?? nobody()
    const added = nobody()
    return Result.map(stage(there, added, commit), (version) => {
      for (const [id, row] of added.rows) there.rows.set(id, row)
      for (const [traceId, id] of added.idOfTrace) there.idOfTrace.set(traceId, id)
      for (const id of added.noteIds) there.noteIds.add(id)
      tenants.set(scope, there)
      return version
    })
  }

  return {
    ...lifecycle({
      tenants,
      rowOf,
      byCreation,
      create: (scope, { version, ...stored }) =>
        Result.map(write(scope, { ...stored, version: 0, removed: [], parent: undefined }), () => {
          const rows = tenants.get(scope)?.rows
          const row = rows?.get(stored.thought.id)
          if (row !== undefined) rows?.set(stored.thought.id, { ...row, version })
          for (const { id, redacted } of stored.notes) {
            if (redacted !== undefined) tenants.get(scope)?.redacted.add(id)
          }
        }),
      forgetVectors: (scope, noteIds) => {
        for (const [key, known] of vectors) {
          if (!key.startsWith(`${JSON.stringify([scope]).slice(0, -1)},`)) continue
          for (const id of noteIds ?? known.keys()) known.delete(id)
        }
      }
    }),
    commit: (scope, commit) => Effect.suspend(() => Effect.fromResult(write(scope, commit))),
    load: (scope, ref) =>
      Effect.sync(() => {
        const tenant = tenants.get(scope) ?? nobody()
        const row = rowOf(tenant, ref)
        return row === undefined ? undefined : { ...row, notes: lineage(tenant.rows, row) }
      }),
    ancestors: (scope, ref) =>
      Effect.sync(() => {
        const tenant = tenants.get(scope) ?? nobody()
        const row = rowOf(tenant, ref)
        return row === undefined ? undefined : above(tenant.rows, row.thought)
      }),
    children: (scope, ref, { after, limit }) =>
      Effect.sync(() => {
        const tenant = tenants.get(scope) ?? nobody()
        const row = rowOf(tenant, ref)
        if (row === undefined) return undefined
        return Array.from(tenant.rows.values(), ({ thought }) => thought)
          .filter(({ parent }) => parent?.id === row.thought.id)
          .filter((child) => after === undefined || byCreation(child, after) > 0)
          .toSorted(byCreation)
          .slice(0, limit)
      }),
    // vectors need no room made for them
    openSpace: () => Effect.void,
    putVectors: (scope, space, given) =>
      Effect.sync(() => {
        const { noteIds, redacted } = tenants.get(scope) ?? nobody()
        const known = vectorsOf(scope, space)
        for (const { noteId, vector } of given) {
          if (noteIds.has(noteId) && !redacted.has(noteId)) known.set(noteId, vector.slice())
        }
        vectors.set(vectorsKey(scope, space), known)
      }),
    pending: (space, options) =>
      Effect.sync(() =>
        (options.scope === undefined ? [...tenants.keys()] : [options.scope])
          .flatMap((scope) => notesOf(scope, space).filter(({ vector }) => vector === undefined))
          .slice(0, options.limit)
          .map(({ note, scope }) => ({ scope, id: note.id, content: note.content }))
      ),
    countPending: (scope, space) =>
      Effect.sync(() => notesOf(scope, space).filter(({ vector }) => vector === undefined).length),
    nearest: (scope, space, query, options) =>
      Effect.sync(() =>
        notesOf(scope, space)
          .filter(({ note, thought }) => allows(options, note, thought))
          .flatMap(({ note, thought, vector }) =>
            vector === undefined ? [] : [matchOf(note, thought, cosine(query, vector))]
          )
          .filter((match) => match.similarity >= (options.minSimilarity ?? 0))
          .toSorted((a, b) => b.similarity - a.similarity || (a.note.id < b.note.id ? -1 : 1))
          .slice(0, options.limit)
      )
  }
})

const rowOf = ({ idOfTrace, rows }: Tenant, ref: { readonly id: string } | { readonly traceId: string }) =>
  rows.get("id" in ref ? ref.id : (idOfTrace.get(ref.traceId) ?? ""))

/** The thoughts that one descends from, the oldest first. */
const above = (rows: ReadonlyMap<string, Row>, { parent }: ThoughtRow): ReadonlyArray<ThoughtRow> => {
  const next = parent === undefined ? undefined : rows.get(parent.id)?.thought
  return next === undefined ? [] : [...above(rows, next), next]
}

const byCreation = (a: Pick<ThoughtRow, "id" | "createdMillis">, b: Pick<ThoughtRow, "id" | "createdMillis">) =>
  a.createdMillis - b.createdMillis || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Notes of the row and of those it descends from. */
const lineage = (rows: ReadonlyMap<string, Row>, row: Row): ReadonlyArray<Note> => {
  const { parent } = row.thought
  const above = parent === undefined ? undefined : rows.get(parent.id)
  return above === undefined || parent === undefined
    ? row.notes
    : [...lineage(rows, above).filter((note) => note.seq <= parent.seq), ...row.notes]
}

/** How many notes the thought has, those it begins with included. */
const length = ({ notes, thought }: Row): number => notes.at(-1)?.seq ?? thought.parent?.seq ?? 0

/** Puts what a commit adds apart from what is there, so that a refusal leaves nothing behind. Gives the new version. */
const stage = (there: Tenant, added: Tenant, commit: Commit): Result.Result<number, MemoryError> => {
  const { thought } = commit
  const refuse = (why: string) => Result.fail(conflict(thought.id, why))
  const unknownParent = "was forked from notes that its parent does not have"
  const get = (id: string) => added.rows.get(id) ?? there.rows.get(id)
  if (commit.parent !== undefined) {
    const above = get(commit.parent.thought.id)
    if ((above?.version ?? 0) === commit.parent.version) {
      const written = stage(there, added, commit.parent)
      if (Result.isFailure(written)) return written
    } else {
      const last = commit.parent.notes.at(-1)
      const found = above?.notes.some((note) => note.id === last?.id && note.seq === last.seq)
      if (above === undefined || (last !== undefined && found !== true)) return refuse(unknownParent)
    }
  }
  const old = get(thought.id)
  if ((old?.version ?? 0) !== commit.version) return refuse("has changed in the store")
  if (old === undefined && thought.parent !== undefined) {
    const above = get(thought.parent.id)
    if (above === undefined || length(above) < thought.parent.seq) return refuse(unknownParent)
  }
  if (old === undefined && (there.idOfTrace.has(thought.traceId) || added.idOfTrace.has(thought.traceId))) {
    return Result.fail(
      duplicate("Another thought of the scope has this trace id: give another one, or load that thought.")
    )
  }
  const base: Row = old ?? { thought, version: 0, notes: [], entries: [], nextIndex: 0, usage: undefined }
  const next = length(base) + 1
  if (commit.notes.some((note, i) => note.seq !== next + i || note.thoughtId !== thought.id)) {
    return refuse("has notes whose numbers do not follow the stored ones")
  }
  for (const { id } of commit.notes) {
    if (there.noteIds.has(id) || added.noteIds.has(id))
      return Result.fail(duplicate("Two notes of the scope have one id."))
    added.noteIds.add(id)
  }
  if (commit.entries.some(({ carries, covers }) => [...carries, ...covers].some((id) => there.redacted.has(id)))) {
    return refuse("shows a note that has been redacted")
  }
  const removed = new Set(commit.removed)
  added.idOfTrace.set(thought.traceId, thought.id)
  added.rows.set(thought.id, {
    thought: base.thought,
    version: base.version + 1,
    notes: [...base.notes, ...commit.notes],
    entries: [...base.entries.filter((entry) => !removed.has(entry.index)), ...commit.entries],
    nextIndex: commit.nextIndex,
    usage: commit.usage
  })
  return Result.succeed(base.version + 1)
}

const vectorsKey = (scope: string, space: Space) =>
  JSON.stringify([scope, space.embedder, space.dimensions, space.metric])

const matchOf = (note: Note, thought: ThoughtRow, similarity: number): Omit<Match, "score" | "ranks"> => ({
  note,
  thought: { id: thought.id, traceId: thought.traceId, taskId: thought.taskId, intent: thought.intent },
  similarity: Math.min(1, Math.max(0, similarity))
})

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

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
