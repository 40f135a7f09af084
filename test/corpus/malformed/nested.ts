import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { CodeReview, Contact, Order } from "./schemas.ts"

interface Reply {
  readonly author: string
  readonly replies: ReadonlyArray<Reply>
}
const Reply = Schema.Struct({
  author: Schema.String,
  replies: Schema.Array(Schema.suspend((): Schema.Codec<Reply> => Reply))
})
const Directory = Schema.Struct({ team: Schema.String, members: Schema.Array(Contact) })
const Counts = Schema.Record(Schema.String, Schema.Finite)

/** Objects in lists in objects: what is wrong may be deep inside. */
export const nested: ReadonlyArray<Case> = [
  gives(
    "everything at once, deep inside",
    Order,
    `{
  'orderId': 'J-5', // from the subject line
  items: [
    { sku: 'NAIL-40', quantity: "250", unit_price: 0.04, },
    { sku: 'HAMMER', quantity: 1, unit_price: "18.90" }
  ],
  shipping: { city: 'Brno', postal_code: 60200 },
}`,
    {
      order_id: "J-5",
      items: [
        { sku: "NAIL-40", quantity: 250, unit_price: 0.04 },
        { sku: "HAMMER", quantity: 1, unit_price: 18.9 }
      ],
      shipping: { city: "Brno", postal_code: "60200" }
    }
  ),
  gives(
    "a list of objects with optional keys",
    Directory,
    `{team: "Night shift", members: [
  {full_name: "Ola Berg", email: "ola@clinic.example", phone_number: null},
  {full_name: "Tim Roth", email: "tim@clinic.example", phone_number: "21"},
]}`,
    {
      team: "Night shift",
      members: [
        { full_name: "Ola Berg", email: "ola@clinic.example" },
        { full_name: "Tim Roth", email: "tim@clinic.example", phone_number: "21" }
      ]
    }
  ),
  gives(
    "a schema that holds itself",
    Reply,
    "{'author': 'ann', 'replies': [{'author': 'bob', 'replies': [{'author': 'cy', 'replies': []}]}, {'author': 'dee', 'replies': []}]}",
    {
      author: "ann",
      replies: [
        { author: "bob", replies: [{ author: "cy", replies: [] }] },
        { author: "dee", replies: [] }
      ]
    }
  ),
  gives("a record with keys of its own", Counts, "{'new york': 3, 'são paulo': '7', 'Oslo': 1,}", {
    "new york": 3,
    "são paulo": 7,
    Oslo: 1
  }),
  gives(
    "one brace too many at the end",
    CodeReview,
    '{"approved": true, "findings": [{"file": "m.rs", "line": 9, "severity": "info", "message": "Nice"}]}}',
    { approved: true, findings: [{ file: "m.rs", line: 9, severity: "info", message: "Nice" }] }
  ),
  gives(
    "an outer value that holds a smaller one like it",
    Contact,
    '{"full_name": "Lea Simon", "email": "lea@simon.example", "assistant": {"full_name": "Max Aue", "email": "max@simon.example"},}',
    { full_name: "Lea Simon", email: "lea@simon.example" }
  ),
  rejects(
    "one element of many that does not fit",
    CodeReview,
    "{approved: false, findings: [{file: 'a.ts', line: 1, severity: 'info', message: 'ok'}, {file: 'b.ts', line: 'somewhere', severity: 'info', message: 'ok'}]}"
  ),
  rejects(
    "one element of many that lacks a key",
    Order,
    "{order_id: 'K-1', items: [{sku: 'A', quantity: 1, unit_price: 2}, {sku: 'B', quantity: 1}], shipping: {city: 'Rom', postal_code: '00100'}}"
  )
]
