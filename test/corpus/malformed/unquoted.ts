import { DateTime } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Invoice, Meeting, Order, Review, Tags, Ticket } from "./schemas.ts"

/** Keys and strings without quotes. */
export const unquoted: ReadonlyArray<Case> = [
  gives(
    "keys without quotes",
    Ticket,
    '{title: "Receipt shows the wrong address", priority: "medium", urgent: false}',
    { title: "Receipt shows the wrong address", priority: "medium", urgent: false }
  ),
  gives(
    "an enum value without quotes",
    Ticket,
    '{"title": "Chat window covers the menu", "priority": low, "urgent": false}',
    { title: "Chat window covers the menu", priority: "low", urgent: false }
  ),
  gives("a text of one word without quotes", Review, '{"sentiment": "positive", "stars": 5, "summary": Perfect}', {
    sentiment: "positive",
    stars: 5,
    summary: "Perfect"
  }),
  gives(
    "texts of several words without quotes, a line each",
    Ticket,
    `{
  title: Camera does not focus,
  priority: high,
  urgent: true
}`,
    { title: "Camera does not focus", priority: "high", urgent: true }
  ),
  gives("elements without quotes", Tags, "[gardening, tools, autumn sale]", ["gardening", "tools", "autumn sale"]),
  gives("an address without quotes", Contact, '{full_name: "Jo Sato", email: jo.sato@mail.example}', {
    full_name: "Jo Sato",
    email: "jo.sato@mail.example"
  }),
  gives(
    "a date without quotes",
    Meeting,
    '{"title": "Budget round", "starts_at": 2026-02-03T10:30:00Z, "attendees": ["Ada", "Li"]}',
    { title: "Budget round", starts_at: DateTime.makeUnsafe("2026-02-03T10:30:00Z"), attendees: ["Ada", "Li"] }
  ),
  gives(
    "keys and values without quotes, nested",
    Order,
    "{order_id: C-90, items: [{sku: PEN-3, quantity: 10, unit_price: 1.2}], shipping: {city: Lyon, postal_code: 69001}}",
    {
      order_id: "C-90",
      items: [{ sku: "PEN-3", quantity: 10, unit_price: 1.2 }],
      shipping: { city: "Lyon", postal_code: "69001" }
    }
  ),
  rejects(
    "a bare word where a number is asked for",
    Invoice,
    "{number: X-1, total: unknown, currency: EUR, paid: true}"
  ),
  rejects("a bare word that is no boolean", Ticket, '{title: "Slow list", priority: low, urgent: maybe}')
]
