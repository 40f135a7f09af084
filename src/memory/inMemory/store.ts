/** The in-memory store, with the same guarantees as the databases. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Commit, Space, Store, StoredThought, ThoughtRow } from "../model/Store.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Note } from "../../thought/Note.ts"
import { conflict, MemoryError } from "../model/error.ts"
import { showsRedacted } from "../model/reach.ts"
import { ledger } from "./ledger.ts"
import { checked, checkStarts, enter } from "./runRows.ts"
import { lifecycle, type Ref } from "./lifecycle.ts"
import { showsAny } from "./redacted.ts"
import { type Addition, compare, type Past, type Row, type Tenant } from "./Row.ts"
import { search, survey } from "./search.ts"
import { byAge, isPending, type TextOf, VectorTable } from "./vectors.ts"

const nobody = (): Tenant => ({
  rows: new Map(),
  idOfTrace: new Map(),
  texts: new Map(),
  redacted: new Set(),
  runs: new Map()
})

const duplicate = (message: string) => new MemoryError({ reason: { _tag: "Query", code: "23505", message } })

/**
 * An empty in-memory store, with everything that a database's store has except durability.
 *
 * @category constructors
 */
export const makeInMemory: Effect.Effect<Store> = Effect.sync(() => {
  const tenants = new Map<string, Tenant>()
  const vectors = new VectorTable()
  const notesOf = (scope: string, space: Space | undefined) => {
    const known = space === undefined ? undefined : vectors.of(scope, space)
    return [...(tenants.get(scope) ?? nobody()).rows.values()].flatMap(({ notes, thought }) =>
      notes
        .filter((note) => note.redacted === undefined)
        .map((note) => ({ scope, note, thought, parts: known?.get(note.id) }))
    )
  }

  const find = (scope: string, ref: Ref) => {
    const tenant = tenants.get(scope)
    const row = tenant?.rows.get("id" in ref ? ref.id : (tenant.idOfTrace.get(ref.traceId) ?? ""))
    return tenant === undefined || row === undefined ? undefined : { tenant, row }
  }

  const textsIn = (scope: string): TextOf => {
    const { redacted, texts } = tenants.get(scope) ?? nobody()
    return (noteId) => (redacted.has(noteId) ? undefined : texts.get(noteId))
  }

  const pendingIn = (scope: string, space: Space | undefined) =>
    space === undefined ? 0 : notesOf(scope, space).filter((one) => isPending(one, false)).length

  const withPending = <A>(found: A, scope: string, space: Space | undefined) => ({
    ...found,
    pending: pendingIn(scope, space)
  })

  const thoughtsOf = (scope: string): ReadonlyMap<string, ThoughtRow> =>
    new Map(Array.from((tenants.get(scope) ?? nobody()).rows, ([id, { thought }]) => [id, thought]))

  const tenantOf = (scope: string): Tenant => {
    const tenant = tenants.get(scope) ?? nobody()
    tenants.set(scope, tenant)
    return tenant
  }

  const write = (scope: string, commit: Commit, options: Staging & { readonly now?: number } = {}) => {
    const there = tenants.get(scope) ?? nobody()
    const added: Added = { rows: new Map(), traceIds: new Set(), noteIds: new Set() }
    const { ledger: rows } = commit
    const standing = rows === undefined ? Result.succeed("held" as const) : checked(there, rows)
    return Result.flatMap(standing, (own) =>
      Result.flatMap(stage(there, added, commit, options), (version) => {
        // what a run ends with was stored with its end
        if (own === "done") return Result.fail(changed(commit.thought))
        const isStored = (id: string) => there.rows.has(id) || added.rows.has(id)
        return Result.map(rows === undefined ? Result.void : checkStarts(there, rows, isStored), () => {
          for (const addition of added.rows.values()) extend(there, addition)
          if (rows !== undefined) enter(there, rows, options.now ?? 0)
          tenants.set(scope, there)
          return version
        })
      })
    )
  }

  return {
    ...lifecycle({
      tenants,
      find,
      byCreation,
      create: (scope, { version, ...stored }) =>
        Result.map(write(scope, { ...stored, version: 0, removed: [], parent: undefined }, { restored: true }), () => {
          const rows = tenants.get(scope)?.rows
          const row = rows?.get(stored.thought.id)
          if (row !== undefined) rows?.set(stored.thought.id, { ...row, version })
          for (const { id, redacted } of stored.notes) {
            if (redacted !== undefined) tenants.get(scope)?.redacted.add(id)
          }
        }),
      forgetVectors: (scope, noteIds) => vectors.forget(scope, noteIds)
    }),
    commit: (scope, commit) =>
      Effect.withFiber((fiber) =>
        Effect.fromResult(write(scope, commit, { now: fiber.getRef(Clock.Clock).currentTimeMillisUnsafe() }))
      ),
    load: (scope, ref) =>
      Effect.sync(() => {
        const found = find(scope, ref)
        if (found === undefined) return undefined
        return storedOf(found.tenant, found.row)
      }),
    history: (scope, id) =>
      Effect.sync(() => {
        const found = find(scope, { id })
        return found && { ...storedOf(found.tenant, found.row), removed: found.row.past.toSorted(byVersion) }
      }),
    ledger: ledger(tenants, tenantOf),
    ancestors: (scope, ref) =>
      Effect.sync(() => {
        const found = find(scope, ref)
        if (found === undefined) return undefined
        return upwards(found.tenant.rows, found.row)
          .slice(1)
          .map(({ thought }) => thought)
          .toReversed()
      }),
    children: (scope, ref, { after, limit }) =>
      Effect.sync(() => {
        const found = find(scope, ref)
        if (found === undefined) return undefined
        return Array.from(found.tenant.rows.values(), ({ thought }) => thought)
          .filter(({ parent }) => parent?.id === found.row.thought.id)
          .filter((child) => after === undefined || byCreation(child, after) > 0)
          .toSorted(byCreation)
          .slice(0, limit)
      }),
    // vectors need no room made for them
    ...vectors.spaces,
    optimize: () => vectors.optimize,
    copyVectors: (scope, space, noteIds) => Effect.sync(() => vectors.copy(scope, space, textsIn(scope), noteIds)),
    putVectors: (scope, space, given) => Effect.sync(() => vectors.put(scope, space, textsIn(scope), given)),
    pending: (space, { after, limit, results = false, scope: only }) =>
      Effect.sync(() =>
        (only === undefined ? [...tenants.keys()] : [only])
          .flatMap((scope) => notesOf(scope, space).filter((one) => isPending(one, results)))
          .map(({ note: { content, created, id }, scope }) => ({
            scope,
            id,
            content,
            createdMillis: created.epochMilliseconds
          }))
          .filter((one) => after === undefined || byAge(one, after) > 0)
          .toSorted(byAge)
          .slice(0, limit)
      ),
    countPending: (scope, space) => Effect.sync(() => pendingIn(scope, space)),
    search: (scope, space, query) =>
      Effect.sync(() => withPending(search(notesOf(scope, space), thoughtsOf(scope), query), scope, space)),
    survey: (scope, space, query) =>
      Effect.sync(() => withPending(survey(notesOf(scope, space), thoughtsOf(scope), query), scope, space))
  }
})

/** The thought as it is read. */
const storedOf = ({ rows }: Tenant, row: Row): StoredThought => {
  const { past: _past, ...stored } = row
  return { ...stored, entries: [...stored.entries], notes: lineage(rows, row) }
}

/** A row, and those it descends from, up to the oldest. */
const upwards = (rows: ReadonlyMap<string, Row>, row: Row): ReadonlyArray<Row> => {
  const line: Array<Row> = []
  for (let one: Row | undefined = row; one !== undefined;) {
    line.push(one)
    one = one.thought.parent === undefined ? undefined : rows.get(one.thought.parent.id)
  }
  return line
}

const byVersion = (a: Past, b: Past) => a.version - b.version || a.entry.index - b.entry.index

const byCreation = (a: Pick<ThoughtRow, "id" | "createdMillis">, b: Pick<ThoughtRow, "id" | "createdMillis">) =>
  a.createdMillis - b.createdMillis || compare(a.id, b.id)

/** Notes of the row and of those it descends from. */
const lineage = (rows: ReadonlyMap<string, Row>, row: Row): ReadonlyArray<Note> => {
  let upTo = Number.POSITIVE_INFINITY
  const parts = upwards(rows, row).map(({ notes, thought }) => {
    const part = notes.filter((note) => note.seq <= upTo)
    upTo = Math.min(upTo, thought.parent?.seq ?? 0)
    return part
  })
  return parts.toReversed().flat()
}

/** How many notes the thought has, those it begins with included. */
const length = ({ notes, thought }: Row): number => notes.at(-1)?.seq ?? thought.parent?.seq ?? 0

/** What a commit adds to a scope. */
interface Added {
  /** By thought id. */
  readonly rows: Map<string, Addition>
  readonly traceIds: Set<string>
  readonly noteIds: Set<string>
}

/** Writes what a commit adds to a thought. Costs no more for a long one. */
const extend = ({ idOfTrace, rows, texts }: Tenant, addition: Addition): void => {
  const { entries, nextIndex, notes, past, removed, thought, usage, version } = addition
  const row: Pick<Row, "notes" | "entries" | "past"> = rows.get(thought.id) ?? { notes: [], entries: [], past: [] }
  const live = removed.size === 0 ? row.entries : row.entries.filter((entry) => !removed.has(entry.index))
  if (removed.size > 0) {
    row.past.push(...row.entries.flatMap((entry) => pastOf(entry, removed)))
  }
  for (const note of notes) {
    row.notes.push(note)
    texts.set(note.id, note.content)
  }
  for (const entry of entries) live.push(entry)
  for (const one of past) row.past.push(one)
  rows.set(thought.id, { thought, version, notes: row.notes, entries: live, past: row.past, nextIndex, usage })
  idOfTrace.set(thought.traceId, thought.id)
}

const changed = ({ id }: ThoughtRow) => conflict(id, "has changed in the store")

interface Staging {
  /** What is restored was kept when its source was redacted, unless it repeats it. */
  readonly restored?: boolean
}

const unknownParent = "was forked from notes that its parent does not have"

/** Collects what a commit adds apart from the stored rows, so that a refusal leaves nothing behind. Returns the new version. */
const stage = (there: Tenant, added: Added, commit: Commit, options: Staging): Result.Result<number, MemoryError> => {
  for (const one of commit.before ?? []) {
    const staged = stage(there, added, one, options)
    if (Result.isFailure(staged)) return staged
  }
  const due = [commit]
  for (let one = commit; one.parent !== undefined; one = one.parent) {
    const { notes, thought, version } = one.parent
    const [staged, stored] = [added.rows.get(thought.id), there.rows.get(thought.id)]
    const above = staged ?? stored
    if ((above?.version ?? 0) === version) {
      due.push(one.parent)
      continue
    }
    const last = notes.at(-1)
    const isLast = (note: Note) => note.id === last?.id && note.seq === last.seq
    const found = stored?.notes.some(isLast) === true || staged?.notes.some(isLast) === true
    if (above !== undefined && (last === undefined || found)) break
    return Result.fail(conflict(one.thought.id, unknownParent))
  }
  let version = Result.succeed(0) as Result.Result<number, MemoryError>
  for (const one of due.toReversed()) {
    version = stageOne(there, added, one, options)
    if (Result.isFailure(version)) return version
  }
  return version
}

/** One commit, after those that it brings along. */
const stageOne = (
  there: Tenant,
  added: Added,
  commit: Commit,
  { restored = false }: Staging
): Result.Result<number, MemoryError> => {
  const { thought } = commit
  const refuse = (why: string) => Result.fail(conflict(thought.id, why))
  const stored = there.rows.get(thought.id)
  const staged = added.rows.get(thought.id)
  const old = staged ?? stored
  if ((old?.version ?? 0) !== commit.version) return Result.fail(changed(thought))
  if (old === undefined && thought.parent !== undefined) {
    if ((lengthOf(there, added, thought.parent.id) ?? -1) < thought.parent.seq) return refuse(unknownParent)
  }
  if (old === undefined && (there.idOfTrace.has(thought.traceId) || added.traceIds.has(thought.traceId))) {
    return Result.fail(
      duplicate("Another thought of the scope has this trace id: give another one, or load that thought.")
    )
  }
  const next = (lengthOf(there, added, thought.id) ?? thought.parent?.seq ?? 0) + 1
  if (commit.notes.some((note, i) => note.seq !== next + i || note.thoughtId !== thought.id)) {
    return refuse("has notes whose numbers do not follow the stored ones")
  }
  for (const { id } of commit.notes) {
    if (there.texts.has(id) || added.noteIds.has(id))
      return Result.fail(duplicate("Two notes of the scope have the same id."))
    added.noteIds.add(id)
  }
  if (there.redacted.size > 0 && showsAny(there, commit, restored)) return Result.fail(showsRedacted(thought.id))
  const version = (old?.version ?? 0) + 1
  const { entries, nextIndex, notes, usage } = commit
  const removed = new Map(commit.removed.map((index) => [index, version] as const))
  const own = {
    thought: old?.thought ?? thought,
    version,
    length: next - 1 + notes.length,
    notes,
    entries,
    past: [],
    removed,
    nextIndex,
    usage
  }
  added.traceIds.add(thought.traceId)
  added.rows.set(
    thought.id,
    staged === undefined
      ? own
      : {
          ...own,
          notes: [...staged.notes, ...notes],
          entries: [...staged.entries.filter(({ index }) => !removed.has(index)), ...entries],
          past: [...staged.past, ...staged.entries.flatMap((entry) => pastOf(entry, removed))],
          removed: new Map([...removed, ...staged.removed])
        }
  )
  return Result.succeed(version)
}

const pastOf = (entry: Entry, removed: ReadonlyMap<number, number>): ReadonlyArray<Past> => {
  const version = removed.get(entry.index)
  return version === undefined ? [] : [{ entry, version }]
}

/** How many notes a thought has, with those that the commit adds; undefined if there is no such thought. */
const lengthOf = (there: Tenant, added: Added, id: string): number | undefined => {
  const stored = there.rows.get(id)
  return added.rows.get(id)?.length ?? (stored === undefined ? undefined : length(stored))
}
