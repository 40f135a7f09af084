import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Decision, Invoice, Meeting, Snippet, Tags, Ticket } from "./schemas.ts"

/** Values as Python prints or writes them. */
export const python: ReadonlyArray<Case> = [
  gives("True and False", Ticket, "{'title': 'VPN drops every hour', 'priority': 'high', 'urgent': True}", {
    title: "VPN drops every hour",
    priority: "high",
    urgent: true
  }),
  gives(
    "True in otherwise right JSON",
    Decision,
    '{"decision": True, "confidence": 0.95, "reasoning": ["Both signatures match."]}',
    { decision: true, confidence: 0.95, reasoning: ["Both signatures match."] }
  ),
  gives(
    "None where null is meant",
    Schema.Struct({ assignee: Schema.NullOr(Schema.String), points: Schema.Int }),
    "{'assignee': None, 'points': 3}",
    { assignee: null, points: 3 }
  ),
  gives(
    "None for an optional key",
    Contact,
    "{'full_name': 'Bo Lind', 'email': 'bo@lind.example', 'phone_number': None}",
    { full_name: "Bo Lind", email: "bo@lind.example" }
  ),
  gives("a tuple", Tags, "('legal', 'contract', 'renewal')", ["legal", "contract", "renewal"]),
  gives(
    "a tuple in a dictionary, with its last comma",
    Decision,
    "{'decision': False, 'confidence': 0.4, 'reasoning': ('No receipt attached.',)}",
    { decision: false, confidence: 0.4, reasoning: ["No receipt attached."] }
  ),
  gives("a raw string", Snippet, String.raw`{"language": "regex", "code": r"\d{4}-\d{2}"}`, {
    language: "regex",
    code: String.raw`\d{4}-\d{2}`
  }),
  gives(
    "a string in triple quotes",
    Snippet,
    `{
  "language": "python",
  "code": """def double(x):
    return x * 2"""
}`,
    { language: "python", code: "def double(x):\n    return x * 2" }
  ),
  gives(
    "a string in triple quotes with quotes inside",
    Snippet,
    `{"language": "python", "code": """print("done")
exit()"""}`,
    { language: "python", code: 'print("done")\nexit()' }
  ),
  gives(
    "a variable that the dictionary is assigned to",
    Invoice,
    "invoice = {'number': 'K-310', 'total': 64.0, 'currency': 'EUR', 'paid': False}",
    { number: "K-310", total: 64, currency: "EUR", paid: false }
  ),
  gives(
    "a list of dictionaries",
    Schema.Array(Schema.Struct({ step: Schema.String, done: Schema.Boolean })),
    "[{'step': 'Collect logs', 'done': True}, {'step': 'Restart the node', 'done': False}]",
    [
      { step: "Collect logs", done: true },
      { step: "Restart the node", done: false }
    ]
  ),
  rejects(
    "a call where a date is asked for",
    Meeting,
    "{'title': 'Standup', 'starts_at': datetime.now(), 'attendees': ['Kim']}"
  ),
  rejects("None for a required key", Ticket, "{'title': None, 'priority': 'low', 'urgent': False}")
]
