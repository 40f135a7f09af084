import { gives, rejects, type Case } from "./case.ts"
import { Invoice, Tags, Ticket } from "./schemas.ts"

/** The same key or the same value twice. */
export const duplicates: ReadonlyArray<Case> = [
  gives(
    "a key twice in valid JSON, which says that the last counts",
    Ticket,
    '{"title": "Lift is slow", "priority": "low", "priority": "medium", "urgent": false}',
    { title: "Lift is slow", priority: "medium", urgent: false }
  ),
  gives(
    "a key twice with one value",
    Ticket,
    "{title: 'Lift is slow', priority: 'low', urgent: false, priority: 'low'}",
    { title: "Lift is slow", priority: "low", urgent: false }
  ),
  gives("the whole answer twice", Tags, '["lift", "maintenance"]\n\n["lift", "maintenance"]', ["lift", "maintenance"]),
  gives(
    "the whole answer twice, its keys in another order",
    Invoice,
    '{"number": "7", "total": 5, "currency": "USD", "paid": true}\n{"paid": true, "currency": "USD", "total": 5, "number": "7"}',
    { number: "7", total: 5, currency: "USD", paid: true }
  ),
  gives(
    "an extra key twice, with different values",
    Ticket,
    "{title: 'Lift is slow', note: 'a', note: 'b', priority: 'low', urgent: false}",
    { title: "Lift is slow", priority: "low", urgent: false }
  ),
  rejects(
    "the answer twice, not quite the same",
    Invoice,
    '{"number": "7", "total": 5, "currency": "USD", "paid": true}\n{"number": "7", "total": 50, "currency": "USD", "paid": true}'
  )
]
