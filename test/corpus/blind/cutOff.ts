/** Answers that end too early: at the last whole member at best, and only for callers that opt in. */
import { Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import {
  Clause,
  Finding,
  Flight,
  Glossary,
  Ingredient,
  Invoice,
  Person,
  Plan,
  Review,
  Texts,
  Ticket,
  Triage
} from "./schemas.ts"

const Reading = Schema.Struct({ sensor: Schema.String, values: Schema.Array(Schema.Finite) })

export const cutOff: ReadonlyArray<Case> = [
  givesLossily(
    "inside the text of an optional key",
    Clause,
    `{"section": "4.2", "summary": "Notice of 30 days", "binding": true, "note": "See al`,
    {
      section: "4.2",
      summary: "Notice of 30 days",
      binding: true
    }
  ),
  givesLossily("inside an optional key", Flight, `{"from": "VIE", "to": "LHR", "passengers": 2, "cab`, {
    from: "VIE",
    to: "LHR",
    passengers: 2
  }),
  givesLossily("after the colon of an optional key", Flight, `{"from": "VIE", "to": "LHR", "passengers": 2, "cabin":`, {
    from: "VIE",
    to: "LHR",
    passengers: 2
  }),
  givesLossily("inside the second text of a list", Texts, `["first paragraph", "second parag`, ["first paragraph"]),
  givesLossily(
    "inside an object of a list in a fence",
    Schema.Array(Ingredient),
    '```json\n[\n  {"item": "flour", "amount": 500, "unit": "g"},\n  {"item": "yeast", "amount": 7, "unit": "g"},\n  {"item": "wat',
    [
      { item: "flour", amount: 500, unit: "g" },
      { item: "yeast", amount: 7, unit: "g" }
    ]
  ),
  givesLossily(
    "inside the last list of a review, whose keys are all there",
    Review,
    `{"verdict": "request_changes", "findings": [{"file": "a.ts", "line": 4, "severity": "error", "message": "leak"}, {"file": "b.ts", "line": 1`,
    { verdict: "request_changes", findings: [{ file: "a.ts", line: 4, severity: "error", message: "leak" }] }
  ),
  givesLossily("inside a number of a list, which may be half", Reading, `{"sensor": "t1", "values": [20.5, 20.75, 2`, {
    sensor: "t1",
    values: [20.5, 20.75]
  }),
  givesLossily(
    "inside the text of a record",
    Glossary,
    `{"API": "application programming interface", "CLI": "command line inter`,
    {
      API: "application programming interface"
    }
  ),
  givesLossily(
    "after a comma in a list of tags",
    Ticket,
    `{"title": "Crash", "priority": "urgent", "tags": ["ios", "login",`,
    {
      title: "Crash",
      priority: "urgent",
      tags: ["ios", "login"]
    }
  ),
  givesLossily(
    "inside a step of a plan",
    Plan,
    `Here is the plan:\n{"goal": "Move flat", "steps": [{"action": "Pack books", "minutes": 90}, {"action": "Call the`,
    { goal: "Move flat", steps: [{ action: "Pack books", minutes: 90 }] }
  ),
  givesLossily(
    "where a list of texts was about to go on",
    Triage,
    `{"level": 2, "complaint": "chest pain", "ambulance": true, "redFlags": ["sweating", "pain in left a`,
    { level: 2, complaint: "chest pain", ambulance: true, redFlags: ["sweating"] }
  ),
  gives(
    "only the last bracket missing, after a whole text",
    Finding,
    `{"file": "a.ts", "line": 4, "severity": "info", "message": "unused import"`,
    {
      file: "a.ts",
      line: 4,
      severity: "info",
      message: "unused import"
    }
  ),
  gives(
    "only the last bracket missing, after a boolean",
    Invoice,
    `{"number": "R-9", "total": 12.5, "currency": "GBP", "paid": true\n`,
    {
      number: "R-9",
      total: 12.5,
      currency: "GBP",
      paid: true
    }
  ),
  gives(
    "a fence that is not closed, with a whole object",
    Person,
    '```json\n{"name": "Ada", "age": 36, "city": "London"}\n',
    {
      name: "Ada",
      age: 36,
      city: "London"
    }
  ),
  gives(
    "words behind the object that are cut off",
    Person,
    `{"name": "Ada", "age": 36, "city": "London"}\n\nI took the age from the sec`,
    {
      name: "Ada",
      age: 36,
      city: "London"
    }
  ),
  rejects("inside a required text", Person, `{"age": 36, "city": null, "name": "Ada Love`),
  rejects("before a required key", Invoice, `{"number": "R-9", "total": 12.5, "currency": "GBP", `),
  rejects(
    "inside a required number, which may be half",
    Schema.Struct({ item: Schema.String, price: Schema.Int }),
    `{"item": "bike", "price": 14`
  ),
  rejects(
    "inside a required list that has no item yet",
    Schema.Struct({ tags: Schema.NonEmptyArray(Schema.String) }),
    `{"tags": ["confi`
  ),
  rejects("inside a number that stands alone", Schema.Finite, `The total is {"result": 128`),
  rejects(
    "inside the only object of a list of at least one",
    Schema.NonEmptyArray(Finding),
    `[{"file": "a.ts", "line": 3, "sev`
  ),
  rejects("after the first bracket", Ticket, `{`),
  rejects("inside a wrapper before the value", Invoice, `{"result": {"number": "R-1", "tot`),
  rejects("with three dots for the rest of a list", Texts, `["red", "green", ...]`),
  rejects(
    "with a remark for the rest of an object",
    Invoice,
    `{"number": "R-10", "total": 99, /* ... remaining fields ... */ }`
  )
]
