import { type Memory, Pipeline, Primitive, type Provider, Synapse, Thought } from "cogito"
import { Effect, Schema, type Stream } from "effect"
import { same } from "./same.ts"

const Ticket = Schema.Struct({ customer: Schema.String, tags: Schema.Array(Schema.Int), paid: Schema.Boolean })
const ticket = Synapse.extract(Ticket, { prompt: "Extract" })

const streamed = Synapse.stream(ticket, "text")
same<
  typeof streamed,
  Stream.Stream<Synapse.Part<typeof Ticket.Type>, Provider.ProviderError | Synapse.ResponseError, Provider.Provider>
>(true)

declare const part: Synapse.Part<typeof Ticket.Type>
if (part._tag === "Partial") {
  const { customer, paid, tags } = part.partial
  if (customer?.state === "partial") same<typeof customer.value, string>(true)
  if (tags?.state === "partial") same<typeof tags.value, ReadonlyArray<number>>(true)
  if (tags?.state === "done") same<typeof tags.value, ReadonlyArray<number>>(true)
  // of a boolean there is no part: what is not done has no value
  if (paid?.state === "partial") same<typeof paid.value, never>(true)
}

const steps = Pipeline.sequence("triage", [
  Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract" }),
  Primitive.decide("escalate", { question: "Escalate?" })
])
const events = Effect.map(Thought.make("t"), (thought) => Pipeline.stream(steps, thought))
type Events = Effect.Success<typeof events>
same<Stream.Services<Events>, Provider.Provider | Memory.Memory>(true)
same<Stream.Error<Events>, Pipeline.PipelineError<Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError>>(
  true
)

declare const event: Stream.Success<Events>
if (event._tag === "Partial" && event.key === "ticket") {
  const { customer } = event.partial
  if (customer?.state === "done") same<typeof customer.value, string>(true)
}
if (event._tag === "Done") {
  const { decision } = event.thought.get("escalate")
  same<typeof decision, boolean>(true)
}
