import { Schema } from "effect"
import { rejects, type Case } from "./case.ts"
import { Action, CodeReview, Contact, Decision, Invoice, Review, Tags, Ticket } from "./schemas.ts"

/** Texts that hold no answer. */
export const nothing: ReadonlyArray<Case> = [
  rejects("an empty text", Ticket, ""),
  rejects("white space", Decision, " \n\t\n "),
  rejects("a refusal", Review, "I'm sorry, but I can't help with rating this product."),
  rejects(
    "a refusal that quotes the form",
    Ticket,
    'I cannot produce a {"title", "priority", "urgent"} object because the message is empty.'
  ),
  rejects("a question back", Invoice, "Could you attach the invoice? I only see the cover letter."),
  rejects("an answer in prose alone", Decision, "Yes, I would approve this, with high confidence."),
  rejects(
    "an error of a provider as JSON",
    CodeReview,
    '{"error": {"type": "overloaded_error", "message": "Overloaded"}}'
  ),
  rejects("an announcement without what it announces", Tags, "Here are the labels as a JSON array:"),
  rejects("brackets and nothing in them that fits", Contact, "{ } [ ] { }"),
  rejects("a number between two others", Schema.Finite, "Somewhere between 3 and 5."),
  rejects("true or false", Schema.Boolean, "true or false"),
  rejects(
    "a description of the schema as the answer",
    Action,
    '{"type": "object", "properties": {"amount": {"type": "number"}}}'
  ),
  rejects("noise", Ticket, '}}]]"":,,{[')
]
