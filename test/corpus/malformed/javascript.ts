import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Invoice, Review, Tags, Ticket } from "./schemas.ts"

// @effect-diagnostics-next-line schemaNumber:off -- what is measured may be no finite number, and the schema says so
const Reading = Schema.Struct({ sensor: Schema.String, celsius: Schema.Number })

/** Values as JavaScript writes them. */
export const javascript: ReadonlyArray<Case> = [
  gives(
    "undefined for an optional key",
    Contact,
    '{"full_name": "Mara Oduya", "email": "mara@oduya.example", "phone_number": undefined}',
    { full_name: "Mara Oduya", email: "mara@oduya.example" }
  ),
  gives("NaN where the schema allows it", Reading, '{"sensor": "roof-2", "celsius": NaN}', {
    sensor: "roof-2",
    celsius: NaN
  }),
  gives("Infinity where the schema allows it", Reading, '{"sensor": "oven", "celsius": Infinity}', {
    sensor: "oven",
    celsius: Infinity
  }),
  gives("-Infinity where the schema allows it", Reading, '{"sensor": "freezer", "celsius": -Infinity}', {
    sensor: "freezer",
    celsius: -Infinity
  }),
  gives(
    "an object literal assigned to a constant",
    Ticket,
    'const ticket = { title: "Upload stops at 99%", priority: "medium", urgent: false };',
    { title: "Upload stops at 99%", priority: "medium", urgent: false }
  ),
  gives(
    "an object literal that is exported",
    Review,
    "export default {\n  sentiment: 'positive',\n  stars: 4,\n  summary: 'Solid and quiet.',\n}",
    { sentiment: "positive", stars: 4, summary: "Solid and quiet." }
  ),
  gives(
    "numbers without their leading or trailing digit",
    Schema.Struct({ weight: Schema.Finite, height: Schema.Finite }),
    "{weight: .5, height: 12.}",
    { weight: 0.5, height: 12 }
  ),
  gives("a number with a plus", Invoice, '{"number": "CR-12", "total": +45.5, "currency": "USD", "paid": true}', {
    number: "CR-12",
    total: 45.5,
    currency: "USD",
    paid: true
  }),
  gives("an array in parentheses", Tags, '(["battery", "charger"])', ["battery", "charger"]),
  rejects(
    "NaN where a finite number is asked for",
    Invoice,
    '{"number": "N-1", "total": NaN, "currency": "EUR", "paid": false}'
  ),
  rejects(
    "Infinity where a finite number is asked for",
    Invoice,
    '{"number": "N-2", "total": Infinity, "currency": "EUR", "paid": false}'
  ),
  rejects("undefined for a required key", Ticket, '{"title": undefined, "priority": "low", "urgent": false}'),
  rejects(
    "an expression where a number is asked for",
    Invoice,
    '{"number": "S-4", "total": price * quantity, "currency": "EUR", "paid": false}'
  )
]
