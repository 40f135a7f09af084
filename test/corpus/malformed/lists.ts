import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { CodeReview, Decision, Order, Tags, Ticket } from "./schemas.ts"

/** One thing where a list of things is asked for. */
export const lists: ReadonlyArray<Case> = [
  gives(
    "a text for a list of texts",
    Decision,
    '{"decision": true, "confidence": 0.9, "reasoning": "The invoice is older than 30 days."}',
    { decision: true, confidence: 0.9, reasoning: ["The invoice is older than 30 days."] }
  ),
  gives("a number for a list of numbers", Schema.Struct({ pages: Schema.Array(Schema.Int) }), '{"pages": 12}', {
    pages: [12]
  }),
  gives(
    "an object for a list of objects",
    CodeReview,
    '{"approved": false, "findings": {"file": "lib/date.ts", "line": 5, "severity": "error", "message": "Months begin at zero"}}',
    {
      approved: false,
      findings: [{ file: "lib/date.ts", line: 5, severity: "error", message: "Months begin at zero" }]
    }
  ),
  gives(
    "an object for a list of objects, at the top",
    Schema.Array(Ticket),
    '{"title": "Clock is wrong", "priority": "low", "urgent": false}',
    [{ title: "Clock is wrong", priority: "low", urgent: false }]
  ),
  gives("a text for a list, at the top", Tags, '"delivery"', ["delivery"]),
  gives(
    "one thing for a list that is nested",
    Order,
    '{"order_id": "H-8", "items": {"sku": "ROPE", "quantity": 3, "unit_price": 6.4}, "shipping": {"city": "Oulu", "postal_code": "90100"}}',
    {
      order_id: "H-8",
      items: [{ sku: "ROPE", quantity: 3, unit_price: 6.4 }],
      shipping: { city: "Oulu", postal_code: "90100" }
    }
  ),
  rejects("null for a list", Decision, '{"decision": true, "confidence": 0.9, "reasoning": null}'),
  rejects(
    "an object for a list of texts",
    Decision,
    '{"decision": true, "confidence": 0.9, "reasoning": {"a": 1, "b": 2}}'
  ),
  rejects(
    "a list for a text",
    Ticket,
    '{"title": ["Clock is wrong", "Bell is silent"], "priority": "low", "urgent": false}'
  )
]
