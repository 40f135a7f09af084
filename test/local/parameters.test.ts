import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonSchema } from "../../src/schema/jsonSchema.ts"
import { fillParameters } from "../../src/local/parameters.ts"
import { mindOf } from "./mind.ts"

// Which parts of what was said are the parameters of a tool, found by words alone.

const places = (text: string) => ["London", "Boston", "Paris", "UK"].filter((place) => text.includes(place))

const filledWith = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: ReadonlyArray<string>,
  ...texts: ReadonlyArray<string>
) =>
  Effect.map(
    fillParameters(
      { mind: mindOf({ places }), texts, taken: [] },
      { name: "act", description: "Acts", parameters: { type: "object", properties, required } }
    ),
    (found) => (found._tag === "Filled" ? found.params : found.name)
  )

const filled = (properties: Readonly<Record<string, JsonSchema>>, ...texts: ReadonlyArray<string>) =>
  filledWith(properties, Object.keys(properties), ...texts)

describe("a parameter that is one of some labels", () => {
  const colour = { type: "string", enum: ["red", "dark_blue", "green"] } as const

  it.effect("is the last one that a text names, in the first text that names any", () =>
    Effect.gen(function* () {
      for (const [text, label] of [
        ["not red but dark blue", "dark_blue"],
        ["not dark blue but red", "red"],
        ["Dark blue, please, and two greens", "green"]
      ] as const) {
        assert.deepStrictEqual(yield* filled({ colour }, text), { colour: label })
      }
      assert.deepStrictEqual(yield* filled({ colour }, "what I said", "red or green", "dark blue"), { colour: "green" })
    })
  )

  it.effect("is missing if its words are only parts of others", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* filled({ colour }, "a hundred evergreen trees, darkly blue"), "colour")
    })
  )

  it.effect("is found as it is written, whatever its characters mean in patterns", () =>
    Effect.gen(function* () {
      const odd = {
        type: "string",
        enum: ["c++", "(new)", "what?", "a|b", "$5", "x^2", "[1]", "{2}", "1*1", "b\\d"]
      } as const
      for (const label of odd.enum) {
        assert.deepStrictEqual(yield* filled({ odd }, `I mean ${label.toUpperCase()}, please`), { odd: label })
      }
      assert.strictEqual(yield* filled({ odd }, "c, cc, new, wha, a, b, 5, x2, 1, 2, 11, b7"), "odd")
    })
  )
})

describe("a parameter that is one of some labels, in a text that excludes one", () => {
  const colour = { type: "string", enum: ["red", "green"] } as const
  const rows: ReadonlyArray<readonly [text: string, label: string | undefined]> = [
    ["Ship it, but not the red one.", undefined],
    ["I do not want the red one.", undefined],
    ["I don't like red.", undefined],
    ["Anything but red, please.", undefined],
    ["Any colour except red.", undefined],
    ["Not red or green.", undefined],
    ["Neither red nor green.", undefined],
    ["The red one is not wanted.", undefined],
    ["Not red, but green.", "green"],
    ["Red, not green.", "red"],
    ["Green instead of red.", "green"],
    ["Don't forget the red one.", "red"],
    ["Why not the red one?", "red"],
    ["It is not warm, take the red one.", "red"],
    ["The red one is not here yet.", "red"]
  ]
  it.effect.each(rows)("is never that one: %s", ([text, label]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filledWith({ colour }, [], text), label === undefined ? {} : { colour: label })
    })
  )

  it.effect("may be a number after No.", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filled({ gate: { enum: [4, 5] } }, "It leaves from gate no. 5"), { gate: 5 })
    })
  )
})

describe("a parameter that is a part of an address", () => {
  const london = "Ship it to 12 High Street, London SW1A 1AA."
  const boston = "Ship it to Boston, MA 02134."
  const rows: ReadonlyArray<readonly [name: string, text: string, value: string | undefined]> = [
    ["postcode", london, "SW1A 1AA"],
    ["postalCode", london, "SW1A 1AA"],
    ["zip", boston, "02134"],
    ["plz", "Ship it to Hauptstr. 5, 10115 Berlin.", "10115"],
    ["postcode", "Ship it to London.", undefined],
    ["zipCode", "Ship the red one.", undefined],
    ["eircode", london, undefined],
    ["street", london, "12 High Street"],
    ["street", "Ship it to London.", undefined],
    ["houseNumber", london, "12"],
    ["city", london, "London"],
    ["city", boston, "Boston"],
    ["city", "Ship it to SW1A 1AA.", undefined],
    ["city", "Ship it to London, UK.", "London"],
    ["country", "Ship it to London, UK.", "UK"],
    ["country", "Ship it to London.", undefined],
    ["address", london, "12 High Street, London SW1A 1AA"],
    ["address", "Ship it to 7 Mill Yard, London SW1A 1AA.", "7 Mill Yard, London SW1A 1AA"],
    ["destination", london, "12 High Street, London SW1A 1AA"],
    ["customerName", london, undefined],
    ["vatNumber", london, undefined],
    ["orderId", boston, undefined],
    ["orderId", "Ship order AB-12 to Boston, MA 02134.", "AB-12"],
    ["hostname", "Ship it to London.", undefined],
    ["hostname", "Ping db-1.example.com now.", "db-1.example.com"]
  ]
  it.effect.each(rows)("is that part, whole, or is missing: %s, %s", ([name, text, value]) =>
    Effect.gen(function* () {
      const found = yield* filled({ [name]: { type: "string" } }, text)
      assert.deepStrictEqual(found, value === undefined ? name : { [name]: value })
    })
  )

  it.effect("may be named in the description of a code", () =>
    Effect.gen(function* () {
      const code = { type: "string", description: "The postcode" } as const
      assert.deepStrictEqual(yield* filled({ code }, london), { code: "SW1A 1AA" })
    })
  )

  it.effect("is the one that the text says is for it", () =>
    Effect.gen(function* () {
      const both = { shippingPostcode: { type: "string" }, billingPostcode: { type: "string" } }
      const two = "Set the billing postcode to SW1A 1AA and the shipping postcode to M1 1AE."
      assert.deepStrictEqual(yield* filled(both, two), { shippingPostcode: "M1 1AE", billingPostcode: "SW1A 1AA" })
      assert.deepStrictEqual(yield* filledWith(both, [], "Set the billing postcode to SW1A 1AA."), {
        billingPostcode: "SW1A 1AA"
      })
    })
  )

  it.effect("is no other number", () =>
    Effect.gen(function* () {
      const zip = { type: "integer" } as const
      assert.deepStrictEqual(yield* filled({ zip }, "Ship 3 boxes to Boston, MA 62701."), { zip: 62_701 })
      assert.strictEqual(yield* filled({ zip }, "Ship 3 boxes to Boston."), "zip")
      assert.strictEqual(yield* filled({ quantity: zip }, london), "quantity")
      assert.deepStrictEqual(yield* filled({ quantity: zip }, `Ship 3 to 12 High Street.`), { quantity: 3 })
    })
  )
})

describe("a parameter that is a code", () => {
  it.effect("is no day, hour or rounded number", () =>
    Effect.gen(function* () {
      const seat_code = { type: "string" } as const
      for (const other of ["1st", "2nd", "23rd", "4TH", "5pm", "6AM", "10k"]) {
        assert.deepStrictEqual(yield* filled({ seat_code }, `for the ${other}, it is A12`), { seat_code: "A12" }, other)
        // a number may be a code, if nothing else is
        const alone = other === "10k" ? { seat_code: "10k" } : "seat_code"
        assert.deepStrictEqual(yield* filled({ seat_code }, `for the ${other}`), alone, other)
      }
      for (const code of ["5pm2", "k10", "x-1st", "10k_a"]) {
        assert.deepStrictEqual(yield* filled({ seat_code }, `it is ${code}, for A12`), { seat_code: code })
      }
    })
  )
})

describe("a parameter that has a direction", () => {
  const unit = (description: string) => ({ type: "string", description }) as const
  const from = unit("The unit to convert from")
  const to = unit("The unit to convert to")

  it.effect("is never what stands for the opposite direction", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filled({ from_unit: from, to_unit: to }, "convert 3 miles into km"), {
        from_unit: "miles",
        to_unit: "km"
      })
      assert.strictEqual(yield* filled({ from_unit: from }, "convert it into km"), "from_unit")
      assert.strictEqual(yield* filled({ to_unit: to }, "convert it from miles"), "to_unit")
    })
  )

  it.effect("is what says its direction rather than what says none, wherever it stands", () =>
    Effect.gen(function* () {
      for (const text of ["miles, I mean to km", "to km, I mean miles"]) {
        assert.deepStrictEqual(yield* filled({ to_unit: to }, text), { to_unit: "km" })
      }
      assert.deepStrictEqual(yield* filled({ from_unit: from }, "km, I mean from miles"), { from_unit: "miles" })
      assert.deepStrictEqual(yield* filled({ to_unit: to }, "miles"), { to_unit: "miles" })
    })
  )
})

describe("a parameter", () => {
  const count = { type: "integer" } as const
  const unit = { type: "string" } as const

  it.effect("that is a number needs its words beside it, unless there must be one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filledWith({ count }, [], "I have 3 cats"), {})
      assert.deepStrictEqual(yield* filledWith({ count }, [], "3 cats, a count of 5"), { count: 5 })
      assert.deepStrictEqual(yield* filled({ count }, "I have 3 cats"), { count: 3 })
    })
  )

  it.effect("that is true or false is what a sentence says that has its words", () =>
    Effect.gen(function* () {
      const urgent = { type: "boolean" } as const
      assert.deepStrictEqual(yield* filled({ urgent }, "It is cold. It is urgent."), { urgent: true })
      assert.deepStrictEqual(yield* filled({ urgent }, "It is cold. It is not urgent."), { urgent: false })
      assert.strictEqual(yield* filled({ urgent }, "It is cold."), "urgent")
    })
  )

  it.effect("that is a list has the one value that is found, if that is enough", () =>
    Effect.gen(function* () {
      const counts = { type: "array", items: count }
      assert.deepStrictEqual(yield* filled({ counts: { ...counts, minItems: 1 } }, "3 and 4"), { counts: [3] })
      assert.strictEqual(yield* filled({ counts: { ...counts, minItems: 2 } }, "3 and 4"), "counts")
    })
  )

  it.effect("that no text mentions is null where it may be, and otherwise missing or left out", () =>
    Effect.gen(function* () {
      const orNull = { type: ["integer", "null"] }
      assert.deepStrictEqual(yield* filled({ count: orNull }, "none"), { count: null })
      assert.deepStrictEqual(yield* filledWith({ count: orNull }, [], "none"), {})
      assert.strictEqual(yield* filled({ count }, "none"), "count")
    })
  )

  it.effect("that must be there chooses first, and has the place that its schema gives it", () =>
    Effect.gen(function* () {
      const both = { other_unit: unit, unit }
      assert.deepStrictEqual(yield* filledWith(both, ["unit"], "in km"), { unit: "km" })
      const found = yield* filledWith(both, ["unit"], "in km and miles")
      assert.deepStrictEqual(Object.entries(found), [
        ["other_unit", "miles"],
        ["unit", "km"]
      ])
    })
  )

  it.effect("is not what another one is already, in another text either", () =>
    Effect.gen(function* () {
      const both = { first_count: count, second_count: count }
      assert.deepStrictEqual(yield* filled(both, "I have 3", "I had 4"), { first_count: 3, second_count: 4 })
      assert.strictEqual(yield* filled(both, "I have 3", "I had 3"), "second_count")
      assert.strictEqual(yield* filled(both, "I have 3"), "second_count")
    })
  )

  it.effect("of a format does not take a value that another parameter already has", () =>
    Effect.gen(function* () {
      const date = { type: "string", format: "date" } as const
      const both = { first_date: date, second_date: date }
      const days = (text: string) =>
        Effect.map(filled(both, text), (found): ReadonlyArray<unknown> => Object.values(found))
      assert.sameMembers([...(yield* days("on 2026-03-03 or 2026-03-05"))], ["2026-03-03", "2026-03-05"])
      assert.sameMembers([...(yield* days("March 3, 2026 or on May 5, 2026"))], ["2026-03-03", "2026-05-05"])
      assert.strictEqual(yield* filled(both, "on 2026-03-03"), "second_date")
      assert.strictEqual(yield* filled(both, "on 2026-03-03", "on March 3, 2026"), "second_date")
      const uuid = { type: "string", format: "uuid" } as const
      const [one, other] = ["123e4567-e89b-12d3-a456-426614174000", "00000000-e89b-12d3-a456-426614174000"]
      assert.deepStrictEqual(yield* filled({ from: uuid, to: uuid }, `Copy "${one}" onto "${other}".`), {
        from: one,
        to: other
      })
      const email = { type: "string", format: "email" } as const
      assert.deepStrictEqual(yield* filled({ from: email, to: email }, "Mail from a@b.test to c@d.test"), {
        from: "a@b.test",
        to: "c@d.test"
      })
    })
  )
})
