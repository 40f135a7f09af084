import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Synapse } from "cogito"
import { Local } from "cogito/local"

// Invoices, mails, calendars, reviews, products, logs and addresses, with the schemas that a newcomer writes for them.

const { NullOr, Number, String, Struct } = Schema
const Stars = Schema.Literals([1, 2, 3, 4, 5])

type Case = readonly [title: string, schema: Schema.Top, prompt: string, text: string, value: unknown]

const cases: Readonly<Record<string, ReadonlyArray<Case>>> = {
  "gives a field a value of its own kind": [
    [
      "no amount for a date",
      Struct({ refundAmount: Number, refundDate: NullOr(String) }),
      "Extract the refund",
      "We refunded $49.90 to your card.",
      { refundAmount: 49.9, refundDate: null }
    ],
    [
      "no name for an address",
      Struct({ customerName: String, customerAddress: NullOr(String) }),
      "Extract the customer",
      "Jane Doe called about her broken lamp. She is angry.",
      { customerName: "Jane Doe", customerAddress: null }
    ],
    [
      "a date of birth only where the text speaks of it",
      Struct({ birthday: NullOr(String) }),
      "Extract the person",
      "Peter Miller bought 3 tickets for 2026-05-01.",
      { birthday: null }
    ],
    [
      "a date with its weekday, and a time",
      Struct({ date: String, time: String }),
      "Extract the meeting",
      "Budget review on Friday, 6 March 2026 at 3pm.",
      { date: "Friday, 6 March 2026", time: "3pm" }
    ],
    [
      "a date together with its time for a moment",
      Struct({ startsAt: String }),
      "Extract the appointment",
      "Your appointment is on March 3, 2026 at 14:30.",
      { startsAt: "March 3, 2026 at 14:30" }
    ],
    [
      "codes, versions and contacts",
      Struct({ errorCode: String, version: String, ip: String, phone: String, hostname: String }),
      "Extract the error",
      "Version 3.2.1 on db-1.example.com (10.0.0.7) fails with E-4012. Call +1 (415) 555-0132.",
      {
        errorCode: "E-4012",
        version: "3.2.1",
        ip: "10.0.0.7",
        phone: "+1 (415) 555-0132",
        hostname: "db-1.example.com"
      }
    ],
    [
      "first and last names",
      Struct({ firstName: String, lastName: String }),
      "Extract the contact",
      "Best regards, Maria Lopez",
      { firstName: "Maria", lastName: "Lopez" }
    ]
  ],
  "reads addresses": [
    [
      "in Britain",
      Struct({ address: String, street: String, city: String, zip: String, country: String }),
      "Extract the address",
      "Ship to: 221B Baker Street, London, NW1 6XE, United Kingdom.",
      {
        address: "221B Baker Street, London, NW1 6XE, United Kingdom",
        street: "221B Baker Street",
        city: "London",
        zip: "NW1 6XE",
        country: "United Kingdom"
      }
    ],
    [
      "in the United States",
      Struct({ street: String, city: String, state: String, zipCode: String }),
      "Extract the address",
      "My address is 742 Evergreen Terrace, Springfield, IL 62704.",
      { street: "742 Evergreen Terrace", city: "Springfield", state: "IL", zipCode: "62704" }
    ]
  ],
  "takes the value after a label": [
    [
      "of each kind",
      Struct({ color: String, size: String, inStock: Schema.Boolean, weight: Number }),
      "Extract the product",
      "Color: navy. Size: XL. In stock: no. Weight: 12 kg.",
      { color: "navy", size: "XL", inStock: false, weight: 12 }
    ],
    [
      "in lists",
      Struct({ pros: Schema.Array(String), cons: Schema.Array(String) }),
      "Extract pros and cons",
      "Pros: light, cheap. Cons: noisy.",
      { pros: ["light", "cheap"], cons: ["noisy"] }
    ],
    [
      "among choices",
      Struct({ priority: Schema.Literals(["low", "medium", "high"]) }),
      "Extract the priority",
      "Priority: high. The checkout is broken for all customers.",
      { priority: "high" }
    ],
    [
      "or the level of a log in capitals",
      Struct({ level: Schema.Literals(["debug", "info", "warn", "error"]) }),
      "Extract the entry",
      "2026-03-01T12:00:05Z ERROR Connection to database lost",
      { level: "error" }
    ]
  ],
  "tells numbers apart by the words beside them": [
    [
      "in lines of an invoice",
      Struct({ subtotal: Number, tax: Number, total: Number }),
      "Extract the invoice",
      "Subtotal: 100.00 EUR\nTax: 19.00 EUR\nTotal: 119.00 EUR",
      { subtotal: 100, tax: 19, total: 119 }
    ],
    [
      "written as words",
      Struct({ guests: Schema.Int, nights: Schema.Int }),
      "Extract the booking",
      "A room for two guests, three nights, from 8 August 2026.",
      { guests: 2, nights: 3 }
    ],
    [
      "with a decimal comma",
      Struct({ total: Number }),
      "Extract the total",
      "The total is 1.234,56 EUR.",
      { total: 1234.56 }
    ],
    [
      "and takes no code, telephone number or order number for a quantity",
      Struct({ quantity: NullOr(Number) }),
      "Extract the order",
      "Order 88213, request 3f2504e0-4f89-11d3-9a0c-0305e82c3301, phone 555-1234.",
      { quantity: null }
    ],
    [
      "and takes no number of another unit",
      Struct({ age: NullOr(Number), minutes: NullOr(Number) }),
      "Extract the person",
      "Peter Miller bought 3 tickets and waited 2 hours.",
      { age: null, minutes: null }
    ],
    [
      "and finds the order number",
      Struct({ orderNumber: String }),
      "Extract the order number",
      "My order 88213 with 2 lamps never arrived.",
      { orderNumber: "88213" }
    ],
    [
      "and numbers in texts",
      Struct({ servings: Schema.FiniteFromString, minutes: Schema.FiniteFromString }),
      "Extract the recipe",
      "Serves 4. Ready in 25 minutes.",
      { servings: 4, minutes: 25 }
    ]
  ],
  "reads ratings": [
    ["out of five", Struct({ rating: Stars }), "Extract the rating", "I give it 4 out of 5 stars.", { rating: 4 }],
    ["in words", Struct({ rating: Stars }), "Extract the rating", "Five stars! Best pizza in town.", { rating: 5 }],
    ["as a fraction", Struct({ score: Stars }), "Extract the review", "3/5, would not buy again.", { score: 3 }]
  ],
  "tells where something begins from where it ends": [
    [
      "in time",
      Struct({ start: String, end: String }),
      "Extract the event",
      "The workshop runs from 09:00 to 12:30.",
      { start: "09:00", end: "12:30" }
    ],
    [
      "in days",
      Struct({ startDate: String, endDate: String }),
      "Extract the event",
      "The fair is from 3 May 2026 to 5 May 2026 in Lisbon.",
      { startDate: "3 May 2026", endDate: "5 May 2026" }
    ],
    [
      "in space",
      Struct({ from: String, to: String }),
      "Extract the flight",
      "Flight LH 438 from Frankfurt to Dallas.",
      { from: "Frankfurt", to: "Dallas" }
    ]
  ],
  "lists what a question without fields asks for": [
    [
      "colours",
      Schema.Array(String),
      "Which colours are named?",
      "The shirt comes in red, green and blue.",
      ["red", "green", "blue"]
    ],
    [
      "cities",
      Schema.Array(String),
      "List the cities",
      "We flew from Oslo to Paris and then to Rome.",
      ["Oslo", "Paris", "Rome"]
    ],
    [
      "addresses",
      Schema.Array(String),
      "List all email addresses",
      "Send it to a@x.org and b@y.org, please.",
      ["a@x.org", "b@y.org"]
    ],
    ["or one number", Number, "How many people are coming?", "There will be 7 people at the party.", 7]
  ]
}

const answer = (schema: Schema.Top, prompt: string, text: string) =>
  // the table holds schemas of many types
  Synapse.extract(schema as Schema.Codec<unknown, any>, { prompt })(text)

layer(Local.extractive)("the offline provider", (it) => {
  it.effect.each(Object.entries(cases).flatMap(([group, all]) => all.map((one) => [group, ...one] as const)))(
    "%s: %s",
    ([, , schema, prompt, text, value]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answer(schema, prompt, text), value)
      })
  )

  describe("says that it cannot", () => {
    it.effect("give a number in a text where the text has none", () =>
      Effect.gen(function* () {
        const guests = Struct({ guests: Schema.FiniteFromString })
        const error = yield* Effect.flip(
          answer(guests, "How many guests come?", "We would like a table by the window.")
        )
        assert.ok(error._tag === "ProviderError")
        assert.strictEqual(error.reason._tag, "Unsupported")
      })
    )

    it.effect("name the items of a list that the text only counts", () =>
      Effect.gen(function* () {
        const items = Struct({ items: Schema.Array(Struct({ name: String, quantity: Schema.Int })) })
        assert.deepStrictEqual(yield* answer(items, "Extract the order", "I would like 2 pizzas and 3 colas."), {
          items: []
        })
      })
    )

    it.effect("call an enumeration what the field asks for where it is something else", () =>
      Effect.gen(function* () {
        const text = "The shirt comes in red, green and blue."
        const languages = yield* answer(Schema.Array(String), "Which languages are named?", text)
        assert.notDeepEqual(languages, ["red", "green", "blue"])
      })
    )
  })
})
