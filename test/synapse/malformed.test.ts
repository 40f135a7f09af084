/** What is read of answers that are not quite what was asked for: the corpus of malformed ones, in every mode. */
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { Categories as blind } from "../corpus/blind/index.ts"
import { categories, type Case } from "../corpus/malformed/index.ts"
import { parse } from "../corpus/parse.ts"
import { count, score, type Categories, type Result, type Verdict } from "../corpus/score.ts"
import { unseen } from "../corpus/unseen.ts"

const read = (categories: Categories, parsing: "lenient" | "lossy"): ReadonlyArray<Result> =>
  score(categories, ({ schema, text }) => parse(schema, text, parsing), { lossy: parsing === "lossy" })

const lenient = read(categories, "lenient")
const generous = read(categories, "lossy")

/** The names of cases, for a message that says which. */
const named = (results: ReadonlyArray<Result>, ...verdicts: ReadonlyArray<Verdict>): ReadonlyArray<string> =>
  results.flatMap(({ category, one, verdict }) => (verdicts.includes(verdict) ? [`${category}: ${one.name}`] : []))

const share = (results: ReadonlyArray<Result>): number =>
  count(results, "recovered") / count(results, "recovered", "missed", "wrong")

/** Whether the text is JSON that fits, with nothing to be done. */
const fitsAsItIs = ({ schema, text }: Case): boolean =>
  Exit.isSuccess(Schema.decodeExit(Schema.fromJsonString(Schema.toCodecJson(schema)))(text))

describe.each([
  ["what leaves no doubt", lenient],
  ["also what loses something", generous]
] as const)("malformed answers, reading %s", (_, results) => {
  it("returns at least 95 of 100 values, and four of five in each category", () => {
    assert.isAtLeast(share(results), 0.95, named(results, "missed").join(", "))
    for (const category of Object.keys(categories)) {
      const own = results.filter((result) => result.category === category)
      if (count(own, "recovered", "missed", "wrong") > 0) assert.isAtLeast(share(own), 0.8, category)
    }
  })

  it("returns no value except the intended one", () => {
    assert.deepStrictEqual(named(results, "wrong"), [])
  })

  it("returns nothing if there is no valid answer", () => {
    assert.deepStrictEqual(named(results, "taken"), [])
  })
})

describe.each([
  ["older ones", { unseen }, "lenient", 0.9],
  ["older ones", { unseen }, "lossy", 0.95],
  ["those of a stranger", blind, "lenient", 0.9],
  ["those of a stranger", blind, "lossy", 0.95]
] as const)(
  "malformed answers that the parser was not written beside, %s",
  (_, categories: Categories, parsing, least) => {
    const results = read(categories, parsing)

    it(`are read too, most of them, ${parsing}`, () => {
      assert.isAtLeast(share(results), least, named(results, "missed").join(", "))
    })

    it("give no value but the one that is meant, and none where none is to be taken", () => {
      assert.deepStrictEqual(named(results, "wrong", "taken"), [])
    })
  }
)

describe("the changes made to read a malformed answer", () => {
  const readings = lenient
    .filter(({ verdict }) => verdict === "recovered")
    .map(({ category, one }) => ({
      name: `${category}: ${one.name}`,
      asItIs: fitsAsItIs(one),
      coercions: parse(one.schema, one.text, "lenient")?.coercions ?? []
    }))

  it("are reported, except for other kinds of spaces and unrequested keys", () => {
    const silent = readings.filter(({ asItIs, coercions }) => coercions.length === 0 && !asItIs)
    const allowed = [
      "unicode: a byte order mark before the value",
      "unicode: spaces that do not break, between tokens",
      "escapes: underscores escaped for Markdown, in keys"
    ]
    assert.includeMembers(
      allowed,
      silent.map(({ name }) => name)
    )
  })

  it("are empty if the text is valid as it is", () => {
    const plain = readings.filter(({ asItIs }) => asItIs)
    assert.isNotEmpty(plain)
    assert.isTrue(plain.every(({ coercions }) => coercions.length === 0))
  })

  it("have a name, and are not lossy if nothing may be lost", () => {
    assert.isTrue(readings.every(({ coercions }) => coercions.every(({ kind, lossy }) => kind !== "" && !lossy)))
  })

  it("are marked as lossy exactly where the corpus says that something is lost", () => {
    for (const { category, one } of generous.filter(({ verdict }) => verdict === "recovered")) {
      const coercions = parse(one.schema, one.text, "lossy")?.coercions ?? []
      const lossy = coercions.some((coercion) => coercion.lossy)
      assert.strictEqual(lossy, one.lossy === true, `${category}: ${one.name}`)
    }
  })
})

describe("malformed answers, read strictly", () => {
  it("are accepted only if they are valid JSON that fits", () => {
    for (const { category, one } of lenient) {
      const reading = parse(one.schema, one.text, "strict")
      assert.strictEqual(reading !== undefined, fitsAsItIs(one), `${category}: ${one.name}`)
      assert.deepStrictEqual(reading?.coercions ?? [], [], `${category}: ${one.name}`)
    }
  })
})
