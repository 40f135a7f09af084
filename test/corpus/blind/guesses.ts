/** Values that a reader takes only when told to be generous, beside those that not even such a reader takes. */
import { Schema } from "effect"
import { type Case, givesLossily, gives, rejects } from "../malformed/case.ts"
import { Clause, Finding, Flight, Ingredient, Invoice, Opinion, Plan, Review, Texts, Ticket } from "./schemas.ts"

const Feature = Schema.Struct({ name: Schema.String, enabled: Schema.Boolean })
const Battery = Schema.Struct({ charge: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })) })
const Rating = Schema.Struct({ rating: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })) })
const Price = Schema.Struct({ price: Schema.Finite })
const Task = Schema.Struct({ task: Schema.String, minutes: Schema.Int })

export const guesses: ReadonlyArray<Case> = [
  givesLossily("off for a boolean", Feature, `{"name": "beta", "enabled": "off"}`, { name: "beta", enabled: false }),
  givesLossily("one for a boolean", Feature, `{"name": "beta", "enabled": 1}`, { name: "beta", enabled: true }),
  givesLossily("a percentage where a hundred is the most", Battery, `{"charge": "85%"}`, { charge: 85 }),
  givesLossily("a bare percentage where one is the most", Opinion, `{sentiment: "mixed", confidence: 40%}`, {
    sentiment: "mixed",
    confidence: 0.4
  }),
  givesLossily("a fraction for a rating, to be rounded up", Rating, `{"rating": 4.7}`, { rating: 5 }),
  givesLossily("a price below zero with its sign", Price, `{"price": "-$5.20"}`, { price: -5.2 }),
  givesLossily("a bare price with its sign", Price, `{price: €12.50}`, { price: 12.5 }),
  givesLossily(
    "a bare number with commas for thousands before a key",
    Invoice,
    `{"number": "R-2", "total": $1,250.00, "currency": "USD", "paid": true}`,
    {
      number: "R-2",
      total: 1250,
      currency: "USD",
      paid: true
    }
  ),
  givesLossily("a duration with its unit", Task, `{"task": "Knead", "minutes": "30 minutes"}`, {
    task: "Knead",
    minutes: 30
  }),
  givesLossily(
    "a letter missing in a severity",
    Finding,
    `{"file": "a.ts", "line": 1, "severity": "Eror", "message": "leak"}`,
    {
      file: "a.ts",
      line: 1,
      severity: "error",
      message: "leak"
    }
  ),
  givesLossily("a verdict in a clause of its own", Review, `{"verdict": "I would request changes", "findings": []}`, {
    verdict: "request_changes",
    findings: []
  }),
  givesLossily(
    "a word of the schema in a Japanese sentence",
    Schema.Literals(["LEFT", "RIGHT"]),
    `答えは LEFT です。`,
    "LEFT"
  ),
  givesLossily(
    "lines of a poem for a text",
    Schema.String,
    `An old silent pond\nA frog jumps into the pond\nSplash! Silence again`,
    `An old silent pond\nA frog jumps into the pond\nSplash! Silence again`
  ),
  givesLossily(
    "cut off in Python's quotes, inside an optional text",
    Clause,
    `{'section': '4', 'summary': 'Rent is due', 'binding': True, 'note': 'See sec`,
    {
      section: "4",
      summary: "Rent is due",
      binding: true
    }
  ),
  givesLossily(
    "cut off inside an optional word, which is not to be guessed",
    Flight,
    `{"from": "VIE", "to": "LHR", "passengers": 4, "cabin": "bus`,
    {
      from: "VIE",
      to: "LHR",
      passengers: 4
    }
  ),
  givesLossily(
    "cut off inside the arguments of a call",
    Flight,
    `<tool_call>\n{"name": "book", "arguments": {"from": "GRZ", "to": "FRA", "passengers": 1, "cabin": "ec`,
    {
      from: "GRZ",
      to: "FRA",
      passengers: 1
    }
  ),
  givesLossily("cut off inside a comment of a list", Texts, `["apples", "pears", // and as for the pl`, [
    "apples",
    "pears"
  ]),
  givesLossily(
    "objects one a line, of which the last is cut off",
    Schema.Array(Ingredient),
    `{"item": "flour", "amount": 500, "unit": "g"}\n{"item": "salt", "amount": 5, "unit": "g"}\n{"item": "wa`,
    [
      { item: "flour", amount: 500, unit: "g" },
      { item: "salt", amount: 5, unit: "g" }
    ]
  ),
  givesLossily(
    "cut off inside the minutes of a second step",
    Plan,
    `{"goal": "Tea", "steps": [{"action": "Boil water", "minutes": 4}, {"action": "Steep", "minutes": 1`,
    {
      goal: "Tea",
      steps: [{ action: "Boil water", minutes: 4 }]
    }
  ),
  givesLossily(
    "a table whose last row is cut off",
    Schema.Array(Ingredient),
    `| item | amount | unit |\n|---|---|---|\n| flour | 500 | g |\n| water | 3`,
    [{ item: "flour", amount: 500, unit: "g" }]
  ),
  gives(
    "a sign of a currency where a text was asked for",
    Schema.Struct({ price: Schema.String }),
    `{'price': '$1,250.00'}`,
    { price: "$1,250.00" }
  ),
  gives("yes where a text was asked for", Schema.Struct({ reply: Schema.String }), `{reply: "yes"}`, { reply: "yes" }),
  rejects("yes and no for a boolean", Feature, `{"name": "beta", "enabled": "yes and no"}`),
  rejects("two for a boolean", Feature, `{"name": "beta", "enabled": 2}`),
  rejects("a percentage beyond the most", Battery, `{"charge": "185%"}`),
  rejects("two prices for one", Price, `{"price": "$12 (was $15)"}`),
  rejects("hours and minutes for minutes", Task, `{"task": "Bake", "minutes": "1:30 to 2:00"}`),
  rejects(
    "cut off inside a required word, which is not to be guessed",
    Ticket,
    `{"title": "Crash", "tags": ["ios"], "priority": "hi`
  )
]
