import { assert, describe, it } from "@effect/vitest"
import { type Memory, Pipeline, Primitive } from "cogito"
import { DateTime, Effect } from "effect"

type Every<A> = { readonly [K in keyof A]-?: ReadonlyArray<NonNullable<A[K]>> }

const moment = (millis: number) => DateTime.makeUnsafe(millis)
const score = () => Effect.succeed([])

/** Values of each option that differ from each other and from not saying it. The compiler asks for options that are added. */
const ofSurvey: Every<Memory.SurveyOptions> = {
  limit: [3, 4],
  keys: [["a"], ["a", "b"], ["a, b"], ['"a, b"'], [" a"], ["a "], [""], []],
  sources: [["user"], []],
  excludeSources: [[], ["user"]],
  taskId: ["task 1", "task 2"],
  excludeThoughts: [["x"], ["y"]],
  excludeLineageOf: [["x"], ["y"]],
  since: [moment(0), moment(1)],
  until: [moment(0), moment(1)],
  trust: ["trusted", "untrusted"],
  metadata: [{ a: "b" }, { a: "c" }, { b: "b" }],
  minSimilarity: [0, 0.5],
  maxDistance: [0.5, 1],
  fusion: [{ vectorWeight: 1 }, { vectorWeight: 2 }, { lexicalWeight: 1 }],
  context: [{ neighbours: 0.1 }, { neighbours: 0.2 }, { task: 0.1 }],
  recency: [{ halfLife: "1 day" }, { halfLife: "2 days" }, { halfLife: "1 day", weight: 0.1 }],
  dates: [{ weight: 0 }, { weight: 1 }, { timeZone: "UTC" }]
}
const ofSearch: Every<Omit<Memory.SearchOptions, keyof Memory.SurveyOptions>> = {
  diversity: [0.1, 0.2],
  rerank: [{ score }, { score, candidates: 5 }, { score, deadline: "1 second" }, { score, deadline: "2 seconds" }]
}

describe("a step that searches", () => {
  const different = (
    values: Readonly<Record<string, ReadonlyArray<unknown>>>,
    make: (options: Memory.SearchOptions) => Parameters<typeof Pipeline.fingerprint>[0]
  ): ReadonlyArray<number> => {
    const all: Array<Memory.SearchOptions> = [{}]
    for (const [name, some] of Object.entries(values)) for (const value of some) all.push({ [name]: value })
    const steps = all.map(make)
    return [
      steps.length,
      new Set(steps.map((step) => Effect.runSync(Pipeline.fingerprint(step)))).size,
      new Set(steps.map((step) => Pipeline.outline(step))).size
    ]
  }

  it("has another fingerprint and outline with any of its options", () => {
    const seeks = different({ ...ofSurvey, ...ofSearch }, (options) =>
      Primitive.seek("history", { query: "q", ...options })
    )
    assert.deepStrictEqual(seeks, Array(3).fill(seeks[0]))
    assert.isAbove(seeks[0] ?? 0, 40)
    const surveys = different({ ...ofSurvey }, (options) => Primitive.survey("related", { query: "q", ...options }))
    assert.deepStrictEqual(surveys, Array(3).fill(surveys[0]))
  })

  it("shows its options in the outline", () => {
    const outline = Pipeline.outline(
      Primitive.seek("history", {
        query: "q",
        recency: { halfLife: "36 hours", weight: 0.1 },
        fusion: { lexicalWeight: 0 },
        rerank: { score, candidates: 5, deadline: "1 second" }
      })
    )
    for (const part of ["recency.halfLife 1d 12h", "fusion.lexicalWeight 0", "rerank true", "rerank.deadline 1s"]) {
      assert.include(outline, part)
    }
  })

  it("has the same fingerprint and outline whatever the order of its metadata", () => {
    const steps = [
      { lang: "en", area: "billing", tier: "gold" },
      { tier: "gold", area: "billing", lang: "en" }
    ].map((metadata) => Primitive.seek("history", { query: "q", metadata }))
    assert.strictEqual(new Set(steps.map((step) => Effect.runSync(Pipeline.fingerprint(step)))).size, 1)
    assert.deepStrictEqual(
      steps.map((step) => Pipeline.outline(step).includes('metadata "area=billing, lang=en, tier=gold"')),
      [true, true]
    )
  })
})
