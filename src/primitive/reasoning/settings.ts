/** The settings of a step in its outline: the options that are plain data. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Text } from "../../thought/Note.ts"
import type { SearchOptions } from "../../memory/model/Search.ts"
import type { Sampling } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import type { Node } from "../../step/runtime/model.ts"
import type { View } from "../../thought/Session.ts"

type Value = string | number | boolean | undefined
/** Options by name. Options that are not set are undefined. */
export type NodeSettings = Readonly<Record<string, Value>>

/** The settings of a node without undefined ones. No settings if all are undefined. */
export const settingsOf = (...given: ReadonlyArray<NodeSettings>): Pick<Node, "settings"> => {
  const settings: Record<string, string | number | boolean> = {}
  for (const [name, value] of given.flatMap(Object.entries<Value>)) if (value !== undefined) settings[name] = value
  return Object.keys(settings).length === 0 ? {} : { settings }
}

/** The question or task, if it is a fixed text. */
export const promptOf = (text: Text): Pick<Node, "asks"> => (typeof text === "string" ? { asks: text } : {})

/** Joins names into one text. */
export const listed = (names: ReadonlyArray<string> | undefined): string | undefined =>
  names?.map((name) => (/[",]|^\s|\s$|^$/.test(name) ? JSON.stringify(name) : name)).join(", ")

/** Joins names into one text, each with its description if it has one. */
export const described = (names: ReadonlyArray<string> | Readonly<Record<string, string | undefined>>): string => {
  if (Array.isArray(names)) return listed(names) ?? ""
  const entries = Object.entries(names as Readonly<Record<string, string | undefined>>)
  return listed(entries.map(([name, words]) => (words === undefined ? name : `${name}: ${words}`))) ?? ""
}

/** The provider of a step. */
export const providerSettings = (provider: ProviderShape | undefined): NodeSettings => ({ provider: provider?.name })

/** The sampling wishes of a step. */
export const samplingSettings = (
  { effort, maxTokens, seed, stop, temperature }: Sampling = {},
  of = "sampling"
): NodeSettings => ({
  [`${of}.temperature`]: temperature,
  [`${of}.effort`]: effort,
  [`${of}.maxTokens`]: maxTokens,
  [`${of}.seed`]: seed,
  [`${of}.stop`]: listed(stop)
})

/** The view of a step, unless it is the whole conversation. */
export const viewSettings = (view: View = "full"): NodeSettings => {
  if (view === "full") return {}
  return "recent" in view ? { "view.recent": view.recent } : { "view.summaryAndRecent": view.summaryAndRecent }
}

/** How each search option appears in the settings. The type requires an entry for new options. */
const searchWays: { readonly [K in keyof SearchOptions]-?: (options: SearchOptions) => NodeSettings } = {
  limit: ({ limit }) => ({ limit }),
  keys: ({ keys }) => ({ keys: listed(keys) }),
  sources: ({ sources }) => ({ sources: listed(sources) }),
  excludeSources: ({ excludeSources }) => ({ excludeSources: listed(excludeSources) }),
  taskId: ({ taskId }) => ({ taskId }),
  excludeThoughts: ({ excludeThoughts }) => ({ excludeThoughts: listed(excludeThoughts) }),
  excludeLineageOf: ({ excludeLineageOf }) => ({ excludeLineageOf: listed(excludeLineageOf) }),
  since: ({ since }) => ({ since: since === undefined ? undefined : DateTime.formatIso(since) }),
  until: ({ until }) => ({ until: until === undefined ? undefined : DateTime.formatIso(until) }),
  trust: ({ trust }) => ({ trust }),
  metadata: ({ metadata = {} }) => ({
    metadata:
      listed(
        Object.entries(metadata)
          .map(([name, value]) => `${name}=${value}`)
          .toSorted()
      ) || undefined
  }),
  minSimilarity: ({ minSimilarity }) => ({ minSimilarity }),
  maxDistance: ({ maxDistance }) => ({ maxDistance }),
  fusion: ({ fusion: { lexicalWeight, vectorWeight } = {} }) => ({
    "fusion.vectorWeight": vectorWeight,
    "fusion.lexicalWeight": lexicalWeight
  }),
  context: ({ context: { neighbours, task } = {} }) => ({ "context.neighbours": neighbours, "context.task": task }),
  recency: ({ recency }) => ({ "recency.halfLife": lasting(recency?.halfLife), "recency.weight": recency?.weight }),
  dates: ({ dates: { timeZone, weight } = {} }) => ({ "dates.weight": weight, "dates.timeZone": timeZone }),
  diversity: ({ diversity }) => ({ diversity }),
  rerank: ({ rerank }) => ({
    // a function is not plain data
    rerank: rerank === undefined ? undefined : true,
    "rerank.candidates": rerank?.candidates,
    "rerank.deadline": lasting(rerank?.deadline)
  })
}

/** A duration as text. An invalid one is refused when the step runs. */
const lasting = (input: Duration.Input | undefined): string | undefined =>
  input === undefined
    ? undefined
    : Option.match(Duration.fromInput(input), { onNone: () => "no duration", onSome: Duration.format })

/** The settings of a search. */
export const searchSettings = (options: SearchOptions, defaultLimit: number): NodeSettings => {
  const all = { ...options, limit: options.limit ?? defaultLimit }
  return Object.fromEntries(Object.values(searchWays).flatMap((way) => Object.entries<Value>(way(all))))
}
