import { Schema } from "effect"
import { gives, rejects, type Case } from "./case.ts"
import { Contact, Decision, Invoice, Review, Ticket } from "./schemas.ts"

/** Keys that are missing, null, or too many, in answers that also need repair. */
export const keys: ReadonlyArray<Case> = [
  gives(
    "null for an optional key",
    Contact,
    '{"full_name": "Eva Kos", "email": "eva@kos.example", "phone_number": null}',
    { full_name: "Eva Kos", email: "eva@kos.example" }
  ),
  gives("an optional key that is missing", Contact, "{'full_name': 'Eva Kos', 'email': 'eva@kos.example'}", {
    full_name: "Eva Kos",
    email: "eva@kos.example"
  }),
  gives(
    "an optional key that is there",
    Contact,
    "{'full_name': 'Eva Kos', 'email': 'eva@kos.example', 'phone_number': '555-0101'}",
    { full_name: "Eva Kos", email: "eva@kos.example", phone_number: "555-0101" }
  ),
  gives(
    "null where the schema has null",
    Schema.Struct({ due: Schema.NullOr(Schema.String), owner: Schema.String }),
    '{"due": null, "owner": "Pia",}',
    { due: null, owner: "Pia" }
  ),
  gives(
    "keys that nobody asked for",
    Ticket,
    '{"id": 991, "title": "Sign is unlit", "priority": "low", "urgent": false, "notes": ["seen twice"],}',
    { title: "Sign is unlit", priority: "low", urgent: false }
  ),
  gives(
    "an object of its own that nobody asked for",
    Review,
    '{"meta": {"model": "draft", "stars": 9}, "sentiment": "negative", "stars": 1, "summary": "Never came.",}',
    { sentiment: "negative", stars: 1, summary: "Never came." }
  ),
  rejects("a required key that is missing", Ticket, '{"title": "Sign is unlit", "priority": "low"}'),
  rejects("null for a required key", Decision, '{"decision": null, "confidence": 0.5, "reasoning": []}'),
  rejects("an empty object", Invoice, "{}"),
  rejects("null for everything", Invoice, "null"),
  rejects("text where an object is asked for", Ticket, '"Sign is unlit"'),
  rejects(
    "an object where text is asked for",
    Ticket,
    '{"title": {"en": "Sign is unlit"}, "priority": "low", "urgent": false}'
  )
]
