/** The operations of the in-memory store on whole thoughts. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Store, StoredThought, ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import { place } from "../archive/append.ts"
import { hasForks } from "../archive/remove.ts"
import type { MemoryError } from "../model/error.ts"
import { type Reach, repeats, showsRedacted } from "../model/reach.ts"
import { redactRuns, removeRuns } from "./runErasure.ts"
import type { Row, Tenant } from "./Row.ts"

type Lifecycle = Pick<Store, "append" | "thoughts" | "remove" | "purge" | "redact" | "restore">
export type Ref = { readonly id: string } | { readonly traceId: string }

/** The parts of the store that these operations use. */
export interface Ground {
  readonly tenants: Map<string, Tenant>
  readonly find: (scope: string, ref: Ref) => { readonly tenant: Tenant; readonly row: Row } | undefined
  readonly byCreation: (
    a: Pick<ThoughtRow, "id" | "createdMillis">,
    b: Pick<ThoughtRow, "id" | "createdMillis">
  ) => number
  /** Adds a thought as a commit does. */
  readonly create: (scope: string, stored: StoredThought) => Result.Result<void, MemoryError>
  /** Takes the vectors of notes away, or all of the scope. */
  readonly forgetVectors: (scope: string, noteIds?: ReadonlySet<string>) => void
}

const lastSeqOf = ({ notes, thought }: Row): number => notes.at(-1)?.seq ?? thought.parent?.seq ?? 0

export const lifecycle = ({ byCreation, create, find, forgetVectors, tenants }: Ground): Lifecycle => ({
  thoughts: (scope, { after, limit, order, taskId }) =>
    Effect.sync(() => {
      const way = order === "oldest" ? 1 : -1
      return Array.from(tenants.get(scope)?.rows.values() ?? [], (row) => ({ ...row.thought, lastSeq: lastSeqOf(row) }))
        .filter((thought) => taskId === undefined || thought.taskId === taskId)
        .filter((thought) => after === undefined || byCreation(thought, after) * way > 0)
        .toSorted((a, b) => byCreation(a, b) * way)
        .slice(0, limit)
    }),
  append: (scope, ref, notes) =>
    Effect.suspend(() => {
      const found = find(scope, ref)
      if (found === undefined) return Effect.undefined
      const { row, tenant } = found
      const ids = new Set(notes.map(({ id }) => id).filter((id) => tenant.texts.has(id)))
      const known =
        ids.size === 0 ? [] : [...tenant.rows.values()].flatMap((one) => one.notes.filter((note) => ids.has(note.id)))
      const placed = place({ id: row.thought.id, lastSeq: lastSeqOf(row) }, known, notes)
      if (Result.isFailure(placed)) return Effect.fail(placed.failure)
      const { added, all } = placed.success
      if (added.some((note) => note.derivedFrom.some((id) => tenant.redacted.has(id)))) {
        return Effect.fail(showsRedacted(row.thought.id))
      }
      if (added.length > 0) {
        for (const note of added) {
          tenant.texts.set(note.id, note.content)
          row.notes.push(note)
        }
        tenant.rows.set(row.thought.id, { ...row, version: row.version + 1 })
      }
      return Effect.succeed(all)
    }),
  remove: (scope, ref, { materialize }) =>
    Effect.suspend(() => {
      const found = find(scope, ref)
      if (found === undefined) return Effect.succeed(false)
      const { row, tenant } = found
      const { id, traceId } = row.thought
      const forks = [...tenant.rows.values()]
        .filter(({ thought }) => thought.parent?.id === id)
        .toSorted((a, b) => seqOf(b) - seqOf(a) || byCreation(a.thought, b.thought))
      if (forks.length > 0 && !materialize) return hasForks(id, forks.length)
      const kept = handOver(tenant, row, forks)
      tenant.rows.delete(id)
      tenant.idOfTrace.delete(traceId)
      const removed = new Map(row.notes.filter((note) => !kept.has(note.id)).map((note) => [note.id, note] as const))
      const gone = new Set(removed.keys())
      passOn(tenant, removed)
      for (const noteId of gone) {
        tenant.texts.delete(noteId)
        tenant.redacted.delete(noteId)
      }
      removeRuns(tenant, id)
      forgetVectors(scope, gone)
      return Effect.succeed(true)
    }),
  purge: (scope) =>
    Effect.sync(() => {
      const count = tenants.get(scope)?.rows.size ?? 0
      tenants.delete(scope)
      forgetVectors(scope)
      return count
    }),
  redact: (scope, noteId, millis, reach = "derived") =>
    Effect.sync(() => {
      const tenant = tenants.get(scope)
      if (tenant?.texts.has(noteId) !== true) return undefined
      const rows = [...tenant.rows.values()]
      const gone = derivedFrom(rows, new Set([noteId]), reach)
      const unseen = reach === "derived" ? gone : derivedFrom(rows, new Set([noteId]), "derived")
      const open = [...tenant.rows.values()].some(({ notes }) =>
        notes.some((note) => gone.has(note.id) && note.redacted === undefined)
      )
      if (open) {
        const seers = seersOf(tenant, gone, unseen)
        redactRuns(tenant, new Set(seers.map(({ thought }) => thought.id)), gone)
        for (const row of seers) {
          tenant.rows.set(row.thought.id, {
            ...row,
            version: row.version + 1,
            ...unshown(row, unseen),
            notes: row.notes.map((note) => (gone.has(note.id) ? emptied(note, millis) : note))
          })
        }
        for (const id of gone) {
          tenant.redacted.add(id)
          tenant.texts.set(id, "")
        }
        forgetVectors(scope, gone)
      }
      return [...gone].toSorted()
    }),
  restore: (scope, stored) => Effect.suspend(() => Effect.fromResult(create(scope, stored)))
})

/** Seq of the last note that a fork shares with its parent. */
const seqOf = ({ thought }: Row): number => thought.parent?.seq ?? 0

/**
 * Gives the notes that the first of the forks shares with the thought to it, and the other forks to where they find their
 * notes now. Gives the ids of these notes.
 */
const handOver = (tenant: Tenant, { notes, thought }: Row, forks: ReadonlyArray<Row>): ReadonlySet<string> => {
  const [heir] = forks
  const above = thought.parent?.seq ?? 0
  const inherits = heir !== undefined && seqOf(heir) > above
  const shared = inherits ? notes.filter((note) => note.seq <= seqOf(heir)) : []
  const ownHeir = inherits ? heir.thought.id : thought.parent?.id
  const aboveIt = thought.parent?.id ?? ownHeir
  for (const fork of forks) {
    const seq = seqOf(fork)
    const parentId = fork !== heir && seq > above ? ownHeir : thought.parent?.id
    tenant.rows.set(fork.thought.id, {
      ...fork,
      thought: {
        ...fork.thought,
        parent: parentId === undefined ? undefined : { id: parentId, seq: fork === heir ? Math.min(seq, above) : seq }
      },
      notes:
        fork === heir ? [...shared.map((note) => ({ ...note, thoughtId: fork.thought.id })), ...fork.notes] : fork.notes
    })
  }
  if (ownHeir === undefined || aboveIt === undefined) return new Set()
  for (const row of tenant.rows.values()) {
    const checkpoints = new Map(
      Array.from(row.thought.checkpoints, ([name, past]) => [
        name,
        past.id === thought.id ? { id: past.seq > above ? ownHeir : aboveIt, seq: past.seq } : past
      ])
    )
    tenant.rows.set(row.thought.id, { ...row, thought: { ...row.thought, checkpoints } })
  }
  return new Set(shared.map(({ id }) => id))
}

const touches = ({ carries, covers }: Pick<Entry, "carries" | "covers">, notes: ReadonlySet<string>): boolean =>
  [...carries, ...covers].some((id) => notes.has(id))

/** All entries of a thought in order, also those that are no longer live. */
const everyEntry = ({ entries, past }: Pick<Row, "entries" | "past">): ReadonlyArray<Entry> =>
  [...entries, ...past.map(({ entry }) => entry)].toSorted((a, b) => a.index - b.index)

/** The entries without those that show one of the notes, and without the requests that one of these answers. */
const unshown = (row: Row, notes: ReadonlySet<string>): Pick<Row, "entries" | "past"> => {
  const all = everyEntry(row)
  const touched = all.filter((entry, i) => {
    const replies = all.slice(i + 1)
    const end = replies.findIndex(({ role }) => role !== "assistant")
    const answers = entry.role === "user" ? replies.slice(0, end === -1 ? replies.length : end) : []
    return [entry, ...answers].some((one) => touches(one, notes))
  })
  const gone = new Set(touched)
  const version = row.version + 1
  const past = [...row.past, ...row.entries.filter((entry) => gone.has(entry)).map((entry) => ({ entry, version }))]
  return {
    entries: row.entries.filter((entry) => !gone.has(entry)),
    past: past.map((one) => (gone.has(one.entry) ? { ...one, entry: { ...one.entry, text: "" } } : one))
  }
}

/** The notes with those of summaries that cover one, and all that is derived from them: as copies, or however. */
const derivedFrom = (rows: ReadonlyArray<Row>, notes: ReadonlySet<string>, reach: Reach): ReadonlySet<string> => {
  const madeOf = new Map<string, Array<Note>>()
  const byId = new Map<string, Note>()
  for (const note of rows.flatMap((row) => row.notes)) {
    byId.set(note.id, note)
    for (const id of note.derivedFrom) madeOf.set(id, [...(madeOf.get(id) ?? []), note])
  }
  const summaries = rows.flatMap(everyEntry).filter(({ kind }) => kind === "summary")
  const all = new Set(notes)
  // iteration over a set includes values that are added meanwhile
  for (const id of all) {
    for (const { carries, covers } of summaries) if (covers.includes(id)) for (const own of carries) all.add(own)
    const original = byId.get(id)
    for (const note of madeOf.get(id) ?? []) {
      if (reach === "derived" || (original !== undefined && repeats(note, original))) all.add(note.id)
    }
  }
  return all
}

/** Replaces removed notes as sources of the remaining ones by the sources of the removed notes. */
const passOn = (tenant: Tenant, removed: ReadonlyMap<string, Note>): void => {
  for (const row of tenant.rows.values()) {
    const notes = row.notes.map((note) => {
      const above = new Set(note.derivedFrom)
      for (const id of above) for (const source of removed.get(id)?.derivedFrom ?? []) above.add(source)
      const more = [...above].filter((id) => !removed.has(id) && !note.derivedFrom.includes(id))
      return more.length === 0 ? note : { ...note, derivedFrom: [...note.derivedFrom, ...more] }
    })
    tenant.rows.set(row.thought.id, { ...row, notes })
  }
}

/** Which thoughts have one of the notes, share one, or show one in their conversation. */
const seersOf = (tenant: Tenant, notes: ReadonlySet<string>, unseen: ReadonlySet<string>): ReadonlyArray<Row> => {
  /** Number of the first of the notes that a thought has or shares. */
  const firsts = new Map<string, number>()
  for (const start of tenant.rows.values()) {
    const line: Array<Row> = []
    for (let row: Row | undefined = start; row !== undefined && !firsts.has(row.thought.id);) {
      line.push(row)
      row = row.thought.parent === undefined ? undefined : tenant.rows.get(row.thought.parent.id)
    }
    for (const row of line.toReversed()) {
      const { id, parent } = row.thought
      const shared = parent === undefined ? undefined : firsts.get(parent.id)
      const own = row.notes.find((note) => notes.has(note.id))?.seq ?? Number.POSITIVE_INFINITY
      firsts.set(id, shared !== undefined && parent !== undefined && shared <= parent.seq ? shared : own)
    }
  }
  return [...tenant.rows.values()].filter(
    (row) =>
      (firsts.get(row.thought.id) ?? Number.POSITIVE_INFINITY) < Number.POSITIVE_INFINITY ||
      everyEntry(row).some((entry) => touches(entry, unseen))
  )
}

const emptied = (note: Note, millis: number): Note =>
  note.redacted === undefined ? { ...note, content: "", metadata: {}, redacted: DateTime.makeUnsafe(millis) } : note
