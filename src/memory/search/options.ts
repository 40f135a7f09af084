/** The names of the options of searches. */
import * as Effect from "effect/Effect"
import { quoted } from "../../text/legible.ts"
import { nested } from "../../arguments/slips.ts"
import { fail, type MemoryError } from "../model/error.ts"

/** The names of the options of a survey. */
export const surveyNames = [
  "keys",
  "sources",
  "excludeSources",
  "taskId",
  "excludeThoughts",
  "excludeLineageOf",
  "since",
  "until",
  "trust",
  "metadata",
  "minSimilarity",
  "maxDistance",
  "limit",
  "fusion",
  "context",
  "recency"
] as const

/** The names of the options of a search. */
export const searchNames = [...surveyNames, "diversity", "rerank"] as const

const known: ReadonlyArray<string> = searchNames
const nestedNames = ["fusion", "context", "recency", "rerank"] as const

/**
 * Fails for an option that does not exist: in a program without types, a misspelt filter would widen the search.
 *
 * A survey ignores the options that only a search has, so that both can share one object.
 */
export const checkOptions = (options: object): Effect.Effect<void, MemoryError> => {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const places = [
    { inside: "", names: known, within: given },
    ...nestedNames.map((name) => ({ inside: `${name}.`, names: nested[name], within: given[name] ?? {} }))
  ]
  for (const { inside, names, within } of places) {
    const unknown = Object.keys(within).find((name) => !names.some((one) => one === name))
    if (unknown !== undefined) {
      return fail({
        _tag: "Query",
        message: `A search has no option ${quoted(inside + unknown.slice(0, 40))}, only ${names.map((one) => inside + one).join(", ")}.`
      })
    }
  }
  return Effect.void
}
