import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Thought } from "cogito"

const ticket = Primitive.analyze("ticket", {
  schema: Schema.Struct({ customer: Schema.String, issue: Schema.String, signals: Schema.Array(Schema.String) }),
  prompt: "Extract the customer, the issue and every sign of urgency"
})

const triage = Pipeline.sequence("triage", [
  ticket,
  Primitive.seek("history", { query: Note.from(ticket, ({ issue }) => issue), limit: 5 }),
  Primitive.categorize("category", {
    question: "What kind of support issue is this?",
    categories: ["billing", "technical", "account"]
  }),
  Primitive.assess("mood", { question: "How does the customer feel?" }),
  Primitive.decide("escalate", { question: "Should a senior agent take this?" })
])

export const run = Effect.fnUntraced(function* (message: string) {
  const done = yield* Pipeline.run(triage, yield* Thought.make("triage a support ticket", { message }))
  const [category, mood, escalate] = [done.get("category"), done.get("mood"), done.get("escalate")]
  return { category: category.primary, mood: mood.overall, escalate: escalate.decision, reasons: escalate.reasoning }
})
