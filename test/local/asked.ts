/** What the offline provider is asked in transcripts, and about which texts. */
import { Effect, Schema } from "effect"
import { Provider } from "cogito"

/** Numbers with four digits: the last ones are those of the machine's arithmetic. */
const rounded = (value: unknown): unknown => {
  if (typeof value === "number") return Number(value.toFixed(4))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== "object" || value === null || value instanceof Error) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rounded(inner)]))
}

export const texts: Readonly<Record<string, string>> = {
  "an angry customer":
    "This is the THIRD time I write to you! My card was charged twice, $1,200.50 on 3 March 2026 and again on 2026-03-05. " +
    "Nobody answers the phone. I want my money back now or I will call my lawyer. Maria Lopez, maria@example.com, order #A-1047",
  "a pleased customer":
    "Hi Tom,\n\nThank you so much, the new dashboard works perfectly. I love the export to PDF. The team in Berlin is delighted!\n\nBest regards,\nAnna Schmidt",
  "mixed feelings":
    "The lamp is beautiful and well made, but delivery took three weeks. The support was kind; however the invoice INV-2231 is still wrong.",
  "a plain question": "Where can I find the manual for the X200? Could you also tell me which colours you have?",
  "an outage":
    "Our production system is down since 14:30. We are losing 5k EUR every hour. Please help immediately! See https://status.example.com/incidents/7. Call +49 30 123456.",
  "no trouble at all":
    "There is no hurry at all. It would be nice if you could add a dark mode. The app is not slow and nothing is broken.",
  "an agenda":
    "Agenda:\n- Budget for 2027 (45 % of last year)\n- Hiring: two engineers, one designer\n- Move to Paris on 1st of June 2026\n\nJohn Miller of Acme Corp presents.",
  shouting: "I HAVE HAD ENOUGH. NOTHING WORKS. YOU NEVER ANSWER.",
  "one word": "Help",
  "a fact":
    "The museum opens at 9 am. Tickets cost 12 euros, 8 for students. It was built in 1897 by Emma Stone. The architect lived in Rome. Some rooms are closed in winter. Visitors like the garden most of all."
}

const level = (label: string, value: number, description?: string) => ({
  label,
  value,
  ...(description !== undefined && { description })
})
const labels = (all: Readonly<Record<string, string | undefined>>) =>
  Object.entries(all).map(([label, description]) => (description === undefined ? { label } : { label, description }))
const choice = (
  name: string,
  all: Readonly<Record<string, string | undefined>>,
  question = "What is it?"
): Provider.Question => ({
  _tag: "Choice",
  name,
  question,
  labels: labels(all)
})
const predicate = (name: string, question: string): Provider.Question => ({ _tag: "Predicate", name, question })

/** Closed questions of every kind that is answered in a way of its own. */
export const questions: ReadonlyArray<Provider.Question> = [
  predicate("severe", "Should this be escalated to a senior agent?"),
  predicate("angry", "Is the customer angry?"),
  predicate("happy", "Is the customer satisfied with the service?"),
  predicate("money", "Does the customer want a refund?"),
  predicate("works", "The app is slow."),
  choice("kind", {
    billing: "payments, invoices, refunds",
    technical: "errors and outages",
    feedback: "praise and wishes"
  }),
  choice("bare", { travel: undefined, software: undefined, shopping: " " }),
  choice("sentiment", { negative: undefined, positive: undefined, mixed: undefined, neutral: undefined }),
  choice("aspect:support", { Positive: undefined, Negative: "bad", Neutral: undefined }),
  choice("emotion", { joy: undefined, Angry: undefined, calm: undefined, worry: undefined }),
  choice("priority", { high: undefined, low: undefined, medium: undefined }, "How severe is this issue?"),
  choice("described", { high: "people are hurt", low: "a wish" }, "How severe is this issue?"),
  {
    _tag: "Score",
    name: "scale",
    question: "How angry is the customer?",
    levels: [level("none", 0), level("some", 2), level("very", 10)]
  },
  {
    _tag: "Score",
    name: "scored",
    question: "How severe is this issue?",
    levels: [
      level("wish", 1, "a wish or a question"),
      level("fault", 2, "something does not work"),
      level("outage", 4, "production is down")
    ]
  }
]

const task = (more: Partial<Provider.Task>): Provider.Task => ({
  kind: "analyze",
  instruction: "",
  questions: [],
  context: [],
  ...more
})

/** What the provider decides, with probabilities of four digits. */
export const decided = (input: string, asked: ReadonlyArray<Provider.Question> = questions) =>
  Effect.gen(function* () {
    const provider = yield* Provider.Provider
    if (provider.decide === undefined) return "no decisions"
    const { answers, ...rest } = yield* provider.decide({
      messages: [],
      task: task({ kind: "decide", input, questions: asked })
    })
    return { answers: rounded(answers), ...rest }
  })

/** What the provider writes; JSON with numbers of four digits. */
export const written = (more: Partial<Provider.Task>, phase: Provider.Phase = "reason") =>
  Effect.gen(function* () {
    const provider = yield* Provider.Provider
    const response = yield* provider.complete({ messages: [], sampling: {}, phase, task: task(more) })
    const text = more.output === undefined ? response.text : rounded(JSON.parse(response.text))
    return { ...response, text }
  }).pipe(Effect.catch((error) => Effect.succeed(error)))

/** A schema as typed calls hand it over. */
export const output = (schema: Schema.Codec<any, any>): Provider.Output => {
  const { definitions, schema: own } = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema), {
    onExcessProperty: "error"
  })
  return { name: "it", instructions: "", jsonSchema: { ...own, $defs: definitions } }
}
