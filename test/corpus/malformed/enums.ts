import { Schema } from "effect"
import { gives, givesLossily, rejects, type Case } from "./case.ts"
import { CodeReview, Invoice, Review, Ticket } from "./schemas.ts"

const Status = Schema.Struct({ status: Schema.Literals(["open", "in_progress", "done"]) })
const Category = Schema.Literals(["billing", "technical", "other"])

/** Choices, not quite as they were offered. */
export const enums: ReadonlyArray<Case> = [
  gives("in capitals", Ticket, '{"title": "Gate does not open", "priority": "HIGH", "urgent": true}', {
    title: "Gate does not open",
    priority: "high",
    urgent: true
  }),
  gives("with a capital", Review, '{"sentiment": "Positive", "stars": 5, "summary": "Lovely."}', {
    sentiment: "positive",
    stars: 5,
    summary: "Lovely."
  }),
  gives(
    "in small letters where capitals are offered",
    Invoice,
    '{"number": "9", "total": 1, "currency": "eur", "paid": false}',
    { number: "9", total: 1, currency: "EUR", paid: false }
  ),
  gives("with a full stop", Ticket, '{"title": "Gate does not open", "priority": "medium.", "urgent": false}', {
    title: "Gate does not open",
    priority: "medium",
    urgent: false
  }),
  gives(
    "in quotes of its own",
    Ticket,
    String.raw`{"title": "Gate does not open", "priority": "\"low\"", "urgent": false}`,
    { title: "Gate does not open", priority: "low", urgent: false }
  ),
  gives("in quotes of another kind", Status, `{"status": "'done'"}`, { status: "done" }),
  gives("with a space where an underscore is offered", Status, '{"status": "in progress"}', { status: "in_progress" }),
  gives("with a hyphen and a capital", Status, '{"status": "In-Progress"}', { status: "in_progress" }),
  gives("with white space around it", Status, '{"status": " open\\n"}', { status: "open" }),
  gives("alone, with a full stop", Category, "Billing.", "billing"),
  gives("alone, in bold", Category, "**technical**", "technical"),
  gives(
    "in a list of objects",
    CodeReview,
    '{"approved": false, "findings": [{"file": "x.go", "line": 3, "severity": "Warning", "message": "Shadowed name"}]}',
    { approved: false, findings: [{ file: "x.go", line: 3, severity: "warning", message: "Shadowed name" }] }
  ),
  givesLossily(
    "with a letter that is wrong",
    Ticket,
    '{"title": "Gate does not open", "priority": "mediun", "urgent": false}',
    { title: "Gate does not open", priority: "medium", urgent: false }
  ),
  rejects("a choice that is not offered", Ticket, '{"title": "Gate stuck", "priority": "critical", "urgent": true}'),
  rejects("two choices at once", Category, '"billing or technical"'),
  rejects("two choices in a member", Ticket, '{"title": "Gate stuck", "priority": "medium/high", "urgent": true}'),
  rejects("the opposite of a choice", Ticket, '{"title": "Gate stuck", "priority": "not high", "urgent": true}'),
  rejects("all choices, copied", Status, '{"status": "open|in_progress|done"}'),
  rejects("a case that two choices share", Schema.Struct({ unit: Schema.Literals(["mW", "MW"]) }), '{"unit": "mw"}')
]
