import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Action } from "./schemas.ts"

const Cell = Schema.Struct({ value: Schema.Union([Schema.Finite, Schema.Boolean]) })
const Mixed = Schema.Struct({ value: Schema.Union([Schema.String, Schema.Finite]) })

/** Where the schema decides which of several readings is meant. */
export const unions: ReadonlyArray<Case> = [
  gives("the member that its tag names", Action, "{type: 'refund', amount: '19.99'}", {
    type: "refund",
    amount: 19.99
  }),
  gives("a tag in capitals", Action, '{"type": "REPLY", "message": "We are on it."}', {
    type: "reply",
    message: "We are on it."
  }),
  gives(
    "the candidate that fits, among some that do not",
    Action,
    `Input: {"type": "complaint", "message": "Where is my parcel?"}
Output: {"type": "escalate", "team": "logistics"}`,
    { type: "escalate", team: "logistics" }
  ),
  gives(
    "a list of different members",
    Schema.Array(Action),
    "[{'type': 'reply', 'message': 'Sorry!'}, {'type': 'refund', 'amount': 5}]",
    [
      { type: "reply", message: "Sorry!" },
      { type: "refund", amount: 5 }
    ]
  ),
  gives("text that can only be one member", Cell, "{'value': 'true'}", { value: true }),
  gives("text that is a member already stays text", Mixed, "{'value': '42'}", { value: "42" }),
  gives("a number that is a member already stays a number", Mixed, "{value: 42}", { value: 42 }),
  gives("a wrapped member", Action, '{"action": {"type": "escalate", "team": "legal"}}', {
    type: "escalate",
    team: "legal"
  }),
  rejects("a tag that names no member", Action, '{"type": "ignore", "message": "Nothing to do."}'),
  rejects("the fields of one member under the tag of another", Action, '{"type": "refund", "message": "Done."}'),
  rejects("no tag", Action, '{"amount": 19.99}'),
  rejects("two members in a row", Action, '{"type": "reply", "message": "Sorry!"}\n{"type": "refund", "amount": 5}')
]
