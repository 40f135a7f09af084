import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Embedder, Memory } from "cogito"
import { readFileSync } from "node:fs"
import * as Data from "../../bench/retrieval/data.ts"
import { dated } from "../../bench/retrieval/dated.ts"
import { byName, hash, oracle, random } from "../../bench/retrieval/embedders.ts"
import { parse, toData } from "../../bench/retrieval/labelled.ts"
import { measure, type Metric, metrics } from "../../bench/retrieval/metrics.ts"
import { format, report } from "../../bench/retrieval/report.ts"
import { run } from "../../bench/retrieval/run.ts"
import { bootstrap, numbers } from "../../bench/retrieval/statistics.ts"

const { notes, questions } = Effect.runSync(
  Data.decode(readFileSync(new URL("../../bench/retrieval/notes.json", import.meta.url), "utf8"))
)
const byId = new Map(notes.map((note) => [note.id, note]))

const countBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1
  return counts
}

describe("the project's own questions", () => {
  it("are enough, about enough notes, tasks and thoughts", () => {
    assert.isAtLeast(notes.length, 300)
    assert.isAtLeast(questions.length, 100)
    assert.isAtLeast(Object.keys(countBy(notes, (note) => note.task)).length, 12)
    for (const [thought, count] of Object.entries(countBy(notes, (note) => note.thought))) {
      assert.isTrue(count >= 5 && count <= 9, thought)
      assert.strictEqual(new Set(notes.filter((note) => note.thought === thought).map((note) => note.task)).size, 1)
    }
  })

  it("have ids and texts that come once", () => {
    assert.strictEqual(byId.size, notes.length)
    assert.strictEqual(new Set(notes.map((note) => note.text)).size, notes.length)
    assert.strictEqual(new Set(questions.map((question) => question.id)).size, questions.length)
    assert.strictEqual(new Set(questions.map((question) => question.text)).size, questions.length)
  })

  it("are answered by one to five notes that exist, of the tasks they name", () => {
    for (const { id, relevant, relevantTasks } of questions) {
      assert.isTrue(relevant.length >= 1 && relevant.length <= 5, id)
      assert.strictEqual(new Set(relevant).size, relevant.length, id)
      const tasks = new Set(relevant.map((note) => byId.get(note)?.task))
      assert.isFalse(tasks.has(undefined), id)
      if (relevantTasks !== undefined) assert.deepStrictEqual(new Set<string | undefined>(relevantTasks), tasks, id)
    }
    assert.isAtLeast(questions.filter((question) => question.relevantTasks !== undefined).length, 20)
  })

  it("share few words with their answers in at least half of the cases", () => {
    const low = questions.filter((question) => Data.overlap(question, byId) <= 0.25)
    assert.isAtLeast(low.length, questions.length / 2)
  })

  it("are as many of each kind in both halves", () => {
    const [tuning, report] = [Data.half(questions, "tuning"), Data.half(questions, "report")]
    assert.strictEqual(tuning.length + report.length, questions.length)
    const kinds = countBy(tuning, (question) => question.kind ?? "")
    assert.deepStrictEqual(
      kinds,
      countBy(report, (question) => question.kind ?? "")
    )
    assert.deepStrictEqual(Object.keys(kinds).toSorted(), ["keyword", "language", "natural", "paraphrase"])
    assert.isAtLeast(kinds["paraphrase"]!, tuning.length / 2)
    assert.isAtLeast(kinds["keyword"]!, tuning.length / 5)
  })
})

describe("the questions with dates", () => {
  const created = new Map(dated({ notes, questions }, "none").notes.map(({ id, occurredAt }) => [id, occurredAt ?? ""]))
  const asked = (dates: "right" | "wrong" | "none") => dated({ notes, questions }, dates).questions

  it("are about notes of a whole year, about as many in each month", () => {
    const months = countBy([...created.values()], (moment) => moment.slice(0, 7))
    assert.lengthOf(Object.keys(months), 12)
    for (const count of Object.values(months)) assert.isTrue(count >= 15 && count <= 45, String(count))
  })

  it("name the time of their answer, or that of another one, or none", () => {
    const [right, wrong, none] = [asked("right"), asked("wrong"), asked("none")]
    assert.strictEqual(none.length, questions.filter(({ kind }) => kind !== "language").length)
    assert.deepStrictEqual(
      right[0]?.text,
      "How did we make sure the woman got her dish before the celebration in September?"
    )
    assert.strictEqual(created.get(right[0]!.relevant[0]!)!.slice(0, 7), "2025-09")
    const same = right.filter(({ text }, i) => text === wrong[i]?.text)
    assert.isBelow(same.length, right.length / 10)
    for (const [i, { id, relevant }] of none.entries()) {
      assert.deepStrictEqual([right[i]?.id, right[i]?.relevant, wrong[i]?.id], [id, relevant, id])
    }
  })
})

describe("the figures of a ranking", () => {
  const figures = (ranking: ReadonlyArray<string>, ...relevant: ReadonlyArray<string>) =>
    measure(ranking, new Set(relevant))
  const assertNear = (actual: Readonly<Record<Metric, number>>, expected: ReadonlyArray<number>) => {
    for (const [i, metric] of metrics.entries()) assert.approximately(actual[metric], expected[i]!, 1e-12, metric)
  }

  it("are 1 when the only relevant item comes first, and 0 when none is found", () => {
    assertNear(figures(["a", "b"], "a"), [1, 1, 1, 1, 1])
    assertNear(figures(["b", "c"], "a"), [0, 0, 0, 0, 0])
    assertNear(figures([], "a"), [0, 0, 0, 0, 0])
  })

  it("are those computed by hand for several relevant items", () => {
    // places 2, 4 and 7 of three relevant
    const ranking = ["x", "a", "y", "b", "z", "v", "c", "w"]
    const gained = 1 / Math.log2(3) + 1 / Math.log2(5) + 1 / Math.log2(8)
    assertNear(figures(ranking, "a", "b", "c"), [0, 2 / 3, 1, 1 / 2, gained / (1 + 1 / Math.log2(3) + 1 / 2)])
    // one of two is not found
    assertNear(figures(["a", "x"], "a", "b"), [1 / 2, 1 / 2, 1 / 2, 1, 1 / (1 + 1 / Math.log2(3))])
  })

  it("look at ten places, and ask no more of nDCG than ten can give", () => {
    const many = Array.from({ length: 20 }, (_, i) => `n${i}`)
    assertNear(figures(many, ...many), [1 / 20, 5 / 20, 10 / 20, 1, 1])
    assertNear(figures(many, "n10"), [0, 0, 0, 0, 0])
    assertNear(figures(many, "n9"), [0, 0, 1, 1 / 10, 1 / Math.log2(11)])
  })

  it("take items in the order given, and one that comes again where it came first", () => {
    assertNear(figures(["a", "a", "a", "b"], "b"), [0, 1, 1, 1 / 2, 1 / Math.log2(3)])
    assertNear(figures(["b", "a"], "b"), [1, 1, 1, 1, 1])
    assertNear(figures(["a", "b"], "b"), [0, 1, 1, 1 / 2, 1 / Math.log2(3)])
  })
})

describe("the bootstrap", () => {
  it("gives the mean, between bounds that are the same in every run", () => {
    const values = [0, 0, 1, 1, 1, 0, 1, 1, 0, 1]
    const interval = bootstrap(values)
    const numbersOf = (seed: number) => Array.from({ length: 3 }, numbers(seed))
    assert.approximately(interval.mean, 0.6, 1e-12)
    assert.isTrue(interval.low < 0.6 && interval.high > 0.6)
    assert.deepStrictEqual(bootstrap(values), interval)
    assert.notDeepEqual(numbersOf(2), numbersOf(1))
    assert.deepStrictEqual(bootstrap([0.5, 0.5, 0.5]), { mean: 0.5, low: 0.5, high: 0.5 })
  })

  it("has bounds as far apart as the normal approximation says", () => {
    const values = Array.from({ length: 400 }, (_, i) => i % 2)
    const { high, low } = bootstrap(values)
    // 1.96 standard errors of 0.5 / 20
    assert.approximately(low, 0.5 - 0.049, 0.006)
    assert.approximately(high, 0.5 + 0.049, 0.006)
  })
})

describe("the report", () => {
  const answer = (id: string, kind: string, vector: Array<string>, lexical: Array<string>, fused: Array<string>) => ({
    question: { id, text: id, relevant: ["a"], kind },
    notes: { relevant: new Set(["a"]), found: { vector, lexical, fused } },
    tasks: { relevant: new Set(["t", "u"]), found: { vector: ["t", "u"], lexical: ["v"], fused: ["t"] } }
  })
  const answers = [
    answer("1", "keyword", ["b"], ["a"], ["a"]),
    answer("2", "keyword", ["b"], ["a"], ["b", "a"]),
    answer("3", "natural", ["a"], ["b"], ["a"]),
    answer("4", "natural", ["b"], ["a"], ["a"])
  ]

  it("compares both arms together with the better one, question by question", () => {
    const { kinds, notes, tasks } = report(answers)
    assert.strictEqual(notes.questions, 4)
    const { arms, gain } = notes.rows.MRR
    assert.isDefined(gain)
    assert.strictEqual(arms.vector?.mean, 1 / 4)
    assert.strictEqual(arms.lexical?.mean, 3 / 4)
    assert.strictEqual(arms.fused?.mean, 7 / 8)
    assert.strictEqual(gain.over, "lexical")
    assert.strictEqual(gain.mean, 1 / 8)
    assert.isTrue(gain.low < 0 && gain.high > 0)
    assert.strictEqual(kinds["keyword"]?.notes.rows["recall@1"].gain?.mean, -1 / 2)
    assert.strictEqual(kinds["natural"]?.notes.rows["recall@1"].gain?.mean, 1 / 2)
    // tasks have answers of their own: two, of which the first one alone is half
    assert.strictEqual(tasks.rows["recall@10"].arms.fused?.mean, 1 / 2)
    assert.strictEqual(tasks.rows["recall@10"].gain?.over, "vector")
    assert.strictEqual(tasks.rows["recall@10"].gain?.mean, -1 / 2)
  })

  it("leaves out questions to which nothing is relevant, and missing arms", () => {
    const none = { ...answers[0]!, notes: { relevant: new Set<string>(), found: { vector: ["b"] } } }
    const one = { ...answers[2]!, notes: { relevant: new Set(["a"]), found: { vector: ["a"] } } }
    const { notes, tasks } = report([none, one])
    assert.strictEqual(notes.questions, 1)
    assert.deepStrictEqual(Object.keys(notes.rows.MRR), ["arms"])
    assert.deepStrictEqual(Object.keys(notes.rows.MRR.arms), ["vector"])
    assert.strictEqual(tasks.questions, 2)
  })

  it("is printed in percent", () => {
    const lines = format(report(answers)).split("\n")
    assert.match(lines[0]!, /^notes, 4 questions +vector +lexical +fused +fused less the best$/)
    assert.match(lines[4]!, /^ {2}MRR +25\.0 \[.*\] +75\.0 \[.*\] +87\.5 \[.*\] +\+12\.5 \[.*\] lexical$/)
  })
})

describe("a file", () => {
  const note = (id: string, more: object = {}) => ({ id, text: `text of ${id}`, thought: "t", task: "k", ...more })
  const question = (more: object = {}) => ({ id: "q", text: "what", relevant: ["a"], ...more })
  const decode = (notes: ReadonlyArray<object>, ...questions: ReadonlyArray<object>) =>
    Data.decode(JSON.stringify({ notes, questions }))
  const refusal = (notes: ReadonlyArray<object>, ...questions: ReadonlyArray<object>) =>
    Effect.map(Effect.flip(decode(notes, ...questions)), (error) => error.message)

  it.effect("is refused if an id comes twice, or an answer is out of sight for who asks", () =>
    Effect.gen(function* () {
      assert.match(yield* refusal([note("a"), note("a")], question()), /id a comes twice/)
      assert.match(yield* refusal([note("a")], question(), question()), /id q comes twice/)
      assert.match(yield* refusal([note("a")], question({ relevant: ["b"] })), /q is answered by b/)
      assert.match(yield* refusal([note("a")], question({ relevantTasks: ["l"] })), /q is answered by l/)
      assert.match(
        yield* refusal([note("a", { scope: "x" }), note("b", { scope: "y" })], question({ scope: "y" })),
        /q is answered by a/
      )
      yield* decode([note("a", { scope: "x" })], question({ scope: "x" }))
      yield* decode([note("a"), note("b", { scope: "y" })], question({ scope: "y" }))
    })
  )

  it.effect("says all that is wrong with it at once, and that it is no JSON", () =>
    Effect.gen(function* () {
      const wrong = yield* refusal([note("a"), note("a")], question({ relevant: ["b", "c"] }))
      for (const name of ["a comes twice", "answered by b", "answered by c"]) assert.include(wrong, name)
      const error = yield* Effect.flip(Data.decode('{ "notes": [ }'))
      assert.match(error.message, /^This is no JSON: Unexpected token/)
    })
  )

  it.effect("may have questions about a task or a thought alone, and none in a scope that is nothing's", () =>
    Effect.gen(function* () {
      const notes = [
        note("a", { thought: "t1", task: "k1", occurredAt: null }),
        note("b", { thought: "t2", task: "k1" }),
        note("c", { thought: "t3", task: "k2" })
      ]
      const data = yield* decode(notes, question({ scope: "k1" }))
      const ids = (scope?: string) => Data.notesOf(data.notes, scope)?.map(({ id }) => id)
      assert.deepStrictEqual(ids(), ["a", "b", "c"])
      assert.deepStrictEqual(ids("k1"), ["a", "b"])
      assert.deepStrictEqual(ids("t2"), ["b"])
      assert.match(yield* refusal(notes, question({ scope: "k2" })), /q is answered by a/)
      assert.match(yield* refusal(notes, question({ scope: "k3" })), /q asks in the scope k3, which no note has/)
      // where notes belong to tenants, it is these that ask
      const tenants = [note("a", { task: "x" }), note("b", { scope: "x" }), note("c", { scope: "y" })]
      const shared = yield* decode(tenants, question({ scope: "x" }))
      assert.deepStrictEqual(
        Data.notesOf(shared.notes, "x")?.map(({ id }) => id),
        ["a", "b"]
      )
    })
  )
})

describe("queries with labels", () => {
  it.effect("are read from CSV and from JSON", () =>
    Effect.gen(function* () {
      const csv = 'text,category\r\n"Where is it, my ""card""?",arrival\nlost,loss\n"two\nlines",loss\n'
      const expected = [
        { text: 'Where is it, my "card"?', label: "arrival" },
        { text: "lost", label: "loss" },
        { text: "two\nlines", label: "loss" }
      ]
      assert.deepStrictEqual(yield* parse(csv, false), expected)
      const json = JSON.stringify(expected.map(({ label, text }) => ({ text, intent: label })))
      assert.deepStrictEqual(yield* parse(json, true), expected)
      const error = yield* Effect.flip(parse("text,other\na,b", false))
      assert.match(error.message, /^Row 1 has no text, or no label/)
    })
  )

  it("become questions and notes, each text once, those of the same label answering each other", () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({ text: `text ${i % 40}`, label: `label ${i % 4}` }))
    const data = toData([...rows, { text: "alone", label: "only" }], { questions: 10 })
    assert.isAtLeast(data.questions.length, 9)
    assert.strictEqual(data.notes.length, 31)
    const notes = new Map(data.notes.map((note) => [note.id, note]))
    const asked = new Set(data.questions.map(({ text }) => text))
    assert.isFalse(data.notes.some(({ text }) => asked.has(text)))
    for (const { relevant, text } of data.questions) {
      const label = `label ${Number(text.slice(5)) % 4}`
      assert.deepStrictEqual(
        relevant,
        data.notes.filter(({ task }) => task === label).map(({ id }) => id)
      )
      assert.isTrue(relevant.every((id) => notes.has(id)))
    }
    assert.deepStrictEqual(toData(rows, { questions: 10, notes: 5 }).notes.length, 5)
  })
})

describe("a run", () => {
  const data: Data.Data = {
    notes: [
      { id: "a", text: "the cat sat on the mat", thought: "t1", task: "pets" },
      { id: "b", text: "invoice 4711 was paid late", thought: "t2", task: "money", occurredAt: "2026-01-05T10:00:00Z" },
      { id: "c", text: "the dog barked at the postman", thought: "t3", task: "pets", scope: "other" },
      { id: "d", text: "the cat sat on the mat", thought: "t4", task: "twins" }
    ],
    questions: [
      { id: "q1", text: "who rested where", relevant: ["a"] },
      { id: "q2", text: "late payment", relevant: ["b"], relevantTasks: ["money"] },
      { id: "q3", text: "noise", relevant: ["c"], scope: "other" }
    ]
  }

  it.live("finds what an oracle knows, note and task, equal notes as one, and nothing of another tenant", () =>
    Effect.gen(function* () {
      const embedder = Layer.succeed(Embedder.Embedder, oracle(data))
      const live = Memory.layerInMemory().pipe(Layer.provide(embedder))
      const answers = yield* Effect.provide(run(data, data.questions), live)
      const first = answers.map(({ notes, question, tasks }) => ({
        id: question.id,
        note: notes.found.vector?.[0],
        task: tasks.found.vector?.[0]
      }))
      assert.deepStrictEqual(
        first.map(({ id, note }) => [id, note]),
        [
          ["q1", "a"],
          ["q2", "b"],
          ["q3", "c"]
        ]
      )
      assert.strictEqual(first[1]?.task, "money")
      for (const { notes, question } of answers) {
        const found = new Set(Object.values(notes.found).flat())
        assert.isFalse(found.has("d"), "an equal note goes by the first one's id")
        if (question.scope === undefined) assert.isFalse(found.has("c"))
      }
    })
  )

  it("has embedders that give unit vectors, the same in every run", async () => {
    for (const embedder of [hash, random, oracle(data)]) {
      const texts = ["the cat sat on the mat", "", "日本語"]
      const vectors = await Effect.runPromise(embedder.embedMany(texts))
      for (const vector of vectors) {
        assert.strictEqual(vector.length, embedder.dimensions)
        assert.approximately(Math.hypot(...vector), 1, 1e-5)
      }
      assert.deepStrictEqual(await Effect.runPromise(embedder.embedMany(texts)), vectors)
    }
  })

  it.effect("takes an embedder of the user's, and refuses a module without one", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(byName("bench/retrieval/metrics.ts", data))
      assert.match(String(error), /metrics.ts exports no `embedder`: a layer of Embedder, or \{ id/)
    })
  )
})
