import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Decision, Invoice, Order, Review, Tags, Ticket } from "./schemas.ts"

/** The answer inside something that nobody asked for. */
export const wrappers: ReadonlyArray<Case> = [
  gives("under result", Ticket, '{"result": {"title": "Wrong VAT rate", "priority": "high", "urgent": false}}', {
    title: "Wrong VAT rate",
    priority: "high",
    urgent: false
  }),
  gives(
    "under answer, with a sibling",
    Decision,
    '{"answer": {"decision": true, "confidence": 0.75, "reasoning": ["The limit is not reached."]}, "status": "ok"}',
    { decision: true, confidence: 0.75, reasoning: ["The limit is not reached."] }
  ),
  gives(
    "under the name of the thing",
    Invoice,
    '{"invoice": {"number": "44-B", "total": 310, "currency": "GBP", "paid": true}}',
    { number: "44-B", total: 310, currency: "GBP", paid: true }
  ),
  gives(
    "under two names",
    Review,
    '{"response": {"data": {"sentiment": "positive", "stars": 4, "summary": "Cosy room."}}}',
    { sentiment: "positive", stars: 4, summary: "Cosy room." }
  ),
  gives("a list under items", Tags, '{"items": ["soup", "vegan"]}', ["soup", "vegan"]),
  gives("an object alone in a list", Ticket, '[{"title": "Tooltip is cut off", "priority": "low", "urgent": false}]', {
    title: "Tooltip is cut off",
    priority: "low",
    urgent: false
  }),
  gives(
    "JSON in a JSON string",
    Ticket,
    String.raw`"{\"title\": \"Double login\", \"priority\": \"medium\", \"urgent\": false}"`,
    { title: "Double login", priority: "medium", urgent: false }
  ),
  gives("JSON in a string under result", Tags, String.raw`{"result": "[\"wifi\", \"lobby\"]"}`, ["wifi", "lobby"]),
  gives(
    "one member as JSON in a string",
    Order,
    String.raw`{"order_id": "E-2", "items": "[{\"sku\": \"BAG\", \"quantity\": 1, \"unit_price\": 15}]", "shipping": {"city": "Porto", "postal_code": "4000-001"}}`,
    {
      order_id: "E-2",
      items: [{ sku: "BAG", quantity: 1, unit_price: 15 }],
      shipping: { city: "Porto", postal_code: "4000-001" }
    }
  ),
  gives(
    "a call of a function, its arguments in a string",
    Contact,
    String.raw`{"name": "save_contact", "arguments": "{\"full_name\": \"Ravi Menon\", \"email\": \"ravi@menon.example\"}"}`,
    { full_name: "Ravi Menon", email: "ravi@menon.example" }
  ),
  gives(
    "a call of a tool, its input an object",
    Ticket,
    '{"type": "tool_use", "name": "create_ticket", "input": {"title": "Keyboard layout resets", "priority": "low", "urgent": false}}',
    { title: "Keyboard layout resets", priority: "low", urgent: false }
  ),
  gives(
    "a call written as one",
    Ticket,
    'create_ticket({"title": "Badge reader is dead", "priority": "high", "urgent": true})',
    { title: "Badge reader is dead", priority: "high", urgent: true }
  ),
  gives(
    "the instance beside an echo of its schema",
    Review,
    '{"schema": {"type": "object", "required": ["sentiment", "stars", "summary"]}, "value": {"sentiment": "neutral", "stars": 3, "summary": "Average."}}',
    { sentiment: "neutral", stars: 3, summary: "Average." }
  ),
  rejects(
    "two members that both fit",
    Ticket,
    '{"first": {"title": "Leak in room 4", "priority": "high", "urgent": true}, "second": {"title": "Bulb in room 5", "priority": "low", "urgent": false}}'
  ),
  rejects(
    "two objects in a list where one is asked for",
    Ticket,
    '[{"title": "Leak in room 4", "priority": "high", "urgent": true}, {"title": "Bulb in room 5", "priority": "low", "urgent": false}]'
  ),
  rejects(
    "the message of an error",
    Schema.Struct({ message: Schema.String }),
    '{"error": {"message": "The model is overloaded, try again later", "code": 529}}'
  ),
  rejects("an empty wrapper", Ticket, '{"result": {}}'),
  rejects("an empty list", Ticket, "[]")
]
