/** Every option of the ranking, queries of every kind, and options that are refused. */
import { Memory } from "cogito"
import { Duration, Effect } from "effect"
import { corpus, lines, taskLines } from "./corpus.ts"
import { inSecond, scene } from "./stage.ts"

const longest = (_query: string, notes: ReadonlyArray<{ readonly content: string }>) =>
  Effect.succeed(notes.map(({ content }) => content.length))

const rankings: ReadonlyArray<readonly [string, Memory.SurveyOptions]> = [
  ["one", { limit: 1 }],
  ["two", { limit: 2 }],
  ["meaning counts seven times", { fusion: { vectorWeight: 7 } }],
  ["meaning counts for nothing", { fusion: { vectorWeight: 0 } }],
  ["words count half", { fusion: { lexicalWeight: 0.5 } }],
  ["words count for nothing", { fusion: { lexicalWeight: 0 } }],
  ["nothing counts", { fusion: { vectorWeight: 0, lexicalWeight: 0 } }],
  ["all of the fusion", { fusion: { vectorWeight: 3, lexicalWeight: 2 } }],
  ["weights that are as good as infinite", { fusion: { vectorWeight: 1e300, lexicalWeight: 1e-300 } }],
  ["no context", { context: { neighbours: 0, task: 0 } }],
  ["neighbours", { context: { neighbours: 0.5 } }],
  ["neighbours in full", { context: { neighbours: 1 } }],
  ["the task", { context: { task: 0.7 } }],
  ["neighbours and the task", { context: { neighbours: 0.25, task: 1 } }],
  ["what is new, a little", { recency: { halfLife: "1 hour" } }],
  ["what is new, as much as may be", { recency: { halfLife: "2 hours", weight: 0.2 } }],
  ["what is new, not at all", { recency: { halfLife: "1 day", weight: 0 } }],
  ["what is new, for ever", { recency: { halfLife: Duration.infinity, weight: 0.15 } }]
]

const queries = [
  "lost parcel",
  "LOST, parcels!",
  "parcel -lost 'depot' & (storm | rain):*",
  "charged invoice",
  "storm depot parcel",
  "zebra",
  "what was lost today",
  "of the",
  "?!",
  "",
  " \n",
  "lost\0parcel",
  "one two three four five six seven eight nine ten eleven twelve parcel lost storm depot rain ships invoice"
]

const bounds: ReadonlyArray<readonly [string, object]> = [
  ["a limit of 0", { limit: 0 }],
  ["a limit of one and a half", { limit: 1.5 }],
  ["a limit of 100", { limit: 100 }],
  ["a limit of 101", { limit: 101 }],
  ["a limit of 500", { limit: 500 }],
  ["a limit of 501", { limit: 501 }],
  ...[-0.1, 1.1, Number.NaN].flatMap((value): ReadonlyArray<readonly [string, object]> => [
    [`a similarity of ${value}`, { minSimilarity: value }],
    [`neighbours of ${value}`, { context: { neighbours: value } }],
    [`a task of ${value}`, { context: { task: value } }],
    [`a diversity of ${value}`, { diversity: value }]
  ]),
  ["a distance below 0", { maxDistance: -0.1 }],
  ["a distance over 2", { maxDistance: 2.1 }],
  ["a weight of meaning below 0", { fusion: { vectorWeight: -1 } }],
  ["a weight of words below 0", { fusion: { lexicalWeight: -1 } }],
  ["a recency below 0", { recency: { halfLife: "1 day", weight: -0.01 } }],
  ["a recency over 0.2", { recency: { halfLife: "1 day", weight: 0.21 } }],
  ["a half-life of 0", { recency: { halfLife: 0 } }],
  ["no half-life", { recency: {} }],
  ["a weight of dates below 0", { dates: { weight: -1 } }],
  ["a time zone that there is none", { dates: { timeZone: "Mars/Base" } }],
  ["an option of the dates that there is none", { dates: { zone: "UTC" } }],
  ["keys that are no list", { keys: "message" }],
  ["sources that are no texts", { sources: [1] }],
  ["excluded sources that are no list", { excludeSources: {} }],
  ["excluded thoughts that are no texts", { excludeThoughts: [null] }],
  ["a lineage that is no list", { excludeLineageOf: "x" }],
  ["a task that is no text", { taskId: 7 }],
  ["a moment that is a number", { since: 0 }],
  ["a moment that is a date", { until: new Date(0) }],
  ["a trust that there is none", { trust: "some" }],
  ["metadata that is no text", { metadata: { lang: 1 } }],
  ["an option that there is none", { taskID: "x" }],
  ["an option of the fusion that there is none", { fusion: { k: 5, lexicalWieght: 2 } }],
  ["an option of the context that there is none", { context: { neighbors: 0.5 } }],
  ["no candidates", { rerank: { score: longest, candidates: 0 } }],
  ["501 candidates", { rerank: { score: longest, candidates: 501 } }],
  ["a deadline of 0", { rerank: { score: longest, deadline: 0 } }]
]

export const rankingScenes = [
  scene("Searching, ranked in every way", ({ show }) =>
    Effect.andThen(
      corpus,
      Effect.forEach(rankings, ([name, options]) =>
        show(name, Effect.map(Memory.search("storm and lost parcel", options), lines))
      )
    )
  ),
  scene("Surveying tasks, ranked in every way", ({ show }) =>
    Effect.andThen(
      corpus,
      Effect.forEach(rankings, ([name, options]) =>
        show(name, Effect.map(Memory.survey("storm and lost parcel", options), taskLines))
      )
    )
  ),
  scene("Queries of every kind", ({ show }) =>
    Effect.gen(function* () {
      yield* corpus
      for (const query of queries) {
        const name = JSON.stringify(query)
        yield* show(`search ${name}`, Effect.map(Memory.search(query, { limit: 4 }), lines))
        yield* show(`survey ${name}`, Effect.map(Memory.survey(query), taskLines))
      }
      yield* show("a match in full", Memory.search("charged invoice", { limit: 1 }))
      yield* show("a task in full", Memory.survey("charged invoice", { limit: 1 }))
      yield* show("in another scope", inSecond(Memory.search("lost parcel")))
      yield* show("in a scope without notes", Memory.withScope("third")(Memory.survey("lost parcel")))
    })
  ),
  scene("Options that are refused", ({ show }) =>
    Effect.gen(function* () {
      for (const [name, options] of bounds) {
        yield* show(`search, ${name}`, Memory.search("parcel", options))
        yield* show(`survey, ${name}`, Memory.survey("parcel", options))
      }
    })
  )
]
