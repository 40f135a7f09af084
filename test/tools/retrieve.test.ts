import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory } from "cogito"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"
import { passagesOf } from "../../src/tools/text/passages.ts"
import { called, failing, on } from "./kit.ts"

const documents = [
  {
    source: "refunds.md",
    text: "# Refunds\n\nA refund takes three days.\n\n## Exceptions\n\nGift cards are never paid back."
  },
  { source: "hours.md", text: "We open at nine, and close at five." },
  { source: "empty.md", text: " \n\n " }
]

describe("passages of documents", () => {
  it.effect("are found by words, with their source", () =>
    Effect.gen(function* () {
      const handbook = Tools.retrieve({ documents, embedder: "none" })
      const find = (query: string, limit?: number) =>
        on(handbook)("retrieve", { query, ...(limit === undefined ? {} : { limit }) })
      assert.deepStrictEqual(yield* find("gift cards", 1), [
        { source: "refunds.md", text: "## Exceptions\n\nGift cards are never paid back." }
      ])
      assert.deepStrictEqual((yield* find("When do you close?"))[0]?.source, "hours.md")
      assert.deepStrictEqual(yield* find(""), [])
    })
  )

  it.effect("are found by meaning with an embedder, in whatever scope the run is", () =>
    Effect.gen(function* () {
      const handbook = Tools.retrieve({ name: "handbook", documents })
      const live = Layer.provide(handbook.layer, Testing.embedder)
      const found = yield* called(handbook.toolkit, "handbook", { query: "refund" }).pipe(
        Memory.withScope("acme"),
        Effect.provide(live)
      )
      assert.strictEqual(found[0]?.source, "refunds.md")
      assert.strictEqual(found.length, 3)
    })
  )

  it.effect("are at most as long as wanted, and lose nothing", () =>
    Effect.gen(function* () {
      const words = Array.from({ length: 500 }, (_, i) => `word${i}`)
      const text = `${words.slice(0, 300).join(" ")}\n\n${words.slice(300).join(" ")}\n\n${"x".repeat(250)}`
      const characters = 100
      const handbook = Tools.retrieve({ documents: [{ source: "a", text }], embedder: "none", characters, limit: 500 })
      const found = yield* Effect.forEach(["word0", "word299", "word300", "word499"], (query) =>
        on(handbook)("retrieve", { query, limit: 1 })
      )
      for (const [passage] of found) {
        assert.isAtMost(passage?.text.length ?? Infinity, characters)
      }
      assert.deepStrictEqual(
        found.map(([passage]) => passage?.text.split(/\s+/).filter((word) => !words.includes(word))),
        [[], [], [], []]
      )
    })
  )

  it("end with a paragraph, before a heading, or within a long paragraph at a word in its second half", () => {
    const each: ReadonlyArray<readonly [text: string, ...passages: ReadonlyArray<string>]> = [
      [" \n\n "],
      ["abc\n\nde", "abc\n\nde"],
      ["abcd\n\nefgh", "abcd\n\nefgh"],
      ["abcd\n\nefghi", "abcd", "efghi"],
      ["ab\n\n\n \t\n\n cd \r\n\r\nef", "ab\n\ncd\n\nef"],
      ["ab\n\n# c\n\nd", "ab", "# c\n\nd"],
      ["ab\n\n####### c", "ab", "####### c"],
      ["a\n\n#b\nc", "a\n\n#b\nc"],
      ["abcdefghij", "abcdefghij"],
      ["abcdefghi jk", "abcdefghi", "jk"],
      ["abcdefghij klm", "abcdefghij", "klm"],
      ["abcdef ghijklm", "abcdef", "ghijklm"],
      // a word that begins in the middle is cut, rather than half a passage wasted
      ["abcde ghijklmno", "abcde ghij", "klmno"],
      ["abcdefghijklmnopqrstuvw", "abcdefghij", "klmnopqrst", "uvw"],
      ["abcdefghijklm\n\nno", "abcdefghij", "klm\n\nno"],
      ["abcdefghijklm\n\nnopqrs", "abcdefghij", "klm", "nopqrs"],
      ["a\n\nbcdefg hijk", "a", "bcdefg", "hijk"],
      // a character of two halves is never cut
      ["abcdefghi🎉k", "abcdefghi", "🎉k"],
      ["abcdefgh🎉k", "abcdefgh🎉", "k"],
      ["ab\ud83d", "ab\ufffd"]
    ]
    for (const [text, ...passages] of each) assert.deepStrictEqual(passagesOf(text, 10), passages, text)
  })

  it.effect("come from a function instead, whose failure is read", () =>
    Effect.gen(function* () {
      const one = Tools.retrieve({
        find: (query, limit) => Effect.succeed([{ source: `${query} ${limit}`, text: "text" }]),
        limit: 2
      })
      assert.deepStrictEqual(yield* on(one)("retrieve", { query: "a" }), [{ source: "a 2", text: "text" }])
      const broken = Tools.retrieve({ find: () => Effect.fail("The index is not there.") })
      assert.strictEqual(yield* failing(on(broken)("retrieve", { query: "a" })), "Failed: The index is not there.")
    })
  )

  it("need documents or a function", () => {
    // @ts-expect-error neither of them
    assert.throws(() => Tools.retrieve({}), /either the option documents or the option find/)
  })

  it.effect("are at most as many as the tool allows, whatever the function finds", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 9 }, (_, i) => ({ source: `${i}`, text: `text ${i}` }))
      const asked: Array<number> = []
      const find = (_: string, limit: number) => Effect.sync(() => (asked.push(limit), texts))
      const library = Tools.retrieve({ find, limit: 3 })
      for (const limit of [undefined, 3, 50]) {
        const found = yield* on(library)("retrieve", { query: "text", ...(limit === undefined ? {} : { limit }) })
        assert.deepStrictEqual(found, texts.slice(0, 3))
      }
      assert.deepStrictEqual(asked, [3, 3, 3])
    })
  )
})
