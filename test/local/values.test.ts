import { assert, describe, it } from "@effect/vitest"
import { isoDate, isoDateTimes, values } from "../../src/local/language/values.ts"

// What the offline model finds by form alone, without any model.

/** Kind, text and amount of each value, in order. */
const found = (text: string) =>
  values(text, []).map(({ amount, kind, text }) => (amount === undefined ? [kind, text] : [kind, text, amount]))

describe("values with a form", () => {
  const one: ReadonlyArray<readonly [written: string, value: ReadonlyArray<string | number>]> = [
    ["ann.b+c@mail.example.org", ["email", "ann.b+c@mail.example.org"]],
    ["https://example.org/a?b=1#c", ["url", "https://example.org/a?b=1#c"]],
    ["http://example.org", ["url", "http://example.org"]],
    ["www.example.org/x", ["url", "www.example.org/x"]],
    ["2024-05-01", ["date", "2024-05-01"]],
    ["2024-05-01T10:30", ["date", "2024-05-01T10:30"]],
    ["2024-05-01T10:30:15.250+02:00", ["date", "2024-05-01T10:30:15.250+02:00"]],
    ["2024-05-01T10:30:15Z", ["date", "2024-05-01T10:30:15Z"]],
    ["1.5.2024", ["date", "1.5.2024"]],
    ["12/31/24", ["date", "12/31/24"]],
    ["May 1st, 2024", ["date", "May 1st, 2024"]],
    ["Sept. 2nd", ["date", "Sept. 2nd"]],
    ["3rd of March 2024", ["date", "3rd of March 2024"]],
    ["3 march", ["date", "3 march"]],
    ["December 2024", ["date", "December 2024"]],
    ["$12", ["money", "$12", 12]],
    ["€ 1,200.50", ["money", "€ 1,200.50", 1200.5]],
    ["£5k", ["money", "£5k", 5_000]],
    ["$3 thousand", ["money", "$3 thousand", 3_000]],
    ["$2m", ["money", "$2m", 2_000_000]],
    ["$1.5 million", ["money", "$1.5 million", 1_500_000]],
    ["$5K", ["money", "$5K", 5_000]],
    ["$1.1m", ["money", "$1.1m", 1_100_000]],
    ["$2 billion", ["money", "$2 billion", 2_000_000_000]],
    ["€3bn", ["money", "€3bn", 3_000_000_000]],
    ["EUR 5k", ["money", "EUR 5k", 5_000]],
    ["USD 4 million", ["money", "USD 4 million", 4_000_000]],
    ["5k euros", ["money", "5k euros", 5_000]],
    ["12 thousand dollars", ["money", "12 thousand dollars", 12_000]],
    ["12 euros", ["money", "12 euros", 12]],
    ["12 €", ["money", "12 €", 12]],
    ["USD 40", ["money", "USD 40", 40]],
    ["1'234 CHF", ["money", "1'234 CHF", 1_234]],
    ["85%", ["percent", "85%", 85]],
    ["2.5 percent", ["percent", "2.5 percent", 2.5]],
    ["10:30", ["time", "10:30"]],
    ["10:30:15 p.m.", ["time", "10:30:15 p.m."]],
    ["9am", ["time", "9am"]],
    ["+49 (170) 555-1234", ["phone", "+49 (170) 555-1234"]],
    ["+44 20 7946 0958", ["phone", "+44 20 7946 0958"]],
    ["+33 1 42 68 53 00", ["phone", "+33 1 42 68 53 00"]],
    ["020 7946 0958", ["phone", "020 7946 0958"]],
    ["+442079460958", ["phone", "+442079460958"]],
    ["555-1234", ["phone", "555-1234"]],
    ["555 1234 99", ["phone", "555 1234 99"]],
    ["#4711", ["identifier", "#4711"]],
    ["#A-4711", ["identifier", "#A-4711"]],
    ["INV-2024-07", ["identifier", "INV-2024-07"]],
    ["AB12", ["identifier", "AB12"]],
    ["X-RAY-7", ["identifier", "RAY-7"]],
    ["12", ["number", "12", 12]],
    ["-3.5", ["number", "-3.5", -3.5]],
    ["1,234,567", ["number", "1,234,567", 1_234_567]],
    ["5k", ["number", "5k", 5_000]],
    ["2.5k", ["number", "2.5k", 2_500]],
    ["1,200k", ["number", "1,200k", 1_200_000]],
    ["3 million", ["number", "3 million", 3_000_000]],
    ["8.2 million", ["number", "8.2 million", 8_200_000]],
    ["$8.2bn", ["money", "$8.2bn", 8_200_000_000]],
    ["7 thousand", ["number", "7 thousand", 7_000]],
    ["0", ["number", "0", 0]],
    ["1.234,56 EUR", ["money", "1.234,56 EUR", 1_234.56]],
    ["79,90 €", ["money", "79,90 €", 79.9]],
    ["1.234.567", ["number", "1.234.567", 1_234_567]],
    ["-2,50", ["number", "-2,50", -2.5]],
    ["1,234", ["number", "1,234", 1_234]],
    ["1.234", ["number", "1.234", 1.234]],
    ["Friday, 6 March 2026", ["date", "Friday, 6 March 2026"]],
    ["7:30 pm", ["time", "7:30 pm"]],
    ["0171 234567", ["phone", "0171 234567"]],
    ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", ["identifier", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"]],
    ["E-4012", ["identifier", "E-4012"]],
    ["1Z999AA10123456784", ["identifier", "1Z999AA10123456784"]],
    ["192.168.1.20", ["ip", "192.168.1.20"]],
    ["3.2.1", ["version", "3.2.1"]],
    ["v1.2.3", ["version", "v1.2.3"]],
    ["db-1.example.com", ["host", "db-1.example.com"]],
    ["@acmedev", ["handle", "@acmedev"]]
  ]
  it.each(one)("%s is the value %j", (written, expected) => {
    assert.deepStrictEqual(found(written), [expected])
    assert.deepStrictEqual(found(`It was (${written}) then.`), [expected])
  })

  it("leave out the marks after an address, and what is only a part of a word", () => {
    assert.deepStrictEqual(found("See https://example.org/a, or www.example.org/b!"), [
      ["url", "https://example.org/a"],
      ["url", "www.example.org/b"]
    ])
    assert.deepStrictEqual(found("a12 x-4 12b 5km 2.5kg"), [])
  })

  it("are in order of the text, each place taken by the first form that has it", () => {
    assert.deepStrictEqual(found("12 items for $40 on 2024-05-01, 50% off, order A1 by bob@x.org"), [
      ["number", "12", 12],
      ["money", "$40", 40],
      ["date", "2024-05-01"],
      ["percent", "50%", 50],
      ["email", "bob@x.org"]
    ])
    // where one ends, the next may begin
    assert.deepStrictEqual(found("5€$3 or 10%20%"), [
      ["money", "5€", 5],
      ["money", "$3", 3],
      ["percent", "10%", 10],
      ["percent", "20%", 20]
    ])
    const [first, second] = values("ab 12 and 34", [])
    assert.deepStrictEqual([first?.start, second?.start], [3, 10])
  })
})

describe("values that another recogniser found", () => {
  it("are taken in turn where no form has a match", () => {
    const text = "Three of them came, then three more, for 5 euros next Monday."
    assert.deepStrictEqual(
      values(text, [
        { value: "Three", type: "CARDINAL" },
        { value: "three", type: "CARDINAL" },
        { value: "5 euros", type: "MONEY" },
        { value: "next Monday", type: "DATE" },
        { value: "them", type: "HASHTAG" }
      ]),
      [
        { kind: "number", text: "Three", start: 0, amount: 3 },
        { kind: "number", text: "three", start: 25, amount: 3 },
        { kind: "money", text: "5 euros", start: 41, amount: 5 },
        { kind: "date", text: "next Monday", start: 49 }
      ]
    )
  })

  it("are no number where it stands for a thing", () => {
    const one = [{ value: "one", type: "CARDINAL" }]
    for (const text of ["the red one", "another one", "this one, please", "not a one"]) {
      assert.deepStrictEqual(values(text, one), [], text)
    }
    for (const text of ["one box", "only one", "for one night"]) {
      assert.deepStrictEqual(values(text, one)[0]?.amount, 1, text)
    }
  })

  it("of the same words are not taken twice from one place, and those that are not there not at all", () => {
    assert.deepStrictEqual(
      values("two and two", [
        { value: "two", type: "CARDINAL" },
        { value: "two", type: "CARDINAL" },
        { value: "two", type: "CARDINAL" },
        { value: "ten", type: "CARDINAL" }
      ]).map(({ start }) => start),
      [0, 8]
    )
  })

  it("are numbers only where they amount to one", () => {
    const cardinal = (value: string) => values(value, [{ value, type: "CARDINAL" }]).map(({ amount }) => amount)
    assert.deepStrictEqual(cardinal("zero"), [0])
    assert.deepStrictEqual(cardinal("Twelve"), [12])
    assert.deepStrictEqual(cardinal("thirteen"), [])
    assert.deepStrictEqual(cardinal("several"), [])
    assert.deepStrictEqual(cardinal("3 thousand"), [3_000])
    const kinds = ["EMAIL", "URL", "MONEY", "PERCENT", "DATE", "TIME", "ORDINAL"]
    assert.deepStrictEqual(
      kinds.flatMap((type) => values("abc", [{ value: "abc", type }]).map(({ kind }) => kind)),
      ["email", "url", "money", "percent", "date", "time"]
    )
  })
})

describe("dates", () => {
  const days: ReadonlyArray<readonly [string, string | undefined]> = [
    ["2024-05-01", "2024-05-01"],
    ["on 2024-05-01T23:59-08:00", "2024-05-01"],
    ["May 1st, 2024", "2024-05-01"],
    ["may 31 2024", "2024-05-31"],
    ["1 May 2024", "2024-05-01"],
    ["the 2nd of Sept 2024", "2024-09-02"],
    ["Dec. 31, 1999", "1999-12-31"],
    ["January 9, 2024", "2024-01-09"],
    ["2024-02-29", "2024-02-29"],
    ["2023-02-29", undefined],
    ["June 31, 2024", undefined],
    ["2024-13-01", undefined],
    ["May 1st", undefined],
    ["May 2024", undefined],
    ["1.5.2024", undefined],
    ["soon", undefined]
  ]
  it.each(days)("%s is the day %s", (text, day) => {
    assert.strictEqual(isoDate(text), day)
  })

  const months = ["Jan", "February", "mar", "Apr", "May", "June", "Jul", "aug", "Sep", "Oct", "November", "Dec"]
  it("know the twelve months", () => {
    assert.deepStrictEqual(
      months.map((month) => isoDate(`3 ${month} 2024`)?.slice(5, 7)),
      months.map((_, i) => String(i + 1).padStart(2, "0"))
    )
  })

  const moments: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["2024-05-01", ["2024-05-01T00:00:00Z", "2024-05-01T00:00:00+00:00"]],
    ["2024-05-01T10:30", ["2024-05-01T10:30:00Z", "2024-05-01T10:30:00+00:00"]],
    ["2024-05-01T10:30:15.5Z", ["2024-05-01T10:30:15.5Z", "2024-05-01T10:30:15.5+00:00"]],
    ["2024-05-01T10:30-05:00", ["2024-05-01T10:30:00-05:00"]],
    ["May 1st, 2024", ["2024-05-01T00:00:00Z", "2024-05-01T00:00:00+00:00"]],
    ["March 3, 2026 at 14:30", ["2026-03-03T14:30:00Z", "2026-03-03T14:30:00+00:00"]],
    ["3 March 2026, 2:30 pm", ["2026-03-03T14:30:00Z", "2026-03-03T14:30:00+00:00"]],
    ["2026-03-03 12:05:09 am", ["2026-03-03T00:05:09Z", "2026-03-03T00:05:09+00:00"]],
    ["3 March 2026 at 12pm", ["2026-03-03T12:00:00Z", "2026-03-03T12:00:00+00:00"]],
    ["3 March 2026 at 25:00", []],
    ["2024-05-01T25:00", []],
    ["tomorrow", []]
  ]
  it.each(moments)("%s is the moment %j", (text, expected) => {
    assert.deepStrictEqual(isoDateTimes(text), expected)
  })
})
