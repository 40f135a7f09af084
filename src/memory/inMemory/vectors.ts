/** The vectors of the in-memory store: by scope and space, the parts of each note. */
import * as Effect from "effect/Effect"
import type { ChunkVector, OptimizedSpace, PendingNote, Space, Store, StoredSpace } from "../model/Store.ts"
import { type MemoryError, fail } from "../model/error.ts"
import type { Note } from "../../thought/Note.ts"
import { quoted } from "../../text/legible.ts"
import { isFound } from "../../thought/found.ts"
import { isBlank } from "../embedding/chunks.ts"
import { isSame } from "../embedding/spaces.ts"
import { compare } from "./Row.ts"

/** The vectors of a note, one for each of its parts. */
export type Parts = ReadonlyArray<Float32Array>

/** The vectors of a scope's notes, with the texts that they are of. */
interface Owned {
  readonly parts: Map<string, Parts>
  readonly texts: Map<string, string>
  /** Ids of the notes with a text. */
  readonly byText: Map<string, Set<string>>
}

/** A space with the vectors of each scope's notes. Without a state it has vectors, but was never opened. */
interface Known {
  readonly space: Space
  state: StoredSpace["state"] | undefined
  readonly scopes: Map<string, Owned>
}

/** The text of a note; undefined if the scope has no such note, or it is redacted. */
export type TextOf = (noteId: string) => string | undefined

const hasVectors = ({ scopes }: Known) => [...scopes.values()].some(({ parts }) => parts.size > 0)

export class VectorTable {
  #all: ReadonlyArray<Known> = []

  /** The operations of a store on spaces. */
  readonly spaces: Pick<Store, "openSpace" | "spaces" | "activateSpace" | "dropSpace"> = {
    openSpace: (space) =>
      Effect.sync(() => {
        const isFirst = this.#opened.length === 0
        const known = this.#get(space)
        if (known.state === undefined) known.state = isFirst ? "active" : "building"
        if (known.state === "retired") known.state = "building"
      }),
    spaces: Effect.sync(() => this.#opened.map(({ space, state }) => ({ ...space, state }))),
    activateSpace: (space) =>
      Effect.suspend(() => {
        const known = this.#find(space)
        if (known?.state === undefined) return notOpen(space)
        const before = this.#all.find((one) => one.state === "active" && one !== known)
        if (before !== undefined && !hasVectors(known) && hasVectors(before)) {
          const message =
            `The space of the embedder ${quoted(space.embedder)} has no vectors, ` +
            `and that of ${quoted(before.space.embedder)} has: embed the notes first.`
          return fail({ _tag: "Query", message })
        }
        if (before !== undefined) before.state = "retired"
        known.state = "active"
        return Effect.void
      }),
    dropSpace: (space, { force = false } = {}) =>
      Effect.suspend((): Effect.Effect<void, MemoryError> => {
        const known = this.#find(space)
        const of = `The vectors of the embedder ${quoted(space.embedder)} are`
        if (known?.state === "active") return fail({ _tag: "Query", message: `${of} in use: they cannot be dropped.` })
        if (known?.state === "building" && !force) {
          return fail({
            _tag: "Query",
            message: `${of} still being built. If no program is building them any more, drop them with { force: true }.`
          })
        }
        this.#all = this.#all.filter((one) => one !== known)
        return Effect.void
      })
  }

  /** Every search looks at all vectors: there is nothing to do but to count them. */
  readonly optimize: Effect.Effect<ReadonlyArray<OptimizedSpace>> = Effect.sync(() =>
    this.#opened.map(({ scopes, space, state }) => {
      const sizes = Array.from(scopes.values(), ({ parts }) => [...parts.values()].flat().length)
      return { ...space, state, vectors: Math.max(0, ...sizes), index: "none", change: "none" }
    })
  )

  get #opened() {
    return this.#all.flatMap(({ state, ...known }) => (state === undefined ? [] : [{ ...known, state }]))
  }

  #find(space: Space): Known | undefined {
    return this.#all.find((one) => isSame(one.space, space))
  }

  #get(space: Space): Known {
    const { dimensions, embedder, metric } = space
    const known = this.#find(space) ?? { space: { embedder, dimensions, metric }, state: undefined, scopes: new Map() }
    if (!this.#all.includes(known)) this.#all = [...this.#all, known]
    return known
  }

  /** Copies the parts of notes with the same text, and returns the ids of the notes that received some. */
  copy(scope: string, space: Space, textOf: TextOf, wanted: ReadonlyArray<string>): ReadonlyArray<string> {
    const owned = this.#find(space)?.scopes.get(scope)
    if (owned === undefined) return []
    return wanted.filter((id) => {
      const text = owned.parts.has(id) ? undefined : textOf(id)
      const [same] = (text === undefined ? undefined : owned.byText.get(text)) ?? []
      const parts = same === undefined ? undefined : owned.parts.get(same)
      if (text === undefined || parts === undefined) return false
      give(owned, id, text, parts)
      return true
    })
  }

  /** The parts of each note that has vectors. */
  of(scope: string, space: Space): ReadonlyMap<string, Parts> {
    return this.#find(space)?.scopes.get(scope)?.parts ?? new Map<string, Parts>()
  }

  /** Replaces the vectors of notes. Those that have no text are left out. */
  put(scope: string, space: Space, textOf: TextOf, given: ReadonlyArray<ChunkVector>): void {
    const { scopes } = this.#get(space)
    const owned = scopes.get(scope) ?? { parts: new Map(), texts: new Map(), byText: new Map() }
    const parts = new Map<string, Array<Float32Array>>()
    for (const { chunk = 0, noteId, vector } of given) {
      const own = parts.get(noteId) ?? []
      own[chunk] = vector.slice()
      parts.set(noteId, own)
    }
    for (const [id, own] of parts) {
      const text = textOf(id)
      if (text !== undefined) give(owned, id, text, own)
    }
    scopes.set(scope, owned)
  }

  /** Removes the vectors of notes, or of a whole scope, in every space. */
  forget(scope: string, noteIds?: ReadonlySet<string>): void {
    for (const { scopes } of this.#all) {
      if (noteIds === undefined) scopes.delete(scope)
      else for (const id of noteIds) take(scopes.get(scope), id)
    }
  }
}

const give = ({ byText, parts, texts }: Owned, id: string, text: string, own: Parts): void => {
  parts.set(id, own)
  texts.set(id, text)
  const same = byText.get(text)
  if (same === undefined) byText.set(text, new Set([id]))
  else same.add(id)
}

const take = (owned: Owned | undefined, id: string): void => {
  const text = owned?.texts.get(id)
  if (owned === undefined || text === undefined) return
  owned.parts.delete(id)
  owned.texts.delete(id)
  const same = owned.byText.get(text)
  same?.delete(id)
  if (same?.size === 0) owned.byText.delete(text)
}

/** Whether a note has something to be embedded and no vector: of results of searches, or of other notes. */
export const isPending = (
  { note, parts }: { readonly note: Note; readonly parts: Parts | undefined },
  results: boolean
): boolean => parts === undefined && !isBlank(note.content) && isFound(note) === results

const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

/** Exactly 1 for equal vectors, whose lengths are 1 only nearly; 0 for a vector of zeros. */
const cosine = (a: Float32Array, b: Float32Array): number => {
  const lengths = Math.sqrt(product(a, a) * product(b, b))
  return lengths === 0 ? 0 : Math.min(1, Math.max(-1, product(a, b) / lengths))
}

/** That of the nearest part. */
export const similarity = (query: Float32Array, parts: Parts): number =>
  Math.max(...parts.map((part) => cosine(query, part)))

type Position = Pick<PendingNote, "scope" | "id" | "createdMillis">

/** By creation, then by id, then by scope. */
export const byAge = (a: Position, b: Position): number =>
  a.createdMillis - b.createdMillis || compare(a.id, b.id) || compare(a.scope, b.scope)

const notOpen = (space: Space) =>
  fail({
    _tag: "Query",
    message: `The space of the embedder ${quoted(space.embedder)} is not open: call openSpace first.`
  })
