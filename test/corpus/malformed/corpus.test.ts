/** What the corpus promises about itself: it is broad, its names are its own, and its answers are answers. */
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { readdirSync } from "node:fs"
import { categories, type Case } from "./index.ts"

const groups: ReadonlyArray<readonly [string, ReadonlyArray<Case>]> = Object.entries(categories)
const corpus = groups.flatMap(([category, cases]) => cases.map((one) => ({ category, ...one })))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a program without a parser of its own would take from the text. */
const decodedAsItIs = ({ schema, text }: Case) => Schema.decodeUnknownExit(Schema.toCodecJson(schema))(parsed(text))

describe("the corpus of malformed answers", () => {
  it("is broad: 190 cases, four of each category, forty that must be rejected", () => {
    assert.isAtLeast(corpus.length, 190)
    assert.deepStrictEqual(
      groups.filter(([, cases]) => cases.length < 4).map(([category]) => category),
      []
    )
    assert.isAtLeast(corpus.filter(({ expected }) => expected === "reject").length, 40)
  })

  it("gathers every file of its folder", () => {
    const files = readdirSync(new URL(".", import.meta.url))
    const others = new Set(["case.ts", "schemas.ts", "index.ts", "corpus.test.ts"])
    assert.deepStrictEqual(
      files.filter((file) => !others.has(file)).toSorted(),
      Object.keys(categories)
        .map((category) => `${category}.ts`)
        .toSorted()
    )
  })

  it("has a name for each case of a category, and no text twice for one schema", () => {
    const names = corpus.map(({ category, name }) => `${category}: ${name}`)
    assert.strictEqual(new Set(names).size, names.length)
    for (const [i, { name, schema, text }] of corpus.entries()) {
      const again = corpus.slice(i + 1).find((other) => other.schema === schema && other.text === text)
      assert.isUndefined(again, `${name} and ${again?.name}`)
    }
  })

  it("expects values that are valid for their schemas, and that can be written", () => {
    for (const { expected, name, schema } of corpus) {
      if (expected === "reject") continue
      assert.isTrue(Schema.is(schema)(expected.value), name)
      const codec = Schema.toCodecJson(schema)
      const written = Schema.encodeUnknownExit(codec)(expected.value)
      assert.isTrue(Exit.isSuccess(written) && Exit.isSuccess(Schema.decodeExit(codec)(written.value)), name)
    }
  })

  it("marks as lossy only cases that have a value", () => {
    assert.isTrue(corpus.every(({ expected, lossy }) => lossy === undefined || expected !== "reject"))
  })

  it("is malformed: more than one text in two is no JSON, and little of what has a value decodes as it is", () => {
    const noJson = corpus.filter(({ text }) => parsed(text) === undefined)
    assert.isAbove(noJson.length, corpus.length / 2)
    const recoverable = corpus.filter(({ expected }) => expected !== "reject")
    const asTheyAre = recoverable.filter((one) => Exit.isSuccess(decodedAsItIs(one)))
    assert.isBelow(asTheyAre.length, recoverable.length / 20, asTheyAre.map(({ name }) => name).join(", "))
  })

  it("expects of valid JSON that fits what JSON.parse and the schema make of it, and rejects none of it", () => {
    const fitting = corpus.flatMap((one) => {
      const decoded = decodedAsItIs(one)
      return Exit.isSuccess(decoded) ? [{ expected: one.expected, decoded: { value: decoded.value as unknown } }] : []
    })
    assert.deepStrictEqual(
      fitting.map(({ expected }) => expected),
      fitting.map(({ decoded }) => decoded)
    )
  })
})
