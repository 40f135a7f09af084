/** Tests of stores: searches by words. */
import * as Effect from "effect/Effect"
import { assert } from "../stage/assert.ts"
import { awkwardTexts } from "../stage/rows.ts"
import { at } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, type Library } from "../stage/library.ts"

export const wordTests = ({ describe, test }: Define<Library>, notes: number): void => {
  describe("by words", () => {
    test("finds notes with some of a question's words, those with more and rarer words first", function* (my) {
      yield* my.add([
        "The parcel was damaged by the courier",
        "A refund was sent for the damaged goods",
        "Please change my address",
        "The goods arrived"
      ])
      assert.deepStrictEqual(yield* my.words("how do I get a refund for damaged goods that the zebra ate?"), [
        "A refund was sent for the damaged goods",
        "The goods arrived",
        "The parcel was damaged by the courier"
      ])
      assert.deepStrictEqual(yield* my.words("zebra"), [])
    })

    test("finds a word no more common for copies of a note", function* (my) {
      yield* my.add(["kiwi jam", "pears"])
      yield* my.add(["plum jam", "apples"])
      const context = { neighbours: 0, task: 0 }
      const scores = Effect.map(my.matches({ text: "kiwi plum", context }), (found) => found.map(({ score }) => score))
      for (let i = 0; i < 5; i++) yield* my.add(["plum jam"])
      const [first, second] = yield* scores
      assert.strictEqual(first, second)
      // of another content, a note with the word does
      yield* my.add(["plum cake"])
      assert.deepStrictEqual(yield* my.words("kiwi plum", { context, limit: 1 }), ["kiwi jam"])
    })

    test("treats the forms of a word as equal, in any case", function* (my) {
      const forms = ["I was refunded", "Refunds take days", "a REFUND", "refunding it"]
      yield* my.add(forms)
      for (const query of ["refund", "refunds", "REFUNDED", "refunding?"]) {
        assert.sameMembers([...(yield* my.words(query))], forms)
      }
      yield* my.add(["Ordering number 4711", "order 4711", "orders", "ordered 815"].map((content) => ({ content })))
      assert.sameMembers([...(yield* my.words("4711"))], ["Ordering number 4711", "order 4711"])
      assert.strictEqual((yield* my.words("order")).length, 4)
    })

    test("ignores stop words and punctuation", function* (my) {
      yield* my.add({ "this is the note": 10, "to be or not to be": 5 })
      for (const text of [
        "",
        " ",
        "to be or not",
        "the",
        "?!",
        "' \\ : & | ! ( ) * <->",
        "\u0000",
        "\u001a",
        "\ud800"
      ]) {
        assert.deepStrictEqual(yield* my.found({ text }), { matches: [], pending: 0, terms: 0 })
        assert.deepStrictEqual(yield* my.texts({ text, vector: at(0) }), ["to be or not to be", "this is the note"])
      }
      assert.strictEqual((yield* my.found({ text: "the note's" })).terms, 1)
    })

    test("finds words with any punctuation around them", function* (my) {
      const content = "it's a 'quoted' back\\slash & (paren) | pipe: !bang <-> *star"
      yield* my.add([{ content }, { content: "nothing of that" }])
      for (const text of ["'quoted'", "back\\slash", "(paren", "pipe:*", "!bang", "a & star", "slash | !x"]) {
        assert.deepStrictEqual(yield* my.words(text), [content], text)
      }
    })

    test("finds words beside text that databases cannot store, in notes and queries", function* (my) {
      const contents = awkwardTexts.map((text, i) => `${text}needle${i} hay ${text}`)
      yield* my.add(contents)
      for (const [i, text] of awkwardTexts.entries()) {
        const query = `${text} needle${i}${text.slice(0, 100)}`
        assert.include(
          contentsOf(yield* my.matches({ text: query.replace("long", ""), limit: 50 })),
          contents[i],
          JSON.stringify(text.slice(0, 20))
        )
      }
      yield* my.add(["alpha\u0000beta", "gamma\u001adelta", "\u001aomega"])
      assert.deepStrictEqual(yield* my.words("beta"), ["alpha\u0000beta"])
      assert.deepStrictEqual(yield* my.words("\u0000alpha\u0000"), ["alpha\u0000beta"])
      assert.deepStrictEqual(yield* my.words("delta\u001a"), ["gamma\u001adelta"])
      assert.deepStrictEqual(yield* my.words("gamma\u0000delta"), ["gamma\u001adelta"])
      assert.deepStrictEqual(yield* my.words("omega"), ["\u001aomega"])
    })

    test("finds each part of words joined by punctuation, in notes and queries", function* (my) {
      const parts: ReadonlyArray<readonly [content: string, queries: ReadonlyArray<string>]> = [
        ["A question about the refund/replacement", ["replacement", "refund", "replacement/refund"]],
        ["It is order FK-20931", ["20931", "FK", "fk-20931", "#20931"]],
        ["See case CRW/7714", ["7714", "CRW", "7714?"]],
        ["Write to jane.doe@example.com", ["jane", "doe", "example", "jane@elsewhere"]],
        ["Look at https://shop.example/returns/4711", ["returns", "4711", "shop", "/returns/"]],
        ["Since v2.3.1 it fails", ["2.3.1", "v2", "1.3"]],
        ["It expects List<String> here", ["string", "<string>", "List"]],
        ["Set max_depth=12 & <b>retry</b> ~/.config", ["depth", "12", "retry", "b", "config"]]
      ]
      yield* my.add(parts.map(([content]) => ({ content })))
      for (const [content, queries] of parts) {
        for (const query of queries) assert.include(yield* my.words(query), content, query)
      }
    })

    test("scores by BM25", function* (my) {
      yield* my.add(["zinc zinc zinc", "zinc copper", "zinc copper silver gold iron lead", "copper"])
      const found = yield* my.matches({ text: "zinc" })
      assert.deepStrictEqual(contentsOf(found), ["zinc zinc zinc", "zinc copper", "zinc copper silver gold iron lead"])
      // 10 words in 4 notes, each counted once per note; as a part of what a note with each word once would have
      const bm25 = (times: number, size: number) => (times * 2.2) / (times + 1.2 * (0.4 + (0.6 * size) / 2.5))
      for (const [i, score] of [bm25(3, 1), bm25(1, 2), bm25(1, 6)].entries()) {
        assert.approximately(found[i]!.scores.lexical!, score, 1e-5)
        assert.deepStrictEqual(found[i]!.ranks, { lexical: i + 1 })
        assert.approximately(found[i]!.score, 2 * found[i]!.scores.lexical! ** 2, 1e-12)
        assert.strictEqual(found[i]!.similarity, 0)
      }
    })

    test("searches for the 16 rarest words of a long query, quickly", function* (my) {
      const common = Array.from({ length: 2000 }, (_, i) => `common${i}`)
      for (let start = 0; start < notes; start += 500) {
        yield* my.add(
          Array.from({ length: Math.min(500, notes - start) }, (_, i) => ({
            content: `note ${start + i} ${common.slice((i * 10) % 1900, ((i * 10) % 1900) + 30).join(" ")}`
          }))
        )
      }
      yield* my.add([{ content: `${common.slice(0, 40).join(" ")} platypus` }, { content: "a wombat" }])
      const query = [...common.slice(0, 1000), "platypus", ...common.slice(1000), "wombat"].join(" ")
      const before = performance.now()
      const { matches, terms } = yield* my.found({ text: query })
      assert.isBelow(performance.now() - before, 10_000)
      assert.strictEqual(terms, 16)
      assert.include(contentsOf(matches), "a wombat")
      assert.isTrue(contentsOf(matches).some((content) => content.endsWith("platypus")))
    })

    test("accepts notes and queries with very many words", function* (my) {
      const dense = [
        Array.from({ length: 40_000 }, (_, i) => `${i.toString(36)}-${(i * 7).toString(36)}`).join(" "),
        Array.from({ length: 60_000 }, (_, i) => String.fromCodePoint(0x20000 + (i % 40_000), 0x2d, 0x21000 + i)).join(
          " "
        ),
        "x".repeat(300_000),
        "漢字".repeat(50_000)
      ]
      yield* my.add(dense.map((content) => ({ content: `quokka ${content}` })))
      assert.strictEqual((yield* my.matches({ text: "quokka" })).length, 4)
      for (const text of dense) yield* my.matches({ text })
    })
  })
}
