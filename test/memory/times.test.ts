import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { timesIn } from "../../src/memory/search/times.ts"

/** A Wednesday. */
const wednesday = DateTime.makeZonedUnsafe("2026-08-19T15:30:00Z", { timeZone: "UTC" })

const short = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis)).replace("T00:00:00.000Z", "")

/** The times that a question names, each from its first moment to the one after its last. */
const named = (question: string, now = wednesday) =>
  timesIn(question, now).periods.map(({ fromMillis, untilMillis }) => `${short(fromMillis)} to ${short(untilMillis)}`)

const always = ["0001-01-01", "9999-01-01"] as const

const cases: Readonly<Record<string, ReadonlyArray<readonly [question: string, ...times: ReadonlyArray<string>]>>> = {
  "days near today": [
    ["what came in today?", "2026-08-19 to 2026-08-20"],
    ["Today's orders", "2026-08-19 to 2026-08-20"],
    ["who called this morning", "2026-08-19 to 2026-08-20"],
    ["what broke yesterday", "2026-08-18 to 2026-08-19"],
    ["what broke last night", "2026-08-18 to 2026-08-19"],
    ["and the day before yesterday?", "2026-08-17 to 2026-08-18"]
  ],
  "weeks, months, quarters and years near today": [
    ["this week's complaints", "2026-08-17 to 2026-08-24"],
    ["complaints of last week", "2026-08-10 to 2026-08-17"],
    ["LAST MONTH", "2026-07-01 to 2026-08-01"],
    ["what did we ship this month", "2026-08-01 to 2026-09-01"],
    ["revenue last quarter", "2026-04-01 to 2026-07-01"],
    ["revenue this quarter", "2026-07-01 to 2026-10-01"],
    ["the plan of this year", "2026-01-01 to 2027-01-01"],
    ["in the previous year", "2025-01-01 to 2026-01-01"]
  ],
  "a number of days, weeks, months or years": [
    ["what failed 3 days ago", "2026-08-16 to 2026-08-17"],
    ["what failed a day ago", "2026-08-18 to 2026-08-19"],
    ["a refund two weeks ago", "2026-08-02 to 2026-08-09"],
    ["a refund a week ago", "2026-08-09 to 2026-08-16"],
    ["six months ago", "2026-02-04 to 2026-03-06"],
    ["a year ago", "2025-02-19 to 2026-02-19"],
    ["two quarters ago", "2026-01-05 to 2026-04-05"],
    ["a few days ago", "2026-08-13 to 2026-08-20"],
    ["a couple of weeks ago", "2026-07-29 to 2026-08-20"],
    ["in the last 10 days", "2026-08-09 to 2026-08-20"],
    ["the past week", "2026-08-12 to 2026-08-20"],
    ["Three days ago it failed", "2026-08-16 to 2026-08-17"],
    ["over the past two months", "2026-06-19 to 2026-08-20"]
  ],
  "days of the week": [
    ["what did we decide on Monday?", "2026-08-17 to 2026-08-18"],
    ["on wednesday", "2026-08-12 to 2026-08-13"],
    ["the call last Friday", "2026-08-14 to 2026-08-15"],
    ["this Monday's call", "2026-08-17 to 2026-08-18"],
    ["the call on Friday, 7 August", "2026-08-07 to 2026-08-08"],
    ["since Sunday", `2026-08-16 to ${always[1]}`]
  ],
  months: [
    ["what went wrong in May?", "2026-05-01 to 2026-06-01"],
    ["what went wrong in november", "2025-11-01 to 2025-12-01"],
    ["In August we moved", "2026-08-01 to 2026-09-01"],
    ["during march", "2026-03-01 to 2026-04-01"],
    ["invoices from April", "2026-04-01 to 2026-05-01"],
    ["last August", "2025-08-01 to 2025-09-01"],
    ["last May's audit", "2026-05-01 to 2026-06-01"],
    ["late in Sept.", "2025-09-01 to 2025-10-01"],
    ["the September audit", "2025-09-01 to 2025-10-01"],
    ["may 2025", "2025-05-01 to 2025-06-01"],
    ["Feb 2024", "2024-02-01 to 2024-03-01"],
    ["march of last year", "2025-03-01 to 2025-04-01"],
    ["December, 2025", "2025-12-01 to 2026-01-01"],
    ["2025-11", "2025-11-01 to 2025-12-01"],
    ["in May or June", "2026-05-01 to 2026-06-01", "2026-06-01 to 2026-07-01"]
  ],
  days: [
    ["on 12 May", "2026-05-12 to 2026-05-13"],
    ["on the 3rd of March, 2025", "2025-03-03 to 2025-03-04"],
    ["May 12th", "2026-05-12 to 2026-05-13"],
    ["December 24", "2025-12-24 to 2025-12-25"],
    ["Dec 24, 2024", "2024-12-24 to 2024-12-25"],
    ["what happened on 2025-02-28?", "2025-02-28 to 2025-03-01"],
    ["2025-02-28T10:00Z", "2025-02-28 to 2025-03-01"]
  ],
  "quarters and years": [
    ["in 2025", "2025-01-01 to 2026-01-01"],
    ["in the year 2024", "2024-01-01 to 2025-01-01"],
    ["Q2 2025", "2025-04-01 to 2025-07-01"],
    ["2025 Q4", "2025-10-01 to 2026-01-01"],
    ["in Q4", "2025-10-01 to 2026-01-01"],
    ["the second quarter", "2026-04-01 to 2026-07-01"],
    ["the first quarter of 2024", "2024-01-01 to 2024-04-01"],
    ["the third quarter of 2024", "2024-07-01 to 2024-10-01"],
    ["fourth quarter of 2024", "2024-10-01 to 2025-01-01"],
    ["3rd quarter of 2024", "2024-07-01 to 2024-10-01"]
  ],
  "times with an open end, and from one to another": [
    ["since May", `2026-05-01 to ${always[1]}`],
    ["before May 2025", `${always[0]} to 2025-05-01`],
    ["after the 3rd of March", `2026-03-04 to ${always[1]}`],
    ["between March and May 2026", "2026-03-01 to 2026-06-01"],
    ["from 2025-11 to 2026-02", "2025-11-01 to 2026-03-01"],
    // one that ends within its first time, and two that are in no order
    ["from 2025 to January 2025", "2025-01-01 to 2025-02-01"],
    ["from 2026-02 to 2025-11", "2026-02-01 to 2026-03-01", "2025-11-01 to 2025-12-01"],
    ["from Monday until today", "2026-08-17 to 2026-08-20"]
  ],
  "more than one time": [
    ["last week or in May", "2026-08-10 to 2026-08-17", "2026-05-01 to 2026-06-01"],
    ["yesterday, and on 12 May 2025", "2026-08-18 to 2026-08-19", "2025-05-12 to 2025-05-13"]
  ]
}

/** No time, though a word of one. */
const falseFriends = [
  "",
  "may I return the kettle",
  "May I return it?",
  "a parcel that may be lost",
  "This may be the last one",
  "Which of the 2 may be late?",
  "and may we pay in parts",
  "the order march of the band",
  "a letter from April's office",
  "from march to march of the band",
  "do we march on",
  "wait a second",
  "the second refund, a second opinion",
  "the second of three",
  "April asked for June's number",
  "an august person",
  "he sat in the sun",
  "it was wed to the mon",
  "mark the dec file",
  "the last of them, and this one",
  "at last a week without rain",
  "Mondays are slow",
  "Monday",
  "next week, tomorrow, next May",
  "order 2025, room 2024",
  "2,025 orders, in 2025 pieces",
  "in 2000 cases",
  "CRW-2025-11-04-7",
  "2025-13-01, 2025-02-30, 31 June",
  "Q3 is a question, and so is Q2",
  "the third quarterback",
  "days ago, some time ago, long ago",
  "3 days, two weeks",
  "99999999999999999999 days ago",
  "in 0000, on 0000-00-00"
]

describe("the times that a question names", () => {
  for (const [kind, rows] of Object.entries(cases)) {
    it(`are ${kind}`, () => {
      for (const [question, ...times] of rows) assert.deepStrictEqual(named(question), times, question)
    })
  }

  it("are none where a word means something else", () => {
    for (const question of falseFriends) assert.deepStrictEqual(named(question), [], question)
  })

  it("are counted in words up to twelve", () => {
    const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    for (const [i, number] of numbers.entries()) {
      assert.deepStrictEqual(named(`${number} months ago`), named(`${i + 1} months ago`), number)
    }
    assert.deepStrictEqual(named("one day ago"), named("yesterday"))
  })

  it("are any of the seven days before today", () => {
    const days = ["wednesday", "Thursday", "friday", "SATURDAY", "Sunday", "monday", "tuesday"]
    const found = days.map((day) => named(`on ${day}`))
    assert.deepStrictEqual(
      found,
      days.map((_, i) => named(`2026-08-${12 + i}`))
    )
  })

  it('are days of the week that ends today on a Sunday, except "on Sunday", which is the one before', () => {
    const sunday = DateTime.makeZonedUnsafe("2026-08-23T12:00:00Z", { timeZone: "UTC" })
    for (const [question, day] of [
      ["on Sunday", 16],
      ["on Monday", 17],
      ["on Saturday", 22],
      ["this Monday", 17],
      ["this Friday", 21],
      ["this Sunday", 23]
    ] as const) {
      assert.deepStrictEqual(named(question, sunday), named(`2026-08-${day}`), question)
    }
  })

  it("leave the rest of the question, unless there is none", () => {
    for (const [question, rest] of [
      ["what went wrong in May?", "what went wrong?"],
      ["Refunds  between March and\nMay 2026 for mugs", "Refunds for mugs"],
      ["yesterday's orders, and those of the last week", "'s orders, and those"],
      ["since last week", "since last week"],
      ["no time,  no change", "no time,  no change"],
      [`yesterday ${"x".repeat(3000)}`, "x".repeat(3000)]
    ] as const) {
      assert.strictEqual(timesIn(question, wednesday).rest, rest)
    }
  })

  it("begin and end where the time zone's days do", () => {
    const berlin = DateTime.makeZonedUnsafe("2026-03-29T22:30:00Z", { timeZone: "Europe/Berlin" })
    // half past midnight there, on a Monday; the day before had 23 hours
    assert.deepStrictEqual(named("today", berlin), ["2026-03-29T22:00:00.000Z to 2026-03-30T22:00:00.000Z"])
    assert.deepStrictEqual(named("yesterday", berlin), ["2026-03-28T23:00:00.000Z to 2026-03-29T22:00:00.000Z"])
    assert.deepStrictEqual(named("in February", berlin), ["2026-01-31T23:00:00.000Z to 2026-02-28T23:00:00.000Z"])
    const west = DateTime.makeZonedUnsafe("2026-01-01T03:00:00Z", { timeZone: "-05:00" })
    assert.deepStrictEqual(named("this year", west), ["2025-01-01T05:00:00.000Z to 2026-01-01T05:00:00.000Z"])
  })

  it("are read in the first 2,000 characters, and at most eight", () => {
    assert.deepStrictEqual(named(`${"x ".repeat(1000)} yesterday`), [])
    assert.lengthOf(named(Array.from({ length: 20 }, (_, i) => `20${10 + i}-05-01`).join(", ")), 8)
    const before = performance.now()
    for (const one of ["in ", "last ", "2025-", "12th of ", "May, ", "a couple of ", " "]) named(one.repeat(100_000))
    assert.isBelow(performance.now() - before, 1000)
  })
})
