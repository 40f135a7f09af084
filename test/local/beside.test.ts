import { assert, describe, it } from "@effect/vitest"
import { itemsOf, labelledFor } from "../../src/local/language/labelled.ts"
import { codesBeside, contentOf, saidBeside, unitAfter } from "../../src/local/language/nearby.ts"
import { onSide, sideOf } from "../../src/local/language/ranges.ts"
import { seriesIn } from "../../src/local/language/series.ts"

// Which value of a text belongs to which name.

describe("a value after a label", () => {
  const text =
    "Invoice no: 123\nColour: navy; Size: XL, Customer name: Dr. Amina Roth. Total due: 12 EUR\nNote: \n- **Ship to**: Rome"
  it.each([
    ["invoice number", "123"],
    ["number", "123"],
    ["invoice", "123"],
    ["color", "navy"],
    ["size", "XL"],
    ["name", "Dr. Amina Roth"],
    ["customer", "Dr. Amina Roth"],
    ["total", "12 EUR"],
    ["due", "12 EUR"],
    ["ship to", "Rome"],
    ["note", undefined],
    ["weight", undefined],
    ["", undefined]
  ])("is the one whose label fits best: %s", (name, expected) => {
    const found = labelledFor(text, name)
    assert.strictEqual(found?.text, expected)
    if (found !== undefined) assert.strictEqual(text.slice(found.start, found.start + found.text.length), expected)
  })

  it.each([
    ["penicillin, nuts,", ["penicillin", "nuts"]],
    ["a and b or c; d | e", ["a", "b", "c", "d", "e"]],
    [", and y, ", ["y"]],
    [" ", []]
  ])("may be several: %s", (listed, items) => {
    assert.deepStrictEqual(itemsOf(listed), items)
  })
})

describe("words beside a value", () => {
  const rows: ReadonlyArray<readonly [text: string, value: string, wanted: string, nearness: number]> = [
    ["the gross amount 5 net 7", "5", "amount", 1],
    ["the gross amount 5 net 7", "5", "gross", 0.5],
    ["the gross amount 5 net 7", "7", "net", 1],
    ["the gross amount 5 net 7", "7", "gross", 0],
    ["fee of 5, and tax 7", "5", "fee", 0.5],
    ["fee of 5, and tax 7", "5", "tax", 0],
    ["price of a big red car 5", "5", "price", 0],
    ["5 guests, 3 rooms", "5", "person", 1],
    ["5 guests, 3 rooms", "5", "rooms", 0],
    ["waited 30 days", "30", "waiting", 1]
  ]
  it.each(rows)("count by how near they are in its clause: %s, %s, %s", (text, value, wanted, nearness) => {
    const start = text.indexOf(value)
    assert.strictEqual(saidBeside(text, start, start + value.length, contentOf(wanted)), nearness)
  })

  it.each([
    [" business days", "day"],
    [" days", "day"],
    ["-day notice", "day"],
    ["kg", "kilogram"],
    [" °", "degree"],
    [". days", undefined],
    [" big blue days", undefined],
    [" old dogs", undefined],
    ["", undefined]
  ])("are its unit if at most one word comes between: 30%s", (after, unit) => {
    assert.strictEqual(unitAfter(`30${after}`, 2), unit)
  })

  it.each([
    ["Order 88213 and order B-7, Flight LH 438", ["order"], ["88213", "B-7"]],
    ["Order 88213 and order B-7, Flight LH 438", ["flight", "number"], ["LH 438"]],
    ["ticket number #A12, tickets: 15", ["ticket"], ["#A12", "15"]],
    ["Order 5", ["number"], []]
  ])("say what a code identifies: %s %j", (text, wanted, codes) => {
    assert.deepStrictEqual(codesBeside(text, wanted), codes)
  })
})

describe("the ends of a range", () => {
  interface Row {
    readonly text: string
    /** In the order in which they are given. */
    readonly values: ReadonlyArray<string>
    readonly first: ReadonlyArray<string>
    readonly last: ReadonlyArray<string>
  }
  const rows: ReadonlyArray<Row> = [
    { text: "from 09:00 to 12:30", values: ["12:30", "09:00"], first: ["09:00"], last: ["12:30"] },
    { text: "09:00-12:30", values: ["09:00", "12:30"], first: ["09:00"], last: ["12:30"] },
    { text: "between 1 May and the 3 May", values: ["1 May", "3 May"], first: ["1 May"], last: ["3 May"] },
    { text: "on Monday, ends at 5 pm", values: ["Monday", "5 pm"], first: ["Monday"], last: ["5 pm", "Monday"] },
    { text: "starts at 10:00", values: ["10:00"], first: ["10:00"], last: [] },
    {
      text: "Noted 8:00. Open 09:00 until 17:00, lunch at 12:15",
      values: ["12:15", "17:00", "8:00", "09:00"],
      first: ["09:00", "12:15", "8:00"],
      last: ["17:00", "12:15", "8:00"]
    }
  ]
  it.each(rows)("are distinguished by the words around them: $text", ({ first, last, text, values }) => {
    const placed = values.map((value) => ({ text: value, start: text.indexOf(value) }))
    const on = (side: "first" | "last" | undefined) => onSide(placed, text, side).map((value) => value.text)
    assert.deepStrictEqual([on("first"), on("last"), on(undefined)], [first, last, values])
  })

  it("are recognized by the names of fields", () => {
    const names = ["start", "check in", "departure", "return date", "until", "destination", "price"]
    assert.deepStrictEqual(names.map(sideOf), ["first", "first", "first", "last", "last", "last", undefined])
  })
})

describe("an enumeration", () => {
  it.each([
    ["red, green and blue", [["red", "green", "blue"]]],
    ["with salt, olive oil and rice", [["salt", "olive oil", "rice"]]],
    ["It comes in red, dark green and blue for kids", [["red", "dark green", "blue"]]],
    ["I like red, green, and blue for the kids", [["red", "green", "blue"]]],
    [
      "Pack tea, coffee and milk for us; also bread, butter or jam for you",
      [
        ["tea", "coffee", "milk"],
        ["bread", "butter", "jam"]
      ]
    ],
    [
      "Please let somebody pack one large box with tea, coffee and milk; then also bread, butter or jam",
      [
        ["tea", "coffee", "milk"],
        ["bread", "butter", "jam"]
      ]
    ],
    ["salt, olive oil and rice is good", [["salt", "olive oil", "rice"]]],
    ["It comes in light green, red, dark blue and pale pink", [["light green", "red", "dark blue", "pale pink"]]],
    ["a or b", []],
    ["red, green", []]
  ])("has its items without the words around them: %s", (text, items) => {
    assert.deepStrictEqual(seriesIn(text), items)
  })
})
