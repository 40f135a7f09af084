import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { makeStep } from "../../src/internal/step.ts"
import { triage } from "./triage.ts"

const own = Testing.scripted([], { name: "own" }).provider
const read = Note.from(Note.handle("topic", Schema.String), (text) => text)
const plain = (name: string) => Step.make(name, { schema: Schema.Finite, run: () => 1 })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

/** Steps one within the other. */
const nested = (depth: number, inner: ReadonlyArray<Step.Any>): Step.Any => {
  let step: Step.Any = Pipeline.sequence("level 0", inner)
  for (let i = 1; i < depth; i++) step = Pipeline.sequence(`level ${i}`, [step])
  return step
}

describe("what a step was told, in its outline", () => {
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
        compact: false,
        provider: own,
        sampling,
        view: { recent: 2 },
        introspect: { prompt: "Why?", summaryKey: "why", onFailure: "skip", sampling: { temperature: 1 } }
      }),
      {
        repairs: 0,
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
      Primitive.decide("it", { question: "?", via: "auto", reasons: false, repairs: 1, view: "full", compact: true }),
      undefined,
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
  it.each(table)("has the plain options and the fixed question: %s", (_name, step, settings, asks) => {
    assert.deepStrictEqual(step.node.settings, settings)
    assert.strictEqual(step.node.asks, asks)
  })
})

describe("the steps of a pipeline", () => {
  it("come before those inside them, with the way to each as an error of it would say [C614]", () => {
    const inner = plain("one").pipe(
      Step.andThen(plain("two")),
      Step.when("maybe", () => true, plain("three"))
    )
    const all = Pipeline.sequence("all", [
      Primitive.sift("worth", { question: "?", step: inner }),
      Primitive.discern("way", {
        question: "?",
        routes: { left: plain("four") },
        minConfidence: 0.5,
        default: ask("five")
      }),
      Primitive.converge("both", { branches: { pro: plain("six") }, prompt: "?" })
    ])
    assert.deepStrictEqual(
      Array.from(Pipeline.steps(all), ({ depth, node, path }) => [depth, node.kind, path.join("/")]),
      [
        [0, "sequence", "all"],
        [1, "sift", "all/worth"],
        [2, "andThen", "all/worth/one, two, maybe"],
        [3, "step", "all/worth/one"],
        [3, "step", "all/worth/two"],
        [3, "when", "all/worth/maybe"],
        [4, "step", "all/worth/maybe/three"],
        [1, "discern", "all/way"],
        [2, "route", "all/way/left"],
        [3, "step", "all/way/left/four"],
        [2, "route", "all/way/default"],
        [3, "decide", "all/way/default/five"],
        [1, "converge", "all/both"],
        [2, "branch", "all/both/pro"],
        [3, "step", "all/both/pro/six"]
      ]
    )
  })

  it.effect("have the paths that errors have", () =>
    Effect.gen(function* () {
      const bad = Step.make("bad", { run: Effect.fail("no") })
      const all = Pipeline.sequence("all", [plain("one").pipe(Step.andThen(Step.retry(bad)))])
      const error = yield* Effect.flip(Effect.flatMap(Thought.make("x"), (thought) => Pipeline.run(all, thought)))
      const place = Array.from(Pipeline.steps(all)).find(({ node }) => node.name === "bad")
      assert.deepStrictEqual(place?.path, error.path)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("are found by name and by kind, the first first, and counted, as often as one likes [C615]", () => {
    const steps = Pipeline.steps(
      Pipeline.sequence("all", [ask("a"), Primitive.sift("b", { question: "?", step: ask("c") })])
    )
    const found = (is: (node: Step.Node) => boolean) => [...steps].find(({ node }) => is(node))?.path.join("/")
    assert.strictEqual(
      found(({ name }) => name === "c"),
      "all/b/c"
    )
    assert.strictEqual(
      found(({ kind }) => kind === "decide"),
      "all/a"
    )
    assert.isUndefined(found(({ kind }) => kind === "seek"))
    assert.strictEqual([...steps].filter(({ node }) => node.kind === "decide").length, 2)
  })
})

describe("a step as data", () => {
  it("is plain JSON, which loses nothing, and leaves out what is not said [C611, C612]", () => {
    const step = Pipeline.introspect(Pipeline.compact(triage))
    const read: Step.Node = JSON.parse(JSON.stringify(step.node))
    assert.deepStrictEqual(read, step.node)
    const again = makeStep<{}, {}, never, never>(read, Effect.succeed)
    assert.strictEqual(Pipeline.outline(again), Pipeline.outline(step))
    assert.deepStrictEqual(Object.keys(plain("a").node), ["name", "kind", "reads", "writes", "surely", "children"])
  })
})

describe("an outline", () => {
  it("shows a whole pipeline, its routes, branches and settings [C616, C795]", () => {
    const note = Step.make("note", { schema: Schema.String, run: read })
    const all = Pipeline.sequence("all", [
      Primitive.sift("worth", { question: "?", step: note }),
      Primitive.discern("way", { question: "?", routes: { left: plain("four"), right: { when: "else" } } }),
      Pipeline.retry("again", { step: Primitive.converge("both", { branches: { pro: plain("six") }, prompt: "?" }) }),
      Pipeline.race("first", { a: plain("x"), b: plain("x") }),
      Pipeline.filter("rare", { when: () => true, step: Primitive.seek("found", { query: "q", limit: 3 }) })
    ])
    assert.strictEqual(
      Pipeline.outline(Pipeline.introspect(Pipeline.compact(all, { turns: 9 }), { prompt: "What follows from it?" })),
      `
- all: sequence (compact.turns 9, compact.tokens 20000, compact.keep 5, compact.summaryKey conversation_summary); reads topic; writes worth, worth_summary, note?, way, way_summary, four?, six?, both, x, found?; updates conversation_summary?
  - worth: sift (introspect true, introspect.prompt "What follows from it?"); reads topic; writes worth, worth_summary, note?
    - note: step; reads topic; writes note
  - way: discern (routes "left, right: else", default pass, introspect true, introspect.prompt "What follows from it?"); writes way, way_summary, four?
    - left: route; writes four
      - four: step; writes four
  - again: retry (times 2); writes six?, both
    - both: converge (minSuccesses 1, concurrency unbounded); writes six?, both
      - pro: branch; writes six
        - six: step; writes six
  - first: race (concurrency unbounded); writes x
    - a: branch; writes x
      - x: step; writes x
    - b: branch; writes x
      - x: step; writes x
  - rare: filter; writes found?
    - found: seek (limit 3); writes found
`.trim()
    )
  })

  it("is the same again, and prints a shared step wherever it is used", () => {
    const shared = ask("shared")
    const step = Primitive.discern("way", { question: "?", routes: { shared, other: shared } })
    assert.strictEqual(Pipeline.outline(step), Pipeline.outline(step))
    assert.strictEqual(Pipeline.outline(step).match(/ shared: decide/g)?.length, 2)
    assert.match(Pipeline.outline(triage), /^- triage: sequence; writes ticket, history, category, mood, /)
  })

  it.each([
    ["plain words", "a word, or (two)/three.4", "a word, or (two)/three.4"],
    ["other alphabets", "日本語 ß", "日本語 ß"],
    ["a line break", "a\nb", '"a\\nb"'],
    ["a quote", 'a"b', '"a\\"b"'],
    ["a list mark", "- a", '"- a"'],
    ["a space at the end", "a ", '"a "'],
    ["nothing", "", '""'],
    ["what separates", "a; reads b: c", '"a; reads b: c"'],
    ["what turns the text around", "a\u202eb", '"a\\u{202e}b"'],
    ["a line separator", "a\u2028b", '"a\\u{2028}b"'],
    ["half a character", "a\ud800b", '"a\\ud800b"']
  ])("keeps one line a step, whatever the names: %s", (_words, name, shown) => {
    const step = Pipeline.sequence("all", [Step.make(name, { run: () => 1 })])
    assert.deepStrictEqual(Pipeline.outline(step).split("\n"), ["- all: sequence", `  - ${shown}: step`])
  })

  it("tells keys and settings with a comma in them from several", () => {
    const step = Primitive.forget("less", { drop: ["a", "b"] })
    assert.strictEqual(Pipeline.outline(step), '- less: forget (drop "a, b")')
    assert.strictEqual(Pipeline.outline(plain("a, b")), '- a, b: step; writes "a, b"')
  })

  it("cuts long texts that a step was told", () => {
    const step = Primitive.reset("anew", { system: "x".repeat(100) })
    assert.strictEqual(Pipeline.outline(step), `- anew: reset (system ${"x".repeat(57)}..., release true)`)
  })

  it("has no limit of depth or width", () => {
    const wide = Array.from({ length: 10_000 }, (_, i) => Step.make(`step ${i}`, { run: () => 1 }))
    const lines = Pipeline.outline(nested(500, wide)).split("\n")
    assert.strictEqual(lines.length, 10_500)
    assert.strictEqual(lines.at(-1), `${"  ".repeat(500)}- step 9999: step`)
    assert.strictEqual(Pipeline.outline(nested(5_000, [plain("x")])).split("\n").length, 5_001)
  })
})
