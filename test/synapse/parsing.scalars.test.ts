import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

// Single values that are written in another way than the schema asks for, as docs/parsing.md says.

const both = ["lenient", "lossy"] as const
const every = ["strict", ...both] as const
const exactly = "Expected a number that can be kept exactly"

describe("a number", () => {
  const N = Schema.Struct({ n: Schema.Finite })
  const I = Schema.Struct({ n: Schema.Int })

  it("may be written as a text, in any way that programs write one", () => {
    for (const parsing of both) {
      assertGives(N, parsing, [
        ['{"n":"42"}', { n: 42 }, ["n.number-from-text"]],
        ['{"n":" -1.5e2\\n"}', { n: -150 }, ["n.number-from-text"]],
        ['{"n":"+7"}', { n: 7 }, ["n.number-from-text"]],
        ['{"n":"1_000"}', { n: 1000 }, ["n.number-from-text"]],
        ['{"n":"0b101"}', { n: 5 }, ["n.number-from-text"]],
        ['{"n":"0o17"}', { n: 15 }, ["n.number-from-text"]],
        ['{"n":"0xFF"}', { n: 255 }, ["n.number-from-text"]],
        ['{"n":"5."}', { n: 5 }, ["n.number-from-text"]]
      ])
    }
    assertGives(I, "lenient", [['{"n":"4.0"}', { n: 4 }, ["n.number-from-text"]]])
    assertRefuses(I, ["lenient"], ['{"n":"4.5"}', '{"n":4.5}', '{"n":"$4"}', '{"n":"1,234"}'], "n: Expected")
    assertRefuses(N, both, ['{"n":"1__0"}', '{"n":"10_00"}', '{"n":"0b12"}', '{"n":"1 2"}', '{"n":""}', '{"n":"."}'])
    assertRefuses(N, both, ['{"n":true}', '{"n":null}', '{"n":[1,2]}', '{"n":"true"}'], "n: Expected")
    assertRefuses(N, ["strict"], ['{"n":"42"}', '{"n":+7}', '{"n":1_000}'], "Expected")
  })

  it("is refused where it would become another one, in quotes or not", () => {
    for (const digits of ["9007199254740993", "-9007199254740993", "12345678901234567890", "1e400", "-1e400"]) {
      assertRefuses(N, both, [`{"n":${digits}}`], exactly)
      assertRefuses(N, ["strict"], [`{"n":${digits}}`], "n: Expected a ")
      assertRefuses(N, both, [`{"n":"${digits}"}`], `n: ${exactly}`)
    }
    assertRefuses(
      N,
      both,
      ['{"n":"+9007199254740993"}', '{"n":"0x20000000000001"}', '{"n":"9_007_199_254_740_993"}'],
      exactly
    )
    assertRefuses(N, both, ['{"n":9007199254740993.0}', '{"n":9007199254740992.5}'], exactly)
    assertGives(N, "lenient", [
      ['{"n":9007199254740992.0}', { n: 9007199254740992 }, []],
      ['{"n":6.02214076e23}', { n: 6.02214076e23 }, []]
    ])
    assertRefuses(N, ["lossy"], ['{"n":"$9007199254740993"}', '{"n":"9,007,199,254,740,993"}'])
  })

  it("may have many digits where all of them can be kept", () => {
    for (const [digits, n] of [
      ["9007199254740991", 9007199254740991],
      ["9007199254740992", 2 ** 53],
      ["18446744073709551616", 2 ** 64],
      ["1000000000000000000000", 1e21],
      ["-18446744073709551616", -(2 ** 64)],
      ["1e300", 1e300],
      ["0.1234567890123456789", Number("0.1234567890123456789")]
    ] as const) {
      for (const parsing of every) assertGives(N, parsing, [[`{"n":${digits}}`, { n }]])
      assertGives(N, "lenient", [[`{"n":"${digits}"}`, { n }, ["n.number-from-text"]]])
    }
    assertGives(N, "lenient", [['{"n":"0x20000000000000"}', { n: 2 ** 53 }, ["n.number-from-text"]]])
  })

  it("is refused where other digits would be printed, with a point or an exponent too", () => {
    for (const digits of [
      "4503599627370497.5",
      "4503599627370496.5",
      "-4503599627370497.5",
      "2251799813685248.25",
      "2251799813685249.3",
      "90071992547409.93",
      "90071992547409.91",
      "99999999999999.99",
      "999999999999999.99",
      "999999999999999.999",
      "123456789012.345678",
      "1.0000000000000001",
      "0.99999999999999999999",
      "9007199254740993e0",
      "900719925474099.3e1",
      "45035996273704975e-1",
      "1e-400",
      "1.2345678901234567890e-320"
    ]) {
      for (const parsing of every) assertRefuses(N, [parsing], [`{"n":${digits}}`], exactly)
      assertRefuses(N, both, [`{"n":"${digits}"}`, `{'n':${digits},}`], exactly)
    }
    for (const parsing of every) {
      assertRefuses(
        I,
        [parsing],
        ['{"n":4503599627370496.5}', '{"n":2251799813685248.25}', '{"n":4.00000000000000000001}']
      )
    }
    assertRefuses(N, ["lossy"], ['{"n":"90,071,992,547,409.93 €"}', '{"n":"$999999999999999.99"}'])
    assertGives(Schema.Struct({ n: Schema.String }), "lenient", [
      ['{"n":90071992547409.93}', { n: "90071992547409.93" }, ["n.text-from-number"]]
    ])
  })

  it("is kept where the same digits are printed, or the fraction was calculated", () => {
    for (const [digits, n] of [
      ["0.30000000000000004", 0.1 + 0.2],
      ["3.141592653589793", Math.PI],
      ["3.14159265358979323846", Math.PI],
      ["0.66666666666666663", 2 / 3],
      ["0.1000000000000000055", 0.1],
      ["33333333.333333333333333333", 100_000_000 / 3],
      ["4503599627370495.5", 4503599627370495.5],
      ["9007199254740991.000", 9007199254740991],
      ["1234567890123.45", 1234567890123.45],
      ["5e-324", 5e-324],
      ["1.7976931348623157e308", Number.MAX_VALUE],
      ["0.000000000000000000000000", 0],
      ["0e999", 0],
      ["12345678901234567e3", 12345678901234567e3],
      ["1.50000000000000000e15", 1.5e15]
    ] as const) {
      for (const parsing of every) assertGives(N, parsing, [[`{"n":${digits}}`, { n }]])
      assertGives(N, "lenient", [[`{"n":"${digits}"}`, { n }, ["n.number-from-text"]]])
    }
  })

  it("may be an amount as people write it, where a loss is allowed", () => {
    assertGives(N, "lossy", [
      ['{"n":"1,234"}', { n: 1234 }, ["n.thousands-separator!"]],
      ['{"n":"-1,234,567.25"}', { n: -1234567.25 }, ["n.thousands-separator!"]],
      ['{"n":"1\'234"}', { n: 1234 }, ["n.thousands-separator!"]],
      ['{"n":"12 345"}', { n: 12345 }, ["n.thousands-separator!"]],
      ['{"n":"$12"}', { n: 12 }, ["n.currency!"]],
      ['{"n":"-$1,200.50"}', { n: -1200.5 }, ["n.currency!"]],
      ['{"n":"12 €"}', { n: 12 }, ["n.currency!"]],
      ['{"n":"EUR 12"}', { n: 12 }, ["n.currency!"]],
      ['{"n":"12 chf"}', { n: 12 }, ["n.currency!"]],
      ['{"n":"85%"}', { n: 85 }, ["n.percent!"]],
      ['{"n":"1,000 %"}', { n: 1000 }, ["n.percent!"]]
    ])
    assertRefuses(N, ["lossy"], ['{"n":"12,34"}', '{"n":"1,2345"}', '{"n":"$"}', '{"n":"%"}', '{"n":"12 USDT"}'])
    assertRefuses(N, ["lossy"], ['{"n":"about 12"}', '{"n":"$1 to $2"}', '{"n":"01"}', '{"n":"$0x10"}'])
    const long = "0.".padEnd(62, "1")
    assertGives(N, "lossy", [[`{"n":"${long} €"}`, { n: Number(long) }, ["n.currency!"]]])
    assertRefuses(N, ["lossy"], [`{"n":"${long}1 €"}`])
  })

  it("may have a decimal comma behind thousands, or be about that, where a loss is allowed", () => {
    const N = Schema.Struct({ n: Schema.Finite })
    assertGives(N, "lossy", [
      ['{"n":"1.234,56 €"}', { n: 1234.56 }, ["n.decimal-comma!"]],
      ['{"n":"-1.234.567,5"}', { n: -1234567.5 }, ["n.decimal-comma!"]],
      ['{"n":"about 85%"}', { n: 85 }, ["n.approximate!"]],
      ['{"n":"~ 7.5 %"}', { n: 7.5 }, ["n.approximate!"]]
    ])
    const doubtful = ["12,5", "1,5", "1.23,5", "1.234,567", "about", "about ten", "~12", "about 5 to 6", "2 hours"]
    for (const n of doubtful) assertRefuses(N, ["lossy"], [JSON.stringify({ n })])
    assertRefuses(N, ["lenient"], ['{"n":"1.234,56 €"}', '{"n":"about 85%"}'])
  })

  it("may be in the digits of another script", () => {
    const N = Schema.Struct({ n: Schema.Int })
    for (const n of ["３４", "٣٤", "۳۴", "३४"]) {
      assertGives(N, "lenient", [[`{"n": ${n}}`, { n: 34 }, ["n.number-form"]]])
    }
    for (const n of ["０", "٠", "۰", "०"]) {
      assertGives(N, "lenient", [[`{"n": ${n}}`, { n: 0 }, ["n.number-form"]]])
    }
    const most = "９".repeat(15)
    assertGives(N, "lenient", [[`{"n": ${most}}`, { n: 999_999_999_999_999 }, ["n.number-form"]]])
    assertRefuses(N, ["lossy"], ['{"n": ０３}', '{"n": ００}', '{"n": ３٤}', '{"n": ３.５}', `{"n": ${most}９}`])
  })

  it("in percent is a share where the schema says that 1 is the most", () => {
    const share = (maximum: number) => Schema.Struct({ n: Schema.Finite.check(Schema.isLessThanOrEqualTo(maximum)) })
    assertGives(share(1), "lossy", [
      ['{"n":"75%"}', { n: 0.75 }, ["n.percent!"]],
      ['{"n":"0.5%"}', { n: 0.005 }, ["n.percent!"]]
    ])
    assertGives(share(100), "lossy", [['{"n":"75%"}', { n: 75 }, ["n.percent!"]]])
    assertGives(share(1), "lossy", [['{"n":"$1"}', { n: 1 }, ["n.currency!"]]])
  })

  it("is rounded for a whole one, where a loss is allowed", () => {
    assertGives(I, "lossy", [
      ['{"n":4.7}', { n: 5 }, ["n.rounded!"]],
      ['{"n":4.2}', { n: 4 }, ["n.rounded!"]],
      ['{"n":"$4"}', { n: 4 }, ["n.currency!"]]
    ])
    assertRefuses(I, ["lossy"], ['{"n":"4.7"}', '{"n":"$4.50"}'], "n: Expected")
  })
})

describe("a boolean", () => {
  const B = Schema.Struct({ b: Schema.Boolean })
  const words = {
    yes: true,
    y: true,
    on: true,
    1: true,
    no: false,
    n: false,
    off: false,
    0: false,
    ja: true,
    nein: false
  }

  it("may be written as a text", () => {
    for (const parsing of both) {
      assertGives(B, parsing, [
        ['{"b":"true"}', { b: true }, ["b.boolean-from-text"]],
        ['{"b":"False"}', { b: false }, ["b.boolean-from-text"]],
        ['{"b":" TRUE. "}', { b: true }, ["b.boolean-from-text"]]
      ])
    }
    assertRefuses(B, both, ['{"b":"truthy"}', '{"b":null}', '{"b":"not true"}', '{"b":"null"}'], "b: Expected boolean")
  })

  it("may be a word for it, where a loss is allowed", () => {
    for (const [word, b] of Object.entries(words)) {
      const texts = [`{"b":"${word}"}`, `{"b":"${word.toUpperCase()}!"}`]
      assertGives(
        B,
        "lossy",
        texts.map((text) => [text, { b }, ["b.boolean-from-word!"]] as const)
      )
      assertRefuses(B, ["strict", "lenient"], texts, "b: Expected boolean")
    }
    assertGives(B, "lossy", [
      ['{"b":1}', { b: true }, ["b.boolean-from-word!"]],
      ['{"b":0}', { b: false }, ["b.boolean-from-word!"]],
      [`{"b":"${"yes".padEnd(64)}"}`, { b: true }, ["b.boolean-from-word!"]]
    ])
    assertRefuses(B, ["lossy"], ['{"b":2}', '{"b":-1}', '{"b":"maybe"}', `{"b":"${"yes".padEnd(65)}"}`])
    assertRefuses(B, ["lenient"], ['{"b":1}', '{"b":0}'])
  })
})

describe("nothing", () => {
  const Z = Schema.Struct({ z: Schema.Null })

  it("may be written as a text", () => {
    assertGives(Z, "lenient", [
      ['{"z":"null"}', { z: null }, ["z.null-from-text"]],
      ['{"z":" None "}', { z: null }, ["z.null-from-text"]],
      ['{"z":None}', { z: null }, ["z.literal"]],
      ['{"z":nil}', { z: null }, ["z.literal"]]
    ])
    assertRefuses(Z, both, ['{"z":"nil"}', '{"z":"nothing"}', '{"z":0}', '{"z":false}', '{"z":""}'], "z: Expected null")
  })

  it("is dropped for a key that may be left out, and for no other one", () => {
    const Maybe = Schema.Struct({ a: Schema.optionalKey(Schema.Int), b: Schema.Int })
    assertGives(Maybe, "lenient", [['{"a":null,"b":1}', { b: 1 }, ["a.null-dropped"]]])
    assertRefuses(Maybe, both, ['{"a":1,"b":null}'], "b: Expected")
    assertRefuses(Maybe, both, ['{"a":"null","b":1}', '{"a":false,"b":1}'], "a: Expected")
    const Kept = Schema.Struct({ a: Schema.optionalKey(Schema.NullOr(Schema.Int)) })
    assertGives(Kept, "lenient", [["{'a': null}", { a: null }, ["a.single-quotes"]]])
  })
})

describe("a text", () => {
  const T = Schema.Struct({ t: Schema.String })

  it("may be written as a number, of which all digits are kept", () => {
    assertGives(T, "lenient", [
      ['{"t":42}', { t: "42" }, ["t.text-from-number"]],
      ['{"t":1.50}', { t: "1.50" }, ["t.text-from-number"]],
      ['{"t":90071992547409931}', { t: "90071992547409931" }, ["t.text-from-number"]],
      ['{"t":0x1F}', { t: "0x1F" }, ["t.text-from-number"]]
    ])
    assertRefuses(T, both, ['{"t":true}', '{"t":None}', '{"t":{}}'], "t: Expected string")
    assertRefuses(T, ["strict"], ['{"t":42}'], "t: Expected string")
  })
})

describe("one of a few values", () => {
  const Level = Schema.Struct({ v: Schema.Literals(["low", "medium", "high", "in_progress"]) })

  it("may have other capitals, quotes, separators and marks around it", () => {
    for (const parsing of both) {
      for (const v of ["HIGH", "High", " high\\n", "'high'", "**high**", "“high”", "high.", "high!", "`High`,"]) {
        assertGives(Level, parsing, [[`{"v":"${v}"}`, { v: "high" }, ["v.enum-case"]]])
      }
      for (const v of ["in progress", "In-Progress", "inProgress", "IN__PROGRESS"]) {
        assertGives(Level, parsing, [[`{"v":"${v}"}`, { v: "in_progress" }, ["v.enum-case"]]])
      }
    }
    assertRefuses(Level, both, ['{"v":""}', '{"v":true}', '{"v":3}'])
    assertRefuses(Level, ["strict"], ['{"v":"HIGH"}'], "v: Expected")
  })

  it("is no other one where only what stands between its numbers differs", () => {
    const Version = Schema.Struct({ v: Schema.Literals(["v1.2", "2026-07", "phase 2"]) })
    assertGives(Version, "lenient", [
      ['{"v":"2026_07"}', { v: "2026-07" }, ["v.enum-case"]],
      ['{"v":"Phase-2"}', { v: "phase 2" }, ["v.enum-case"]],
      ['{"v":"phase2"}', { v: "phase 2" }, ["v.enum-case"]]
    ])
    assertRefuses(Version, both, ['{"v":"v12"}', '{"v":"202607"}', '{"v":"phase 3"}'], "v: Expected")
  })

  it("may be of another type in its words", () => {
    const Mixed = Schema.Struct({ v: Schema.Literals([1, 2.5, "3", "04"]) })
    assertGives(Mixed, "lenient", [
      ['{"v":" 1 "}', { v: 1 }, ["v.number-from-text"]],
      ['{"v":"2.5"}', { v: 2.5 }, ["v.number-from-text"]],
      ['{"v":3}', { v: "3" }, ["v.text-from-number"]],
      ["{'v':1}", { v: 1 }, ["v.single-quotes"]]
    ])
    assertRefuses(Mixed, both, ['{"v":4}', '{"v":"2"}', '{"v":5}'], "v: Expected")
    const True = Schema.Struct({ v: Schema.Literal(true) })
    assertGives(True, "lenient", [['{"v":"True"}', { v: true }, ["v.boolean-from-text"]]])
    assertRefuses(True, both, ['{"v":"false"}', '{"v":false}'])
    const Word = Schema.Struct({ v: Schema.Literals(["true", "unknown"]) })
    assertGives(Word, "lenient", [['{"v":"TRUE"}', { v: "true" }, ["v.enum-case"]]])
  })

  it("may be misspelt by one letter, where a loss is allowed", () => {
    for (const v of ["mediun", "medum", "mediuum", "meduim", "xmedium", "mediumx", "emdium", "nedium"]) {
      assertGives(Level, "lossy", [[`{"v":"${v}"}`, { v: "medium" }, ["v.enum-near!"]]])
      assertRefuses(Level, ["lenient"], [`{"v":"${v}"}`])
    }
    assertGives(Level, "lossy", [['{"v":"hihg"}', { v: "high" }, ["v.enum-near!"]]])
    // two letters, or a word too short for one
    assertRefuses(Level, ["lossy"], ['{"v":"medxxm"}', '{"v":"mediumxx"}', '{"v":"medi"}', '{"v":"muidem"}'])
    assertRefuses(Level, ["lossy"], ['{"v":"hig"}', '{"v":"lew"}', '{"v":"loww"}'])
    const Plans = Schema.Struct({ v: Schema.Literals(["plan 1", "plan 2", "form", "farm"]) })
    assertRefuses(Plans, ["lossy"], ['{"v":"plan 3"}', '{"v":"plan"}', '{"v":"firm"}'])
    assertGives(Plans, "lossy", [['{"v":"plam 2"}', { v: "plan 2" }, ["v.enum-near!"]]])
  })

  it("may stand among other words that deny nothing, where a loss is allowed", () => {
    assertGives(Level, "lossy", [
      ['{"v":"high (probably)"}', { v: "high" }, ["v.enum-near!"]],
      ['{"v":"level: high"}', { v: "high" }, ["v.enum-near!"]],
      ['{"v":"low? (sure)"}', { v: "low" }, ["v.enum-near!"]]
    ])
    for (const word of ["not", "no", "never", "neither", "nor", "isn't", "wouldn't"]) {
      assertRefuses(Level, ["lossy"], [`{"v":"${word}: high"}`, `{"v":"(high) ${word}"}`])
    }
    assertRefuses(Level, ["lossy"], ['{"v":"high/low"}', '{"v":"highest: yes"}', '{"v":"a "high" one"}'])
    assertRefuses(Level, ["lenient"], ['{"v":"high (probably)"}'])
    const long = (length: number) => `{"v":"${"high: ".padEnd(length, "x")}"}`
    assertGives(Level, "lossy", [[long(256), { v: "high" }, ["v.enum-near!"]]])
    assertRefuses(Level, ["lossy"], [long(257)])
  })

  it("may be what a sentence comes to, unless another word takes it back or leaves it open", () => {
    const Option = Schema.Struct({ v: Schema.Literals(["ONE", "TWO", "not_found"]) })
    for (const v of ["The answer is ONE", "ONE, I think", "I choose ONE.", "ONE - it fits best", "答えは ONE です。"]) {
      assertGives(Option, "lossy", [[JSON.stringify({ v }), { v: "ONE" }, ["v.enum-near!"]]])
      assertRefuses(Option, ["lenient"], [JSON.stringify({ v })])
    }
    const left = ["ONE: wrong, not this one", "ONE, not TWO", "not ONE", "It isn’t ONE", "ONE or TWO", "ONE (wrong)"]
    const open = [
      "Is it ONE?",
      "ONE?",
      "It could be ONE",
      "Someone said ONE to me",
      "I ruled out ONE",
      "nicht: ONE",
      "ONE; ONE"
    ]
    for (const v of [...left, ...open]) assertRefuses(Option, ["lossy"], [JSON.stringify({ v })])
    const Known = Schema.Struct({ v: Schema.Literals(["don't know", "sure (a+b)"]) })
    assertGives(Known, "lossy", [
      ['{"v":"Well: don’t know"}', { v: "don't know" }, ["v.enum-near!"]],
      ['{"v":"Well: sure (a+b)"}', { v: "sure (a+b)" }, ["v.enum-near!"]]
    ])
    assertGives(Option, "lossy", [['{"v":"The state is not found"}', { v: "not_found" }, ["v.enum-near!"]]])
  })

  it("is bare text alone only with a loss, where any text would do", () => {
    assertGives(Schema.String, "lossy", [[" So it is. ", "So it is.", ["bare-text!"]]])
    assertRefuses(Schema.String, ["strict", "lenient"], ["So it is."])
    assertGives(Schema.Literals(["spam", "ham"]), "lenient", [
      ["Spam.", "spam", ["unquoted", "enum-case"]],
      [" ham\n", "ham", ["unquoted"]]
    ])
    assertRefuses(Schema.Struct({ t: Schema.String }), ["lossy"], ["So it is."])
  })
})
