/** What is left of JSON that several marks are wrong in: no part of it is taken for the answer, and no guess at the rest. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const Texts = Schema.Array(Schema.String)
const Numbers = Schema.Array(Schema.Finite)
const Mixed = Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
const Contact = Schema.Struct({ name: Schema.String, phone: Schema.optionalKey(Schema.String) })
const both = ["lenient", "lossy"] as const

describe("a part of a broken value", () => {
  it("is refused where the rest of the value stands behind it", () => {
    assertRefuses(Texts, both, [
      '["=P&}EW`Du",]__proto__","42","TrCK7)fU"]',
      '["toString","",]#y4Rk0","a"]',
      '[ "a", "S0hgd^"] "", "w2[N^ iV", }(O)Q%FPQb", "0" ]',
      '["a","b" "c",]!C#SWta", "%", "d" ]',
      '["a",]\\\\tX\\\\","","Z^M","/U$"'
    ])
    assertRefuses(Contact, both, [
      '{ "name": "Ada"},, "phone": "123" }',
      '{"name": "Ada",\n } "phone": "123"\n:',
      '{"name": "Ada"}\n  "phone": "123"\n'
    ])
    assertRefuses(Numbers, both, ["[ 5, 27, 100], -42, 94, 3, 75 ", "[ 1, 2, -5}.0658, 3 ,", "[1,2}-1.5"])
  })

  it("is refused where the beginning of the value stands before it", () => {
    assertRefuses(Texts, both, [
      ']"C","toString","$GBgjlR[0y",""]',
      ': "prototype", "V`[t(MT", "u$", "l" ]',
      ':"a"{"b","c",""]',
      ' "I$t(k|T^", "", "N$", ""[ "" ]'
    ])
    assertRefuses(Numbers, both, [
      "[8e-3, -7.32{733885e+84, 5e-324]",
      "55,51,-6{-20]",
      "  -32,\n  [-94,\n  -75\n]",
      " 9.[4e-323\n]"
    ])
    assertRefuses(Schema.Array(Schema.Struct({})), both, [",{},}{}]"])
  })

  it("is no part where words, or brackets of a template, stand around a value", () => {
    const ada = { name: "Ada" }
    assertGives(Contact, "lenient", [
      ['see [1 for details: {"name": "Ada"}', ada, ["prose"]],
      ['It is {"name": "Ada"} (see [2]).', ada, ["prose"]],
      ['{{"name": "Ada"}}', ada, ["prose"]],
      ['{"name": "Ada"}]}', ada, ["prose"]]
    ])
  })

  it("is refused with a bracket too many where another mark is wrong too", () => {
    assertRefuses(Texts, both, ["[ ] ]"])
    assertRefuses(Contact, both, ['{"name": "Ada",}}'])
  })
})

describe("marks that may have come from what is wrong", () => {
  it("are not taken for texts of their own", () => {
    assertRefuses(Texts, both, ['["",""""]', '["a","\\ud800"""]', '["","",""","b"]', '["",",\n  "]', '["a","},\n  "]'])
    assertRefuses(Texts, both, ['["a,\n  b", "c"]', '["v, "toString"", "c"]', '[" "I[O:("", "c"]', "[[a:, 'b']]"])
    assertRefuses(Schema.Array(Texts), both, ['"[]]', '[["]'])
    assertGives(Texts, "lenient", [['["he said "no" to it", "b"]', ['he said "no" to it', "b"], ["0.inner-quote"]]])
  })

  it("are not taken for a part of a text without quotes", () => {
    assertRefuses(Mixed, both, [
      "[1, -1.5e-323true, 'a']",
      "[1, -1.5e-323falsefalse, true]",
      "[true'true, 1,]",
      "['a', false false, 1,]",
      "['a', __proto__:, 1]",
      '["a", 1, \\udc00,]'
    ])
    assertRefuses(Contact, both, ["{name: \\n, }", '{"name": \\u0000:, "phone": "1"}'])
  })

  it("do not part a number, or a text from a number", () => {
    assertRefuses(Numbers, both, ["[1,2,.20652561,]"])
    assertRefuses(Texts, both, ['["",""-1,"a"]', '["", "4294967"295, "a"]'])
  })

  it("are not taken into a key", () => {
    assertRefuses(Contact, both, ['{"phone,:""123","name":"Ada"}'])
  })

  it("leave a quote open to blanks only where the writer puts blanks", () => {
    assertRefuses(Contact, both, [
      '{"name":"Ada","phone": 1"}',
      '{"name":  Ada", "phone": "1"}',
      '{"name": "Ada , "phone": "1"}'
    ])
    assertGives(Contact, "lenient", [
      ['{"name":"Ada,"phone":"1"}', { name: "Ada", phone: "1" }, ["missing-quote"]],
      ['{"name": Ada", "phone": "1"}', { name: "Ada", phone: "1" }, ["missing-quote"]],
      ['{ "name": "Ada", "phone": "1 }', { name: "Ada", phone: "1" }, ["missing-quote"]]
    ])
  })
})

describe("a backslash that JSON does not know", () => {
  const Note = Schema.Struct({ text: Schema.String })

  it("is read where it is written for a word, a pattern, a path, or an apostrophe in a word", () => {
    const asTheyAre = [
      String.raw`\alpha+x`,
      String.raw`C:\Users\Q`,
      String.raw`^\d+$`,
      String.raw`\(a\)`,
      String.raw`c:\q`
    ]
    assertGives(
      Note,
      "lenient",
      asTheyAre.map((text) => [`{"text": "${text}"}`, { text }, ["text.escape"]] as const)
    )
    assertGives(Note, "lenient", [
      [String.raw`{"text": "it\'s"}`, { text: "it's" }, ["text.escape"]],
      [String.raw`{"text": "\'a\'"}`, { text: "'a'" }, ["text.escape"]],
      [String.raw`{'text': 'the \'a'}`, { text: "the 'a" }, ["text.single-quotes", "text.escape", "text.single-quotes"]]
    ])
  })

  it("is refused alone, as the quote may be missing that it stood before", () => {
    assertRefuses(
      Note,
      both,
      [
        String.raw`a\Yb`,
        String.raw`\'udc00`,
        String.raw`V\'`,
        String.raw`\<R`,
        String.raw`x\E0`,
        String.raw`n\+1`,
        String.raw`\$DS`
      ].map((text) => `{"text": "${text}"}`)
    )
  })
})
