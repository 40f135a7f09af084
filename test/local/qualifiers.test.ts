import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { candidatesOf } from "../../src/local/fields/spans.ts"
import { wordsOf } from "../../src/local/mind/field.ts"
import { mindOf } from "./mind.ts"

// Fields such as the postcode for billing and that for shipping, which ask for values of one kind.

const field = (name: string) => ({ path: name, words: wordsOf(name) })
const passageOf = (text: string) => ({ text, sentences: [text] })
const mind = mindOf({ places: (text) => ["London", "Manchester"].filter((place) => text.includes(place)) })

describe("a field for one of two values of a kind", () => {
  const two = "Billing address: 12 High Street, London SW1A 1AA. Shipping address: 3 Mill Lane, Manchester M1 1AE."
  const moved = "We moved from SW1A 1AA to M1 1AE."
  const rows: ReadonlyArray<readonly [name: string, text: string, found: ReadonlyArray<string>]> = [
    ["billingPostcode", two, ["SW1A 1AA"]],
    ["shippingPostcode", two, ["M1 1AE"]],
    ["deliveryStreet", two, ["3 Mill Lane"]],
    ["shippingCity", two, ["Manchester"]],
    ["postcode", two, ["SW1A 1AA", "M1 1AE"]],
    ["oldPostcode", moved, ["SW1A 1AA"]],
    ["newPostcode", moved, ["M1 1AE"]],
    ["newEmail", "My old e-mail was a@x.org, the new one is b@y.org.", ["b@y.org"]],
    ["workPhone", "At home call +44 20 7946 0111, at work +44 20 7946 0958.", ["+44 20 7946 0958"]],
    ["billingPostcode", "Send it to M1 1AE, but the invoice to SW1A 1AA.", ["SW1A 1AA"]],
    ["billingPostcode", "Send it to M1 1AE.", []],
    ["billingPostcode", "We are at M1 1AE.", ["M1 1AE"]],
    ["shippingPostcode", "Billing: London SW1A 1AA. Shipping: London SW1A 1AA.", ["SW1A 1AA"]],
    ["shippingPostcode", "The bill is wrong. We are at M1 1AE.", ["M1 1AE"]]
  ]
  it.effect.each(rows)("has the one that the text says is for it: %s, %s", ([name, text, expected]) =>
    Effect.map(candidatesOf(mind, field(name), passageOf(text)), (found) => assert.deepStrictEqual(found, expected))
  )
})
