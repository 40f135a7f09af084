/** The answers themselves: that each value is one of its schema, whatever the parser makes of its text. */
import { Option, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Categories } from "./index.ts"

const cases = Object.values(Categories).flat()

const plain = (text: string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(text) as unknown)
  } catch {
    return Option.none()
  }
}

describe("answers written by somebody who had not read the parser", () => {
  it("have names of their own", () => {
    const names = cases.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it.each(Object.entries(Categories))("%s has at least eight, of them some that are rejected", (_, members) => {
    expect(members.length).toBeGreaterThanOrEqual(8)
    expect(members.some(({ expected }) => expected === "reject")).toBe(true)
  })

  it.each(cases)("$name: the value is one of its schema", ({ expected, schema }) => {
    if (expected === "reject") return
    const encoded: unknown = Schema.encodeUnknownSync(schema)(expected.value)
    expect(Schema.decodeUnknownSync(schema)(encoded)).toEqual(expected.value)
  })

  it.each(cases)(
    "$name: plain JSON of the schema is taken as it is, and no other may look like it",
    ({ expected, lossy, schema, text }) => {
      const decoded = Option.flatMap(plain(text), Schema.decodeUnknownOption(schema))
      if (Option.isNone(decoded)) return
      expect({ expected, lossy }).toEqual({ expected: { value: decoded.value }, lossy: undefined })
    }
  )
})
