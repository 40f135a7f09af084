import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { amountsOf } from "../../src/local/fields/numbers.ts"
import { candidatesOf, membersOf } from "../../src/local/fields/spans.ts"
import { statedKind } from "../../src/local/fields/stated.ts"
import { postcodesIn } from "../../src/local/language/addresses.ts"
import { wordsOf } from "../../src/local/mind/field.ts"
import { mindOf } from "./mind.ts"

// Postcodes of several countries, and the fields that ask for them.

const field = (name: string) => ({ path: name, words: wordsOf(name) })
const passageOf = (text: string) => ({ text, sentences: [text] })
const mind = mindOf({ places: (text) => ["London", "Manchester"].filter((place) => text.includes(place)) })
const shops = "Our shops are at 12 High Street, London SW1A 1AA and 3 Mill Lane, Manchester M1 1AE."

describe("a postcode", () => {
  const rows: ReadonlyArray<readonly [text: string, found: ReadonlyArray<string>]> = [
    ["We live at 5 Main Street, Dublin, D02 X285, Ireland.", ["D02 X285"]],
    ["Send it to Rua Augusta 1, Sao Paulo 01304-001, please.", ["01304-001"]],
    ["my postcode is sw1a 1aa", ["sw1a 1aa"]],
    ["Eircode D02X285", ["D02X285"]],
    ["The postcode 1010 is right.", ["1010"]],
    ["PLZ: 8001, Zürich", ["8001"]],
    ["Our ZIP codes are 02134, 10118 and 62704.", ["02134", "10118", "62704"]],
    ["Call 555-12345 about order 88213 of A12 2024.", []],
    ["The zip file has 12345 bytes.", []]
  ]
  it.each(rows)("is found by its form or its label: %s", (text, found) => {
    assert.deepStrictEqual(postcodesIn(text), found)
  })

  it.each([
    "postcode",
    "post_codes",
    "zip",
    "zips",
    "ZIPCode",
    "postalCode",
    "plz",
    "codePostal",
    "eircode",
    "pincode"
  ])("is what a field asks for that is called %s", (name) => assert.strictEqual(statedKind(field(name)), "postcode"))

  it.each(["zipFile", "zip_archive", "pinCode", "postalAddress"])(
    "is not what a field asks for that is called %s",
    (name) => assert.notStrictEqual(statedKind(field(name)), "postcode")
  )

  it("is what a code is whose description says so", () => {
    assert.strictEqual(statedKind({ ...field("code"), description: "The postcode" }), "postcode")
  })

  it.effect.each(["postcodes", "zipCodes", "postal_codes", "plzs"])("is no other name in a list: %s", (name) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* membersOf(mind, field(name), passageOf(shops)), ["SW1A 1AA", "M1 1AE"])
      assert.deepStrictEqual(yield* membersOf(mind, field(name), passageOf("I was charged in London.")), [])
    })
  )

  it.effect("has the form of Ireland where a field asks for an Eircode", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidatesOf(mind, field("eircode"), passageOf(shops)), [])
      const dublin = passageOf(`${shops} The office is in Dublin, D02 X285.`)
      assert.deepStrictEqual(yield* candidatesOf(mind, field("eircode"), dublin), ["D02 X285"])
    })
  )
})

describe("a number", () => {
  const number = (name: string, text: string) =>
    Effect.map(amountsOf(mind, field(name), passageOf(text)), (found) => found.map(({ amount }) => amount))
  const text = "We sent 3 lamps and 5 chairs to 12 High Street, Springfield, IL 62701."

  it.effect("is a postcode where the name says so, and no part of an address where it does not", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* number("zip", text), [62_701])
      assert.deepStrictEqual(yield* number("zip", "We sent 3 lamps."), [])
      assert.deepStrictEqual(yield* number("quantity", text), [3, 5])
    })
  )
})

describe("a list whose name states the kind of its values", () => {
  const text =
    "Ada of London sent AB-123 from DE89370400440532013000 to 12 High Street, Springfield, IL 62701 for 5 EUR."
  const rows: ReadonlyArray<readonly [name: string, members: ReadonlyArray<string>]> = [
    ["ids", ["AB-123", "DE89370400440532013000"]],
    ["serialNumbers", ["AB-123", "DE89370400440532013000"]],
    ["ibans", ["DE89370400440532013000"]],
    ["isbns", []],
    ["streets", ["12 High Street"]],
    ["states", ["IL"]],
    ["currencies", ["EUR"]],
    ["usernames", []],
    ["hostnames", []]
  ]
  it.effect.each(rows)("has values of no other kind: %s", ([name, members]) =>
    Effect.map(membersOf(mind, field(name), passageOf(text)), (found) => assert.deepStrictEqual(found, members))
  )
})
