import { assert, describe, it } from "@effect/vitest"
import { isBefore } from "../../src/local/language/before.ts"
import { withoutLongWords } from "../../src/local/language/longWords.ts"
import { isName } from "../../src/local/language/nearby.ts"
import { seriesIn } from "../../src/local/language/series.ts"
import { values } from "../../src/local/language/values.ts"

// What is found in long texts. Each of these reads takes a time in proportion to the length.

const many = (piece: (i: number) => string, length: number): string =>
  Array.from({ length }, (_, i) => piece(i)).join("")

describe("a long text", () => {
  it("keeps 200 characters of white space between words, and all of less", () => {
    assert.strictEqual(withoutLongWords(`Anna${"\n".repeat(50_000)}Tom`), `Anna${"\n".repeat(200)}Tom`)
    const spaced = `Anna${" \n".repeat(100)}Tom`
    assert.strictEqual(withoutLongWords(spaced), spaced)
  })

  it("gives each of its values, none of which overlap", () => {
    const found = values(
      many((i) => `${1000 + i} Main on 2026-01-02 at 10.0.0.1. `, 3_000),
      []
    )
    assert.strictEqual(found.length, 9_000)
    assert.isTrue(found.every((value, i) => i === 0 || value.start >= found[i - 1]!.start + found[i - 1]!.text.length))
  })

  it("gives all items of an enumeration", () => {
    const [items = [], ...others] = seriesIn(`${many((i) => `item${i}, `, 9_000)}tea and coffee`)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(items.length, 9_002)
    assert.deepStrictEqual(items.slice(-2), ["tea", "coffee"])
  })

  it("has no enumeration if no word joins the last item", () => {
    assert.deepStrictEqual(seriesIn(many((i) => `item${i}, `, 9_000)), [])
  })

  it("gives enumerations one after the other, with as many words in an item as the others have", () => {
    assert.deepStrictEqual(seriesIn("We sell red, green and blue. They sell tea, coffee or milk."), [
      ["red", "green", "blue"],
      ["tea", "coffee", "milk"]
    ])
    assert.deepStrictEqual(seriesIn("ham, bread and butter, and jam"), [["ham", "bread and butter", "jam"]])
  })

  it("is looked at only before a place", () => {
    const text = `${many(() => "order 1, ", 5_000)}order #88213`
    assert.isTrue(isName(text, text.length - 5))
    assert.isFalse(isName(text, text.length))
    assert.isTrue(isBefore(/(?<=\bfrom\s+)/uy, "from Anna", 5))
    assert.isFalse(isBefore(/(?<=\bfrom\s+)/uy, "from Anna", 6))
  })
})
