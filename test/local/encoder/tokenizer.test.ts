import { assert, describe, it } from "@effect/vitest"
import { make, type Piece } from "../../../src/local/encoder/tokenizer.ts"

// Splitting a text into pieces of a vocabulary, of which the first six stand for no text.

const reserved: ReadonlyArray<Piece> = ["<unk>", "<s>", "</s>", "a", "b", "c"].map((piece) => [piece, 0])
const pieces: ReadonlyArray<Piece> = [
  ["▁", -1],
  ["d", -2],
  ["e", -2],
  ["de", -3],
  ["▁de", -3.5],
  ["ded", -10],
  ["fi", -1],
  ["x:", null],
  ["▁d", -9],
  ["▁yd", -2.5],
  ["▁zd", -3.5]
]
const tokens = make([...reserved, ...pieces])
const id = (piece: string) => 6 + pieces.findIndex(([known]) => known === piece)
const assertPieces = (text: string, ...expected: ReadonlyArray<string | 0>) => {
  assert.deepStrictEqual(
    tokens(text),
    expected.map((piece) => (piece === 0 ? 0 : id(piece)))
  )
}

describe("the pieces of a text", () => {
  it("are those that are likeliest together", () => {
    assertPieces("de", "▁de")
    assertPieces("ded", "▁de", "d")
    assertPieces("ed", "▁", "e", "d")
    assertPieces("d de", "▁", "d", "▁de")
    assertPieces("dde", "▁", "d", "de")
  })

  it("are of the text in its compatible form, with blanks as signs of their own", () => {
    assertPieces("ﬁ", "▁", "fi")
    assertPieces("  d", "▁", "▁", "▁", "d")
  })

  it("are unknown where none covers a character, a run of them once", () => {
    assertPieces("zz", "▁", 0)
    assertPieces("zdz", "▁", 0, "d", 0)
    assertPieces("a", "▁", 0)
    assertPieces("x:", "▁", "x:")
    assertPieces("f", "▁", 0)
  })

  it("are unknown if that is likelier than a longer piece, at no cost for a character that begins no piece", () => {
    assertPieces("yd", "▁yd")
    assertPieces("zd", "▁", 0, "d")
  })

  it("are at least one and at most 128, of the first 16,384 characters", () => {
    assertPieces("", "▁")
    assert.strictEqual(tokens("e".repeat(126)).length, 127)
    assert.strictEqual(tokens("e".repeat(200)).length, 128)
    assert.deepStrictEqual(tokens(`${"z".repeat(16_383)}d`), [id("▁"), 0, id("d")])
    assert.deepStrictEqual(tokens(`${"z".repeat(16_384)}d`), [id("▁"), 0])
  })
})
