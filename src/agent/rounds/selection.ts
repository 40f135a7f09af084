/** Which tools an agent may use for a message. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Embedder, type EmbedderError } from "../../Embedder.ts"
import { foreign, recorded } from "../../run/run.ts"
import type { Settings } from "../model/settings.ts"
import { descriptionOf, type Tools } from "../model/tools.ts"

/** The names of the tools that may be used: all, those that triage has named, or those that are most similar to the message. */
export const selected = (
  { limits, select, toolkit: { tools } }: Pick<Settings, "limits" | "select" | "toolkit">,
  message: string,
  named: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<string>> => {
  const names = Object.keys(tools)
  if (select === "triage") return Effect.succeed(named ?? [])
  if (select === "all" || names.length <= limits.tools) return Effect.succeed(names)
  return recorded<ReadonlyArray<string>, never, never>(
    () => ({ kind: "decision" }),
    foreign(
      Effect.catch(mostSimilar(tools, message, limits.tools), (error) =>
        Effect.as(Effect.logWarning("All tools are used, as the embedder has failed.", error), names)
      )
    )
  )
}

/** The names of the tools whose description is most similar to the message, in the order of the toolkit. */
const mostSimilar = (
  tools: Tools,
  message: string,
  most: number
): Effect.Effect<ReadonlyArray<string>, EmbedderError> =>
  Effect.gen(function* () {
    const embedder = Option.getOrUndefined(yield* Effect.serviceOption(Embedder))
    const names = Object.keys(tools)
    if (embedder === undefined) return names
    const texts = Object.entries(tools).map(([name, tool]) => `${name}: ${descriptionOf(tool)}`)
    const [query, vectors] = yield* Effect.all([
      embedder.embedQuery?.(message) ?? Effect.map(embedder.embedMany([message]), ([first]) => first),
      embedder.embedMany(texts)
    ])
    const similarity = (i: number): number => vectors[i]?.reduce((sum, x, k) => sum + x * (query?.[k] ?? 0), 0) ?? 0
    const ranked = names.map((_, i) => i).toSorted((a, b) => similarity(b) - similarity(a))
    const best = new Set(ranked.slice(0, most))
    return names.filter((_, i) => best.has(i))
  })
