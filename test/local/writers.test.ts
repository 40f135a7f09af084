import { assert, describe, it } from "@effect/vitest"
import { writersOf } from "../../src/local/language/writers.ts"

const writers = (text: string, people: ReadonlyArray<string> = []) => writersOf({ people: () => people }, text)

describe("who wrote a text", () => {
  const cases: Readonly<Record<string, ReadonlyArray<readonly [text: string, writers: ReadonlyArray<string>]>>> = {
    "who says so": [
      ["My name is Anna Berg, and it broke.", ["Anna Berg"]],
      ["From: Dr. Amina de la Cruz\nIt broke.", ["Amina de la Cruz"]],
      ["Hello, this is Anna Berg of Acme.", ["Anna Berg"]]
    ],
    "named after the last farewell": [
      ["It broke. Kind regards, Anna", ["Anna"]],
      ["Thanks for the help of yesterday. It works. Many thanks, anna", ["anna"]],
      ["Thanks, Tom was quick. It broke again. Best,\nLea Roth", ["Lea Roth"]],
      ["It broke. Cheers from Anna", ["Anna"]],
      ["It broke.\n-- \nAnna Berg\nAcme", ["Anna Berg"]]
    ],
    "who was greeted in a message that is quoted": [
      ["It broke.\n> it is\nHi Anna, it works.", ["Anna"]],
      ["It broke.\nOn Monday Tom wrote:\nDear Anna Berg, it works.", ["Anna Berg"]]
    ],
    "nobody whom no words tell": [
      ["", []],
      ["It broke.", []],
      ["Hi Tom, it broke.", []],
      ["It broke. Thanks", []],
      ["It broke. Many thanks, again", []],
      ["It broke. Please help. Regards, Support", []],
      ["I am Sorry", []]
    ]
  }

  for (const [what, rows] of Object.entries(cases)) {
    it(`is ${what}`, () => {
      for (const [text, expected] of rows) assert.deepStrictEqual(writers(text), expected, text)
    })
  }

  it("is a single name only where it is known for one", () => {
    for (const text of ["This is Urgent and late.", "I’m Urgent now.", "It broke. Urgent"]) {
      assert.deepStrictEqual(writers(text.replace("Urgent", "Lea")), [])
      assert.deepStrictEqual(writers(text.replace("Urgent", "Lea"), ["Lea Roth"]), ["Lea"])
    }
  })

  it("is named once, in the order of how sure it is", () => {
    const text = "It is Lea Roth. My name is Lea Roth, not Kim. Thanks, Lea Roth\n\nOn Monday Tom wrote:\nHi Lea"
    assert.deepStrictEqual(writers(text), ["Lea Roth", "Lea"])
  })
})
