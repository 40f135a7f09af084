import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { Step } from "cogito"
import { Spec } from "cogito/spec"
import { plain } from "../../src/spec/model/bounds.ts"
import { flawOf } from "../../src/spec/text/json.ts"
import { durationText } from "../../src/spec/model/parts.ts"
import { capped, kindOf, problem, quote, suggestion } from "../../src/spec/model/problems.ts"
import { sameSchema } from "../../src/spec/model/sameSchema.ts"

// The words in which problems of a document are told, and what the readers of it count.

describe("a problem", () => {
  it("says where it is", () => {
    const paths: ReadonlyArray<readonly [ReadonlyArray<PropertyKey>, string]> = [
      [[], ""],
      [["step", "steps", 2, "a-b", "$c_1"], "step.steps[2].a-b.$c_1"],
      [["definitions", "two words", 0], 'definitions["two words"][0]'],
      [["1st"], '["1st"]'],
      [["a", ""], 'a[""]']
    ]
    for (const [path, text] of paths) assert.deepStrictEqual(problem(path, "m"), { path: text, message: "m" })
  })

  it("quotes a name, the first eighty characters of a long one", () => {
    assert.strictEqual(quote('a"b'), '"a\\"b"')
    assert.strictEqual(quote("x".repeat(80)), `"${"x".repeat(80)}"`)
    assert.strictEqual(quote("x".repeat(81)), `"${"x".repeat(80)}…"`)
  })

  it("is one of a hundred, and says how many more there are", () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => problem([i], "m"))
    assert.deepStrictEqual(capped(many(100)), many(100))
    assert.deepStrictEqual(capped(many(103)), [...many(100), problem([], "And 3 more at least.")])
  })

  it("says what a value is, without its text", () => {
    const kinds: ReadonlyArray<readonly [unknown, string]> = [
      [undefined, "nothing"],
      [null, "null"],
      [[], "an empty list"],
      [[1], "a list"],
      [" \n", "an empty text"],
      ["a", "a text of one character"],
      ["abc", "a text of 3 characters"],
      [{}, "an object"],
      [3.5, "3.5"],
      [false, "false"],
      [1n, "bigint"],
      [() => 1, "function"]
    ]
    for (const [value, words] of kinds) assert.strictEqual(kindOf(value), words)
  })
})

describe("a suggestion", () => {
  const of = (name: string, ...names: ReadonlyArray<string>) => suggestion(name, names, "options")

  it("is a name that one slip, or a third of the letters, makes of it", () => {
    for (const name of ["stpe", "step2", "tep", "stap", "STEP"])
      assert.strictEqual(of(name, "step"), ' Did you mean "step"?')
    assert.strictEqual(of("ab", "abcd"), ' The options are "abcd".')
    assert.strictEqual(of("concurency", "concurrent"), ' Did you mean "concurrent"?')
    assert.strictEqual(of("concurXXXX", "concurrent"), ' The options are "concurrent".')
    assert.strictEqual(of("abcdefXYZ", "abcdefghi"), ' Did you mean "abcdefghi"?')
    // the shorter of both counts
    assert.strictEqual(of("abcdXY", "abcd"), ' The options are "abcd".')
    assert.strictEqual(of("abcd", "abcdXY"), ' The options are "abcdXY".')
  })

  it("is up to three names, the nearest first", () => {
    assert.strictEqual(
      of("abcdef", "abcdXY", "abcdefg", "abcdeX", "abXdeY"),
      ' Did you mean "abcdefg" or "abcdeX" or "abcdXY"?'
    )
  })

  it("is no name of more than 32 letters, or eight more", () => {
    const long = "x".repeat(32)
    assert.strictEqual(of(`${"x".repeat(31)}y`, long), ` Did you mean "${long}"?`)
    assert.strictEqual(of(`${long}y`, long), ` The options are "${long}".`)
    assert.strictEqual(of(long, `${long}y`), ` The options are "${long}y".`)
    assert.strictEqual(of("x".repeat(24), long), ` Did you mean "${long}"?`)
    assert.strictEqual(of("x".repeat(23), long), ` The options are "${long}".`)
  })

  it("is all names where none is near, the first forty of many", () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `name ${String.fromCodePoint(0x4e00 + i)}`)
    assert.strictEqual(of("q"), " There are no options.")
    assert.strictEqual(of("q", ...names(2)), ' The options are "name 一", "name 丁".')
    assert.notInclude(of("q", ...names(40)), "others")
    assert.strictEqual(of("q", ...names(41)), of("q", ...names(40)).replace(/\.$/, " and others."))
  })
})

describe("a duration", () => {
  it("is written in the largest unit that gives a whole number", () => {
    const texts = {
      "1 week": "1 week",
      "14 days": "2 weeks",
      "1 day": "1 day",
      "25 hours": "25 hours",
      "60 minutes": "1 hour",
      "90 seconds": "90 seconds",
      "1500 millis": "1500 millis",
      "1 millis": "1 milli",
      "1 micros": "1 micro",
      "1500 nanos": "1500 nanos",
      "0 seconds": "0 nanos"
    } as const
    for (const [input, text] of Object.entries(texts)) {
      assert.strictEqual(durationText(Duration.fromInputUnsafe(input as Duration.Input)), text)
    }
  })
})

describe("plain data", () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 1
    for (let i = 0; i < depth; i++) value = [value]
    return value
  }

  it("is copied, without what is undefined", () => {
    const given = { a: [1, "x", true, null, { b: undefined, c: [] }], d: Object.create(null) as object }
    assert.deepStrictEqual(plain(given), { value: { a: [1, "x", true, null, { c: [] }], d: {} }, problems: [] })
  })

  it("has a thousand levels and a hundred thousand values", () => {
    assert.deepStrictEqual(plain(nested(1_000)).problems, [])
    assert.deepStrictEqual(plain(nested(1_001)).problems, [
      problem([0, 0, 0, 0, 0, 0], "This is nested more than 1000 levels deep. Make it flatter.")
    ])
    assert.deepStrictEqual(plain(Array.from({ length: 99_999 }, () => 0)).problems, [])
    const [more, ...others] = plain(Array.from({ length: 100_000 }, () => 0)).problems
    assert.match(more?.message ?? "", /more than 100000 values/)
    assert.deepStrictEqual(others, [])
  })

  it("is all that it has, each fault with its place", () => {
    assert.deepStrictEqual(plain({ a: [1, Number.NaN], b: new Date(), c: { ["__proto__"]: 1 }, d: 1n }).problems, [
      problem(["a", 1], "Write a finite number, not NaN."),
      problem(["b"], "Write plain data: text, numbers, true, false, null, lists and objects."),
      problem(["c"], '"__proto__" cannot be a name: use another one.'),
      problem(["d"], "Write plain data: text, numbers, true, false, null, lists and objects.")
    ])
  })
})

describe("a text that is no JSON", () => {
  const flaws: ReadonlyArray<readonly [string, number, string]> = [
    ["", 0, "it ends too early"],
    ["[", 1, "it ends too early"],
    ['{"a"', 4, "it ends too early"],
    ["1 2", 2, "there is more after its end"],
    ["[] []", 3, "there is more after its end"],
    ['{"a" 1}', 5, "a colon is missing"],
    ["[1 2]", 3, "a comma or a closing bracket is missing"],
    ['{"a":1 "b":2}', 7, "a comma or a closing bracket is missing"],
    ["[1}", 2, "a comma or a closing bracket is missing"],
    ['{"a":1]', 6, "a comma or a closing bracket is missing"],
    ["{a:1}", 1, "a name in double quotes is missing"],
    ['{"a":1,}', 7, "a name in double quotes is missing"],
    ['{"a', 1, "a name in double quotes is missing"],
    ['{"\\x":1}', 1, "this is not a name in double quotes"],
    ['{"a":1,"\\u0061":2}', 7, "a name occurs twice in one object"],
    ['["a]', 1, "a text is malformed"],
    ['["\\x"]', 1, "a text is malformed"],
    ["[1,]", 3, "a value is missing"],
    ["[,1]", 1, "a value is missing"],
    ["tru", 0, "a value is missing"],
    ["[01]", 2, "a comma or a closing bracket is missing"]
  ]
  it.each(flaws)("%s", (text, at, what) => {
    assert.deepStrictEqual(flawOf(text), { at, what })
  })

  it("is none that is", () => {
    for (const text of [
      "1",
      ' {"a":{"a":[]},"b":["a","a",{}],"c":-1.5e+3}\r\n\t',
      '""',
      '"\\""',
      "[true,false,null,[[]]]"
    ]) {
      assert.isUndefined(flawOf(text), text)
      assert.doesNotThrow(() => void JSON.parse(text))
    }
  })
})

describe("two schemas", () => {
  const { Array: list, Boolean: flag, Finite: number, String: text } = Schema

  it("are the same where they have one form and each value is its own JSON", () => {
    const make = () => [
      text,
      Schema.Struct({ a: number, b: Schema.optionalKey(list(flag)) }),
      Schema.Union([text, Schema.Null]),
      Schema.Literals(["a", 1]),
      Schema.Record(text, number),
      Schema.Tuple([text, flag])
    ]
    for (const [i, one] of make().entries()) {
      for (const [j, other] of make().entries()) {
        assert.strictEqual(sameSchema(one as Schema.Codec<any>, other as Schema.Codec<any>), i === j, `${i} and ${j}`)
      }
    }
  })

  it("are others where a value is written otherwise anywhere inside", () => {
    const dates = () => [
      Schema.DateTimeUtcFromString,
      Schema.Struct({ a: text, at: Schema.DateTimeUtcFromString }),
      list(Schema.DateTimeUtcFromString),
      Schema.Tuple([text, Schema.DateTimeUtcFromString]),
      Schema.Union([number, Schema.DateTimeUtcFromString]),
      Schema.Record(text, Schema.DateTimeUtcFromString)
    ]
    const copies = dates().map((schema) => schema.annotate({ description: "same" }) as Schema.Codec<any, any>)
    const again = dates().map((schema) => schema.annotate({ description: "same" }) as Schema.Codec<any, any>)
    for (const [i, one] of copies.entries()) {
      assert.isTrue(sameSchema(one, one))
      assert.isFalse(sameSchema(one, again[i] ?? one), String(i))
    }
  })
})

describe("a document", () => {
  const registry = Spec.registry({ steps: { count: Step.make("count", { schema: Schema.Finite, run: () => 1 }) } })
  const problemsOf = (document: unknown) =>
    Spec.decode(registry, document).pipe(
      Effect.as<ReadonlyArray<string>>([]),
      Effect.catch((error) => Effect.succeed(error.problems.map(({ message, path }) => `${path}: ${message}`)))
    )
  const nested = (depth: number) => {
    let step: object = { use: "count" }
    for (let i = 1; i < depth; i++) step = { type: "enrich", name: `e${i}`, step }
    return { cogito: 1, name: "deep", step }
  }
  const wide = (count: number) => ({
    cogito: 1,
    name: "wide",
    step: {
      type: "sequence",
      name: "all",
      steps: Array.from({ length: count }, (_, i) => ({ type: "named", name: `n${i}`, step: { use: "count" } }))
    }
  })

  it.effect("has steps a thousand deep, and ten thousand of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problemsOf(nested(300)), [])
      // one around, and two for each
      const many = (yield* problemsOf(wide(5_000))).filter((line) => line.includes("10000 steps"))
      assert.deepStrictEqual(many, ["step: This is a pipeline of more than 10000 steps. Use definitions less often."])
      const fewer = (yield* problemsOf(wide(4_999))).filter((line) => line.includes("10000 steps"))
      assert.deepStrictEqual(fewer, [])
    })
  )

  it.effect("has definitions that lead nowhere back", () =>
    Effect.gen(function* () {
      const circle = {
        cogito: 1,
        name: "c",
        step: { use: "a" },
        definitions: { a: { use: "b" }, b: { use: "c" }, c: { use: "b" }, d: { use: "c" } }
      }
      assert.deepStrictEqual(yield* problemsOf(circle), [
        'definitions.b: This definition refers to itself: "b" → "c" → "b". Remove the cycle.'
      ])
    })
  )
})
