/** Vectors of notes: cut into parts, embedded together and a bounded number at a time, stored note by note. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EmbedderError, Shape as EmbedderShape } from "../../thought/Embedder.ts"
import type { ChunkVector, Space, Store } from "../model/Store.ts"
import { counterOf, isBlank } from "./chunks.ts"
import type { MemoryError } from "../model/error.ts"
import { type Draft, Job, keyOf, textKeyOf } from "./job.ts"
import { takeTurn } from "./shares.ts"
import { makeVectors, type Vectors } from "./vectors.ts"

/** The maximum number of texts in one call, and of tokens in all of them together. */
const batchTexts = 128
const batchTokens = 100_000

/** The most numbers of vectors that are kept of unfinished notes, 16 MB. */
const keptNumbers = 4_000_000

/** How embedding went. */
export interface Report {
  readonly embedded: number
  /** Notes that are still pending. */
  readonly failed: number
  /** Notes that are to be given again, as they have more parts than a turn, or no part in it. */
  readonly unfinished: ReadonlyArray<Draft>
  /** Why, of the last of those that failed. */
  readonly error: EmbedderError | undefined
  /** Whether it stopped because the embedder is out of order. */
  readonly down: boolean
}

export const nothing: Report = { embedded: 0, failed: 0, unfinished: [], error: undefined, down: false }

export const both = (a: Report, b: Report): Report => ({
  embedded: a.embedded + b.embedded,
  failed: a.failed + b.failed,
  unfinished: [...a.unfinished, ...b.unfinished],
  error: b.error ?? a.error,
  down: a.down || b.down
})

export interface Embedding extends Pick<Vectors, "ofQuery"> {
  readonly space: Space
  /**
   * Embeds notes for one turn and stores the vectors of the finished ones. A failing note does not affect the others.
   * Every scope has the same share of the turn.
   */
  readonly embed: (notes: ReadonlyArray<Draft>) => Effect.Effect<Report, MemoryError>
}

export const makeEmbedding = (store: Store, space: Space, embedder: EmbedderShape): Embedding => {
  const { ofEach, ofQuery } = makeVectors(embedder)
  const count = counterOf(embedder)

  /** Vectors that were paid for of notes that have failed, by text, the oldest first. */
  const kept = new Map<string, Float32Array>()
  const mostKept = Math.max(1, Math.floor(keptNumbers / embedder.dimensions))
  /** Notes that are not finished. */
  const jobs = new Map<string, Job>()

  /** Gives a note up. Its vectors are kept for its next try, as they were paid for. */
  const giveUp = (job: Job) => {
    jobs.delete(keyOf(job.note))
    for (const [text, vector] of job.done) {
      kept.set(text, vector)
      const [oldest] = kept.size > mostKept ? kept.keys() : []
      if (oldest !== undefined) kept.delete(oldest)
    }
  }

  /** How many texts go into a call: half as many after one that may do later, slowly more after others. */
  let most = batchTexts

  /** The first texts that fit into a call, given their tokens. */
  const batchOf = (texts: ReadonlyMap<string, number>): ReadonlyArray<string> => {
    const batch: Array<string> = []
    let tokens = 0
    for (const [text, own] of texts) {
      tokens += own
      if (batch.length === most || (tokens > batchTokens && batch.length > 0)) break
      batch.push(text)
    }
    return batch
  }

  /** Notes whose content another embedded note has: their vectors are copied. */
  const copied = Effect.fnUntraced(function* (notes: ReadonlyArray<Draft>) {
    const done = new Set<string>()
    for (const [scope, own] of Map.groupBy(notes, (note) => note.scope)) {
      const ids = own.map(({ id }) => id)
      for (const id of yield* store.copyVectors(scope, space, ids)) done.add(keyOf({ scope, id }))
    }
    return done
  })

  /** Stores complete notes and gives failed ones up, unless smaller parts may succeed. */
  const settle = Effect.fnUntraced(function* (
    touched: ReadonlyArray<Job>,
    outcomes: ReadonlyMap<string, Float32Array | EmbedderError>,
    finished: Set<string>
  ): Effect.fn.Return<Report, MemoryError> {
    let report = nothing
    const rows = new Map<string, Array<ChunkVector>>()
    const stored: Array<Job> = []
    for (const job of touched) {
      if (jobs.get(keyOf(job.note)) !== job) continue
      job.learn((text) => outcomes.get(text))
      if (job.complete) {
        const own = rows.get(job.note.scope) ?? []
        own.push(...job.vectors)
        rows.set(job.note.scope, own)
        stored.push(job)
      } else if (job.error !== undefined) {
        const smaller = job.smaller()
        if (smaller === undefined) {
          giveUp(job)
          finished.add(keyOf(job.note))
          report = both(report, { ...nothing, failed: 1, error: job.error })
        } else jobs.set(keyOf(job.note), smaller)
      }
    }
    yield* Effect.forEach(rows, ([scope, vectors]) => store.putVectors(scope, space, vectors), { discard: true })
    for (const { done, note } of stored) {
      const key = keyOf(note)
      jobs.delete(key)
      finished.add(key)
      for (const [text] of done) kept.delete(text)
    }
    // waiting notes with the same content can be copied now
    const ready =
      stored.length === 0 || jobs.size === 0 ? undefined : new Set(stored.map(({ note }) => textKeyOf(note)))
    for (const [key, { begun, note }] of ready === undefined ? [] : jobs) {
      if (!begun && ready?.has(textKeyOf(note)) === true) jobs.delete(key)
    }
    return both(report, { ...nothing, embedded: stored.length })
  })

  /** One turn of these jobs. */
  const turn = Effect.fnUntraced(function* (
    all: ReadonlyArray<Job>,
    finished: Set<string>
  ): Effect.fn.Return<Report, MemoryError> {
    const touched = takeTurn(all, embedder.dimensions)
    const outcomes = new Map<string, Float32Array | EmbedderError>()
    for (const text of touched.flatMap(({ open }) => open)) {
      const known = kept.get(text)
      if (known !== undefined) outcomes.set(text, known)
    }
    let report = yield* settle(touched, outcomes, finished)
    for (;;) {
      // the other parts of a failed note are not requested
      const due = new Map<string, number>()
      for (const job of touched) {
        if (jobs.get(keyOf(job.note)) === job) for (const text of job.open) due.set(text, job.tokensOf(text))
      }
      const batch = batchOf(due)
      if (batch.length === 0) return report
      const found = yield* Effect.result(ofEach(batch))
      if (Result.isFailure(found)) return both(report, { ...nothing, error: found.failure, down: true })
      for (const [i, text] of batch.entries()) {
        const outcome = found.success[i]
        if (outcome !== undefined) outcomes.set(text, Result.merge(outcome))
      }
      const later = found.success.some((outcome) => Result.isFailure(outcome) && outcome.failure.retryable)
      most = later ? Math.max(1, Math.floor(batch.length / 2)) : Math.min(batchTexts, most + 1)
      report = both(report, yield* settle(touched, outcomes, finished))
    }
  })

  const embed: Embedding["embed"] = Effect.fnUntraced(function* (given: ReadonlyArray<Draft>) {
    const notes = given.filter(({ content }) => !isBlank(content))
    const isCopied = yield* copied(notes.filter((note) => !jobs.has(keyOf(note))))
    const left = isCopied.size === 0 ? notes : notes.filter((note) => !isCopied.has(keyOf(note)))
    for (const note of left) {
      const key = keyOf(note)
      if (!jobs.has(key)) jobs.set(key, new Job(note, embedder.maxTokens, count))
    }
    const open = () => left.flatMap((note) => jobs.get(keyOf(note)) ?? [])
    const giveUpAll = Effect.sync(() => {
      for (const job of open()) giveUp(job)
    })
    const finished = new Set<string>()
    const report = yield* Effect.tapError(turn(open(), finished), () => giveUpAll)
    if (report.down) yield* giveUpAll
    const unfinished = report.down ? [] : left.filter((note) => !finished.has(keyOf(note)))
    const embedded = report.embedded + notes.length - left.length
    return { ...report, embedded, unfinished, failed: notes.length - embedded - unfinished.length }
  })

  return { space, embed, ofQuery }
}
