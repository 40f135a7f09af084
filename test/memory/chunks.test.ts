import { assert, describe, it } from "@effect/vitest"
import { beginningOf, chunksOf as chunks } from "../../src/memory/embedding/chunks.ts"
import { keyOf, textKeyOf } from "../../src/memory/embedding/job.ts"
import { estimateTokens } from "../../src/thought/tokens.ts"
import { random } from "../../src/testing/contract/stage/random.ts"

const chunksOf = (text: string, limit: number, count: (text: string) => number) => [...chunks(text, limit, count)]
const keyIn = (scope: string, id: string) => keyOf({ scope, id })
const textKeyIn = (scope: string, content: string) => textKeyOf({ scope, content })
const letters = (text: string) => text.replace(/\s/g, "")
const characters = (text: string) => text.length

describe("a long text", () => {
  it("is cut after a sentence, or else after a word", () => {
    assert.deepStrictEqual(chunksOf("One two. Three four five. Six", 18, characters), [
      "One two. ",
      "Three four five. ",
      "Six"
    ])
    assert.deepStrictEqual(chunksOf("alpha beta gamma delta", 12, characters), ["alpha beta ", "gamma delta"])
    assert.deepStrictEqual(chunksOf("一二三。四五六七。八", 6, characters), ["一二三。", "四五六七。八"])
    assert.deepStrictEqual(chunksOf("first line\nsecond line", 14, characters), ["first line\n", "second line"])
  })

  it("is not cut after an early sentence or word, which would leave a tiny part", () => {
    assert.deepStrictEqual(chunksOf("Hi. alpha beta gamma delta", 18, characters), ["Hi. alpha beta ", "gamma delta"])
    assert.deepStrictEqual(chunksOf("a bcdefghijklmnopqrs", 12, characters), ["a bcdefghijk", "lmnopqrs"])
    assert.strictEqual(beginningOf("Hi. alpha beta gamma delta", 18, characters), "Hi. alpha beta ")
  })

  it("that fits is left as it is, whatever it is", () => {
    for (const text of ["", " ", "\n", "short", "x".repeat(40)]) {
      assert.deepStrictEqual(chunksOf(text, 40, characters), [text])
    }
  })

  it("has parts within the limit that are all of it, and no half character, for any text", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { below, list, pick } = random(seed)
      const pieces = ["word ", "😀", "。", "漢", ". ", "\n\n", "x".repeat(50), "  ", "e\u0301", '!" ', "\ud800"]
      const text = list(200, () => pick(pieces)).join("")
      const limit = 1 + below(60)
      const count = pick([characters, estimateTokens])
      const chunks = chunksOf(text, limit, count)
      assert.strictEqual(letters(chunks.join("")), letters(text), `seed ${seed}`)
      for (const [i, chunk] of chunks.entries()) {
        // one character may be more than the limit allows
        assert.isTrue(count(chunk) <= limit || chunk.length <= 2, `seed ${seed}`)
        const next = chunks[i + 1] ?? ""
        assert.isFalse(/[\ud800-\udbff]$/.test(chunk) && /^[\udc00-\udfff]/.test(next), `seed ${seed}`)
      }
      assert.strictEqual(chunks.length === 1 ? text.startsWith(chunks[0]!) : true, true)
      assert.isTrue(text.startsWith(beginningOf(text, limit, count)))
    }
  })

  it("of a megabyte is cut in a moment, also without a single space", () => {
    for (const text of ["x".repeat(1_000_000), ".".repeat(1_000_000), " ".repeat(1_000_000), "漢".repeat(1_000_000)]) {
      const started = process.cpuUsage()
      const chunks = chunksOf(text, 128, estimateTokens)
      const { user } = process.cpuUsage(started)
      assert.isBelow(user / 1000, 4000)
      assert.isTrue(text.trim() === "" ? chunks.length === 1 : chunks.length > 1000)
    }
  })
})

describe("the key of a note that is to be embedded, and of its text", () => {
  it("is that of no other scope, whatever the scopes are called", () => {
    for (const keyed of [keyIn, textKeyIn]) {
      const pairs = [
        ["a", "bc"],
        ["ab", "c"],
        ["abc", ""],
        ["1", ":a"],
        ["1:", "a"],
        ["", "1:a"]
      ] as const
      assert.strictEqual(new Set(pairs.map(([scope, text]) => keyed(scope, text))).size, pairs.length)
    }
  })
})
