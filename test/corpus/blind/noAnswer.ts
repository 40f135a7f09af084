/** Control characters, refusals, errors, and objects of one key that are no wrapper. */
import { Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Flight, Invoice, Opinion, Person, Sentiment, Texts, Ticket } from "./schemas.ts"

const Failure = Schema.Struct({ code: Schema.Int, message: Schema.String })

export const noAnswer: ReadonlyArray<Case> = [
  rejects("a refusal under a key of its own", Schema.String, `{"refusal": "I won't"}`),
  rejects("an error under a key of its own", Schema.String, `{"error": "Rate limit exceeded, retry in 20 s"}`),
  rejects("a reason for no answer", Schema.String, `{"reason": "The document does not say who signed it."}`),
  rejects("a question back", Schema.String, `{"clarifying_question": "Which of the two invoices do you mean?"}`),
  rejects("a thought without an answer", Schema.String, `{"thought": "I should look at the second page first."}`),
  rejects("a list of errors for a list of texts", Texts, `{"errors": ["file not found", "no permission"]}`),
  rejects(
    "an error from a gateway whose inside happens to fit",
    Failure,
    `{"error": {"code": 529, "message": "Overloaded"}}`
  ),
  rejects("a refusal in prose for an object", Ticket, `I'm sorry, but I can't help with that request.`),
  rejects("a refusal in prose for a text", Schema.String, `I'm sorry, but I can't assist with that.`),
  rejects(
    "a refusal that names what it would have said",
    Sentiment,
    `As an AI, I can't judge whether this review is positive or negative.`
  ),
  rejects("a page of a proxy", Person, `<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>`),
  rejects("control characters only", Schema.String, "\u0000\u0001\u0002"),
  rejects("a bell and a backspace for a list", Texts, "\u0007\b\b"),
  rejects("null for an object", Flight, `null`),
  rejects("an object with nothing in it", Person, `{}`),
  rejects("words for a number that is not known", Schema.Int, `N/A`),
  rejects("all values left empty", Invoice, `{"number": null, "total": null, "currency": null, "paid": null}`),
  gives("a text in a wrapper that says answer", Schema.String, `{"answer": "Paris"}`, "Paris"),
  gives("a number in a wrapper that says result", Schema.Finite, `{"result": 42.5}`, 42.5),
  gives("an object in a wrapper that says output", Opinion, `{"output": {"sentiment": "mixed", "confidence": 0.4}}`, {
    sentiment: "mixed",
    confidence: 0.4
  }),
  gives(
    "a refusal as the text that was asked for, in plain JSON",
    Schema.String,
    `"I'm sorry, I can't help with that."`,
    `I'm sorry, I can't help with that.`
  ),
  gives(
    "an apology and then the answer",
    Person,
    `I'm sorry, I can't verify the age independently, but this is what the letter says:

{"name": "Jonas Weber", "age": 51, "city": "Graz"}`,
    { name: "Jonas Weber", age: 51, city: "Graz" }
  ),
  gives(
    "colours of a terminal around the answer",
    Opinion,
    '\u001b[32m{"sentiment": "positive", "confidence": 0.9}\u001b[0m',
    {
      sentiment: "positive",
      confidence: 0.9
    }
  ),
  gives("zero characters around the answer", Texts, `\u0000["a", "b"]\u0000\u0000`, ["a", "b"]),
  gives(
    "an error object that was asked for",
    Schema.Struct({ error: Failure }),
    `{"error": {"code": 404, "message": "No such order",}}`,
    { error: { code: 404, message: "No such order" } }
  ),
  givesLossily(
    "a plain sentence for a text",
    Schema.String,
    `The warranty ends on 3 May 2027.`,
    `The warranty ends on 3 May 2027.`
  )
]
