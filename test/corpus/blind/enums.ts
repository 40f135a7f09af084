/** One of the schema's words: among others, denied, misspelt, or two of them. */
import { Schema } from "effect"
import { type Case, gives, givesLossily, rejects } from "../malformed/case.ts"
import { Opinion, Review, Sentiment, Ticket } from "./schemas.ts"

const Option = Schema.Literals(["ONE", "TWO", "THREE"])
const Decision = Schema.Literals(["approve", "approve_with_changes", "reject"])
const State = Schema.Struct({ state: Schema.Literals(["active", "suspended"]) })
const Progress = Schema.Struct({ status: Schema.Literals(["not_started", "in_progress", "done"]) })

export const enums: ReadonlyArray<Case> = [
  rejects("a word and then that it is wrong", Option, `ONE: wrong, not this one`),
  rejects("a word that is denied before it", Sentiment, `not positive`),
  rejects("a word that is denied in a sentence", Sentiment, `This review isn't negative.`),
  rejects("two words with or", Sentiment, `positive or mixed`),
  rejects(
    "two words with a slash in a value",
    Ticket,
    `{"title": "Broken link", "priority": "medium/high", "tags": []}`
  ),
  rejects("neither of two words", Sentiment, `neither positive nor negative`),
  rejects("the list of options repeated", Sentiment, `Options: positive, negative, neutral, mixed`),
  rejects("a question instead of an answer", Option, `Is it ONE?`),
  rejects("the opposite of a word, which holds the word", State, `{"state": "inactive"}`),
  rejects("disapprove is not approve", Decision, `{"result": "disapprove"}`),
  rejects("unlawful is not lawful", Schema.Literals(["lawful", "unclear"]), `unlawful`),
  rejects("a longer word that starts like one of them", Schema.Literals(["yes", "no"]), `Nobody knows.`),
  rejects("a word of no list", Ticket, `{"title": "Broken link", "priority": "P2", "tags": []}`),
  rejects("a denial in a value", Ticket, `{"title": "Broken link", "priority": "not urgent", "tags": []}`),
  rejects("a word that was ruled out, and none instead", Option, `I would rule out TWO.`),
  rejects("both verdicts in a list", Sentiment, `["positive", "negative"]`),
  gives("a bare word in capitals", Sentiment, `NEGATIVE`, "negative"),
  gives("a bare word in a fence", Sentiment, "```\nneutral\n```", "neutral"),
  gives("a word in an answer tag", Option, `<answer>TWO</answer>`, "TWO"),
  gives("a blank for an underscore", Review, `{"verdict": "Request Changes", "findings": []}`, {
    verdict: "request_changes",
    findings: []
  }),
  gives("humps for an underscore", Progress, `{"status": "InProgress"}`, { status: "in_progress" }),
  gives("a hyphen for an underscore", Progress, `{"status": "not-started"}`, { status: "not_started" }),
  gives("the longer of two words that start alike", Decision, `Approve with changes`, "approve_with_changes"),
  gives("single quotes around a bare word", Option, `'THREE'`, "THREE"),
  gives("all values in capitals", Opinion, `{"sentiment": "MIXED", "confidence": 0.55}`, {
    sentiment: "mixed",
    confidence: 0.55
  }),
  givesLossily("a sentence that ends with the word", Option, `The answer is ONE`, "ONE"),
  givesLossily("a word in bold in a sentence", Sentiment, `The overall sentiment is **negative**.`, "negative"),
  givesLossily("a word and then a reason", Sentiment, `positive - the customer praises the quick delivery`, "positive"),
  givesLossily("a misspelt word in a value", Opinion, `{"sentiment": "negitive", "confidence": 0.8}`, {
    sentiment: "negative",
    confidence: 0.8
  }),
  givesLossily("a word in Italian that differs by its end", Sentiment, `positivo`, "positive"),
  givesLossily("a letter and what it stands for", Schema.Literals(["A", "B", "C"]), `B) Medium risk`, "B"),
  givesLossily(
    "a word with a remark in brackets in a value",
    Ticket,
    `{"title": "Broken link", "priority": "low (cosmetic)", "tags": ["ui"]}`,
    { title: "Broken link", priority: "low", tags: ["ui"] }
  )
]
