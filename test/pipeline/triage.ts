import { Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"

// The support triage that users start from, with answers for it.

const Ticket = Schema.Struct({
  customer: Schema.String,
  issue: Schema.String,
  signals: Schema.Array(Schema.String)
})

export const ticket = Primitive.analyze("ticket", {
  schema: Ticket,
  prompt: "Extract the customer, the issue and every sign of urgency"
})
export const history = Primitive.seek("history", { query: Note.from(ticket, (t) => t.issue), limit: 5 })
export const category = Primitive.categorize("category", {
  question: "What kind of support issue is this?",
  categories: {
    billing: "payments, invoices, refunds",
    technical: "errors and outages",
    account: "login and profile"
  }
})
export const mood = Primitive.assess("mood", { question: "How does the customer feel?" })
export const escalate = Primitive.decide("escalate", {
  question: Note.from(
    { ticket, category },
    ({ category, ticket }) => `Should a senior agent take ${ticket.customer}'s ${category.primary} issue?`
  ),
  introspect: true
})
export const triage = Pipeline.sequence("triage", [ticket, history, category, mood, escalate])

export const message = "Ada here. I was charged twice and I want my money back now!"

export const start = Thought.make("triage a support ticket", { message })

export const replies = {
  ticket: { customer: "Ada", issue: "charged twice", signals: ["now"] },
  category: { primary: "billing", secondary: "account", confidence: 0.9, reasoning: ["It is about a charge."] },
  mood: {
    overall: "negative",
    confidence: 0.8,
    scores: { positive: 0, negative: 0.9, neutral: 0.1 },
    emotions: ["anger"],
    reasoning: ["She wants her money back now."]
  },
  escalate: { decision: true, confidence: 0.7, reasoning: ["She was charged twice.", "She is angry."] },
  summary: "A senior agent should refund the second charge."
} as const

/** The answers of a whole run, in order. */
export const answers: ReadonlyArray<Testing.Reply> = [
  replies.ticket,
  replies.category,
  replies.mood,
  replies.escalate,
  replies.summary
]

export const withModel = (model: Testing.Scripted) => Effect.provide(Layer.merge(model.layer, Testing.memory))

/** Fails as a provider does. */
export const providerError = (
  tag: "Overloaded" | "Authentication" | "Connection" = "Overloaded",
  usage?: Provider.Usage
) =>
  new Provider.ProviderError({
    provider: "scripted",
    model: "script",
    reason: { _tag: tag, message: "try again later" },
    ...(usage === undefined ? {} : { usage })
  })
