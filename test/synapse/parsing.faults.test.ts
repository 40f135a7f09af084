/** What comes of JSON with one mark of its structure too many or too few: the same value or nothing, but not another one. */
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { chance, drawSchema, drawValues } from "../corpus/generated.ts"
import { parse } from "../corpus/parse.ts"

const values = Number(process.env["COGITO_PARSE_VALUES"] ?? 2000)
const valuesOfASchema = 20

interface Mark {
  readonly at: number
  readonly kind: string
}

/** The marks of the structure of JSON, of which quotes begin or end a text. */
const marksOf = (json: string): ReadonlyArray<Mark> => {
  const marks: Array<Mark> = []
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const char = json.charAt(at)
    if (inText && char === "\\") at++
    else if (char === '"') {
      marks.push({ at, kind: inText ? "closing quote" : "opening quote" })
      inText = !inText
    } else if (!inText && ",:{}[]".includes(char)) marks.push({ at, kind: char })
  }
  return marks
}

/** Without a comma two numbers are one, and without a bracket a list of a list may be the list; nobody can tell. */
const tellsNothing = (fault: string): boolean => fault === "dropped ," || fault === "dropped ["

interface Faults {
  readonly texts: number
  /** The texts that are read as another value. */
  readonly others: ReadonlyArray<string>
}

const faults = (): ReadonlyMap<string, Faults> => {
  const found = new Map<string, Faults>()
  for (let made = 0; made < values / 2; made += valuesOfASchema) {
    const own = chance(14_000_000 + made)
    const schema = drawSchema(own, { composite: true })
    const codec = Schema.toCodecJson(schema)
    for (const encoded of drawValues(schema, { count: valuesOfASchema, seed: 14_000_000 + made })) {
      const json = JSON.stringify(encoded)
      const expected = Schema.decodeUnknownExit(codec)(encoded)
      const marks = marksOf(json)
      if (Exit.isFailure(expected) || marks.length < 3) continue
      const { at, kind } = own.one(marks)
      const isDropped = own.below(2) === 0
      const fault = `${isDropped ? "dropped" : "doubled"} ${kind}`
      if (tellsNothing(fault)) continue
      const text = json.slice(0, at) + (isDropped ? "" : json.charAt(at).repeat(2)) + json.slice(at + 1)
      const { others, texts } = found.get(fault) ?? { others: [], texts: 0 }
      const reading = parse(schema, text, own.one(["lenient", "lossy"]))
      const isOther = reading !== undefined && !isDeepStrictEqual(reading.value, expected.value)
      found.set(fault, { others: isOther ? [...others, text] : others, texts: texts + 1 })
    }
  }
  return found
}

/** What is closed too early, and what follows it, may each look like a whole answer with something beside it. */
const mayLookWhole = (fault: string): boolean =>
  fault === "doubled ]" || fault === "doubled }" || fault.endsWith("quote")

describe("JSON with one mark too many or too few", () => {
  const found = [...faults()]

  it("is read as the value that it was, or as nothing", () => {
    const strict = found.filter(([fault]) => !mayLookWhole(fault))
    assert.isAtLeast(strict.length, 8)
    // A long run may come upon one.
    for (const [fault, { others, texts }] of strict) {
      assert.isAtMost(others.length, texts / 1000, `${fault}:\n${others.join("\n")}`)
    }
  })

  it("is read as another value once in 200 at most, where it looks like a whole one with something beside it", () => {
    const loose = found.filter(([fault]) => mayLookWhole(fault)).map(([, faults]) => faults)
    const texts = loose.reduce((sum, faults) => sum + faults.texts, 0)
    const others = loose.flatMap((faults) => faults.others)
    assert.isAbove(texts, values / 8)
    assert.isAtMost(others.length, texts / 200, others.join("\n"))
  })
})
