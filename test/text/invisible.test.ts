import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { Note } from "cogito"
import { escapeInvisible, showInvisible, showOnLine, showOnScreen } from "../../src/text/invisible.ts"
import { escapeHidden, item, legible } from "../../src/text/legible.ts"
import { texts } from "../properties/texts.ts"

/** Everything that is shown on its own, by range, as the Unicode Standard lists it; not taken from the code. */
const ranges: ReadonlyArray<readonly [number, number]> = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0x1fffe, 0x1ffff],
  [0xe0000, 0xe0fff],
  [0x10fffe, 0x10ffff]
]

const number = (code: number) => `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`

describe("invisible characters", () => {
  it("are shown by their number, each of them, between letters and alone", () => {
    for (const [from, to] of ranges) {
      for (let code = from; code <= to; code++) {
        const sign = String.fromCodePoint(code)
        assert.strictEqual(showInvisible(sign), number(code))
        assert.strictEqual(showInvisible(`a${sign}b`), `a${number(code)}b`)
      }
    }
  })

  it("leave every visible character alone", () => {
    for (const text of [
      "",
      "Grüße, 你好, שלום, مرحبا, नमस्ते!",
      "a\tb\nc\r\nd\re",
      // words in braille with a space between them
      "\u2813\u2811\u2800\u2807",
      "\u00a0\u2003\u202f\u3000",
      "e\u0301 \u{1f600} \ue000 \u{f0000}",
      // numbers and ends of verses, which are drawn
      "\u0600\u0661 \u06dd \u{110bd}"
    ]) {
      assert.strictEqual(showInvisible(text), text)
    }
  })

  it("stay where they belong to an emoji", () => {
    for (const text of [
      "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
      "\u{1f469}\u{1f3fd}\u200d\u{1f9b0}",
      "\u{1f575}\u{1f3fd}\u200d\u2642\ufe0f",
      "\u{1f3f3}\ufe0f\u200d\u{1f308}",
      "\u2764\ufe0f\u200d\u{1f525} \u2764\ufe0e",
      "1\ufe0f\u20e3 #\ufe0f\u20e3",
      "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
      "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}"
    ]) {
      assert.strictEqual(showInvisible(text), text)
      assert.strictEqual(showOnLine(text), text)
    }
  })

  it("stay where a script is written with them", () => {
    for (const text of [
      "می\u200cخواهم", // Persian
      "क्\u200dष क्\u200cष", // Hindi
      "ന്\u200d", // Malayalam
      "ශ්\u200dර", // Sinhala
      "র\u200d্য", // Bengali
      "ភាសា\u200bខ្មែរ", // Khmer
      "ภาษา\u200bไทย", // Thai
      "ᠮᠣᠩ\u180b", // Mongolian
      "葛\u{e0100} 﨑\ufe00", // Japanese names
      "\u2229\ufe00" // mathematics
    ]) {
      assert.strictEqual(showInvisible(text), text)
    }
  })

  it("are shown where they only look as if they belonged", () => {
    for (const [text, shown] of [
      ["ab\u200dc", "ab[U+200D]c"],
      ["a\ufe0f", "a[U+FE0F]"],
      ["1\ufe0f", "1[U+FE0F]"],
      ["1\ufe0e\u20e3", "1[U+FE0E]\u20e3"],
      ["\u{1f600}\u200d", "\u{1f600}[U+200D]"],
      ["\u{1f600}\u200dx", "\u{1f600}[U+200D]x"],
      ["x\u200d\u{1f600}", "x[U+200D]\u{1f600}"],
      // one for each base: no message can follow
      ["\u{1f600}\ufe0f\ufe0f\ufe0e", "\u{1f600}\ufe0f[U+FE0F][U+FE0E]"],
      ["\u{1f600}\ufe01", "\u{1f600}[U+FE01]"],
      ["葛\u{e0100}\u{e0101}", "葛\u{e0100}[U+E0101]"],
      ["a\u{e0100}", "a[U+E0100]"],
      ["می\u200c\u200c", "می\u200c[U+200C]"],
      ["ไ\u200b\u200b", "ไ\u200b[U+200B]"],
      ["می\u200b", "می[U+200B]"],
      ["葛\ufe03", "葛[U+FE03]"],
      // another flag, and a message behind one
      ["\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}", "\u{1f3f4}[U+E0068][U+E0069][U+E007F]"],
      [
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0061}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}[U+E0061]"
      ]
    ] as const) {
      assert.strictEqual(showInvisible(text), shown)
    }
  })

  it.prop("never stay two in a row but in a flag", [texts], ([text]) => {
    const two = /[\p{Cf}\p{Default_Ignorable_Code_Point}]{2}/u
    assert.notMatch(showInvisible(text), two)
    assert.strictEqual(showInvisible(showInvisible(text)), showInvisible(text))
  })
})

describe("a text on a screen", () => {
  it("keeps its lines, and nothing that moves the cursor", () => {
    assert.strictEqual(showOnScreen("a\r\nb\rc\u001b[2K\bd\te"), "a\nb[U+000D]c[U+001B][2K[U+0008]d\te")
  })

  it("does not go back to the beginning of its line", () => {
    assert.strictEqual(Note.visible("a\rb\r\nc\td"), "a[U+000D]b\nc\td")
    assert.strictEqual(Note.visible("a\rb\r\nc\td", { oneLine: true }), "a[U+000D]b[U+000D][U+000A]c[U+0009]d")
  })

  it("has no end of a line where it must be on one", () => {
    const ends = "\n\r\t\v\f\u0085\u2028\u2029"
    assert.strictEqual(showOnLine(`a${ends}b`), `a${Array.from(ends, (end) => number(end.charCodeAt(0))).join("")}b`)
  })
})

describe("JSON with what cannot be seen escaped", () => {
  it.prop("is the same data on one line", [Arbitrary.array(texts)], ([value]) => {
    const text = escapeInvisible(JSON.stringify(value))
    assert.deepStrictEqual(Schema.decodeSync(Schema.fromJsonString(Schema.Unknown))(text), value)
    assert.notMatch(text, /[\p{Cc}\p{Zl}\p{Zp}\u202e\u{e0061}]/u)
    // it stays between words of scripts that do not draw spaces
    assert.notMatch(text, /(?<![\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Thai}\p{scx=Lao}])\u200b/u)
  })

  it("keeps the spaces of Khmer, which are not drawn", () => {
    assert.strictEqual(escapeInvisible('"\u1780\u200b\u1780a\u200b"'), '"\u1780\u200b\u1780a\\u200b"')
  })

  it("escapes both halves of a character beyond the first plane", () => {
    assert.strictEqual(escapeInvisible('"\u{e0061}\u009b"'), String.raw`"\udb40\udc61\u009b"`)
  })
})

describe("a name", () => {
  it("is as it is when it is plain, and else in quotes with nothing hidden", () => {
    for (const name of ["ticket", "so far", "a_1", "v1.2", "clé (old)"]) assert.strictEqual(legible(name), name)
    for (const [name, shown] of [
      ["", '""'],
      [" a", '" a"'],
      ["a:", '"a:"'],
      ["a\nb", String.raw`"a\nb"`],
      ["a\u200bb", String.raw`"a\u{200b}b"`],
      // a letter, to Unicode, that is not drawn
      ["a\u3164b", String.raw`"a\u{3164}b"`],
      ["a\u{e0061}", String.raw`"a\u{e0061}"`],
      ["\u{1f468}\u200d\u{1f469}", '"\u{1f468}\u200d\u{1f469}"']
    ] as const) {
      assert.strictEqual(legible(name), shown)
    }
  })

  it("is in quotes among others when it has a comma or a parenthesis", () => {
    for (const name of ["a, b", "a (b)", "a)"]) assert.strictEqual(item(name), JSON.stringify(name))
    assert.strictEqual(item("a b"), "a b")
  })

  it("has its ends of lines shown in a path", () => {
    assert.strictEqual(escapeHidden("a\n\u0085b"), String.raw`a\u{a}\u{85}b`)
  })
})
