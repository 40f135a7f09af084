import { DateTime } from "effect"
import { gives, rejects, type Case, givesLossily } from "./case.ts"
import { CodeReview, Contact, Decision, Invoice, Meeting, Order, Review, Ticket } from "./schemas.ts"

const fence = "```"

/** Whole answers with several faults at once, as they come. */
export const mixed: ReadonlyArray<Case> = [
  gives(
    "thought, fence, comments and Python",
    Ticket,
    `<think>priority... {"priority": "low"}? no.</think>
Here's the ticket:
${fence}python
{
    'title': "Tablet won't charge",  # from the subject
    'priority': 'High',
    'urgent': True,
}
${fence}
Hope that helps!`,
    { title: "Tablet won't charge", priority: "high", urgent: true }
  ),
  gives(
    "a wrapper, camel case and numbers in quotes",
    Order,
    '{"order": {"orderId": "L-33", "items": [{"sku": "CORD", "quantity": "2", "unitPrice": "7.95"}], "shipping": {"city": "Faro", "postalCode": "8000"}}}',
    {
      order_id: "L-33",
      items: [{ sku: "CORD", quantity: 2, unit_price: 7.95 }],
      shipping: { city: "Faro", postal_code: "8000" }
    }
  ),
  gives(
    "keys without quotes, a list of one and a last comma",
    CodeReview,
    `Verdict below.

${fence}js
{
  approved: false,
  findings: {
    file: "server/auth.ts",
    line: "88",
    severity: "ERROR",
    message: "The token is compared with ==, which leaks timing",
  },
}
${fence}`,
    {
      approved: false,
      findings: [
        {
          file: "server/auth.ts",
          line: 88,
          severity: "error",
          message: "The token is compared with ==, which leaks timing"
        }
      ]
    }
  ),
  gives(
    "a calendar entry between two paragraphs",
    Meeting,
    `I found one appointment in the mail ("let's meet on the 5th").

{title: 'Roof inspection', starts_at: '2026-05-05T07:30:00Z', attendees: ['Mr. O'Neil', 'Site office']}

The place {unknown} was not mentioned.`,
    {
      title: "Roof inspection",
      starts_at: DateTime.makeUnsafe("2026-05-05T07:30:00Z"),
      attendees: ["Mr. O'Neil", "Site office"]
    }
  ),
  gives(
    "typographic quotes, None and a tag",
    Contact,
    "<answer>{“full_name”: “Ana Reis”, “email”: “ana@reis.example”, “phone_number”: None}</answer>",
    { full_name: "Ana Reis", email: "ana@reis.example" }
  ),
  gives(
    "an example in a fence and the answer in another",
    Invoice,
    `The format is:
${fence}json
{"number": "...", "total": 0.00, "currency": "EUR|USD|GBP", "paid": true}
${fence}
Filled in:
${fence}json
{"number": "R 12/26", "total": 87.20, "currency": "EUR", "paid": false,}
${fence}`,
    { number: "R 12/26", total: 87.2, currency: "EUR", paid: false }
  ),
  gives(
    "JSON in a string in a fence",
    Decision,
    `${fence}json
${String.raw`"{\"decision\": false, \"confidence\": \"0.55\", \"reasoning\": \"Two sources disagree.\"}"`}
${fence}`,
    { decision: false, confidence: 0.55, reasoning: ["Two sources disagree."] }
  ),
  gives(
    "an array of one, in prose, with Python's literals",
    Review,
    "Result -> [{'sentiment': 'NEGATIVE', 'stars': '2', 'summary': 'Zip broke on day two.', 'verified': None}]",
    { sentiment: "negative", stars: 2, summary: "Zip broke on day two." }
  ),
  givesLossily(
    "a good beginning in a fence that breaks off",
    CodeReview,
    `${fence}json
{
  approved: false, // blocking
  findings: [
    { file: 'a.ts', line: 3, severity: 'error', message: 'Leaks the handle' },
    { file: 'b.ts', line: 9, severity: 'error', message: 'Never awai`,
    { approved: false, findings: [{ file: "a.ts", line: 3, severity: "error", message: "Leaks the handle" }] }
  ),
  rejects(
    "a wrapped answer whose number is out of its range",
    Review,
    `${fence}json\n{"review": {"sentiment": "Positive", "stars": "10", "summary": "Ten out of ten!"}}\n${fence}`
  )
]
