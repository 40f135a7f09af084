import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { CircuitBreaker, Note, Pipeline, Primitive, RateLimiter, Step, Thought, WorkerPool } from "cogito"
import { Testing } from "cogito/testing"
import { makeStep } from "../../src/step/runtime/make.ts"
import { triage } from "./triage.ts"

const read = Note.from(Note.handle("topic", Schema.String), (text) => text)
const plain = (name: string) => Step.make(name, { schema: Schema.Finite, run: () => 1 })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

/** Steps one within the other. */
const nested = (depth: number, inner: ReadonlyArray<Step.Any>): Step.Any => {
  let step: Step.Any = Pipeline.sequence("level 0", inner)
  for (let i = 1; i < depth; i++) step = Pipeline.sequence(`level ${i}`, [step])
  return step
}

describe("the settings of a step, in its outline", () => {
  const step = plain("it")
  const table: ReadonlyArray<readonly [string, Step.Any, Step.Node["settings"]]> = [
    ["retry", step.pipe(Step.retry()), { times: 2 }],
    ["retry as often as said", Step.retry(step, { times: 5 }), { times: 5 }],
    ["backoff", step.pipe(Step.backoff()), { times: 4, base: "250ms", factor: 2, cap: "30s", jitter: true }],
    [
      "backoff as said",
      step.pipe(Step.backoff({ times: 0, base: "1 second", factor: 1.5, cap: "1 minute", jitter: false })),
      { times: 0, base: "1s", factor: 1.5, cap: "1m", jitter: false }
    ],
    ["backoff by a schedule", step.pipe(Step.backoff({ schedule: Schedule.recurs(1) })), undefined],
    ["timeout", step.pipe(Step.timeout("90 seconds")), { duration: "1m 30s" }],
    [
      "rateLimit",
      step.pipe(Step.rateLimit({ limit: 3, per: "1 minute" })),
      { limit: 3, per: "1m", burst: 3, onExceeded: "wait" }
    ],
    [
      "rateLimit as said",
      step.pipe(Step.rateLimit({ limit: 3, per: "1 second", burst: 5, onExceeded: "fail" })),
      { limit: 3, per: "1s", burst: 5, onExceeded: "fail" }
    ],
    [
      "rateLimit, shared",
      step.pipe(Step.rateLimit({ limiter: RateLimiter.make({ limit: 1, per: "1 second" }) })),
      { limit: 1, per: "1s", burst: 1, onExceeded: "wait", shared: true }
    ],
    ["circuitBreaker", step.pipe(Step.circuitBreaker()), { failures: 5, reset: "1m", successes: 1 }],
    [
      "circuitBreaker, shared",
      step.pipe(
        Step.circuitBreaker({ breaker: CircuitBreaker.make({ failures: 2, reset: "5 seconds", successes: 3 }) })
      ),
      { failures: 2, reset: "5s", successes: 3, shared: true }
    ],
    ["workerLimit", step.pipe(Step.workerLimit({ workers: 3 })), { workers: 3 }],
    [
      "workerLimit, shared",
      step.pipe(Step.workerLimit({ pool: WorkerPool.make({ workers: 4 }) })),
      { workers: 4, shared: true }
    ],
    ["budget", step.pipe(Step.budget({ calls: 2 })), { calls: 2, onShort: "wait" }],
    ["budget as said", step.pipe(Step.budget({ time: "2 minutes", onShort: "fail" })), { time: "2m", onShort: "fail" }],
    ["handle", step.pipe(Step.handle(() => Effect.void)), undefined],
    ["enrich", Step.enrich(step, { name: "e" }), undefined],
    ["enrich with a report", Step.enrich(step, { report: "how", name: "e" }), { report: "how" }],
    ["race", Pipeline.race("r", [step, plain("b")]), { concurrency: "unbounded" }],
    ["contest", Pipeline.contest("c", [step, plain("b")], { accept: () => true, concurrency: 1 }), { concurrency: 1 }],
    ["concurrent", Pipeline.concurrent("c", [step, plain("b")]), { conflicts: "error", concurrency: "unbounded" }],
    [
      "concurrent as said",
      Pipeline.concurrent("c", [step, plain("b")], {
        conflicts: "last",
        concurrency: 2,
        minSuccesses: 1,
        report: "how"
      }),
      { conflicts: "last", concurrency: 2, minSuccesses: 1, report: "how" }
    ],
    [
      "switch",
      Pipeline.switch("s", { on: () => "a" as const, branches: { a: step }, default: "pass" }),
      { default: "pass" }
    ],
    [
      "switch with another way",
      Pipeline.switch("s", { on: () => "a" as const, branches: { a: step }, default: plain("b") }),
      undefined
    ],
    ["gate", Pipeline.gate("g", { check: () => "pass" as const, step }), undefined],
    ["gate with a reason", Pipeline.gate("g", { check: () => "pass" as const, reason: "Late." }), { reason: "Late." }]
  ]
  it.each(table)("has the plain options and the fixed question: %s", (_name, step, settings) => {
    assert.deepStrictEqual(step.node.settings, settings)
  })
})

describe("the steps of a pipeline", () => {
  it("come before those inside them, with the path that an error of each would have [C614]", () => {
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

  it("can be found by name and by kind, in order, and counted, repeatedly [C615]", () => {
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
  it("is plain JSON, which loses nothing, and omits what is not set [C611, C612]", () => {
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
      Step.retry(Primitive.converge("both", { branches: { pro: plain("six") }, prompt: "?" }), { name: "again" }),
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

  it("is always the same, and prints a shared step wherever it is used", () => {
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
  ])("keeps one line per step, whatever the names: %s", (_words, name, shown) => {
    const step = Pipeline.sequence("all", [Step.make(name, { run: () => 1 })])
    assert.deepStrictEqual(Pipeline.outline(step).split("\n"), ["- all: sequence", `  - ${shown}: step`])
  })

  it("distinguishes one key or setting with a comma from several", () => {
    const step = Primitive.forget("less", { drop: ["a", "b"] })
    assert.strictEqual(Pipeline.outline(step), '- less: forget (drop "a, b")')
    assert.strictEqual(Pipeline.outline(plain("a, b")), '- a, b: step; writes "a, b"')
  })

  it("cuts long settings", () => {
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
