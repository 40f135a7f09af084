// @effect-diagnostics globalErrorInEffectFailure:off -- a program says what went wrong and ends
// @effect-diagnostics unknownInEffectCatch:off -- whatever it is
/** Embedders of every strength: a search has to hold up with a good one, a weak one, and one that knows nothing. */
import { Effect, Layer } from "effect"
import { Embedder } from "cogito"
import { Local } from "cogito/local"
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Data } from "./data.ts"
import { numbers } from "./statistics.ts"

const dimensions = 512
/** These read a text whole, however long. */
const maxTokens = 1_000_000

const seedOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32LE(0)

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return length === 0 ? unit(vector.fill(1)) : vector.map((value) => value / length)
}

/** A direction that the text alone decides; those of two texts are nearly at a right angle. */
const direction = (text: string): Float32Array => {
  const next = numbers(seedOf(text))
  // Box and Muller: equally likely in every direction
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return unit(Float32Array.from({ length: dimensions }, normal))
}

const make = (id: string, vectorOf: (text: string) => Float32Array): Embedder.Shape => ({
  id: `bench-${id}`,
  dimensions,
  maxTokens,
  metric: "cosine",
  embedMany: (texts) => Effect.sync(() => texts.map(vectorOf))
})

/** Knows nothing: what it finds is chance. */
export const random: Embedder.Shape = make("random", direction)

/** Knows spelling: words and their parts of three letters, each counted in one of 512 places. */
export const hash: Embedder.Shape = make("hash", (text) => {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number) => {
    const seed = seedOf(feature)
    const place = (seed >>> 1) % dimensions
    vector[place] = vector[place]! + (seed & 1 ? weight : -weight)
  }
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const framed = `<${word}>`
    add(framed, 1)
    for (let i = 0; i + 3 <= framed.length; i++) add(framed.slice(i, i + 3), 0.5)
  }
  return unit(vector)
})

/**
 * Knows the answers: a note points where the questions that it answers point, those with the same answers in the same
 * direction; other notes point anywhere.
 */
export const oracle = ({ notes, questions }: Data): Embedder.Shape => {
  const answers = new Map<string, Set<string>>()
  const asked = new Map<string, string>()
  for (const { relevant, text } of questions) {
    const same = relevant.toSorted().join("\n")
    asked.set(text.trim(), same)
    for (const id of relevant) answers.set(id, (answers.get(id) ?? new Set()).add(same))
  }
  const known = new Map([...asked].map(([text, same]) => [text, direction(same)]))
  for (const { id, text } of notes) {
    const vector = direction(text).map((value) => value / 4)
    for (const same of answers.get(id) ?? []) {
      const towards = direction(same)
      for (let i = 0; i < dimensions; i++) vector[i] = vector[i]! + towards[i]!
    }
    known.set(text.trim(), unit(vector))
  }
  return make("oracle", (text) => known.get(text.trim()) ?? direction(text))
}

const isLayer = (value: unknown): value is Layer.Layer<Embedder.Embedder, unknown> => Layer.isLayer(value)

const isEmbedder = (value: unknown): value is Embedder.Shape => {
  const { dimensions, embedMany, id, maxTokens } = (value ?? {}) as Partial<Record<keyof Embedder.Shape, unknown>>
  const numbers = [dimensions, maxTokens].every((one) => Number.isInteger(one) && Number(one) > 0)
  return numbers && typeof id === "string" && typeof embedMany === "function"
}

/** Embeds each text once: questions are asked more than once. */
const remembering = (embedder: Embedder.Shape): Embedder.Shape => {
  const known = new Map<string, Float32Array>()
  return {
    ...embedder,
    embedMany: Effect.fnUntraced(function* (texts) {
      const unknown = [...new Set(texts)].filter((text) => !known.has(text))
      const vectors = yield* embedder.embedMany(unknown)
      for (const [i, text] of unknown.entries()) known.set(text, vectors[i]!)
      return texts.map((text) => known.get(text)!.slice())
    })
  }
}

/** The embedder of a layer. */
const fromLayer = (layer: Layer.Layer<Embedder.Embedder, unknown>): Effect.Effect<Embedder.Shape, unknown> =>
  Effect.provide(Embedder.Embedder, layer)

/** An embedder by its name, or what the module at a path exports as `embedder`: a layer, or the embedder itself. */
export const byName = (name: string, data: Data): Effect.Effect<Embedder.Shape, unknown> =>
  Effect.map(named(name, data), remembering)

export const names = ["local", "hash", "random", "oracle"] as const

const named = (name: string, data: Data): Effect.Effect<Embedder.Shape, unknown> => {
  switch (name) {
    case "local":
      return fromLayer(Local.embedder)
    case "hash":
      return Effect.succeed(hash)
    case "random":
      return Effect.succeed(random)
    case "oracle":
      return Effect.succeed(oracle(data))
    default:
      return Effect.flatMap(
        Effect.tryPromise({
          try: () => import(pathToFileURL(resolve(name)).href) as Promise<{ embedder?: unknown }>,
          catch: (error) => error
        }),
        ({ embedder }) => {
          if (isLayer(embedder)) return fromLayer(embedder)
          if (isEmbedder(embedder)) return Effect.succeed(embedder)
          return Effect.fail(
            new Error(
              `The module ${name} exports no \`embedder\`: a layer of Embedder, or { id, dimensions, maxTokens, metric, embedMany }.`
            )
          )
        }
      )
  }
}
