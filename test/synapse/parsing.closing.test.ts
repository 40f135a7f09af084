/** Answers that are cut off: closed at their last whole member where a loss is allowed. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const Flight = Schema.Struct({
  from: Schema.String,
  passengers: Schema.Int,
  cabin: Schema.optionalKey(Schema.Literals(["economy", "business"])),
  tags: Schema.optionalKey(Schema.Array(Schema.String))
})
const Person = Schema.Struct({ name: Schema.String, member: Schema.Boolean })
const flight = { from: "VIE", passengers: 2 }
const both = ["lenient", "lossy"] as const

describe("an answer that is cut off", () => {
  const begun = '{"from": "VIE", "passengers": 2, '

  it("is closed at its last whole member where a loss is allowed", () => {
    const cut = [`${begun}"cabin": "bus`, `${begun}"cab`, `${begun}"cabin":`, begun, `${begun}"tags": ["a`]
    assertGives(
      Flight,
      "lossy",
      cut.map((text) => [text, flight, ["cut-off!"]] as const)
    )
    assertRefuses(Flight, ["lenient", "strict"], cut)
    assertGives(Flight, "lossy", [[`${begun}"tags": ["a", "b`, { ...flight, tags: ["a"] }, ["cut-off!"]]])
    assertGives(Schema.Array(Schema.Finite), "lossy", [["[20.5, 20.75, 2", [20.5, 20.75], ["cut-off!"]]])
    assertGives(Flight, "lossy", [[`${begun}"tags": ["a", "b"`, { ...flight, tags: ["a", "b"] }, ["cut-off!"]]])
    assertGives(Schema.Array(Person), "lossy", [
      ['[{"name": "Ada", "member": true}, {"name": "B', [{ name: "Ada", member: true }], ["cut-off!"]]
    ])
  })

  it("is not complete if a comma stands where its last bracket would", () => {
    const Scored = Schema.Array(Schema.Tuple([Schema.Tuple([Schema.String, Schema.Boolean]), Schema.Finite]))
    const cut = '[[["a",false],1],[["b",true],2],'
    assertRefuses(Scored, ["lenient"], [cut])
    assertGives(Scored, "lossy", [
      [
        cut,
        [
          [["a", false], 1],
          [["b", true], 2]
        ],
        ["cut-off!"]
      ]
    ])
  })

  it("is none where a required member is missing, or may be half", () => {
    assertRefuses(Flight, both, [
      '{"from": "VIE", "passengers": 2',
      '{"from": "VI',
      '{"passengers": 2, "from": "V',
      "{"
    ])
    assertRefuses(Schema.Struct({ tags: Schema.NonEmptyArray(Schema.String) }), both, ['{"tags": ["a'])
    assertRefuses(Person, both, ['{"name": "Ada", "member": tr', '{"result": {"name": "Ada", "mem'])
  })

  it("is whole where it lacks the bracket of one object alone, which has all its keys", () => {
    const ada = { name: "Ada", member: true }
    assertGives(Person, "lenient", [
      ['{"name": "Ada", "member": true', ada, ["missing-bracket"]],
      ['{"member": true, "name": "Ada"\n\n', ada, ["missing-bracket"]]
    ])
    assertRefuses(Flight, ["lenient"], ['{"passengers": 2, "from": "VIE"'])
    assertRefuses(Schema.Array(Person), ["lenient"], ['[{"name": "Ada", "member": true}'])
  })

  it("is closed up to 16 objects and lists inside one another", () => {
    const Nested = Schema.Array(Schema.Json)
    const cut = (depth: number) => `${"[1, ".repeat(depth)}"a`
    const closed = (depth: number): unknown => (depth === 1 ? [1] : [1, closed(depth - 1)])
    assertGives(Nested, "lossy", [[cut(16), closed(16), ["cut-off!"]]])
    assertRefuses(Nested, both, [cut(17), cut(300)])
  })
})

describe("an answer behind thinking with blocks of its own", () => {
  it("is read as one without thinking", () => {
    const ada = { name: "Ada", member: true }
    const block = '```json\n{"name": "Bo", "member": false}\n```\n'
    for (const thinking of [`Like this:\n${block}</think>\n`, `<think>\n${block}${block}</think>\n`]) {
      assertGives(Person, "lossy", [
        [`${thinking}{"name": "Ada", "member": true, "no`, ada, ["cut-off!"]],
        [`${thinking}{"name": "Ada", "member": true,`, ada, ["cut-off!"]]
      ])
      assertGives(Person, "lenient", [
        [`${thinking}{"name": "Ada", "member": true}`, ada, ["thought"]],
        [`${thinking}{"name": "Ada", "member": true`, ada, ["missing-bracket"]],
        [`${thinking}{"name": "Ada, "member": true}`, ada, ["missing-quote"]],
        [`${thinking}{"name": "Ada", "member": true]`, ada, ["wrong-bracket"]]
      ])
    }
  })
})

describe("an answer behind thinking that ends within something broken", () => {
  it("is read, if a line or a value begins there", () => {
    const Counts = Schema.Array(Schema.Int)
    for (const begun of ['{"draft": "I wonder', '{"draft": [1, ']) {
      assertGives(Counts, "lenient", [
        [`${begun} </think>\n[1, 2]`, [1, 2], ["thought"]],
        [`${begun} </think>[1, 2]`, [1, 2], ["thought"]]
      ])
      assertRefuses(Counts, both, [`${begun} </think> so [1, 2]`, `${begun} [1, 2]`])
    }
  })
})

describe("the place where an answer is cut off", () => {
  it("is named from the outermost value to the innermost", () => {
    const Line = Schema.Struct({ price: Schema.Struct({ unit: Schema.String, sum: Schema.Finite }) })
    const text = '{"lines": [{"price": {"unit": "EUR", "sum": '
    assertRefuses(Schema.Struct({ lines: Schema.Array(Line) }), ["lenient"], [text], "lines: 0: price: sum: ")
  })
})
