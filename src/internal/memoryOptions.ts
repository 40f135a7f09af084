/** The names of what may be said to a search. */
import * as Effect from "effect/Effect"
import type { SearchOptions } from "../Memory.ts"
import { quoted } from "./legible.ts"
import { fail, type MemoryError } from "./memoryError.ts"

const known: { readonly [K in keyof SearchOptions]-?: true } = {
  keys: true,
  sources: true,
  excludeSources: true,
  taskId: true,
  excludeThoughts: true,
  excludeLineageOf: true,
  since: true,
  until: true,
  trust: true,
  metadata: true,
  minSimilarity: true,
  maxDistance: true,
  limit: true,
  fusion: true,
  context: true,
  recency: true,
  diversity: true,
  rerank: true
}

/**
 * Refuses options that do not exist: in a program without types a slip would widen what is searched. A survey passes over
 * those that only a search has, so that both may share theirs.
 */
export const checkOptions = (options: object): Effect.Effect<void, MemoryError> => {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  return unknown === undefined
    ? Effect.void
    : fail({
        _tag: "Query",
        message: `A search has no option ${quoted(unknown.slice(0, 40))}, only ${Object.keys(known).join(", ")}.`
      })
}
