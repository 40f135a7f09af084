/** Answers for unions of objects and lists: the value that the schema leaves no doubt about, or no answer. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "../corpus/parse.ts"

const { Array: List, Finite, Int, Record, String: Text, Struct, Union } = Schema

const Part = Struct({ v: Finite })
const Parts = List(Part)
const Titled = Struct({ title: Text, parts: Parts })
const Section = Struct({ title: Schema.optionalKey(Text), parts: Union([Part, Parts]) })
const Person = Struct({ name: Text, age: Int })
const Company = Struct({ company: Text, staff: List(Person) })

interface Node {
  readonly v?: number
  readonly next?: Node | ReadonlyArray<Node>
}
const Node: Schema.Codec<Node> = Struct({
  v: Schema.optionalKey(Finite),
  next: Schema.optionalKey(Schema.suspend(() => Union([Node, List(Node)])))
})

const one = [{ v: 1 }]
const titled = { title: "t", parts: one }
const ann = { name: "Ann", age: 41 }
const company = { company: "X", staff: [ann] }
const inText = (value: unknown) => JSON.stringify(value)

/** No answer. */
const no = undefined

type Table = ReadonlyArray<readonly [answer: unknown, value: unknown]>

/** Both modes give the value for the answer. A table may name one property that all answers have. */
const assertReads = (schema: Schema.Codec<any, any>, key: string | undefined, table: Table) => {
  const around = (value: unknown) => (key === undefined ? value : { [key]: value })
  for (const parsing of ["lenient", "lossy"] as const) {
    for (const [answer, value] of table) {
      const text = JSON.stringify(around(answer))
      const read = parse(schema, text, parsing)
      assert.deepStrictEqual(read?.value, value === no ? no : around(value), `${parsing}: ${text}`)
    }
  }
}

describe("an object or a list", () => {
  const Body = Struct({ body: Union([Titled, Parts]) })

  it("is the object that has all keys of its member", () => {
    assertReads(Body, "body", [
      [titled, titled],
      [{ Title: "t", Parts: one }, titled],
      [{ title: "t", parts: { v: 1 } }, titled],
      [{ title: "t", parts: inText(one) }, titled],
      [inText(titled), titled],
      [inText({ title: "t", parts: inText(one) }), titled]
    ])
  })

  it("is the list, or a list made of one item", () => {
    assertReads(Body, "body", [
      [one, one],
      [{ v: 1 }, one],
      [{ v: "1" }, one],
      [inText(one), one],
      [[inText({ v: 1 })], one],
      [[[{ v: 1 }]], one]
    ])
  })

  it("is not a list in an object that has keys of the other member", () => {
    assertReads(Body, "body", [
      [{ parts: one }, no],
      [{ Parts: one }, no],
      [{ title: null, parts: one }, no],
      [{ title: { x: 1 }, parts: one }, no],
      [{ approved: false, parts: one }, no],
      [{ title: "t", items: one }, no],
      [{ title: { x: 1 }, v: 1 }, no],
      [inText({ title: null, parts: one }), no],
      [inText({ title: { x: 1 }, v: 1 }), no]
    ])
  })

  it("is read from a wrapper", () => {
    assertReads(Body, "body", [
      [{ result: titled }, titled],
      [{ result: one }, one],
      [{ value: one }, one],
      [{ items: one }, one],
      [{ result: one, status: "ok" }, one],
      [{ result: inText(titled) }, titled],
      [{ response: { data: titled } }, titled],
      [{ name: "save", arguments: titled }, titled]
    ])
  })

  it("is not read from a wrapper that leaves a doubt", () => {
    assertReads(Body, "body", [
      [{ result: { title: null, parts: one } }, no],
      [{ result: { parts: one } }, no],
      [{ result: inText({ title: {}, parts: one }) }, no],
      [{ result: one, title: "t" }, no],
      [{ wrong_answer: one }, no],
      [{ first: one, second: [{ v: 2 }] }, no]
    ])
  })

  it("is read from a list of one item", () => {
    assertReads(Body, "body", [
      [[titled], titled],
      [[inText(titled)], titled],
      [[{ title: null, parts: one }], no],
      [[{ parts: one }], no],
      [[inText({ parts: one })], no],
      [[titled, { v: 2 }], no]
    ])
  })

  it("is read in the same way as a whole answer and as an item", () => {
    const table: Table = [
      [titled, titled],
      [{ result: one }, one],
      [{ result: titled }, titled],
      [{ parts: one }, no],
      [{ title: null, parts: one }, no],
      [{ result: { title: null, parts: one } }, no]
    ]
    assertReads(Union([Titled, Parts]), undefined, table)
    const inList = table.map(([answer, value]) => [[answer, one], value === no ? no : [value, one]] as const)
    assertReads(Struct({ all: List(Union([Titled, Parts])) }), "all", inList)
  })
})

describe("a union in a union", () => {
  it("is refused as a whole if its part can be read in two ways", () => {
    assertReads(Struct({ body: Union([Section, Parts]) }), "body", [
      [{ parts: { v: 1 } }, { parts: { v: 1 } }],
      [{ parts: inText({ v: 1 }) }, no],
      [{ title: "t", parts: inText({ v: 1 }) }, no],
      [{ parts: [inText({ v: 1 })] }, no],
      [{ parts: { v: "1" } }, no],
      [{ result: { title: "t", parts: inText({ v: 1 }) } }, no],
      [[{ title: "t", parts: inText({ v: 1 }) }], no],
      [inText({ title: "t", parts: inText({ v: 1 }) }), no],
      [inText({ parts: { v: 1 } }), { parts: { v: 1 } }],
      [[{ parts: { v: 1 } }], { parts: { v: 1 } }]
    ])
  })

  it("is refused on every level", () => {
    const Body = Struct({ body: Union([Section, Parts]) })
    assertReads(Struct({ doc: Union([Body, Parts]) }), "doc", [
      [{ body: one }, { body: one }],
      [{ body: { parts: inText({ v: 1 }) } }, no],
      [{ body: { title: { x: 1 }, parts: one } }, no],
      [inText({ body: { parts: inText({ v: 1 }) } }), no]
    ])
  })

  it("is refused in a recursive schema", () => {
    assertReads(Node, "next", [
      [{ next: { v: 1 } }, { next: { v: 1 } }],
      [inText({ v: 1 }), no],
      [inText({ next: { v: 1 } }), no],
      [{ next: inText({ v: 1 }) }, no],
      [inText({ next: inText({ v: 1 }) }), no],
      [{ next: { next: inText({ v: 1 }) } }, no],
      [{ v: 2, next: inText({ v: 1 }) }, no]
    ])
  })
})

describe("one of two objects", () => {
  it("is not found inside the other one", () => {
    assertReads(Struct({ pick: Union([Person, Company]) }), "pick", [
      [{ name: "Ann", age: "41" }, ann],
      [{ staff: [ann] }, no],
      [{ company: null, staff: ann }, no],
      [{ company: "X", boss: ann }, no],
      [{ result: { company: { x: 1 }, staff: [ann] } }, no],
      [{ result: ann }, ann],
      [{ person: ann }, ann],
      [[company], company],
      [inText(company), company],
      [{ name: "hire", arguments: ann }, ann]
    ])
  })

  it("is not the arguments of a call that is the other one", () => {
    const Call = Struct({ name: Text, arguments: Struct({ city: Text }) })
    assertReads(Struct({ next: Union([Call, Part]) }), "next", [
      [
        { name: "weather", arguments: { city: "Rome" } },
        { name: "weather", arguments: { city: "Rome" } }
      ],
      [{ name: "weather", arguments: { v: 1 } }, no]
    ])
  })
})

describe("a record or a list", () => {
  it("is read from a wrapper only if that cannot be the record", () => {
    const names = [{ name: "Ann" }]
    assertReads(Struct({ prices: Union([Record(Text, Int), List(Struct({ name: Text }))]) }), "prices", [
      [{ apples: "3" }, { apples: 3 }],
      [{ data: { apples: 3 } }, { apples: 3 }],
      [{ result: names }, names],
      [{ apples: names }, no],
      [{ apples: 3, pears: names }, no],
      [{ result: names, apples: 3 }, no]
    ])
  })
})

describe("a list without a union", () => {
  it("is not taken from an object that has keys of an item", () => {
    assertReads(Struct({ body: Parts }), "body", [
      [{ items: one }, one],
      [{ v: "x", items: one }, no]
    ])
    const Leaf = Struct({ leaf: Int })
    const Branch = Struct({ name: Text, below: List(Leaf) })
    const branch = { name: "oak", below: [{ leaf: 1 }] }
    assertReads(Struct({ all: List(Union([Branch, Leaf])) }), "all", [
      [branch, [branch]],
      [{ result: [branch] }, [branch]],
      [{ name: {}, below: [{ leaf: 1 }] }, no]
    ])
  })
})
