import { DateTime } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Decision, Invoice, Meeting, Review, Snippet, Tags, Ticket } from "./schemas.ts"

/** Quotes of every kind, and strings that their writer forgot to escape. */
export const quotes: ReadonlyArray<Case> = [
  gives("single quotes", Ticket, "{'title': 'Cart empties itself', 'priority': 'high', 'urgent': true}", {
    title: "Cart empties itself",
    priority: "high",
    urgent: true
  }),
  gives(
    "single quotes around text with double quotes",
    Review,
    `{'sentiment': 'negative', 'stars': 1, 'summary': 'The "waterproof" jacket is not.'}`,
    { sentiment: "negative", stars: 1, summary: 'The "waterproof" jacket is not.' }
  ),
  gives(
    "an apostrophe inside single quotes",
    Review,
    "{'sentiment': 'mixed', 'stars': 3, 'summary': 'It's loud but it's cheap.'}",
    { sentiment: "mixed", stars: 3, summary: "It's loud but it's cheap." }
  ),
  gives(
    "typographic quotes as delimiters",
    Ticket,
    "{“title”: “Voucher is refused at checkout”, “priority”: “medium”, “urgent”: false}",
    { title: "Voucher is refused at checkout", priority: "medium", urgent: false }
  ),
  gives(
    "typographic quotes in a string stay",
    Review,
    '{"sentiment": "negative", "stars": 2, "summary": "Called “premium”, feels cheap.",}',
    { sentiment: "negative", stars: 2, summary: "Called “premium”, feels cheap." }
  ),
  gives("backticks as delimiters", Snippet, "{`language`: `sql`, `code`: `select 1`}", {
    language: "sql",
    code: "select 1"
  }),
  gives(
    "quoting that changes from member to member",
    Invoice,
    `{'number': "INV-5", "total": 20, 'currency': 'GBP', "paid": true}`,
    { number: "INV-5", total: 20, currency: "GBP", paid: true }
  ),
  gives(
    "quotes inside a string that are not escaped",
    Review,
    '{"sentiment": "negative", "stars": 2, "summary": "They call it "silent" but it hums."}',
    { sentiment: "negative", stars: 2, summary: 'They call it "silent" but it hums.' }
  ),
  gives(
    "unescaped quotes at the end of a string",
    Ticket,
    '{"title": "Button says "Sned"", "priority": "low", "urgent": false}',
    { title: 'Button says "Sned"', priority: "low", urgent: false }
  ),
  gives(
    "unescaped quotes followed by a comma",
    Decision,
    '{"decision": false, "confidence": 0.6, "reasoning": ["The mail says "final notice", yet no date is given."]}',
    { decision: false, confidence: 0.6, reasoning: ['The mail says "final notice", yet no date is given.'] }
  ),
  gives(
    "line breaks inside a string",
    Snippet,
    `{"language": "sql", "code": "select id
from users
where active"}`,
    { language: "sql", code: "select id\nfrom users\nwhere active" }
  ),
  gives("a tab inside a string", Tags, '["part\tno. 12", "shelf B"]', ["part\tno. 12", "shelf B"]),
  gives(
    "every quote escaped, as if the whole were inside a string",
    Ticket,
    String.raw`{\"title\": \"Fonts look thin\", \"priority\": \"low\", \"urgent\": false}`,
    { title: "Fonts look thin", priority: "low", urgent: false }
  ),
  gives(
    "an apostrophe in a string of double quotes, beside single quotes",
    Meeting,
    `{'title': "Anna's farewell", 'starts_at': '2026-06-30T15:00:00Z', 'attendees': ["Anna", 'Piotr']}`,
    {
      title: "Anna's farewell",
      starts_at: DateTime.makeUnsafe("2026-06-30T15:00:00Z"),
      attendees: ["Anna", "Piotr"]
    }
  ),
  rejects(
    "a string that never ends and takes the other members with it",
    Ticket,
    '{"title": "Battery drains, "priority: high, urgent: true'
  )
]
