/** Checks an embedder that comes from other code, before anything is stored with it. */
import * as Effect from "effect/Effect"
import { quoted } from "../../text/legible.ts"
import type { Shape as EmbedderShape } from "../../thought/Embedder.ts"
import { fail, type MemoryError } from "../model/error.ts"

type Given = { readonly [P in keyof EmbedderShape]: unknown }

/** The most numbers of a vector that pgvector stores. */
const mostDimensions = 16_000

/** The first field that cannot be used, with what it needs. Code without a compiler may give anything. */
const lackOf = ({ dimensions, embedMany, id, maxTokens, metric }: Given): string | undefined => {
  if (typeof id !== "string" || id.trim() === "") return "id needs a name with a version, which is a string"
  if (
    typeof dimensions !== "number" ||
    !Number.isInteger(dimensions) ||
    dimensions < 1 ||
    dimensions > mostDimensions
  ) {
    return `dimensions needs a whole number from 1 to ${mostDimensions}`
  }
  if (!(typeof maxTokens === "number" && maxTokens >= 1)) return "maxTokens needs a number from 1"
  if (metric !== "cosine") return 'metric needs to be "cosine"'
  return typeof embedMany === "function" ? undefined : "embedMany needs a function"
}

/** Fails with `Query` if a field of the embedder is missing or wrong. */
export const checkEmbedder = (embedder: Given): Effect.Effect<void, MemoryError> => {
  const lack = lackOf(embedder)
  if (lack === undefined) return Effect.void
  return fail({ _tag: "Query", message: `The embedder ${quoted(String(embedder.id))} cannot be used: ${lack}.` })
}
