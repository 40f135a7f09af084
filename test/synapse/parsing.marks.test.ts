/** Every mark that the reader knows: quotes, separators, colons, comments, signs of money, and what stands behind a backslash. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const Words = Schema.Record(Schema.String, Schema.String)
const Texts = Schema.Array(Schema.String)
const Pair = Schema.Struct({ a: Schema.Int, b: Schema.Int })
const pair = { a: 1, b: 2 }
const Note = Schema.Struct({ t: Schema.String })
const N = Schema.Struct({ n: Schema.Finite })

describe("quotes", () => {
  it("of every sort close what they open", () => {
    for (const [open = "", close = ""] of "`` “” ““ „“ „” ‘’ ‘‘ ’’ «» 「」 『』 ＂＂"
      .split(" ")
      .map((marks) => marks.split(""))) {
      assertGives(Note, "lenient", [
        [`{"t": ${open}so it is${close}}`, { t: "so it is" }, ["t.quotes"]],
        [`{${open}t${close}: "so"}`, { t: "so" }, ["t.quotes"]]
      ])
      assertGives(Texts, "lenient", [[`[${open}a${close}, ${open}b${close}]`, ["a", "b"], ["0.quotes", "1.quotes"]]])
    }
    assertRefuses(Texts, both, ["[«a”, «b”]", "[「a』, 「b』]"])
  })

  it("within a text open behind a blank or a bracket, before a word", () => {
    for (const text of ['x "yz"', 'x ("yz"']) {
      assertGives(Note, "lenient", [[`{"t": "${text}"}`, { t: text }, ["t.inner-quote"]]])
    }
    for (const next of [" y", ". y", ", y", ") y", "! y", "? y", "] y", "} y"]) {
      assertRefuses(Note, both, [`{"t": "x "${next}z""}`, `{"t": "x ("${next}z""}`])
    }
    assertRefuses(Note, both, ['{"t": "x"yz""}', '{"t": "x"y"}'])
  })

  it("may be three, and may have a letter before them as in Python", () => {
    assertGives(Note, "lenient", [
      [`{"t": """a "b"\nc"""}`, { t: 'a "b"\nc' }, ["t.triple-quotes"]],
      [`{"t": '''a\\tb\\n'''}`, { t: "a\tb\n" }, ["t.triple-quotes"]],
      [String.raw`{"t": r"\d+"}`, { t: String.raw`\d+` }, ["t.prefix"]],
      [String.raw`{"t": R'\n'}`, { t: String.raw`\n` }, ["t.prefix"]],
      [String.raw`{"t": u"a\n"}`, { t: "a\n" }, ["t.prefix"]],
      [String.raw`{"t": U'a'}`, { t: "a" }, ["t.prefix", "t.single-quotes"]]
    ])
    assertRefuses(Note, ["lenient"], [`{"t": """a`, `{"t": b"a"}`])
  })

  it("may be joined", () => {
    assertGives(Note, "lenient", [
      ['{"t": "a" + "b"}', { t: "ab" }, ["t.concatenation"]],
      ['{"t": "a"\n  + "b" + \'c\'}', { t: "abc" }, ["t.concatenation", "t.single-quotes"]]
    ])
    assertRefuses(Note, both, ['{"t": "a" + b}', '{"t": "a" + 1}'])
  })
})

describe("what parts one thing from the next", () => {
  it("is a comma or what some write instead", () => {
    for (const mark of [";", "，", "；", "、", "،", "|"]) {
      assertGives(Pair, "lenient", [[`{"a": 1${mark} "b": 2}`, pair, ["separator"]]])
      assertGives(Texts, "lenient", [[`["a"${mark} "b"]`, ["a", "b"], ["separator"]]])
    }
    assertGives(Pair, "lenient", [
      ['{"a": 1 "b": 2}', pair, ["missing-comma"]],
      ['{"a": 1,, "b": 2}', pair, ["extra-comma"]],
      ['{, "a": 1, "b": 2}', pair, ["extra-comma"]],
      ['{"a": 1, "b": 2,}', pair, ["trailing-comma"]],
      ['{"a": 1, "b": 2,,}', pair, ["extra-comma"]]
    ])
    assertRefuses(Pair, both, ['{"a": 1 / "b": 2}', '{"a": 1 & "b": 2}'])
  })

  it("is a colon or what some write instead", () => {
    for (const mark of ["：", "::", ":=", "：=", "=", "=>", "->", "→"]) {
      assertGives(Pair, "lenient", [[`{"a" ${mark} 1, "b": 2}`, pair, ["a.separator"]]])
    }
    assertRefuses(Pair, both, ['{"a" ~ 1, "b": 2}', '{"a" - 1, "b": 2}', '{"a" == 1, "b": 2}'])
  })

  it("is white space of any kind", () => {
    for (const blank of ["\u00a0", "\ufeff"]) {
      assertGives(Pair, "lenient", [[`{"a":${blank}1, "b": 2}`, pair, ["a.white-space"]]])
    }
    for (const blank of [" ", "\n", "\r", "\t"]) {
      assertGives(Pair, "lenient", [[`{${blank}"a":${blank}1${blank},"b":2,}`, pair, ["trailing-comma"]]])
    }
  })

  it("is a comment", () => {
    for (const comment of ["// one\n", "/* one */", "/* one\n* two */", "# one\n"]) {
      assertGives(Pair, "lenient", [
        [`{${comment}"a": 1, "b": 2}`, pair, ["comment"]],
        [`{"a": ${comment}1, "b": 2}`, pair, ["a.comment"]],
        [`{"a": 1, ${comment}"b": 2}`, pair, ["comment"]],
        [`{"a": 1, "b": 2 ${comment}}`, pair, ["comment"]]
      ])
      assertRefuses(Pair, ["strict"], [`{${comment}"a": 1, "b": 2}`])
    }
    for (const comment of ["// ...\n", "/* … */", "# ... more\n", "//…\n", "/*... and so on */"]) {
      assertRefuses(Pair, both, [`{"a": 1, ${comment}"b": 2}`], "left out")
    }
  })

  it("is no sign that stands for what is left out", () => {
    for (const text of ['["a", ...]', '["a", …]', '["a", ... "b"]', "[... , 'b']"]) {
      assertRefuses(Texts, both, [text], "left out")
    }
    assertRefuses(Pair, both, ['{"a": 1, ...}', '{"a": 1, …}'], "left out")
  })
})

describe("brackets", () => {
  it("of another language are those of lists and of objects", () => {
    assertGives(Texts, "lenient", [
      ["['a', 'b']", ["a", "b"], ["0.single-quotes", "1.single-quotes"]],
      ['{"x": ("a", "b")}', ["a", "b"], ["tuple", "wrapper"]],
      ['{"x": ("a",)}', ["a"], ["tuple", "trailing-comma", "wrapper"]]
    ])
    assertGives(Pair, "lenient", [
      ['["a": 1, "b": 2]', pair, ["wrong-bracket"]],
      ['["a" => 1, "b" => 2]', pair, ["wrong-bracket", "a.separator", "b.separator"]]
    ])
    assertGives(N, "lenient", [['{"n": (4)}', { n: 4 }, ["n.parentheses"]]])
    assertGives(Schema.Struct({ n: Texts }), "lenient", [
      ['{"n": {"a", "b"}}', { n: ["a", "b"] }, ["n.wrong-bracket"]],
      ['{"n": {"a"}}', { n: ["a"] }, ["n.wrong-bracket"]]
    ])
  })
})

describe("a number as people write it", () => {
  const amount = (n: string, value: number, kind: string) =>
    [JSON.stringify({ n }), { n: value }, [`n.${kind}!`]] as const

  it("has a sign of money before or behind it", () => {
    for (const sign of "$ € £ ¥ ₹ EUR USD GBP JPY CHF INR eur".split(" ")) {
      assertGives(N, "lossy", [
        amount(`${sign}12`.replace(/([A-Za-z])1/, "$1 1"), 12, "currency"),
        amount(`${sign} 12`, 12, "currency"),
        amount(`12 ${sign}`, 12, "currency"),
        amount(`.5 ${sign}`, 0.5, "currency"),
        amount(`-${sign} 1,200.5`, -1200.5, "currency"),
        amount(`+12.5 ${sign}`, 12.5, "currency")
      ])
    }
    assertRefuses(N, ["lossy"], ['{"n":"₿12"}', '{"n":"12 EURO"}', '{"n":"XUSD 12"}', '{"n":"12 AUD"}'])
  })

  it("has a mark between thousands", () => {
    for (const mark of [",", "\u00a0", "\u202f", " ", "'"]) {
      assertGives(N, "lossy", [
        amount(`1${mark}234`, 1234, "thousands-separator"),
        amount(`+123${mark}456${mark}789.5`, 123_456_789.5, "thousands-separator"),
        amount(`-12${mark}345`, -12345, "thousands-separator")
      ])
      assertRefuses(
        N,
        ["lossy"],
        [`1234${mark}567`, `1${mark}23`, `1${mark}2345`].map((n) => JSON.stringify({ n }))
      )
    }
    assertGives(N, "lossy", [
      amount("123.456,78", 123_456.78, "decimal-comma"),
      amount("+1.234,5", 1234.5, "decimal-comma")
    ])
    assertRefuses(
      N,
      ["lossy"],
      ["1.234,", "1.234,567", "0.234,5", "1234.567,8", "1.2345,6"].map((n) => JSON.stringify({ n }))
    )
  })

  it("is about a share", () => {
    for (const word of [
      "about ",
      "approximately ",
      "approx ",
      "approx. ",
      "around ",
      "roughly ",
      "circa ",
      "ca ",
      "ca. ",
      "~",
      "≈",
      "≈ "
    ]) {
      assertGives(N, "lossy", [amount(`${word}85%`, 85, "approximate"), amount(`${word}7.5 %`, 7.5, "approximate")])
      assertRefuses(N, ["lossy"], [JSON.stringify({ n: `${word}85` })])
    }
  })
})

describe("a backslash", () => {
  it("is one of a pattern before the letters that stand for many", () => {
    for (const letter of "dDwWsS") {
      for (const after of ["+", "*", "?", "{2}", "(a)", "[a]", ".", "|a", ",", ";", " a", "-"]) {
        const t = `x\\${letter}${after}`
        assertGives(Note, "lenient", [[`{"t": "${t}"}`, { t }, ["t.escape"]]])
      }
      assertRefuses(Note, both, [`{"t": "x\\${letter}9"}`])
    }
  })

  it("stands before a sign that many put one before", () => {
    for (const [written, t] of [
      ["it\\'s", "it's"],
      ["a\\_b", "a_b"],
      ["1\\_b", "1_b"],
      ["costs \\$5", "costs $5"],
      ["\\${name}", "${name}"]
    ] as const) {
      assertGives(Note, "lenient", [[`{"t": "${written}"}`, { t }, ["t.escape"]]])
    }
    assertRefuses(Note, both, ['{"t": "\\\'s"}', '{"t": " \\_b"}', '{"t": "\\$x"}', '{"t": "1\\\'s"}'])
  })

  it("and a code are a character, where the code is one", () => {
    for (const [written, t] of [
      ["\\x41", "A"],
      ["\\xe9", "é"],
      ["\\u{41}", "A"],
      ["\\u{1F600}", "😀"],
      ["\\u{10ffff}", "\u{10ffff}"]
    ] as const) {
      assertGives(Note, "lenient", [[`{"t": "${written}"}`, { t }, ["t.escape"]]])
    }
    assertRefuses(Note, both, [
      '{"t": "\\u12"}',
      '{"t": "\\xg1"}',
      '{"t": "\\u{110000}"}',
      '{"t": "\\u{}"}',
      '{"t": "\\x{41}"}'
    ])
  })
})

describe("entities", () => {
  it("are what they stand for, by name or by number", () => {
    for (const quote of ["&quot;", "&apos;", "&#34;", "&#39;", "&#x22;", "&#x27;"]) {
      const done = /apos|39|27/.test(quote) ? ["entities!", "t.single-quotes", "t.single-quotes"] : ["entities!"]
      const text = `{${quote}t${quote}: ${quote}a &amp; b &lt; c &gt; d${quote}}`
      assertGives(Note, "lossy", [[text, { t: "a & b < c > d" }, done]])
      assertRefuses(Note, ["lenient"], [text])
    }
  })
})

describe("signs of other notations", () => {
  it("are replaced where all of the text has them", () => {
    assertGives(Words, "lenient", [
      ["｛＂a＂: ＂b＂｝", { a: "b" }, ["quotes"]],
      ['{"a”: "b”}', { a: "b" }, ["quotes"]],
      ['{""a"": ""b""}', { a: "b" }, ["quotes"]],
      ['{:a "b"}', { a: "b" }, ["symbols"]],
      ['{["a"] = "b"}', { a: "b" }, ["symbols", "a.separator"]],
      ['[TOOL_CALLS] {"a": "b"}', { a: "b" }, ["tag"]],
      ['{"a": ”b”}', { a: "b" }, ["quotes"]]
    ])
    assertGives(Schema.Int, "lenient", [
      [String.raw`$\boxed{5}$`, 5, ["tag"]],
      [String.raw`$$\boxed{5}$$`, 5, ["tag"]],
      [String.raw` \boxed{5} `, 5, ["tag"]],
      ["**5**", 5, ["emphasis"]],
      ["<answer>5</answer>", 5, ["tag"]],
      ["<final_answer>5</final_answer>", 5, ["tag"]],
      ["<output>5</output>", 5, ["tag"]],
      ["<Result> 5 </Result>", 5, ["tag"]]
    ])
    assertRefuses(
      Schema.Int,
      ["lenient"],
      [String.raw`x \boxed{5}`, "*5*", "<answers>5</answers>", "<output>5</answer>"]
    )
  })
})
