/** Answers for unions of objects and lists: the value that the schema leaves no doubt about, or no answer. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "../corpus/parse.ts"

const { Array: List, Finite, String: Text, Struct, Union } = Schema

const Part = Struct({ v: Finite })
const Parts = List(Part)
const Section = Struct({ title: Schema.optionalKey(Text), parts: Union([Part, Parts]) })

interface Node {
  readonly v?: number
  readonly next?: Node | ReadonlyArray<Node>
}
const Node: Schema.Codec<Node> = Struct({
  v: Schema.optionalKey(Finite),
  next: Schema.optionalKey(Schema.suspend(() => Union([Node, List(Node)])))
})

const one = [{ v: 1 }]
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
      [inText({ title: "t", parts: inText({ v: 1 }) }), no]
    ])
  })

  it("is refused on every level", () => {
    const Body = Struct({ body: Union([Section, Parts]) })
    assertReads(Struct({ doc: Union([Body, Parts]) }), "doc", [
      [{ body: one }, { body: one }],
      [{ body: { parts: inText({ v: 1 }) } }, no],
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
