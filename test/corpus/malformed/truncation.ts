import { Schema } from "effect"
import { gives, rejects, type Case, givesLossily } from "./case.ts"
import { CodeReview, Contact, Decision, Invoice, Order, Review, Tags, Ticket } from "./schemas.ts"

const fence = "```"

/** Answers that stop too early: where a loss is allowed, closed at their last whole member, else none if they may go on. */
export const truncation: ReadonlyArray<Case> = [
  rejects(
    "cut inside a string",
    Review,
    '{"sentiment": "negative", "stars": 2, "summary": "The first week was fine but then the'
  ),
  rejects("cut inside a number", Invoice, '{"number": "2201", "currency": "EUR", "paid": true, "total": 12'),
  rejects("cut inside a key", Ticket, '{"title": "Sound is missing", "priority": "low", "urg'),
  rejects("cut after a colon", Ticket, '{"title": "Sound is missing", "priority": "low", "urgent":'),
  rejects("cut after a comma", Ticket, '{"title": "Sound is missing", "priority": "low",'),
  rejects("cut inside a literal", Ticket, '{"title": "Sound is missing", "priority": "low", "urgent": tr'),
  givesLossily(
    "cut inside an optional text",
    Contact,
    '{"full_name": "Kai Brandt", "email": "kai@brandt.example", "phone_number": "+49 30 12',
    { full_name: "Kai Brandt", email: "kai@brandt.example" }
  ),
  givesLossily("cut before an optional key", Contact, '{"full_name": "Kai Brandt", "email": "kai@brandt.example",', {
    full_name: "Kai Brandt",
    email: "kai@brandt.example"
  }),
  gives("only the last brace is missing", Ticket, '{"title": "Sound is missing", "priority": "low", "urgent": true', {
    title: "Sound is missing",
    priority: "low",
    urgent: true
  }),
  givesLossily(
    "only the last two brackets are missing",
    Decision,
    '{"confidence": 0.8, "decision": true, "reasoning": ["The serial number is valid.", "The warranty runs until May."',
    { decision: true, confidence: 0.8, reasoning: ["The serial number is valid.", "The warranty runs until May."] }
  ),
  givesLossily("a list that is cut between its elements", Tags, '["printer", "driver", ', ["printer", "driver"]),
  givesLossily("a list that is cut inside an element", Tags, '["printer", "dri', ["printer"]),
  givesLossily(
    "cut inside an array of objects, of which the first are whole",
    CodeReview,
    '{"approved": false, "findings": [{"file": "a.ts", "line": 1, "severity": "info", "message": "Unused import"}, {"file": "b.ts", "line": 7, "sev',
    { approved: false, findings: [{ file: "a.ts", line: 1, severity: "info", message: "Unused import" }] }
  ),
  rejects(
    "cut, while a part of it would fit the schema by itself",
    Schema.Struct({ city: Schema.String, postal_code: Schema.String }),
    '{"sender": {"city": "Turku", "postal_code": "20100"}, "receiver": {"city": "Vaasa", "postal_c'
  ),
  rejects(
    "cut, after an example in the prose that fits",
    Ticket,
    `As in {"title": "Example", "priority": "low", "urgent": false} I will write one object.

{"title": "Payment page times out", "priority": "hi`
  ),
  rejects(
    "cut inside a fence",
    Review,
    `${fence}json\n{\n  "sentiment": "positive",\n  "stars": 5,\n  "summary": "Best`
  ),
  rejects(
    "cut, and then said so",
    Order,
    '{"order_id": "D-12", "items": [{"sku": "CUP", "quantity": 1, "unit_price": 3}, [output truncated]'
  ),
  rejects("a list with an ellipsis for the rest", Tags, '["one star", "two stars", ...]'),
  gives(
    "only the closing fence is cut",
    Ticket,
    `${fence}json\n{"title": "Sound is missing", "priority": "low", "urgent": true}\n${fence.slice(1)}`,
    { title: "Sound is missing", priority: "low", urgent: true }
  ),
  gives(
    "only the remark after the value is cut",
    Tags,
    `${fence}json\n["printer", "driver"]\n${fence}\n\nI left out "scanner", since the customer only mentio`,
    ["printer", "driver"]
  )
]
