import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Decision, Finding, Invoice, Review, Tags, Ticket } from "./schemas.ts"

/** Several values one after the other. */
export const sequences: ReadonlyArray<Case> = [
  gives(
    "a list of objects, one a line",
    Schema.Array(Finding),
    `{"file": "a.py", "line": 3, "severity": "info", "message": "Long line"}
{"file": "b.py", "line": 8, "severity": "error", "message": "Undefined name"}`,
    [
      { file: "a.py", line: 3, severity: "info", message: "Long line" },
      { file: "b.py", line: 8, severity: "error", message: "Undefined name" }
    ]
  ),
  gives(
    "a list of objects, commas between them and no brackets",
    Schema.Array(Schema.Struct({ city: Schema.String, days: Schema.Int })),
    '{"city": "Split", "days": 3},\n{"city": "Zadar", "days": 2}',
    [
      { city: "Split", days: 3 },
      { city: "Zadar", days: 2 }
    ]
  ),
  gives(
    "a status before the answer",
    Ticket,
    '{"status": "ok"}\n{"title": "Gate alarm", "priority": "high", "urgent": true}',
    { title: "Gate alarm", priority: "high", urgent: true }
  ),
  gives(
    "usage after the answer",
    Review,
    '{"sentiment": "neutral", "stars": 3, "summary": "Fine."}\n{"tokens": {"in": 210, "out": 31}}',
    { sentiment: "neutral", stars: 3, summary: "Fine." }
  ),
  gives(
    "lists around the object that is asked for",
    Decision,
    '["step 1", "step 2"]\n{"decision": false, "confidence": 0.6, "reasoning": ["No stock."]}\n[]',
    { decision: false, confidence: 0.6, reasoning: ["No stock."] }
  ),
  rejects("two different lists", Tags, '["invoice"]\n["reminder"]'),
  rejects(
    "three answers, of three inputs",
    Invoice,
    `{"number": "1", "total": 5, "currency": "USD", "paid": true}
{"number": "2", "total": 6, "currency": "USD", "paid": true}
{"number": "3", "total": 7, "currency": "USD", "paid": false}`
  ),
  rejects(
    "two objects that would make one together",
    Ticket,
    '{"title": "Gate alarm"}\n{"priority": "high", "urgent": true}'
  )
]
