/**
 * The pipeline: which questions are asked of a ticket, and in which order.
 */
import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step } from "cogito"

/** Groups the thoughts of this job in the memory. */
export const taskId = "support-triage"

/** The ticket itself, as the customer wrote it: the note that every thought begins with. */
export const message = Note.handle("message", Schema.String)

/** Descriptions are for the model: they say what belongs into a field. */
const Ticket = Schema.Struct({
  customer: Schema.NullOr(Schema.String).annotate({
    description: "Name of the customer, or null when it is not given"
  }),
  issue: Schema.String.annotate({ description: "The problem, or what the customer asks for, in one sentence" }),
  signals: Schema.Array(Schema.String).annotate({
    description: "Words that show urgency or anger, as they were written"
  })
})

export const ticket = Primitive.analyze("ticket", {
  schema: Ticket,
  prompt: "Extract the customer, the issue and every sign of urgency."
})

/** Earlier tickets that say something similar. No model is asked; the memory compares meanings. */
const historyWithout = (excludeThoughts: ReadonlyArray<string>) =>
  Primitive.seek("history", {
    query: Note.from(message, (text) => text),
    keys: [message.key],
    taskId,
    limit: 5,
    minSimilarity: 0.5,
    excludeThoughts
  })
export const history = historyWithout([])

export const category = Primitive.categorize("category", {
  question: "What kind of support issue is this?",
  categories: {
    billing: "payments, charges, invoices, refunds, prices and plans",
    technical: "errors, crashes and outages of the app or the website",
    account: "login, password, profile, security of the account",
    shipping: "delivery of orders: late, lost, damaged or wrong parcels",
    feedback: "praise, thanks, wishes and ideas",
    other: "anything else, such as opening hours"
  }
})

export const mood = Primitive.assess("mood", { question: "How does the customer feel?" })

const kind = Note.from(category, ({ primary }) => primary)
const feeling = Note.from(mood, ({ overall }) => overall)

/**
 * Whether a person should take over. The question is built from earlier answers, but never from a customer's own words:
 * those stay in notes, which the model is shown as data.
 */
export const escalate = Primitive.decide("escalate", {
  question: Note.prompt`Should a senior agent take over this ${kind} ticket now, because it is urgent, severe, or because the customer, who sounds ${feeling}, is about to leave?`,
  introspect: true
})

/** What is asked of every ticket that says something. */
const answers = (history: ReturnType<typeof historyWithout>) =>
  Pipeline.sequence("answers", [ticket, history, category, mood, escalate])

/** What is noted about a ticket that says nothing. */
export const empty = Step.make("empty", {
  schema: Schema.String,
  run: () => "The ticket has no text, so nothing was asked of the model. Ask the customer to write again."
})

/** Nothing but space and punctuation is no text. */
const isBlank = (text: string): boolean => !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)

/** Looks at the ticket before anything else does. It writes nothing. */
const received = Step.make("received", { run: Note.from(message, () => undefined) })

const triageOf = (history: ReturnType<typeof historyWithout>) =>
  Pipeline.sequence("triage", [
    received.pipe(
      Step.when("has text", (thought) => !isBlank(thought.get("message")), answers(history)),
      Step.when("is blank", (thought) => isBlank(thought.get("message")), empty)
    )
  ])

/** One ticket from its text to the decision who takes it. */
export const triage = triageOf(history)

/** The same, with some earlier thoughts, by id, out of sight. */
export const triageWithout = (...thoughtIds: ReadonlyArray<string>) => triageOf(historyWithout(thoughtIds))
