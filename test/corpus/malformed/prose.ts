import { gives, rejects, type Case } from "./case.ts"
import { CodeReview, Contact, Decision, Invoice, Review, Tags, Ticket } from "./schemas.ts"

/** Prose around the value, with braces, quotes and examples of its own. */
export const prose: ReadonlyArray<Case> = [
  gives(
    "prose before",
    Ticket,
    'Based on the message, I would file it as follows: {"title": "Password reset mail never arrives", "priority": "high", "urgent": true}',
    { title: "Password reset mail never arrives", priority: "high", urgent: true }
  ),
  gives(
    "prose after",
    Review,
    `{"sentiment": "positive", "stars": 5, "summary": "Fast delivery and easy to set up."}

I chose five stars because the customer mentions no drawback at all.`,
    { sentiment: "positive", stars: 5, summary: "Fast delivery and easy to set up." }
  ),
  gives(
    "prose on both sides, with quotes and apostrophes in it",
    Invoice,
    `The customer wrote "please don't charge me twice". Here's what I've extracted:
{"number": "A-1041", "total": 59.9, "currency": "USD", "paid": true}
That's all I could find; the "due date" isn't given.`,
    { number: "A-1041", total: 59.9, currency: "USD", paid: true }
  ),
  gives(
    "prose with braces in it",
    Ticket,
    `The template uses {name} and {date} as placeholders {see the manual}.
{"title": "Placeholders are not filled in", "priority": "medium", "urgent": false}
Replace {name} before sending.`,
    { title: "Placeholders are not filled in", priority: "medium", urgent: false }
  ),
  gives(
    "prose with square brackets in it",
    Tags,
    `As the guide says [1], labels should be short [see section 2].

["onboarding", "documentation"]`,
    ["onboarding", "documentation"]
  ),
  gives(
    "an example in the prose that does not fit",
    Decision,
    `You sent {"customer": 4711, "plan": "pro"} as input. My decision:

{"decision": true, "confidence": 0.85, "reasoning": ["The customer is on a paid plan."]}`,
    { decision: true, confidence: 0.85, reasoning: ["The customer is on a paid plan."] }
  ),
  gives(
    "a template with placeholders before the answer",
    Ticket,
    `I will answer in this format: {"title": "<short title>", "priority": "low | medium | high", "urgent": "<boolean>"}.

{"title": "Invoices open in the wrong language", "priority": "low", "urgent": false}`,
    { title: "Invoices open in the wrong language", priority: "low", urgent: false }
  ),
  gives(
    "an echo of the JSON Schema before the answer",
    Contact,
    `Given the schema {"type": "object", "properties": {"full_name": {"type": "string"}, "email": {"type": "string"}}, "required": ["full_name", "email"]} the answer is:

{"full_name": "Ilse Marten", "email": "ilse@marten.example"}`,
    { full_name: "Ilse Marten", email: "ilse@marten.example" }
  ),
  gives(
    "a brace of the prose that is never closed",
    Review,
    `The reviewer typed ":-{" at the end, so I read it as unhappy.
{"sentiment": "negative", "stars": 1, "summary": "Arrived broken."}`,
    { sentiment: "negative", stars: 1, summary: "Arrived broken." }
  ),
  gives(
    "a heading and a bold label",
    CodeReview,
    `### Review

**Result:** {"approved": true, "findings": []}`,
    { approved: true, findings: [] }
  ),
  gives(
    "a first answer and a correction that differ",
    Ticket,
    `{"title": "Crash on start", "priority": "medium", "urgent": false}

Wait, on a second look this one matters more:

{"title": "Crash on start", "priority": "high", "urgent": true}`,
    { title: "Crash on start", priority: "high", urgent: true }
  ),
  rejects(
    "only an example that does not fit",
    Decision,
    'Please send the order as {"order": 17, "reason": "late"} and I will decide then.'
  ),
  rejects(
    "two readings offered in one sentence",
    Review,
    'Either {"sentiment": "neutral", "stars": 3, "summary": "Works."} or {"sentiment": "positive", "stars": 4, "summary": "Works."} would be fair.'
  )
]
