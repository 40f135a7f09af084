/** Answers as the page of a report and the lists of the program show them. */
import { assert, describe, it } from "@effect/vitest"
import { answerOf, percent, short } from "../../src/text/answer.ts"

const of = (value: unknown) => answerOf({ content: typeof value === "string" ? value : JSON.stringify(value) })

describe("an answer in short", () => {
  it("is what was decided, with its confidence, reasons, shares and other fields", () => {
    assert.deepStrictEqual(
      of({
        primary: "b",
        secondary: "a",
        open: null,
        none: [],
        tags: ["x", "y"],
        confidence: 0.9,
        confidenceFrom: "measured",
        reasoning: ["so", 1, "and so"],
        distribution: { a: 0.1, b: 0.7, c: 0.2, d: "?" }
      }),
      {
        headline: "b",
        confidence: 0.9,
        from: "measured",
        reasoning: ["so", "and so"],
        shares: [
          ["b", 0.7],
          ["c", 0.2],
          ["a", 0.1]
        ],
        matches: [],
        fields: [
          ["secondary", "a"],
          ["open", "—"],
          ["tags", "x · y"]
        ]
      }
    )
    assert.strictEqual(of({ decision: false, confidence: 1 }).headline, "no")
    assert.strictEqual(of({ decision: true, note: "later" }).headline, "yes · later")
    // without a confidence no field is the answer to a question
    assert.deepStrictEqual(of({ decision: true, note: "later", scores: null }), {
      headline: "yes · later",
      reasoning: [],
      shares: [],
      matches: [],
      fields: [
        ["decision", "yes"],
        ["note", "later"]
      ]
    })
  })

  it("says how much a search has found, and what", () => {
    const found = (...contents: ReadonlyArray<string>) => ({
      matches: contents.map((content, i) => ({ content, similarity: i / 2 })),
      arms: { words: true }
    })
    assert.deepStrictEqual(
      [found(), found("a"), found("a", "b")].map((one) => of(one).headline),
      ["no matches", "1 match", "2 matches"]
    )
    assert.deepStrictEqual(of(found("a", "b")).matches, [
      { text: "a", similarity: 0 },
      { text: "b", similarity: 0.5 }
    ])
    // found text may come from anywhere
    assert.deepStrictEqual(of(found(" a\u200bb\n c ", `${"x".repeat(160)}y`)).matches, [
      { text: "a[U+200B]b c", similarity: 0 },
      { text: `${"x".repeat(159)}…`, similarity: 0.5 }
    ])
    assert.deepStrictEqual(of(found("a")).fields, [])
    assert.deepStrictEqual(of({ ...found("a"), took: 3 }).fields, [["took", "3"]])
    assert.deepStrictEqual(of({ matches: [{ content: "a", similarity: "?" }, { similarity: 1 }, null] }).matches, [
      { text: "a" }
    ])
    // fields of these names in another answer
    assert.deepStrictEqual(of({ matches: "all", arms: 2 }).fields, [
      ["matches", "all"],
      ["arms", "2"]
    ])
  })

  it("is the text of anything else, on one line, cut between characters", () => {
    const [reasoning, shares, matches, fields] = [[], [], [], []]
    assert.deepStrictEqual(of("One\n  two"), { headline: "One two", reasoning, shares, matches, fields })
    assert.strictEqual(of("x".repeat(160)).headline, "x".repeat(160))
    assert.strictEqual(of("x".repeat(161)).headline, `${"x".repeat(159)}…`)
    assert.strictEqual(of(`${"x".repeat(158)}😀 and more`).headline, `${"x".repeat(158)}…`)
    assert.strictEqual(of("{ no JSON").headline, "{ no JSON")
    assert.strictEqual(short("😀😀😀", 4), "😀…")
  })

  it("has shares in percent, where little is not nothing, and nearly all not all", () => {
    assert.deepStrictEqual([0, 0.001, 0.01, 0.456, 0.99, 0.999, 1].map(percent), [
      "0 %",
      "< 1 %",
      "1 %",
      "46 %",
      "99 %",
      "> 99 %",
      "100 %"
    ])
  })
})
