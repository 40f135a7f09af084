import { gives, rejects, type Case } from "./case.ts"
import { CodeReview, Invoice, Review, Snippet, Tags, Ticket } from "./schemas.ts"

const fence = "```"

/** Code fences: right, wrongly labelled, unclosed, inside strings, several of which one fits. */
export const fences: ReadonlyArray<Case> = [
  gives(
    "a fence labelled json",
    Ticket,
    `${fence}json\n{\n  "title": "Login page shows a blank screen",\n  "priority": "high",\n  "urgent": true\n}\n${fence}`,
    { title: "Login page shows a blank screen", priority: "high", urgent: true }
  ),
  gives(
    "a fence with no label and prose on both sides",
    Review,
    `Here is the review you asked for:

${fence}
{"sentiment": "negative", "stars": 2, "summary": "The kettle leaks at the spout."}
${fence}

Let me know if you need anything else!`,
    { sentiment: "negative", stars: 2, summary: "The kettle leaks at the spout." }
  ),
  gives(
    "a fence labelled with another language",
    Invoice,
    `${fence}python\n{"number": "2026-0117", "total": 418.5, "currency": "EUR", "paid": false}\n${fence}`,
    { number: "2026-0117", total: 418.5, currency: "EUR", paid: false }
  ),
  gives(
    "a fence labelled jsonc that has a comment in it",
    Invoice,
    `${fence}jsonc
{
  "number": "RE-88", // as printed at the top right
  "total": 99,
  "currency": "GBP",
  "paid": true
}
${fence}`,
    { number: "RE-88", total: 99, currency: "GBP", paid: true }
  ),
  gives("a fence of tildes", Tags, `The labels I would use:\n\n~~~json\n["billing", "refund"]\n~~~\n`, [
    "billing",
    "refund"
  ]),
  gives(
    "a fence that is opened and never closed around a whole value",
    Ticket,
    `Sure thing.\n\n${fence}json\n{"title": "Export is slow", "priority": "low", "urgent": false}\n`,
    { title: "Export is slow", priority: "low", urgent: false }
  ),
  gives(
    "a closing fence with no opening one",
    Ticket,
    `{"title": "Dark mode flickers", "priority": "medium", "urgent": false}\n${fence}`,
    { title: "Dark mode flickers", priority: "medium", urgent: false }
  ),
  gives("a fence of a single line", Tags, `${fence}json ["late delivery", "damaged box"] ${fence}`, [
    "late delivery",
    "damaged box"
  ]),
  gives(
    "an inline code span",
    Ticket,
    'The ticket is `{"title": "Cannot print labels", "priority": "medium", "urgent": true}`.',
    { title: "Cannot print labels", priority: "medium", urgent: true }
  ),
  gives(
    "fences inside a string of a fenced value",
    Snippet,
    `${fence}json
{"language": "markdown", "code": "${fence}js\\nconsole.log(1)\\n${fence}\\nThat prints 1."}
${fence}`,
    { language: "markdown", code: "```js\nconsole.log(1)\n```\nThat prints 1." }
  ),
  gives(
    "several fences of which one fits",
    CodeReview,
    `The change in question:

${fence}ts
const config = { retries: 3, verbose: false }
${fence}

It was called with this:

${fence}json
{"retries": 3}
${fence}

My verdict:

${fence}json
{"approved": false, "findings": [{"file": "src/config.ts", "line": 12, "severity": "warning", "message": "verbose is never read"}]}
${fence}`,
    {
      approved: false,
      findings: [{ file: "src/config.ts", line: 12, severity: "warning", message: "verbose is never read" }]
    }
  ),
  gives(
    "the same value in two fences",
    Review,
    `${fence}json
{"sentiment": "mixed", "stars": 3, "summary": "Good sound, poor battery."}
${fence}

The same on one line, for your script:

${fence}
{"sentiment":"mixed","stars":3,"summary":"Good sound, poor battery."}
${fence}`,
    { sentiment: "mixed", stars: 3, summary: "Good sound, poor battery." }
  ),
  rejects(
    "two fences with different answers that both fit",
    Review,
    `Option A:
${fence}json
{"sentiment": "mixed", "stars": 3, "summary": "Good sound, poor battery."}
${fence}
Option B:
${fence}json
{"sentiment": "negative", "stars": 2, "summary": "The battery is poor."}
${fence}`
  ),
  rejects(
    "a fence that holds a program",
    Ticket,
    `${fence}python
def classify(text):
    return {"title": text[:40], "priority": guess(text), "urgent": None}
${fence}`
  )
]
