/** The filters of a search, checked and completed. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Filter } from "../model/Search.ts"
import { quoted } from "../../text/legible.ts"
import { resultSources } from "../model/results.ts"
import { fail, type MemoryError } from "../model/error.ts"

/** Whether a filter with its defaults lets results of earlier searches through. */
export const findsResults = ({ excludeSources = [], sources }: Filter): boolean =>
  resultSources.some((source) => (sources?.includes(source) ?? true) && !excludeSources.includes(source))

const isText = (value: unknown) => typeof value === "string"
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/**
 * The bounds of distance that a filter sets; undefined for a bound that includes every note.
 *
 * A similarity below 0 counts as 0, so a bound of 0 sets no limit.
 */
export const boundsOf = ({
  maxDistance = 2,
  minSimilarity = 0
}: Filter): { readonly minSimilarity: number | undefined; readonly maxDistance: number | undefined } => ({
  minSimilarity: minSimilarity > 0 ? minSimilarity : undefined,
  maxDistance: maxDistance < 2 ? maxDistance : undefined
})

const refuse = (what: string, form: string) => fail({ _tag: "Query", message: `A search's ${what} must be ${form}.` })

/** A filter with its defaults. Fails if a value has another type: nothing unchecked reaches a statement. */
export const filterOf = Effect.fnUntraced(function* (options: Filter): Effect.fn.Return<Filter, MemoryError> {
  for (const name of ["keys", "sources", "excludeSources", "excludeThoughts", "excludeLineageOf"] as const) {
    if (options[name] !== undefined && !areTexts(options[name])) return yield* refuse(name, "a list of texts")
  }
  if (options.taskId !== undefined && !isText(options.taskId)) return yield* refuse("taskId", "a text")
  for (const name of ["since", "until"] as const) {
    const moment: unknown = options[name]
    if (moment !== undefined && !(DateTime.isDateTime(moment) && DateTime.isUtc(moment))) {
      return yield* refuse(name, "a DateTime in UTC, as of DateTime.makeUnsafe")
    }
  }
  if (options.trust !== undefined && !["trusted", "untrusted"].includes(options.trust)) {
    return yield* refuse("trust", 'either "trusted" or "untrusted"')
  }
  for (const [field, value] of Object.entries(options.metadata ?? {})) {
    if (!isText(value)) return yield* refuse(`metadata field ${quoted(field)}`, "a text")
  }
  const excludeSources = options.excludeSources ?? (options.sources === undefined ? resultSources : [])
  return { ...options, excludeSources }
})
