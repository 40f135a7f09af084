import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Pipeline, Primitive, Step } from "cogito"
import type { Layout } from "cogito/types"
import { makeStep } from "../../src/step/runtime/make.ts"
import { parse } from "./mermaid.ts"
import { triage } from "./triage.ts"

const plain = (name: string) => Step.make(name, { run: () => 1 })
const chart = (step: Step.Any, options?: { readonly direction?: "TD" | "LR" }) =>
  parse(Pipeline.toMermaid(step, options))
const inAll = (...steps: ReadonlyArray<Step.Any>) => Pipeline.sequence("all", steps)
const [a, b, c] = [plain("a"), plain("b"), plain("c")]

describe("a Mermaid flowchart", () => {
  const kinds: ReadonlyArray<readonly [string, Step.Any, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    ["nothing", inAll(), ["all --> done"], []],
    ["one step", a, ["a --> a step", "a step --> done"], []],
    ["a sequence", inAll(a, b), ["all --> a step", "a step --> b step", "b step --> done"], []],
    ["a chain", inAll(a.pipe(Step.andThen(b))), ["all --> a step", "a step --> b step", "b step --> done"], []],
    [
      "a sequence in a sequence",
      inAll(Pipeline.sequence("in", [a]), b),
      ["all --> a step", "a step --> b step", "b step --> done"],
      ["in sequence"]
    ],
    [
      "a race",
      inAll(Pipeline.race("first", { x: a, y: b }), c),
      [
        "all --> race",
        "race -x-> a step",
        "race -y-> b step",
        "a step --> first",
        "b step --> first",
        "first --> c step",
        "c step --> done"
      ],
      ["first race (concurrency unbounded)"]
    ],
    [
      "a contest",
      Pipeline.contest("best", { a, b }, { accept: () => true }),
      [
        "best --> contest",
        "contest -a-> a step",
        "contest -b-> b step",
        "a step --> first accepted",
        "b step --> first accepted",
        "first accepted --> done"
      ],
      ["best contest (concurrency unbounded)"]
    ],
    [
      "a converge",
      Primitive.converge("both", { branches: { a, b }, prompt: "?", concurrency: 1 }),
      [
        "both --> converge",
        "converge -a-> a step",
        "converge -b-> b step",
        "a step --> synthesis",
        "b step --> synthesis",
        "synthesis --> done"
      ],
      ["both converge (minSuccesses 1, concurrency 1)"]
    ],
    [
      "a sift",
      inAll(Primitive.sift("worth", { question: "?", step: a })),
      ["all --> worth sift", "worth sift -yes-> a step", "a step --> done", "worth sift -no-> done"],
      []
    ],
    [
      "a filter",
      inAll(Pipeline.filter("only", { when: () => true, step: a })),
      ["all --> only filter", "only filter -yes-> a step", "a step --> done", "only filter -no-> done"],
      []
    ],
    [
      "a filter of two ways",
      inAll(Pipeline.filter("which", { when: () => true, step: a, otherwise: b })),
      [
        "all --> which filter",
        "which filter -then-> a step",
        "which filter -otherwise-> b step",
        "a step --> done",
        "b step --> done"
      ],
      []
    ],
    [
      "a conditional step",
      inAll(a.pipe(Step.when("now", () => true, b))),
      ["all --> a step", "a step --> now when", "now when -yes-> b step", "b step --> done", "now when -no-> done"],
      []
    ],
    [
      "a discern that may pass",
      inAll(Primitive.discern("way", { question: "?", routes: { left: a, right: { when: "else" } } })),
      ["all --> way discern", "way discern -left-> a step", "a step --> done", "way discern -default-> done"],
      []
    ],
    [
      "a discern with a default",
      inAll(Primitive.discern("way", { question: "?", routes: { left: a }, default: b, minConfidence: 0.5 })),
      [
        "all --> way discern",
        "way discern -left-> a step",
        "way discern -default-> b step",
        "a step --> done",
        "b step --> done"
      ],
      []
    ],
    [
      "a switch",
      inAll(Pipeline.switch("way", { on: (): "x" | "y" => "x", branches: { x: a, y: b } })),
      ["all --> way switch", "way switch -x-> a step", "way switch -y-> b step", "a step --> done", "b step --> done"],
      []
    ],
    [
      "a gate",
      inAll(Pipeline.gate("open", { check: (): "pass" | "skip" | "fail" => "pass", step: a })),
      [
        "all --> open gate",
        "open gate -pass-> a step",
        "open gate -fail-> failed",
        "a step --> done",
        "open gate -skip-> done"
      ],
      []
    ],
    [
      "a fallback",
      inAll(Pipeline.fallback("either", [a, b])),
      [
        "all --> either fallback",
        "either fallback -first-> a step",
        "either fallback -else-> b step",
        "a step --> done",
        "b step --> done"
      ],
      []
    ],
    [
      "a recovery",
      inAll(Step.recover(a, b, { name: "saved" })),
      [
        "all --> saved recover",
        "saved recover -try-> a step",
        "saved recover -failed-> b step",
        "a step --> done",
        "b step --> done"
      ],
      []
    ],
    [
      "wrappers",
      inAll(Step.retry(Step.timeout(a, "5 seconds", { name: "soon" }), { name: "again" })),
      ["all --> a step", "a step --> done"],
      ["again retry (times 2)", "soon timeout (duration 5s)"]
    ],
    [
      "a wrapper around nothing",
      inAll(Step.retry(Pipeline.sequence("none", []), { name: "again" }), b),
      ["all --> none sequence", "none sequence --> b step", "b step --> done"],
      ["again retry (times 2)"]
    ],
    [
      "a scaffold, which nothing waits for",
      inAll(Pipeline.scaffold("later", { step: Pipeline.sequence("two", [a, b]) }), c),
      [
        "all --> later scaffold",
        "later scaffold -.-> a step",
        "a step --> b step",
        "later scaffold --> c step",
        "c step --> done"
      ],
      ["two sequence"]
    ]
  ]
  it.each(kinds)("draws %s", (_name, step, arrows, boxes) => {
    const drawn = chart(step)
    assert.deepStrictEqual(drawn.arrows, arrows)
    assert.deepStrictEqual(drawn.boxes, boxes)
  })

  it("draws branches with separate ends, and joins them", () => {
    const drawn = chart(Pipeline.concurrent("both", { x: Pipeline.filter("f", { when: () => true, step: a }), y: b }))
    assert.includeMembers([...drawn.arrows], ["a step --> all", "f filter -no-> all", "b step --> all", "all --> done"])
    const some = chart(Pipeline.concurrent("some", { a, b, c }, { minSuccesses: 2 }))
    assert.include(some.arrows, "at least 2 --> done")
  })

  it("draws each step inside the boxes that are around it, and no others", () => {
    const step = inAll(a, Step.retry(Pipeline.race("first", { b }), { name: "again" }), c)
    const boxes = new Map([...chart(step).shapes.values()].map((shape) => [shape.title, shape.boxes]))
    const race = "first race (concurrency unbounded)"
    assert.deepStrictEqual(boxes.get("a step"), [])
    assert.deepStrictEqual(boxes.get("b step"), ["again retry (times 2)", race])
    assert.deepStrictEqual(boxes.get("c step"), [])
  })

  it("has stable numbers and the requested direction", () => {
    const source = Pipeline.toMermaid(triage)
    assert.strictEqual(source, Pipeline.toMermaid(triage))
    assert.strictEqual(
      source,
      `
flowchart TD
  n0(["triage"])
  n1["ticket<br/>analyze"]
  n2["history<br/>seek"]
  n3["category<br/>categorize"]
  n4["mood<br/>assess"]
  n5["escalate<br/>decide"]
  n6(["done"])
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n3 --> n4
  n4 --> n5
  n5 --> n6
`.trim()
    )
    assert.strictEqual(chart(triage, { direction: "LR" }).direction, "LR")
  })

  const names = [
    "end",
    'a"b',
    "a'b`c",
    "[x](y){z}",
    "a | b || c",
    "a --> b",
    "n0 --> n1",
    "a\nb\r\nend",
    "<script>alert(1)</script>",
    "<br/>",
    "&lt;#quot;&#34;#35;",
    "%% comment %%{init: {}}%%",
    "click n0 callback; style n0 fill:#f00",
    "subgraph x",
    "1. list",
    "- list",
    "**bold** _it_ ~x~",
    "$$x^2$$",
    "a\\b",
    "日本語 für alle 🎉",
    "a\u202eb\u200b",
    "a\ud800",
    ":::class",
    "@{ shape: x }",
    "",
    " ",
    "x".repeat(500),
    "__proto__",
    "constructor"
  ]
  const shown = (name: string): string =>
    (name === "" ? '""' : name.length > 80 ? `${name.slice(0, 77)}...` : name).replaceAll(
      /[\p{C}]/gu,
      (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`
    )
  it.each(names.map((name) => [JSON.stringify(name).slice(0, 40), name]))(
    "is broken by no name, wherever it stands: %s",
    (_shown, name) => {
      const inner = { name, kind: "step", reads: [], writes: [], surely: [], children: [] }
      const step = (layout?: Layout) =>
        makeStep(
          { ...inner, kind: name, settings: { told: name }, children: [inner, inner], ...(layout && { layout }) },
          Effect.succeed
        )
      const layouts: ReadonlyArray<Layout | undefined> = [
        undefined,
        "row",
        "calls",
        { _tag: "Beside", meet: name },
        { _tag: "Beside", meet: name, inStep: true },
        { _tag: "Choice" },
        { _tag: "Choice", shape: "hexagon", labels: [name, name], past: name, fails: name }
      ]
      for (const layout of layouts) {
        const drawn = chart(inAll(step(layout)))
        const titles = [...drawn.shapes.values()].map(({ title }) => title)
        assert.strictEqual(titles.filter((title) => title === `${shown(name)} step`).length, 2)
        if (typeof layout === "object" && layout._tag === "Choice")
          assert.include(drawn.arrows.join("\n"), ` -${shown(name)}-> `)
      }
      assert.deepStrictEqual(chart(Pipeline.sequence(name, [])).arrows, [`${shown(name)} --> done`])
    }
  )

  it("draws wide and deep ones", () => {
    let step: Step.Any = Pipeline.sequence(
      "level",
      Array.from({ length: 9_500 }, (_, i) => plain(`s${i}`))
    )
    for (let i = 1; i < 500; i++) step = Pipeline.sequence(`level ${i}`, [step])
    assert.strictEqual(Pipeline.toMermaid(step).split("\n").length, 1 + (9_500 + 2) + 2 * 499 + 9_501)
  })
})
