import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { Note, Primitive, type Step } from "cogito"
import { Testing } from "cogito/testing"

const own = Testing.scripted([], { name: "own" }).provider
const read = Note.from(Note.handle("topic", Schema.String), (text) => text)
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

describe("the settings of a primitive in its outline", () => {
  const sampling = { temperature: 0, effort: "low", maxTokens: 9, seed: 1, stop: ["a, b", "c"] }
  const sampled = {
    "sampling.temperature": 0,
    "sampling.effort": "low",
    "sampling.maxTokens": 9,
    "sampling.seed": 1,
    "sampling.stop": '"a, b", c'
  }
  const routes = { bill: { when: "payments" }, rest: ask("rest") }
  const day = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
  const found = {
    limit: 3,
    keys: ["a", "b"],
    sources: ["input"],
    excludeSources: ["seek"],
    taskId: "t",
    excludeThoughts: ["x"],
    since: day,
    until: day,
    trust: "trusted",
    metadata: { z: "1", a: "2" },
    minSimilarity: 0.5
  } as const
  const foundTold = {
    limit: 3,
    keys: "a, b",
    sources: "input",
    excludeSources: "seek",
    taskId: "t",
    excludeThoughts: "x",
    since: "2026-01-01T00:00:00.000Z",
    until: "2026-01-01T00:00:00.000Z",
    trust: "trusted",
    metadata: "a=2, z=1",
    minSimilarity: 0.5
  }
  const summarize = { prompt: "In short.", summaryKey: "gist", provider: own, sampling: { seed: 2 } }
  const summarizeTold = {
    summarize: true,
    "summarize.prompt": "In short.",
    "summarize.provider": "own",
    "summarize.sampling.seed": 2
  }
  const table: ReadonlyArray<readonly [string, Step.Any, Step.Node["settings"], string | undefined]> = [
    ["decide", ask("it"), undefined, "it?"],
    ["decide of a reader", Primitive.decide("it", { question: read }), undefined, undefined],
    [
      "all that reasoning takes",
      Primitive.analyze("it", {
        schema: Schema.Struct({ a: Schema.String }),
        prompt: "Extract.",
        repairs: 0,
        parsing: "strict",
        compact: false,
        provider: own,
        sampling,
        view: { recent: 2 },
        introspect: { prompt: "Why?", summaryKey: "why", onFailure: "skip", sampling: { temperature: 1 } }
      }),
      {
        repairs: 0,
        parsing: "strict",
        compact: false,
        introspect: true,
        "introspect.prompt": "Why?",
        "introspect.summaryKey": "why",
        "introspect.onFailure": "skip",
        "introspect.sampling.temperature": 1,
        "view.recent": 2,
        provider: "own",
        ...sampled
      },
      "Extract."
    ],
    [
      "what is the default anyway",
      Primitive.decide("it", {
        question: "?",
        via: "auto",
        reasons: false,
        repairs: 1,
        parsing: "lenient",
        view: "full",
        compact: true,
        introspect: { onFailure: "fail" }
      }),
      { introspect: true },
      "?"
    ],
    [
      "closed questions",
      Primitive.decide("it", { question: "?", via: "native", reasons: true, view: { summaryAndRecent: 1 } }),
      { via: "native", reasons: true, "view.summaryAndRecent": 1 },
      "?"
    ],
    [
      "categorize with names",
      Primitive.categorize("it", { question: "?", categories: ["a", "b, c"] }),
      { categories: 'a, "b, c"' },
      "?"
    ],
    [
      "categorize with sentences",
      Primitive.categorize("it", { question: "?", categories: { a: "first", b: "second" } }),
      { categories: "a: first, b: second" },
      "?"
    ],
    ["assess", Primitive.assess("it", { question: "?", aspects: ["price"] }), { aspects: "price" }, "?"],
    ["prioritize", Primitive.prioritize("it", { criteria: "cost", items: ["a", "b"] }), { items: "a, b" }, "cost"],
    [
      "a kind of one's own",
      Primitive.make("it", { kind: "estimate", schema: Schema.Finite, question: "?", instructions: "Be frank." }),
      { instructions: "Be frank." },
      "?"
    ],
    ["sift", Primitive.sift("it", { question: "?", step: ask("b") }), undefined, "?"],
    [
      "discern that may pass",
      Primitive.discern("it", { question: "?", routes }),
      { routes: "bill: payments, rest", default: "pass" },
      "?"
    ],
    [
      "discern",
      Primitive.discern("it", { question: "?", routes, default: ask("other"), minConfidence: 0.5 }),
      { routes: "bill: payments, rest", minConfidence: 0.5 },
      "?"
    ],
    [
      "converge",
      Primitive.converge("it", {
        branches: [ask("a"), ask("b")],
        prompt: "Which?",
        minSuccesses: 2,
        concurrency: 1,
        provider: own,
        sampling: { seed: 3 }
      }),
      { minSuccesses: 2, concurrency: 1, provider: "own", "sampling.seed": 3 },
      "Which?"
    ],
    [
      "amplify",
      Primitive.amplify("it", {
        source: Note.handle("draft", Schema.String),
        refine: "Shorten.",
        criteria: "Short.",
        rounds: 2,
        checkSampling: { temperature: 0 }
      }),
      { source: "draft", rounds: 2, criteria: "Short.", "checkSampling.temperature": 0 },
      "Shorten."
    ],
    ["seek", Primitive.seek("it", { query: "q", ...found, summarize }), { ...foundTold, ...summarizeTold }, "q"],
    ["survey", Primitive.survey("it", { query: "q", summarize: true }), { limit: 5, summarize: true }, "q"],
    [
      "reflect",
      Primitive.reflect("it", { prompt: "What now?", provider: own, sampling: { seed: 4 } }),
      { unpublishedOnly: false, provider: "own", "sampling.seed": 4 },
      "What now?"
    ],
    ["recall", Primitive.recall("it", { thought: "id", prompt: "And?" }), { thought: "id" }, "And?"],
    [
      "recall by trace",
      Primitive.recall("it", { thought: { traceId: "t" }, prompt: "And?" }),
      { traceId: "t" },
      "And?"
    ],
    [
      "compress",
      Primitive.compress("it", { threshold: { turns: 4, tokens: 900 }, keep: 2, prompt: "Shorter.", provider: own }),
      { keep: 2, "threshold.turns": 4, "threshold.tokens": 900, provider: "own" },
      "Shorter."
    ],
    [
      "truncate",
      Primitive.truncate("it", { first: 0, release: false }),
      { first: 0, last: 10, threshold: 0, release: false },
      undefined
    ],
    ["reset", Primitive.reset("it", { system: "Be brief." }), { system: "Be brief.", release: true }, undefined],
    ["checkpoint", Primitive.checkpoint("it"), undefined, undefined],
    [
      "restore",
      Primitive.restore("it", { from: { checkpoint: "c" }, session: "fresh" }),
      { "from.checkpoint": "c", session: "fresh" },
      undefined
    ],
    ["restore of an id", Primitive.restore("it", { from: "id" }), { from: "id", session: "keep" }, undefined],
    ["forget", Primitive.forget("it", { drop: ["a", "b"] }), { drop: "a, b" }, undefined],
    ["forget all but", Primitive.forget("it", { keep: [] }), { keep: "" }, undefined]
  ]
  it.each(table)("are its plain options, and its fixed question: %s", (_name, step, settings, asks) => {
    assert.deepStrictEqual(step.node.settings, settings)
    assert.strictEqual(step.node.asks, asks)
  })
})
