import { Schema } from "effect"
import { gives, type Case } from "./case.ts"
import { CodeReview, Decision, Invoice, Order, Review, Tags, Ticket } from "./schemas.ts"

/** Commas too many and too few. */
export const commas: ReadonlyArray<Case> = [
  gives(
    "a comma after the last member",
    Ticket,
    '{"title": "Map does not load", "priority": "low", "urgent": false,}',
    { title: "Map does not load", priority: "low", urgent: false }
  ),
  gives("a comma after the last element", Tags, '["hotel", "breakfast", "noise",]', ["hotel", "breakfast", "noise"]),
  gives(
    "commas after the last of everything, nested",
    CodeReview,
    `{
  "approved": false,
  "findings": [
    {"file": "api/users.ts", "line": 40, "severity": "error", "message": "Missing check of the role",},
  ],
}`,
    {
      approved: false,
      findings: [{ file: "api/users.ts", line: 40, severity: "error", message: "Missing check of the role" }]
    }
  ),
  gives(
    "no comma at the end of a line",
    Invoice,
    `{
  "number": "10023"
  "total": 75.25
  "currency": "USD"
  "paid": true
}`,
    { number: "10023", total: 75.25, currency: "USD", paid: true }
  ),
  gives(
    "no comma between members of one line",
    Review,
    '{"sentiment": "neutral" "stars": 3 "summary": "Does what it says."}',
    { sentiment: "neutral", stars: 3, summary: "Does what it says." }
  ),
  gives("no comma between elements", Tags, '["sync" "calendar" "android"]', ["sync", "calendar", "android"]),
  gives("no comma between numbers", Schema.Array(Schema.Int), "[4 8 15]", [4, 8, 15]),
  gives(
    "no comma between objects",
    Order,
    `{"order_id": "B-7", "items": [
  {"sku": "MUG-1", "quantity": 2, "unit_price": 8.5}
  {"sku": "TEA-9", "quantity": 1, "unit_price": 4}
], "shipping": {"city": "Gent", "postal_code": "9000"}}`,
    {
      order_id: "B-7",
      items: [
        { sku: "MUG-1", quantity: 2, unit_price: 8.5 },
        { sku: "TEA-9", quantity: 1, unit_price: 4 }
      ],
      shipping: { city: "Gent", postal_code: "9000" }
    }
  ),
  gives(
    "two commas between members",
    Ticket,
    '{"title": "Typo on the price page",, "priority": "low", "urgent": false}',
    { title: "Typo on the price page", priority: "low", urgent: false }
  ),
  gives("two commas between elements", Tags, '["parking",, "entrance"]', ["parking", "entrance"]),
  gives(
    "a comma before the first member",
    Decision,
    '{, "decision": true, "confidence": 0.9, "reasoning": ["All documents are present."]}',
    { decision: true, confidence: 0.9, reasoning: ["All documents are present."] }
  ),
  gives(
    "a comma after the whole value",
    Ticket,
    '{"title": "App icon is blurred", "priority": "low", "urgent": false},',
    { title: "App icon is blurred", priority: "low", urgent: false }
  ),
  gives(
    "semicolons in place of commas",
    Ticket,
    '{"title": "Wrong time zone in reminders"; "priority": "medium"; "urgent": false}',
    { title: "Wrong time zone in reminders", priority: "medium", urgent: false }
  )
]
