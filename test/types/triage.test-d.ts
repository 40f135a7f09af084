import { type Effect, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, type Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

// The program every user starts from: named steps, then the same steps inline.

interface Ticket {
  readonly customer: string
  readonly issue: string
  readonly signals: ReadonlyArray<string>
}
const Ticket = Schema.Struct({ customer: Schema.String, issue: Schema.String, signals: Schema.Array(Schema.String) })

type Failure = Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError
type Needs = Provider.Provider | Memory.Memory
type Kind = "billing" | "technical" | "account"
type Notes = {
  readonly ticket: Ticket
  readonly history: Primitive.Findings
  readonly category: Synapse.Classification<Kind>
  readonly mood: Synapse.Assessment
  readonly escalate: Synapse.Decision
}

const ticket = Primitive.analyze("ticket", {
  schema: Ticket,
  prompt: "Extract the customer, the issue and every sign of urgency"
})
const history = Primitive.seek("history", { query: Note.from(ticket, (t) => t.issue), limit: 5 })
const category = Primitive.categorize("category", {
  question: "What kind of support issue is this?",
  categories: {
    billing: "payments, invoices, refunds",
    technical: "errors and outages",
    account: "login and profile"
  }
})
const mood = Primitive.assess("mood", { question: "How does the customer feel?" })
const escalate = Primitive.decide("escalate", {
  question: Note.from({ ticket, category }, ({ category, ticket }) => {
    same<typeof ticket, Ticket>(true)
    same<typeof category, Synapse.Classification<Kind>>(true)
    return `Should a senior agent take ${ticket.customer}'s ${category.primary} issue?`
  }),
  introspect: true
})

const named = Pipeline.sequence("triage", [ticket, history, category, mood, escalate])
same<typeof named, Step.Step<{}, Notes, Failure, Needs>>(true)

const inline = Pipeline.sequence("triage", [
  Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer, the issue and every sign of urgency" }),
  Primitive.seek("history", {
    query: Note.from(Note.handle("ticket", Ticket), (t) => t.issue),
    limit: 5
  }),
  Primitive.categorize("category", {
    question: "What kind of support issue is this?",
    categories: ["billing", "technical", "account"]
  }),
  Primitive.assess("mood", { question: "How does the customer feel?" }),
  Primitive.decide("escalate", {
    question: Note.from({ ticket, category }, ({ category, ticket }) => `${ticket.customer}: ${category.primary}?`),
    introspect: true
  })
])
same<typeof inline, typeof named>(true)

// ------------------------------------------------------------------------------------------------ run and read

declare const empty: Thought.Thought
const ran = Pipeline.run(named, empty)
same<Effect.Error<typeof ran>, Pipeline.PipelineError<Failure>>(true)
same<Effect.Services<typeof ran>, Needs>(true)
same<Effect.Success<typeof ran>, Thought.Thought<Notes>>(true)
const ranInline = Pipeline.run(inline, empty)
same<typeof ranInline, typeof ran>(true)

declare const done: Effect.Success<typeof ran>
const kind = done.get("category").primary
same<typeof kind, Kind>(true)
const decision = done.get("escalate").decision
same<typeof decision, boolean>(true)
const issue = done.get("ticket").issue
same<typeof issue, string>(true)
// @ts-expect-error '"escalated"' is not assignable to parameter of type
done.get("escalated")

// A thought that began with notes keeps them.
declare const begun: Thought.Thought<{ readonly message: string }>
const kept = Pipeline.run(named, begun)
same<
  Effect.Success<typeof kept>,
  Thought.Thought<{
    readonly message: string
    readonly ticket: Ticket
    readonly history: Primitive.Findings
    readonly category: Synapse.Classification<Kind>
    readonly mood: Synapse.Assessment
    readonly escalate: Synapse.Decision
  }>
>(true)

// ------------------------------------------------------------------------------------------------ wrong orders

// A step that reads what only a later one writes makes the sequence demand it of the thought, which has it not.
const wrongOrder = Pipeline.sequence("triage", [history, ticket, category])
same<Step.In<typeof wrongOrder>, { readonly ticket: Ticket }>(true)
// @ts-expect-error Property 'ticket' is missing in type '{}' but required in type
void Pipeline.run(wrongOrder, empty)
// @ts-expect-error Property 'ticket' is missing in type '{ readonly message: string; }' but required
void Pipeline.run(wrongOrder, begun)

const wrongOrderInline = Pipeline.sequence("triage", [
  Primitive.decide("escalate", { question: Note.from({ ticket, category }, ({ ticket }) => ticket.issue) }),
  Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract" }),
  category
])
same<Step.In<typeof wrongOrderInline>, { readonly ticket: Ticket; readonly category: Synapse.Classification<Kind> }>(
  true
)
// @ts-expect-error is missing the following properties from type '{ readonly category: Classification<
void Pipeline.run(wrongOrderInline, empty)

// ------------------------------------------------------------------------------------------------ a missing message

const greeting = Primitive.decide("greeting", {
  question: Note.from(Note.handle("message", Schema.String), (text) => `Is this a greeting? ${text}`)
})
same<
  typeof greeting,
  Step.Keyed<
    "greeting",
    Synapse.Decision,
    { readonly message: string },
    Provider.ProviderError | Synapse.ResponseError,
    Provider.Provider
  >
>(true)
void Pipeline.run(greeting, begun)
// @ts-expect-error Property 'message' is missing in type '{}' but required in type '{ readonly message: string
void Pipeline.run(greeting, empty)
declare const wrongType: Thought.Thought<{ readonly message: number }>
// @ts-expect-error Types of property 'message' are incompatible
void Pipeline.run(greeting, wrongType)
