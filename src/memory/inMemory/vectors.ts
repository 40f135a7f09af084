/** The vectors of the store in plain memory: by scope and space, the parts of each note. */
import * as Effect from "effect/Effect"
import type { ChunkVector, OptimizedSpace, PendingNote, Space, Store, StoredSpace } from "../model/Store.ts"
import { type MemoryError, fail } from "../model/error.ts"
import type { Note } from "../../thought/Note.ts"
import { quoted } from "../../text/legible.ts"
import { isBlank } from "../embedding/chunks.ts"

/** The vectors of a note, one for each of its parts. */
export type Parts = ReadonlyArray<Float32Array>

const keyOf = (scope: string, space: Space) => JSON.stringify([scope, space.embedder, space.dimensions, space.metric])

const isSame = (a: Space, b: Space): boolean =>
  a.embedder === b.embedder && a.dimensions === b.dimensions && a.metric === b.metric

export class VectorTable {
  readonly #notes = new Map<string, Map<string, Parts>>()
  #spaces: ReadonlyArray<StoredSpace> = []

  /** What a store does with spaces. */
  readonly spaces: Pick<Store, "openSpace" | "spaces" | "activateSpace" | "dropSpace"> = {
    openSpace: (space) =>
      Effect.sync(() => {
        const known = this.#spaces.find((one) => isSame(one, space))
        if (known === undefined) {
          const { dimensions, embedder, metric } = space
          const state = this.#spaces.length === 0 ? "active" : "building"
          this.#spaces = [...this.#spaces, { embedder, dimensions, metric, state }]
        } else if (known.state === "retired") this.#change(space, "building")
      }),
    spaces: Effect.sync(() => this.#spaces),
    activateSpace: (space) =>
      Effect.suspend(() => {
        if (!this.#spaces.some((one) => isSame(one, space))) return notOpen(space)
        const before = this.#spaces.find((one) => one.state === "active" && !isSame(one, space))
        if (before !== undefined && !this.#holds(space) && this.#holds(before)) {
          const message =
            `The space of the embedder ${quoted(space.embedder)} has no vectors, ` +
            `and that of ${quoted(before.embedder)} has: embed the notes first.`
          return fail({ _tag: "Query", message })
        }
        for (const one of this.#spaces) if (one.state === "active") this.#change(one, "retired")
        this.#change(space, "active")
        return Effect.void
      }),
    dropSpace: (space, { force = false } = {}) =>
      Effect.suspend((): Effect.Effect<void, MemoryError> => {
        const state = this.#spaces.find((one) => isSame(one, space))?.state
        const of = `The vectors of the embedder ${quoted(space.embedder)} are`
        if (state === "active") return fail({ _tag: "Query", message: `${of} in use: they cannot be dropped.` })
        if (state === "building" && !force) {
          return fail({
            _tag: "Query",
            message: `${of} being built: if no program does so any more, drop them with force.`
          })
        }
        this.#spaces = this.#spaces.filter((one) => !isSame(one, space))
        const end = keyOf("", space).slice(3)
        for (const key of this.#notes.keys()) if (key.endsWith(end)) this.#notes.delete(key)
        return Effect.void
      })
  }

  /** Every search looks at all vectors: there is nothing to do but to count them. */
  readonly optimize: Effect.Effect<ReadonlyArray<OptimizedSpace>> = Effect.sync(() =>
    this.#spaces.map((space) => {
      const end = keyOf("", space).slice(3)
      const sizes = [...this.#notes]
        .filter(([key]) => key.endsWith(end))
        .map(([, notes]) => [...notes.values()].reduce((sum, parts) => sum + parts.length, 0))
      return { ...space, vectors: Math.max(0, ...sizes), index: "none", change: "none" }
    })
  )

  #holds(space: Space): boolean {
    const end = keyOf("", space).slice(3)
    return [...this.#notes].some(([key, known]) => key.endsWith(end) && known.size > 0)
  }

  #change(space: Space, state: StoredSpace["state"]): void {
    this.#spaces = this.#spaces.map((one) => (isSame(one, space) ? { ...one, state } : one))
  }

  /** Gives notes the parts of others with the same content, and says which got some. */
  copy(
    scope: string,
    space: Space,
    notes: ReadonlyArray<{ readonly id: string; readonly content: string }>,
    wanted: ReadonlyArray<string>
  ): ReadonlyArray<string> {
    const known = this.#notes.get(keyOf(scope, space))
    if (known === undefined) return []
    const ids = new Set(wanted.filter((id) => !known.has(id)))
    const contents = new Set(notes.filter(({ id }) => ids.has(id)).map(({ content }) => content))
    const partsOf = new Map<string, Parts>()
    for (const { content, id } of notes) {
      const parts = contents.has(content) ? known.get(id) : undefined
      if (parts !== undefined) partsOf.set(content, parts)
    }
    const copied: Array<string> = []
    for (const { content, id } of notes) {
      const parts = ids.has(id) ? partsOf.get(content) : undefined
      if (parts === undefined) continue
      known.set(id, parts)
      copied.push(id)
    }
    return copied
  }

  /** The parts of each note that has vectors. */
  of(scope: string, space: Space): ReadonlyMap<string, Parts> {
    return this.#notes.get(keyOf(scope, space)) ?? new Map<string, Parts>()
  }

  /** Puts vectors in the place of those that their notes had. */
  put(scope: string, space: Space, given: ReadonlyArray<ChunkVector>): void {
    const known = this.#notes.get(keyOf(scope, space)) ?? new Map<string, Parts>()
    const parts = new Map<string, Array<Float32Array>>()
    for (const { chunk = 0, noteId, vector } of given) {
      const own = parts.get(noteId) ?? []
      own[chunk] = vector.slice()
      parts.set(noteId, own)
    }
    for (const [id, own] of parts) known.set(id, own)
    this.#notes.set(keyOf(scope, space), known)
  }

  /** Takes the vectors of notes away in every space, or all of a scope. */
  forget(scope: string, noteIds?: ReadonlySet<string>): void {
    const own = `${JSON.stringify([scope]).slice(0, -1)},`
    for (const [key, known] of this.#notes) {
      if (key.startsWith(own)) for (const id of noteIds ?? known.keys()) known.delete(id)
    }
  }
}

/** Whether a note has something to be embedded and no vector. */
export const isPending = ({ note, parts }: { readonly note: Note; readonly parts: Parts | undefined }): boolean =>
  parts === undefined && !isBlank(note.content)

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

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const notOpen = (space: Space) =>
  fail({
    _tag: "Query",
    message: `The space of the embedder ${quoted(space.embedder)} is not open: call openSpace first.`
  })
