import { assert, describe, it } from "@effect/vitest"
import {
  addressesIn,
  countriesIn,
  postcodesIn,
  statesIn,
  streetsIn,
  townsIn
} from "../../src/local/language/addresses.ts"

const parts = (text: string) => ({
  addresses: addressesIn(text),
  streets: streetsIn(text),
  towns: townsIn(text),
  postcodes: postcodesIn(text),
  states: statesIn(text),
  countries: countriesIn(text)
})
const nothing = { addresses: [], streets: [], towns: [], postcodes: [], states: [], countries: [] }

describe("an address", () => {
  const rows: ReadonlyArray<readonly [text: string, found: Partial<ReturnType<typeof parts>>]> = [
    [
      "Ship to 12 Main Street, Springfield, IL 62704, USA.",
      {
        addresses: ["12 Main Street, Springfield, IL 62704, USA"],
        streets: ["12 Main Street"],
        towns: ["Springfield"],
        postcodes: ["62704"],
        states: ["IL"],
        countries: ["USA"]
      }
    ],
    [
      "Send it to Hauptstraße 5, 10115 Berlin, Germany, today.",
      {
        addresses: ["Hauptstraße 5, 10115 Berlin, Germany"],
        streets: ["Hauptstraße 5"],
        towns: ["Berlin"],
        postcodes: ["10115"],
        countries: ["Germany"]
      }
    ],
    [
      "Ann\n221B Baker Street\nLondon\nNW1 6XE\n\nThanks",
      {
        addresses: ["221B Baker Street\nLondon\nNW1 6XE"],
        streets: ["221B Baker Street"],
        towns: ["London"],
        postcodes: ["NW1 6XE"]
      }
    ],
    [
      "It is at 7 High Road, France, Paris.",
      {
        addresses: ["7 High Road, France, Paris"],
        streets: ["7 High Road"],
        towns: ["Paris"],
        countries: ["France"]
      }
    ],
    ["The code is SW1A 1AA, not 1234 AB.", { postcodes: ["SW1A 1AA", "1234 AB"] }],
    ["Zip code: 99501, or 10115 Berlin.", { postcodes: ["99501", "10115"] }],
    ["My pin is 12345 and order 88213 came.", {}],
    ["We met in Rome.", {}]
  ]
  it.each(rows)("has parts that are each found once: %s", (text, found) => {
    assert.deepStrictEqual(parts(text), { ...nothing, ...found })
  })
})
