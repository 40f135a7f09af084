/** Vectors of notes: cut into parts, embedded together, stored note by note. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EmbedderError, Shape as EmbedderShape } from "../Embedder.ts"
import type { ChunkVector, PendingNote, Space, Store } from "../Memory.ts"
import { chunksOf, counterOf, isBlank } from "./memoryChunks.ts"
import type { MemoryError } from "./memoryError.ts"
import { makeVectors, type Outcome, type Vectors } from "./memoryVectors.ts"

/** Most texts, and most tokens of all of them, in one call. */
const batchTexts = 128
const batchTokens = 100_000
/** Where an embedder refuses a part although it should be short enough, half of it may do. */
const halvings = 2

/** So many numbers of vectors are kept of notes that could not be finished, 16 MB. */
const keptNumbers = 4_000_000

/** A note to be embedded. */
export type Draft = Pick<PendingNote, "scope" | "id" | "content">

/** How embedding went. */
export interface Report {
  readonly embedded: number
  /** Notes that are still pending. */
  readonly failed: number
  /** Why, of the last of them. */
  readonly error: EmbedderError | undefined
  /** Whether it stopped because the embedder is out of order. */
  readonly down: boolean
}

export const nothing: Report = { embedded: 0, failed: 0, error: undefined, down: false }

export const both = (a: Report, b: Report): Report => ({
  embedded: a.embedded + b.embedded,
  failed: a.failed + b.failed,
  error: b.error ?? a.error,
  down: a.down || b.down
})

export interface Embedding extends Pick<Vectors, "ofQuery"> {
  readonly space: Space
  /** Embeds notes and stores their vectors; each by itself, whatever becomes of the others. */
  readonly embed: (notes: ReadonlyArray<Draft>) => Effect.Effect<Report, MemoryError>
}

interface Parts {
  readonly note: Draft
  readonly limit: number
  readonly chunks: ReadonlyArray<string>
}

/** Consecutive items whose weights stay within a bound, at least one each. */
const groupsOf = <A>(
  items: ReadonlyArray<A>,
  most: number,
  bound: number,
  weigh: (item: A) => readonly [number, number]
) => {
  const groups: Array<Array<A>> = []
  let [count, weight] = [0, 0]
  for (const item of items) {
    const [n, w] = weigh(item)
    const last = groups.at(-1)
    if (last === undefined || count + n > most || weight + w > bound) {
      groups.push([item])
      ;[count, weight] = [n, w]
    } else {
      last.push(item)
      count += n
      weight += w
    }
  }
  return groups
}

export const makeEmbedding = (store: Store, space: Space, embedder: EmbedderShape): Embedding => {
  const { ofEach, ofQuery } = makeVectors(embedder)
  const count = counterOf(embedder)
  const partsOf = (note: Draft, limit: number): Parts => ({ note, limit, chunks: chunksOf(note.content, limit, count) })

  /** Vectors that were paid for of notes that are not whole yet, the oldest first. */
  const kept = new Map<string, Outcome>()
  const mostKept = Math.max(1, Math.floor(keptNumbers / embedder.dimensions))
  const keep = (text: string, outcome: Outcome | undefined) => {
    if (outcome === undefined || Result.isFailure(outcome)) return
    kept.set(text, outcome)
    const [oldest] = kept.size > mostKept ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
  }

  /** How many texts go into a call: half as many after one that may do later, slowly more after others. */
  let most = batchTexts

  /** What became of each text, once; of those that were not tried, when the embedder is out of order, nothing. */
  const outcomesOf = Effect.fnUntraced(function* (parts: ReadonlyArray<Parts>) {
    const outcomes = new Map<string, Outcome>()
    const texts: Array<string> = []
    for (const text of new Set(parts.flatMap(({ chunks }) => chunks))) {
      const known = kept.get(text)
      if (known === undefined) texts.push(text)
      else outcomes.set(text, known)
    }
    while (texts.length > 0) {
      const [batch = []] = groupsOf(texts.slice(0, most), most, batchTokens, (text) => [1, count(text)])
      const found = yield* Effect.result(ofEach(batch))
      if (Result.isFailure(found)) return { outcomes, down: found.failure }
      for (const [i, text] of batch.entries()) {
        const outcome = found.success[i]
        if (outcome !== undefined) outcomes.set(text, outcome)
      }
      const later = found.success.some((outcome) => Result.isFailure(outcome) && outcome.failure.retryable)
      most = later ? Math.max(1, Math.floor(batch.length / 2)) : Math.min(batchTexts, most + 1)
      texts.splice(0, batch.length)
    }
    return { outcomes, down: undefined }
  })

  /** Those whose content other notes have that are embedded need not be. */
  const copied = Effect.fnUntraced(function* (notes: ReadonlyArray<Draft>) {
    const done = new Set<string>()
    for (const scope of new Set(notes.map((note) => note.scope))) {
      const own = notes.filter((note) => note.scope === scope).map(({ id }) => id)
      for (const id of yield* store.copyVectors(scope, space, own)) done.add(JSON.stringify([scope, id]))
    }
    return (note: Draft) => done.has(JSON.stringify([note.scope, note.id]))
  })

  /** Stores what there is of a group; the rest is tried once more in smaller parts where there are such. */
  const settle = Effect.fnUntraced(function* (
    group: ReadonlyArray<Parts>,
    halvingsLeft: number
  ): Effect.fn.Return<Report, MemoryError> {
    const { down, outcomes } = yield* outcomesOf(group)
    const rows = new Map<string, Array<ChunkVector>>()
    const stored: Array<string> = []
    const again: Array<Parts> = []
    let report: Report = { ...nothing, error: down, down: down !== undefined }
    for (const parts of group) {
      const { chunks, limit, note } = parts
      const vectors: Array<Float32Array> = []
      let error: EmbedderError | undefined
      for (const chunk of chunks) {
        const outcome = outcomes.get(chunk)
        if (outcome === undefined) continue
        if (Result.isSuccess(outcome)) vectors.push(outcome.success)
        else error = outcome.failure
      }
      if (vectors.length === chunks.length) {
        const own = rows.get(note.scope) ?? []
        own.push(...vectors.map((vector, chunk) => ({ noteId: note.id, chunk, vector })))
        rows.set(note.scope, own)
        stored.push(...chunks)
        report = both(report, { ...nothing, embedded: 1 })
        continue
      }
      const smaller = halvingsLeft > 0 && error?.retryable === false ? partsOf(note, Math.ceil(limit / 2)) : parts
      if (smaller.chunks.length > chunks.length) {
        again.push(smaller)
        continue
      }
      for (const chunk of chunks) keep(chunk, outcomes.get(chunk))
      report = both(report, { ...nothing, failed: 1, error })
    }
    yield* Effect.forEach(rows, ([scope, vectors]) => store.putVectors(scope, space, vectors), { discard: true }).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          for (const text of stored) keep(text, outcomes.get(text))
        })
      )
    )
    for (const text of stored) kept.delete(text)
    return again.length === 0 || report.down ? report : both(report, yield* settle(again, halvingsLeft - 1))
  })

  const embed: Embedding["embed"] = Effect.fnUntraced(function* (given: ReadonlyArray<Draft>) {
    const notes = given.filter(({ content }) => !isBlank(content))
    const parts = notes.map((note) => partsOf(note, embedder.maxTokens))
    const groups = groupsOf(parts, batchTexts, batchTokens, ({ chunks, note }) => [
      chunks.length,
      chunks.length === 1 ? count(note.content) : chunks.length * embedder.maxTokens
    ])
    let report = nothing
    for (const group of groups) {
      const isCopied = yield* copied(group.map(({ note }) => note))
      const left = group.filter(({ note }) => !isCopied(note))
      const next = yield* settle(left, halvings)
      report = both(report, { ...next, embedded: next.embedded + group.length - left.length })
      if (next.down) break
    }
    // what was not tried is as pending as what failed
    return { ...report, failed: notes.length - report.embedded }
  })

  return { space, embed, ofQuery }
}
