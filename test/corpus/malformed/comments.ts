import { gives, rejects, type Case } from "./case.ts"
import { Contact, Decision, Invoice, Snippet, Tags, Ticket } from "./schemas.ts"

/** Comments, and what only looks like one. */
export const comments: ReadonlyArray<Case> = [
  gives(
    "comments that end a line",
    Ticket,
    `{
  "title": "Search returns nothing", // short, as asked
  "priority": "medium", // not blocking
  "urgent": false // no deadline given
}`,
    { title: "Search returns nothing", priority: "medium", urgent: false }
  ),
  gives(
    "block comments",
    Invoice,
    `{
  /* header of the document */
  "number": "F-2026/3",
  "total": /* incl. VAT */ 1190,
  "currency": "EUR",
  "paid": false /* no stamp */
}`,
    { number: "F-2026/3", total: 1190, currency: "EUR", paid: false }
  ),
  gives(
    "comments with a hash",
    Decision,
    `{
  "decision": false,  # the policy forbids it
  "confidence": 0.7,  # some doubt about the date
  "reasoning": ["The return window has passed."]
}`,
    { decision: false, confidence: 0.7, reasoning: ["The return window has passed."] }
  ),
  gives(
    "a comment with quotes and braces in it",
    Tags,
    `[
  "shipping", // the customer says "it's {very} late"
  "refund"
]`,
    ["shipping", "refund"]
  ),
  gives(
    "an address in a string, which is no comment",
    Contact,
    `{
  "full_name": "Support desk", // no person named
  "email": "mailto://help@shop.example/#form"
}`,
    { full_name: "Support desk", email: "mailto://help@shop.example/#form" }
  ),
  gives(
    "comment marks in strings",
    Snippet,
    `{
  "language": "c", // by the look of it
  "code": "int x = 1; // one\\n/* two */ int y = 2; # three"
}`,
    { language: "c", code: "int x = 1; // one\n/* two */ int y = 2; # three" }
  ),
  gives(
    "an entry that is commented out",
    Ticket,
    `{
  "title": "Two-factor codes are rejected",
  // "priority": "low",
  "priority": "high",
  "urgent": true
}`,
    { title: "Two-factor codes are rejected", priority: "high", urgent: true }
  ),
  gives(
    "a comment before the value",
    Tags,
    `// labels, most fitting first
["performance", "mobile"]`,
    ["performance", "mobile"]
  ),
  rejects(
    "a value that is only in a comment",
    Ticket,
    `{
  "title": "Two-factor codes are rejected",
  // "priority": "high",
  "urgent": true
}`
  )
]
