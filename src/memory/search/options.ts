/** The options of searches. */
import * as Effect from "effect/Effect"
import { quoted } from "../../text/legible.ts"
import {
  count,
  inCode,
  maybe,
  moment,
  names,
  record,
  string,
  trust,
  unit,
  within,
  words
} from "../../arguments/forms.ts"
import { fail, type MemoryError } from "../model/error.ts"

/** What narrows a search. */
export const filterForms = {
  keys: maybe("Only notes under these keys.", names),
  sources: maybe("Only notes from these sources.", names),
  excludeSources: maybe("No notes from these sources.", names),
  taskId: maybe("Only notes of thoughts of this task.", words),
  excludeThoughts: maybe("No notes that these thoughts wrote.", names),
  since: maybe("Only notes created at this moment or later.", moment),
  until: maybe("Only notes created before this moment.", moment),
  trust: maybe("Only notes of this trust.", trust),
  metadata: maybe(
    "Only notes whose metadata has these fields with these values.",
    record("an object of texts", string)
  ),
  minSimilarity: maybe("Only matches at least this similar.", unit),
  excludeLineageOf: inCode,
  maxDistance: inCode
}

/** The options of a survey. */
export const surveyForms = {
  limit: maybe("Most matches.", count(1)),
  ...filterForms,
  fusion: within("vectorWeight", "lexicalWeight"),
  context: within("neighbours", "task"),
  recency: within("halfLife", "weight"),
  dates: within("weight", "timeZone")
}

/** The options of a search. */
export const searchForms = { ...surveyForms, diversity: inCode, rerank: within("score", "candidates", "deadline") }

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)

const nested = ["fusion", "context", "recency", "dates", "rerank"] as const

/**
 * Fails for an unknown option, and for a value that is not an object where one is required: in a program without types, a
 * misspelt filter would widen the search.
 *
 * A survey ignores the options that only a search has, so that both can share one object.
 */
export const checkOptions = (options: object): Effect.Effect<void, MemoryError> => {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const flat = [...nested, "metadata"].find((name) => given[name] !== undefined && !isObject(given[name]))
  if (flat !== undefined) return fail({ _tag: "Query", message: `A search's ${flat} must be an object.` })
  const places = [
    { inside: "", names: Object.keys(searchForms), within: given },
    ...nested.map((name) => ({
      inside: `${name}.`,
      names: Object.keys(searchForms[name].is.fields),
      within: given[name] ?? {}
    }))
  ]
  for (const { inside, names, within } of places) {
    const [unknown] =
      Object.entries(within).find(([name, value]) => value !== undefined && !names.some((one) => one === name)) ?? []
    if (unknown !== undefined) {
      return fail({
        _tag: "Query",
        message: `A search has no option ${quoted(inside + unknown.slice(0, 40))}, only ${names.map((one) => inside + one).join(", ")}.`
      })
    }
  }
  return Effect.void
}
