/** Every filter of a search and of a survey, alone and together. */
import { Memory } from "cogito"
import { DateTime, Effect } from "effect"
import { corpus, lines, taskLines } from "./corpus.ts"
import { scene, start } from "./stage.ts"

const after = (hours: number) => DateTime.add(start, { hours })
const justAfter = DateTime.add(start, { milliseconds: 1 })

type Things = Effect.Success<typeof corpus>

/** Each filter with its name. */
const filters = ({ fork, invoices, parcels, weather }: Things): ReadonlyArray<readonly [string, Memory.Filter]> => [
  ["no filter", {}],
  ["two keys", { keys: ["reply", "copy"] }],
  ["a key that no note has", { keys: ["nothing"] }],
  ["no keys", { keys: [] }],
  ["sources", { sources: ["clerk", "seek"] }],
  ["no sources", { sources: [] }],
  ["excluded sources", { excludeSources: ["user"] }],
  ["no source excluded", { excludeSources: [] }],
  ["sources, of which one is excluded", { sources: ["clerk", "survey"], excludeSources: ["clerk"] }],
  ["a task", { taskId: "ticket-7" }],
  ["a task that is unknown", { taskId: "ticket-1" }],
  ["excluded thoughts", { excludeThoughts: [parcels.id, weather.id] }],
  ["excluded thoughts of which one id is none", { excludeThoughts: ["no id", invoices.id] }],
  ["no thoughts excluded", { excludeThoughts: [] }],
  ["the lineage of a fork", { excludeLineageOf: [fork.id] }],
  ["the lineage of a parent and of another", { excludeLineageOf: [parcels.id, invoices.id] }],
  ["no lineage", { excludeLineageOf: ["no id"] }],
  ["since the moment of a note", { since: after(1) }],
  ["since a moment after the first notes", { since: justAfter }],
  ["until the moment of a note", { until: after(25) }],
  ["until a moment after it", { until: DateTime.add(after(25), { milliseconds: 1 }) }],
  ["since and until", { since: after(1), until: after(26) }],
  ["trusted", { trust: "trusted" }],
  ["untrusted", { trust: "untrusted" }],
  ["a metadata field", { metadata: { lang: "en" } }],
  ["two metadata fields", { metadata: { lang: "en", channel: "chat" } }],
  ["metadata that cannot be stored as it is", { metadata: { "odd\0": "\udfff" } }],
  ["another value of a metadata field", { metadata: { lang: "de" } }],
  ["no metadata fields", { metadata: {} }],
  ["a similarity", { minSimilarity: 0.3 }],
  ["a similarity of 0", { minSimilarity: 0 }],
  ["a similarity of 1", { minSimilarity: 1 }],
  ["a distance", { maxDistance: 0.6 }],
  ["a distance of 0", { maxDistance: 0 }],
  ["a distance of 2", { maxDistance: 2 }],
  ["a similarity and a smaller distance", { minSimilarity: 0.1, maxDistance: 0.65 }],
  [
    "several at once",
    { keys: ["message", "reply", "answer"], sources: ["clerk", "model"], taskId: "ticket-7", trust: "untrusted" }
  ]
]

export const filterScenes = [
  scene("Searching with filters", ({ show }) =>
    Effect.flatMap(corpus, (things) =>
      Effect.forEach(filters(things), ([name, filter]) =>
        show(name, Effect.map(Memory.search("lost parcel", filter), lines))
      )
    )
  ),
  scene("Surveying tasks with every fourth filter", ({ show }) =>
    Effect.flatMap(corpus, (things) =>
      Effect.forEach(filters(things), ([name, filter], i) =>
        i % 4 === 0 ? show(name, Effect.map(Memory.survey("lost parcel", filter), taskLines)) : Effect.void
      )
    )
  )
]
