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

describe("the names of a text", () => {
  it.effect("are found once, each as its own kind", () =>
    Effect.gen(function* () {
      const { organizations, people, places, things } = yield* Language.load
      const of = (text: string) => [people(text), organizations(text), places(text), things(text)]
      assert.deepStrictEqual(of("Anna called. It was Anna's lamp, says Anna Berg."), [
        ["Anna", "Anna Berg"],
        [],
        [],
        []
      ])
      assert.deepStrictEqual(of('We met Anna in Rome. Acme Corp. sells the Kindle and the "Blue Train".'), [
        ["Anna"],
        ["Acme Corp."],
        ["Rome"],
        ["Kindle", "Blue Train"]
      ])
      assert.deepStrictEqual(of("We drove the Ford Focus 3 in Paris."), [[], ["Ford"], ["Paris"], []])
      assert.deepStrictEqual(of("We bought a Tesla from Acme Corporation in Berlin, and Acme called on Monday."), [
        [],
        ["Acme Corporation"],
        ["Berlin"],
        ["Tesla"]
      ])
    })
  )

  it.effect("are read from sentences; a list marker is not a sentence", () =>
    Effect.gen(function* () {
      const { sentences } = yield* Language.load
      assert.deepStrictEqual(sentences("Buy:\n1. Milk\n2. Bread and butter\n- Tea"), [
        "Buy:",
        "Milk",
        "Bread and butter",
        "- Tea"
      ])
      assert.deepStrictEqual(sentences("Total: 12\nTax: 3\n\nThanks"), ["Total: 12", "Tax: 3", "Thanks"])
    })
  )
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
