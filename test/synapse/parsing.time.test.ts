/** The time that answers take to read: what is sent to slow a reader down does not. */
import { assert, describe, it } from "@effect/vitest"
import { growth } from "../../bench/parsing/cost.ts"
import { forms, tickets } from "../../bench/parsing/forms.ts"
import { Ticket } from "../corpus/malformed/schemas.ts"
import { parse } from "../corpus/parse.ts"

/** Eight times the text. A reader that goes back over it takes 64 times as long; what is measured is rough. */
const options = { length: 2 ** 12, times: 8, turns: 1, millis: 1 }
const limit = 3 * options.times

/** The least of some measurements: another program on the machine only ever adds to one. */
const leastRatio = (make: (length: number) => string, length = options.length): number => {
  let least = Infinity
  for (let attempt = 0; attempt < 5 && least >= limit; attempt++) {
    least = Math.min(least, growth((text) => parse(Ticket, text, "lossy"), make, { ...options, length }).ratio)
  }
  return least
}

describe("the time that an answer takes to read", () => {
  it.each(Object.entries({ "valid JSON": tickets, ...forms }))("grows linearly with its length: %s", (_, make) => {
    assert.isBelow(leastRatio(make), limit)
  })

  it.each(["words and commas without quotes", "words and semicolons", "entities alone"])(
    "grows no faster in long answers: %s",
    (name) => {
      assert.isBelow(leastRatio(forms[name] ?? tickets, 2 ** 14), limit)
    }
  )
})
