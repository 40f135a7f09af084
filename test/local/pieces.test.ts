import { assert, describe, expect, it } from "@effect/vitest"
import type * as Compromise from "compromise"
import { Effect } from "effect"
import { vi } from "vitest"
import * as Language from "../../src/local/language/language.ts"
import { piecesOf } from "../../src/local/language/pieces.ts"

const read = vi.hoisted((): Array<string> => [])

vi.mock("compromise", async (original) => {
  const { default: compromise } = await original<typeof Compromise>()
  return {
    default: (text: string) => {
      read.push(text)
      return compromise(text)
    }
  }
})

const longest = 1_000

describe("the pieces of a text", () => {
  it("are the text itself if it is short", () => {
    expect(piecesOf("Dr. Smith wrote.\nHe is well.")).toEqual(["Dr. Smith wrote.\nHe is well."])
  })

  const texts = {
    "names without an end": "Anna Smith ".repeat(500),
    "one word": "a".repeat(5_000),
    "letters of two units": "x" + "𝒜".repeat(3_000),
    lines: "id,Anna,3\n".repeat(500),
    "white space": "\n".repeat(3_000)
  }
  for (const [name, text] of Object.entries(texts)) {
    it(`are short and make up the text: ${name}`, () => {
      const pieces = piecesOf(text)
      expect(pieces.join("")).toBe(text)
      expect(pieces.every((piece) => piece.length > 0 && piece.length <= longest && piece.isWellFormed())).toBe(true)
    })
  }

  it("end with a line rather than a sentence, and with a sentence rather than a word", () => {
    const line = `${"word ".repeat(150)}\n`
    expect(piecesOf(`${line}One. ${"word ".repeat(100)}`)[0]).toBe(line)
    const sentence = `${"word ".repeat(150)}ends. `
    expect(piecesOf(`${sentence}${"And word ".repeat(100)}`)[0]).toBe(sentence)
  })

  it("do not end between a title and a name", () => {
    const pieces = piecesOf(`${"word ".repeat(150)}ends. We met Dr. Smith, ${"word ".repeat(100)}`)
    expect(pieces[0]).toMatch(/ends\. $/u)
  })
})

describe("the names of a long text", () => {
  const names = Array.from("ABCDEFGHIJ").map((letter) => `Anna ${letter}orsky`)
  // compromise reads what it takes for a title in a time that grows with the square of the length
  const text = names.map((name) => `${name}, ${"Mr Miller ".repeat(200)}, `).join("")

  for (const kind of ["people", "organizations", "places", "things"] as const) {
    it.effect(`are read in pieces: ${kind}`, () =>
      Effect.gen(function* () {
        const language = yield* Language.load
        read.length = 0
        language[kind](text)
        assert.isAtMost(Math.max(...read.map((piece) => piece.length)), longest)
        assert.isTrue(read.join("") === text)
      })
    )
  }

  it.effect("are found from its beginning to its end, each once", () =>
    Effect.gen(function* () {
      const { people } = yield* Language.load
      const found = people(text)
      assert.includeMembers(Array.from(found), names)
      assert.strictEqual(new Set(found).size, found.length)
    })
  )
})
